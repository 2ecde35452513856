"""Two ways into the package: in a fresh interpreter, and in a child of the fork server."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from . import harness
from .harness import BOOTSTRAP, HAS_MATPLOTLIB, native

START = f"""
import sys
sys.path.insert(0, {BOOTSTRAP!r})
from sandbox_bootstrap import run_request
from sandbox_bootstrap.native import paths
paths.install()
with open(int(sys.argv[1]), "rb") as source:
    request = source.read()
sys.exit(run_request(request))
"""


class FreshProcess(unittest.TestCase):
    def run_fresh(self, code, **options):
        """Run a job in an interpreter that has just started, stdout being a pipe."""
        with tempfile.TemporaryDirectory() as folder:
            reading, writing = os.pipe()
            request = harness.request(code, "native", hostdir=folder, **options)
            os.write(writing, json.dumps(request).encode())
            os.close(writing)
            ran = subprocess.run(
                [sys.executable, "-I", "-B", "-X", "utf8", "-c", START, str(reading)],
                cwd=folder,
                env={**os.environ, "TMPDIR": folder},
                pass_fds=[reading],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
            os.close(reading)
        result = harness._read(ran.stdout)
        result.code, result.stderr = ran.returncode, ran.stderr.decode()
        return result, ran.stdout

    def test_job(self):
        result, _ = self.run_fresh("import os\nprint(os.getcwd())\nimport sys\nsys.exit(3)")
        self.assertEqual((result.code, result.stdout, result.stderr), (3, "/mnt/data\n", ""))
        self.assertEqual(result.report, {"exit": "exit", "code": 3})

    def test_traceback_without_ours(self):
        result, _ = self.run_fresh("open('/mnt/data/no')")
        self.assertNotIn("sandbox_bootstrap", result.traceback)

    def test_frames_fit_into_one_write_to_a_pipe(self):
        code = (
            "from IPython.display import Image\nimport os\n"
            "Image(data=b'GIF89a' + os.urandom(20_000))"
        )
        result, output = self.run_fresh(code)
        self.assertEqual(len(result.images[0].data), 20_006)
        frames = output.split(b"[IMAGE_DATA_BEGIN:")[1:-1]
        self.assertGreater(len(frames), 5)
        for frame in frames:
            self.assertLessEqual(len(b"[IMAGE_DATA_BEGIN:" + frame), 4096)

    def test_closed_descriptors_do_not_lose_the_report(self):
        result, _ = self.run_fresh("import os\nos.closerange(3, 100)\nos.close(1)\nos.close(2)")
        self.assertEqual(result.report, {"exit": "ok", "code": 0})


class WarmParent(unittest.TestCase):
    def test_modules_are_there(self):
        wanted = [name.split(".")[0] for name in harness.WARM_MODULES]
        result = native(f"import sys\nprint([name in sys.modules for name in {wanted}])")
        self.assertEqual(result.stdout, f"{[True] * len(wanted)}\n")

    @unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
    def test_nothing_is_left_of_the_warm_up(self):
        code = (
            "import matplotlib, matplotlib.pyplot as plt\n"
            "print(plt.get_fignums(), matplotlib.get_backend(), plt.isinteractive(), "
            "plt.rcParams['figure.dpi'])\n"
        )
        self.assertEqual(native(code).stdout, "[] agg False 100.0\n")

    @unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
    def test_numpy_random_differs_between_jobs(self):
        code = "import numpy as np\nprint(np.random.rand(), np.random.default_rng().random())"
        first, second = native(code).stdout.split(), native(code).stdout.split()
        self.assertNotEqual(first[0], second[0])
        self.assertNotEqual(first[1], second[1])
