"""The soft deadline: the place is told, what was drawn comes out, and the job ends."""

import unittest

from .harness import both, guest

AFTER = {"signal_after": 0.4}


class Deadline(unittest.TestCase):
    def test_loop(self):
        code = "print('before')\ndef f():\n    while True:\n        pass\nf()\n"
        for result in both(code, **AFTER):
            self.assertEqual((result.code, result.stdout), (124, "before\n"))
            self.assertEqual(result.report["exit"], "deadline")
            self.assertRegex(
                result.reports[0]["where"],
                r'^File "main\.py", line 5, in <module>\n    f\(\)\n'
                r'  File "main\.py", line [34], in f\n    (pass|while True:)$',
            )
            self.assertNotIn("error", result.report)
            self.assertEqual(result.stderr, "")

    def test_sleep(self):
        for result in both("import time\ntime.sleep(30)", **AFTER):
            self.assertEqual(
                result.report["where"], 'File "main.py", line 2, in <module>\n    time.sleep(30)'
            )

    def test_swallowed(self):
        code = (
            "try:\n    while True:\n        pass\nexcept BaseException:\n    print('swallowed')\n"
        )
        for result in both(code, **AFTER):
            self.assertEqual(
                (result.stdout, result.report["exit"], result.code),
                ("swallowed\n", "deadline", 124),
            )

    def test_finally_runs(self):
        code = "try:\n    while True:\n        pass\nfinally:\n    print('cleaned')\n"
        self.assertEqual(guest(code, **AFTER).stdout, "cleaned\n")

    def test_destructor(self):
        code = (
            "class Bomb:\n    def __del__(self):\n        while True:\n            pass\n"
            "keep = Bomb()\nprint('left')\n"
        )
        for result in both(code, **AFTER):
            self.assertEqual((result.stdout, result.report["exit"]), ("left\n", "deadline"))

    def test_exit_handler(self):
        code = "import atexit, time\natexit.register(time.sleep, 30)\nprint('end')\n"
        for result in both(code, **AFTER):
            self.assertEqual((result.stdout, result.report["exit"]), ("end\n", "deadline"))

    def test_awaiting(self):
        code = "import asyncio\nasync def f():\n    await asyncio.sleep(30)\nasyncio.run(f())\n"
        for result in both(code, **AFTER):
            self.assertEqual(result.report["exit"], "deadline")

    def test_before_the_end_of_a_message(self):
        """A picture is never cut in two: the deadline waits until it is out."""
        code = (
            "import os, signal\nfrom IPython.display import Image, display\n"
            "from sandbox_bootstrap.host import frames\nreal = frames._channel._write\n"
            "def write(frame):\n    real(frame)\n    os.kill(os.getpid(), signal.SIGUSR1)\n"
            "frames._channel._write = write\n"
            "display(Image(data=b'\\x89PNG\\r\\n\\x1a\\n' + bytes(20_000)))\nprint('not reached')"
        )
        for result in both(code):
            self.assertEqual(result.stdout, "<image 1>")
            self.assertEqual((len(result.images), len(result.images[0].data)), (1, 20_008))
            self.assertEqual(result.report["exit"], "deadline")
