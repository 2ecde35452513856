"""python-dateutil: dates read from text, calendar steps, recurrences, time zones."""

from datetime import UTC, datetime
from importlib.metadata import version

from dateutil import easter, parser, relativedelta, rrule, tz

assert parser.parse("March 5th, 2024 3:07 pm") == datetime(2024, 3, 5, 15, 7)
assert parser.parse("05/03/2024", dayfirst=True) == datetime(2024, 3, 5)
assert parser.isoparse("2024-W10-2") == datetime(2024, 3, 5)
assert parser.parse("2024-03-05T12:00:00+02:00").astimezone(UTC).hour == 10
step = relativedelta.relativedelta(months=1)
assert datetime(2024, 1, 31) + step == datetime(2024, 2, 29)
age = relativedelta.relativedelta(datetime(2024, 3, 1), datetime(2000, 2, 29))
assert (age.years, age.months, age.days) == (24, 0, 1)
fridays = rrule.rrule(rrule.MONTHLY, byweekday=rrule.FR(-1), count=3, dtstart=datetime(2024, 1, 1))
assert [day.day for day in fridays] == [26, 23, 29]
every_ten_days = rrule.rrulestr("DTSTART:20240101T090000\nRRULE:FREQ=DAILY;INTERVAL=10;COUNT=4")
assert every_ten_days[3] == datetime(2024, 1, 31, 9)
assert easter.easter(2024).isoformat() == "2024-03-31"
summer = datetime(2024, 7, 1, 12, tzinfo=tz.gettz("Europe/Berlin"))
assert summer.utcoffset().total_seconds() == 7200
assert tz.tzoffset("X", 3600).utcoffset(None).seconds == 3600

print("ok", "python-dateutil", version("python-dateutil"))
