import asyncio


async def work(n):
    await asyncio.sleep(0.01 * n)
    return n


async with asyncio.timeout(5):
    print(await asyncio.gather(*(work(n) for n in (3, 1, 2))))
async with asyncio.TaskGroup() as group:
    task = group.create_task(work(1))
task.result()
# | [3, 1, 2]
# | 1
