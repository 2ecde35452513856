"""Routing by imports, and honest errors for what a runtime cannot have."""

import unittest

from .harness import both, guest, native, without_calls

ON = {"native": "on", "native_modules": ["numpy", "pandas", "lxml"]}
OFF = {
    "native": "off",
    "native_modules": ["numpy", "pandas"],
    "native_why": "the native runtime is off: no Landlock",
}

SEEN_BEFORE = {
    "import numpy": "numpy",
    "import os, numpy as np": "numpy",
    "from pandas.core import frame": "pandas",
    "def f():\n    if True:\n        import numpy": "numpy",
    "try:\n    import numpy\nexcept ImportError:\n    pass": "numpy",
    "try:\n    pass\nexcept ValueError:\n    import numpy": "numpy",
    "try:\n    pass\nfinally:\n    import numpy": "numpy",
    "class A:\n    import numpy": "numpy",
    "async def f():\n    async with a:\n        import numpy": "numpy",
    "match 1:\n    case 1:\n        import numpy": "numpy",
    "for x in []:\n    pass\nelse:\n    import numpy": "numpy",
    "import json\nimport pandas\nimport numpy": "pandas",
    "import ssl, http.client": "ssl",
    "from ctypes import c_int": "ctypes",
}

MET_WHEN_RUN = {
    "__import__('numpy')": "numpy",
    "exec('import numpy')": "numpy",
    "import importlib\nimportlib.import_module('pandas.core')": "pandas",
    "import importlib.util\nimportlib.util.find_spec('numpy')": "numpy",
    "try:\n    __import__('numpy')\nexcept BaseException:\n    pass": "numpy",
    "import helper": "numpy",
    "import threading\nthreading.Thread(target=print).start()": "threading",
    (
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as e:\n"
        "    e.submit(print)"
    ): "threading",
    "import asyncio\nasyncio.run(asyncio.to_thread(print))": "threading",
}


class Routing(unittest.TestCase):
    def test_seen_before_anything_runs(self):
        for code, module in SEEN_BEFORE.items():
            with self.subTest(code):
                result = guest("print('ran')\n" + code, **ON)
                self.assertEqual(result.stdout, "")
                self.assertEqual(
                    result.reports,
                    [{"exit": "needs_native", "code": 1, "module": module, "how": "import"}],
                )

    def test_met_when_it_runs(self):
        for code, module in MET_WHEN_RUN.items():
            with self.subTest(code):
                result = guest("print('ran')\n" + code, files={"helper.py": "import numpy"}, **ON)
                expected = {"exit": "needs_native", "code": 1, "module": module, "how": "attempt"}
                self.assertEqual(result.stdout, "ran\n")
                self.assertEqual(result.reports[0], expected)
                if "except BaseException" not in code:
                    self.assertEqual(result.reports[-1], expected)

    def test_not_routed(self):
        for code in (
            "import json, os.path\nprint(1)",
            "text = 'import numpy'\nprint(1)",
            "import numpy_helper\nprint(1)",
            "import multiprocessing\nprint(1)",
            "import os\nos.environ.clear()\nos.path.expanduser('~')\nprint(1)",
            "import urllib.request, http.client, smtplib\nprint(1)",
        ):
            with self.subTest(code):
                result = guest(code, files={"numpy_helper.py": ""}, **ON)
                self.assertEqual((result.stdout, result.report["exit"]), ("1\n", "ok"))

    def test_own_module_of_that_name_wins(self):
        result = guest("import numpy\nprint(numpy.x)", files={"numpy.py": "x = 'mine'"}, **ON)
        self.assertEqual((result.stdout, result.report["exit"]), ("mine\n", "ok"))

    def test_libraries_may_do_without(self):
        """An import that a library guards by `try` does not decide the route; others do."""
        library = {
            "lib/guarded.py": (
                "try:\n    import numpy\nexcept ImportError:\n    numpy = None\ndef need():\n"
                "    import numpy\n"
            )
        }
        code = (
            "import sys\nsys.path.append(sys.path[0] + '/lib')\nimport guarded\n"
            "print(guarded.numpy)\n"
        )
        self.assertEqual(guest(code, files=library, **ON).stdout, "None\n")
        result = guest(code + "guarded.need()", files=library, **ON)
        self.assertEqual(
            result.report, {"exit": "needs_native", "code": 1, "module": "numpy", "how": "attempt"}
        )

    def test_library_that_wraps_the_import_error(self):
        library = {
            "lib/wrap.py": (
                "try:\n    import numpy\nexcept ImportError as e:\n"
                "    raise RuntimeError('numpy wanted') from e\n"
            )
        }
        code = "import sys\nsys.path.append(sys.path[0] + '/lib')\nimport wrap"
        self.assertEqual(guest(code, files=library, **ON).report["exit"], "needs_native")

    def test_native_off(self):
        result = guest("import numpy", **OFF)
        self.assertEqual(
            result.traceback,
            'Traceback (most recent call last):\n  File "main.py", line 1, in <module>\n'
            "    import numpy\n"
            "ModuleNotFoundError: No module named 'numpy': it needs the native runtime, which is "
            "off: "
            "the native runtime is off: no Landlock\n",
        )
        result = guest("try:\n    import numpy\nexcept ImportError as e:\n    print(e.name)", **OFF)
        self.assertEqual((result.stdout, result.code), ("numpy\n", 0))
        result = guest("import threading\nthreading.Thread(target=print).start()", **OFF)
        self.assertIn(
            "RuntimeError: can't start new thread: that needs the native runtime, which is off",
            result.traceback,
        )

    def test_exists_nowhere(self):
        for result in both("import qwertyuiop", native_modules=["numpy"]):
            self.assertEqual(
                result.traceback,
                'Traceback (most recent call last):\n  File "main.py", line 1, in <module>\n'
                "    import qwertyuiop\n"
                "ModuleNotFoundError: No module named 'qwertyuiop'\n",
            )
            self.assertEqual(
                result.notes,
                ["no module `qwertyuiop` here, and packages cannot be installed in a job"],
            )

    def test_near_names(self):
        result = guest("import nunpy", **ON)
        self.assertIn("numpy", result.notes[0])
        result = guest("import jason", **ON)
        self.assertEqual(result.notes, ["no module `jason` here; near names that exist: json"])

    def test_no_near_names_for_a_caught_error(self):
        for result in both("try:\n    import nunpy\nexcept ImportError:\n    print('caught')"):
            self.assertEqual((result.stdout, result.notes), ("caught\n", []))

    def test_no_processes_in_the_guest(self):
        for call in (
            "subprocess.run(['ls'])",
            "subprocess.check_output('ls', shell=True)",
            "os.popen('ls').read()",
        ):
            result = guest(
                f"import subprocess, os\ntry:\n    {call}\nexcept OSError as e:\n"
                f"    print('refused:', e)"
            )
            self.assertRegex(result.stdout, r"^refused: no process can be started here")

    def test_work_that_needs_another_at_the_same_time(self):
        code = "import multiprocessing as mp\nmp.Queue().get()"
        expected = {
            "exit": "needs_native",
            "code": 1,
            "module": "multiprocessing",
            "how": "attempt",
        }
        self.assertEqual(guest(code, **ON).report, expected)


