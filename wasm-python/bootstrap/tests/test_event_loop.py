"""asyncio on a loop that only sleeps."""

import unittest

from .harness import guest, native


class Loop(unittest.TestCase):
    def test_the_guest_uses_it(self):
        code = (
            "import asyncio\nasync def f():\n"
            "    return type(asyncio.get_running_loop()).__name__\nprint(asyncio.run(f()))"
        )
        self.assertEqual(guest(code).stdout, "SleepingLoop\n")

    def test_same_in_both_runtimes(self):
        code = """
import asyncio, contextvars, time

async def work(n):
    await asyncio.sleep(0.01 * n)
    return n

async def producer(queue):
    for n in range(3):
        await queue.put(n)
        await asyncio.sleep(0)
    await queue.put(None)

async def numbers():
    for n in range(3):
        await asyncio.sleep(0)
        yield n

async def main():
    print(await asyncio.gather(*(work(n) for n in (3, 1, 2))))
    start = time.monotonic()
    async with asyncio.timeout(1):
        print("in timeout")
    try:
        await asyncio.wait_for(asyncio.sleep(5), 0.02)
    except TimeoutError:
        print("timed out", time.monotonic() - start < 1)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work(n)) for n in (2, 1)]
    print([task.result() for task in tasks])
    queue = asyncio.Queue()
    task = asyncio.create_task(producer(queue))
    while (item := await queue.get()) is not None:
        print("item", item)
    await task
    print([n async for n in numbers()])
    async with asyncio.Lock(), asyncio.Semaphore(2):
        print("locked")
    event = asyncio.Event()
    asyncio.get_running_loop().call_later(0.01, event.set)
    await event.wait()
    for done in asyncio.as_completed([work(2), work(1)]):
        print("done", await done)
    try:
        await asyncio.gather(work(1), asyncio.sleep(0), fail())
    except ValueError as error:
        print("failed", error)
    task = asyncio.create_task(asyncio.sleep(10))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")

async def fail():
    raise ValueError("in a task")

asyncio.run(main())
loop = asyncio.new_event_loop()
print(loop.run_until_complete(work(1)))
loop.close()
with asyncio.Runner() as runner:
    print(runner.run(work(0)))
"""
        first, second = guest(code), native(code)
        self.assertEqual(first.report, {"exit": "ok", "code": 0})
        self.assertEqual(first.stdout, second.stdout)
        self.assertTrue(
            first.stdout.startswith("[3, 1, 2]\nin timeout\ntimed out True\n[2, 1]\nitem 0\n")
        )

    def test_waiting_for_ever_is_said(self):
        result = guest(
            "import asyncio\nasync def f():\n    await asyncio.Event().wait()\nasyncio.run(f())"
        )
        self.assertIn(
            "RuntimeError: the event loop waits for ever: no task can run and no timer is set",
            result.traceback,
        )
