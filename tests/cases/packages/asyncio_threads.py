#: runtime native
#: arguments {"timeout": 55}
import asyncio
import concurrent.futures
import time


async def main():
    loop = asyncio.get_running_loop()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        await asyncio.gather(*[loop.run_in_executor(pool, time.sleep, 0.05) for _ in range(8)])
    return await asyncio.wait_for(asyncio.sleep(0.01, "slept"), 1)


assert asyncio.run(main()) == "slept"
print("ok")
# | ok
