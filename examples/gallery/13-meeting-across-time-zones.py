# Asked: When can Beijing, Berlin and New York meet on 26 October 2026, and what if it is a week later?
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

CITIES = {"Beijing": "Asia/Shanghai", "Berlin": "Europe/Berlin", "New York": "America/New_York"}
for day in (date(2026, 10, 26), date(2026, 11, 2)):
    print(f"{day:%A, %d %B %Y}")
    for hour in range(24):
        moment = datetime.combine(day, time(hour), timezone.utc)
        local = {city: moment.astimezone(ZoneInfo(zone)) for city, zone in CITIES.items()}
        # Nobody before 8 in the morning, nobody after 10 in the evening.
        if all(time(8) <= when.time() and (when + timedelta(hours=1)).hour <= 22 and when.hour < 22 for when in local.values()):
            print("  " + ", ".join(f"{city} {when:%a %H:%M} (UTC{when:%z})" for city, when in local.items()))
