import asyncio
import warnings

warnings.simplefilter("ignore")
print(asyncio.get_event_loop().run_until_complete(asyncio.sleep(0, "slept")))
# | slept
