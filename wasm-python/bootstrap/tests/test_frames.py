"""The channel: frames that cannot be broken, lost or forged by accident."""

import base64
import os
import re
import threading
import unittest

from sandbox_bootstrap.host import frames

from .harness import both, native

NONCE = "ab" * 16
MAX_FRAME = 256  # bytes


def _parts(frame: bytes) -> re.Match[bytes]:
    """Number, whether more frames follow, and payload of a frame."""
    found = re.fullmatch(rb"\[IMAGE_DATA_BEGIN:\w+:(\d+):([01])\](.*)\[IMAGE_DATA_END:\w+\]", frame)
    assert found is not None, frame
    return found


class Frames(unittest.TestCase):
    def setUp(self):
        self.written: list[bytes] = []
        self.channel = frames.Channel(NONCE, self.written.append, MAX_FRAME)

    def test_one_frame(self):
        self.channel.send(frames.REPORT, b"{}")
        self.assertEqual(
            self.written, [f"[JOB_REPORT_BEGIN:{NONCE}:1:0]e30=[JOB_REPORT_END:{NONCE}]".encode()]
        )

    def test_many_frames(self):
        payload = os.urandom(1000)
        self.channel.send(frames.IMAGE, payload)
        self.channel.send(frames.IMAGE, b"")
        self.assertTrue(all(len(frame) <= MAX_FRAME for frame in self.written))
        parts = [_parts(frame) for frame in self.written]
        self.assertEqual([part[2] for part in parts], [b"1"] * (len(parts) - 2) + [b"0", b"0"])
        self.assertEqual({part[1] for part in parts[:-1]}, {b"1"})
        self.assertEqual(
            base64.b64decode(b"".join(part[3] for part in parts[:-1]), validate=True), payload
        )
        for part in parts[:-2]:
            self.assertEqual(len(part[3]) % 4, 0)
            self.assertNotIn(b"=", part[3])

    def test_frames_fit_with_large_ids(self):
        self.channel._next_id = 10**9
        self.channel.send(frames.IMAGE, bytes(1000))
        self.assertTrue(all(len(frame) <= MAX_FRAME for frame in self.written))

    def test_threads(self):
        threads = [
            threading.Thread(target=self.channel.send, args=(frames.IMAGE, bytes([n]) * 2000))
            for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ids = [int(_parts(frame)[1]) for frame in self.written]
        self.assertEqual(ids, sorted(ids))


class InJobs(unittest.TestCase):
    def test_pipe_frames_are_atomic(self):
        result = native(
            "from IPython.display import Image\nimport os\n"
            "Image(data=b'\\x89PNG\\r\\n\\x1a\\n' + os.urandom(50_000))"
        )
        self.assertEqual(len(result.images[0].data), 50_008)

    def test_order_is_kept(self):
        code = (
            "from IPython.display import Image, display\n"
            "p = Image(data=b'\\x89PNG\\r\\n\\x1a\\n')\nfor i in range(3):\n    print(i, end='')\n"
            "    display(p)\nprint('end')"
        )
        for result in both(code):
            self.assertEqual(result.stdout, "0<image 1>1<image 2>2<image 3>end\n")

    def test_order_under_redirection(self):
        code = (
            "import sys\nfrom IPython.display import Image, display\nsys.stdout.write('before ')\n"
            "sys.stdout = None\ndisplay(Image(data=b'GIF89a...'))\nsys.stdout = sys.__stdout__\n"
            "print('after')"
        )
        for result in both(code):
            self.assertEqual(result.stdout, "before <image 1>after\n")
            self.assertEqual(result.images[0].header["mime"], "image/gif")
