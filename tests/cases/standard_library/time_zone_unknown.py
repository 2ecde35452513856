#: runtime wasm
import os
import time

os.environ["TZ"] = "Middle/Earth"
time.tzset()
print(time.strftime("%H", time.localtime(0)))
# | 00
# | [note: there is no time zone `Middle/Earth`, so local time is UTC]
