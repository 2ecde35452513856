import asyncio


async def square(n):
    await asyncio.sleep(0)
    return n * n


await asyncio.gather(square(2), square(3))
# | [4, 9]
