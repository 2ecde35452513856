import asyncio


async def fail(n):
    raise ValueError(n)


async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(fail(1))
        group.create_task(fail(2))


asyncio.run(main())
