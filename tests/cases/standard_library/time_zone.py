import datetime
import os
import time

for zone in ("JST-9", "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3", "America/New_York", "UTC"):
    os.environ["TZ"] = zone
    time.tzset()
    noon = datetime.datetime(2024, 6, 1, 12)
    print(
        time.tzname,
        time.timezone,
        time.daylight,
        time.strftime("%H:%M %Z %z", time.localtime(0)),
        datetime.datetime.fromtimestamp(1_720_000_000),
        noon.astimezone().utcoffset(),
        noon.timestamp(),
        time.mktime((2024, 12, 1, 0, 0, 0, 0, 0, -1)),
    )
# | ('JST', 'JST') -32400 0 09:00 JST +0900 2024-07-03 18:46:40 9:00:00 1717210800.0 1732978800.0
# | ('CET', 'CEST') -3600 1 01:00 CET +0100 2024-07-03 11:46:40 2:00:00 1717236000.0 1733007600.0
# | ('CET', 'CEST') -3600 1 01:00 CET +0100 2024-07-03 11:46:40 2:00:00 1717236000.0 1733007600.0
# | ('EST', 'EDT') 18000 1 19:00 EST -0500 2024-07-03 05:46:40 -1 day, 20:00:00 1717257600.0 1733029200.0
# | ('UTC', 'UTC') 0 0 00:00 UTC +0000 2024-07-03 09:46:40 0:00:00 1717243200.0 1733011200.0
