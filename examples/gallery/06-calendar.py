# Asked: Show me the second quarter of 2027, and which Fridays the 13th the year has.
import calendar
import datetime

for month in (4, 5, 6):
    print(calendar.TextCalendar(calendar.MONDAY).formatmonth(2027, month))
unlucky = [datetime.date(2027, month, 13) for month in range(1, 13)]
print("Fridays the 13th:", ", ".join(day.strftime("%d %B") for day in unlucky if day.weekday() == calendar.FRIDAY))
print("ISO week of 1 April:", datetime.date(2027, 4, 1).isocalendar().week)
