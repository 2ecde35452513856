import asyncio


async def fail(n):
    raise ValueError(n)


async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(fail(1))
        group.create_task(fail(2))


asyncio.run(main())
#: ends exception ExceptionGroup
# |   + Exception Group Traceback (most recent call last):
# |   |   File "main.py", line 14, in <module>
# |   |     asyncio.run(main())
# |   |     ~~~~~~~~~~~^^^^^^^^
# |   |   File "python3.13/asyncio/runners.py", line 195, in run
# |   |     return runner.run(main)
# |   |            ~~~~~~~~~~^^^^^^
# |   |   File "python3.13/asyncio/runners.py", line 118, in run
# |   |     return self._loop.run_until_complete(task)
# |   |            ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~^^^^^^
# |   |   File "python3.13/asyncio/base_events.py", line 725, in run_until_complete
# |   |     return future.result()
# |   |            ~~~~~~~~~~~~~^^
# |   |   File "main.py", line 9, in main
# |   |     async with asyncio.TaskGroup() as group:
# |   |                ~~~~~~~~~~~~~~~~~^^
# |   |   File "python3.13/asyncio/taskgroups.py", line 71, in __aexit__
# |   |     return await self._aexit(et, exc)
# |   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^
# |   |   File "python3.13/asyncio/taskgroups.py", line 173, in _aexit
# |   |     raise BaseExceptionGroup(
# |   |     ...<2 lines>...
# |   |     ) from None
# |   | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
# |   +-+---------------- 1 ----------------
# |     | Traceback (most recent call last):
# |     |   File "main.py", line 5, in fail
# |     |     raise ValueError(n)
# |     | ValueError: 1
# |     +---------------- 2 ----------------
# |     | Traceback (most recent call last):
# |     |   File "main.py", line 5, in fail
# |     |     raise ValueError(n)
# |     | ValueError: 2
# |     +------------------------------------