class OwnFiles(unittest.TestCase):
    def test_module_written_by_the_job(self):
        code = (
            "try:\n    import helper_mod\nexcept ImportError:\n    pass\n"
            "open('helper_mod.py', 'w').write('def hi():\\n    return 1\\n')\n"
            "import os\nos.makedirs('pkg')\nopen('pkg/__init__.py', 'w').close()\n"
            "open('pkg/m.py', 'w').write('from . import other\\nV = other.W + 1\\n')\n"
            "open('pkg/other.py', 'w').write('W = 41\\n')\n"
            "import helper_mod\nfrom pkg import m\nprint(helper_mod.hi(), m.V)\n"
        )  # fmt: skip
        for result in both(code):
            self.assertEqual(result.stdout, "1 42\n", result.report)

    def test_uploaded_module_and_its_traceback(self):
        for result in both(
            "import helper\nhelper.fail()", files={"helper.py": "def fail():\n    1 / 0\n"}
        ):
            folder = "/mnt/data" if "/mnt/data" in result.traceback else str(result.workdir)
            expected = (
                'Traceback (most recent call last):\n  File "main.py", line 2, in <module>\n'
                "    helper.fail()\n    ~~~~~~~~~~~^^\n"
                f'  File "{folder}/helper.py", line 2, in fail\n    1 / 0\n    ~~^~~\n'
                "ZeroDivisionError: division by zero\n"
            )
            self.assertEqual(without_calls(result.traceback), without_calls(expected))
        self.assertIn(
            'File "/mnt/data/helper.py"',
            native("import helper", files={"helper.py": "1 / 0"}).traceback,
        )

    def test_file_that_shadows_the_library(self):
        for result in both(
            "import random\nprint(random.mine)", files={"random.py": "mine = 'own'"}
        ):
            self.assertEqual(result.stdout, "own\n", result.report)
        for result in both(
            "import json\nprint(json.mine)", files={"json/__init__.py": "mine = 'own'"}
        ):
            self.assertEqual(result.stdout, "own\n", result.report)
        for result in both(
            "import os\nprint(os.sep)", files={"os.py": "mine = 'own'", "csv/data.txt": ""}
        ):
            self.assertEqual(result.stdout, "/\n", result.report)

    def test_attribute_of_a_shadowed_module_is_explained(self):
        for result in both("import random\nrandom.randint(1, 2)", files={"random.py": ""}):
            self.assertIn("module 'random' has no attribute 'randint'", result.traceback)
            self.assertEqual(
                result.notes,
                [
                    (
                        "`random` is the file of that name in the work directory, not Python's "
                        "own module"
                    )
                ],
            )


class GuestLibrary(unittest.TestCase):
    def test_pbkdf2_as_openssl_has_it(self):
        import hashlib

        from sandbox_bootstrap.guest import library

        for name in ("sha1", "sha256", "sha512"):
            for iterations, length in ((1, None), (3, 5), (1000, 100)):
                expected = hashlib.pbkdf2_hmac(name, b"password", b"salt", iterations, length)
                self.assertEqual(
                    library.pbkdf2_hmac(name, b"password", b"salt", iterations, length), expected
                )
        for arguments in ((0, None), (1, 0)):
            with self.assertRaises(ValueError):
                library.pbkdf2_hmac("sha1", b"", b"", *arguments)

    def test_functions_that_need_native(self):
        code = (
            "from sandbox_bootstrap.guest import stand_ins\n"
            "stand_ins.native_function('signal.alarm')(1)"
        )
        self.assertEqual(
            guest(code, **ON).report,
            {"exit": "needs_native", "code": 1, "module": "signal.alarm", "how": "attempt"},
        )
        message = guest(code, **OFF).report["error"]["message"]
        self.assertEqual(
            message,
            (
                "signal.alarm() needs the native runtime, which is off: the native runtime is "
                "off: no Landlock"
            ),
        )
