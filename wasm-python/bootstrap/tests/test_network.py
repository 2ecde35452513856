"""What a job is told about the network, and which jobs are sent to the runtime that has it."""

import unittest

from .harness import guest, native

CLOSED = "jobs have no network; the operator can open a host with `--allow-host`"
OPEN = {"network": ["a.org", "*.b.org:81"]}
OPEN_SENTENCE = (
    "jobs reach these hosts only: a.org, *.b.org:81 (through the proxy in HTTPS_PROXY); "
    "the operator can add one with `--allow-host`"
)
ON = {"native": "on", "native_modules": ["numpy"]}

WANTING = {
    "import requests": "requests",
    "import os, urllib.request as r": "urllib.request",
    "from urllib import request": "urllib.request",
    "from urllib.request import urlopen": "urllib.request",
    "from http import client": "http.client",
    "def f():\n    import socket": "socket",
    "try:\n    import urllib3.util\nexcept ImportError:\n    pass": "urllib3.util",
}
NOT_WANTING = [
    "import urllib.parse",
    "from urllib import parse",
    "from http import HTTPStatus",
    "import json",
    "1",
]


class Words(unittest.TestCase):
    def test_an_error_of_the_network_comes_with_what_is_open(self):
        code = (
            "class ConnectionError(OSError): __module__ = 'requests.exceptions'\n"
            "raise ConnectionError('no')"
        )
        self.assertEqual(native(code).notes, [CLOSED])
        self.assertEqual(native(code, **OPEN).notes, [OPEN_SENTENCE])
        self.assertEqual(
            native(code, network_why="`--allow-host` needs x").notes,
            ["jobs have no network: `--allow-host` needs x"],
        )

    def test_so_does_one_behind_another(self):
        code = (
            "import socket\ntry:\n    raise PermissionError(1, 'no')\nexcept OSError:\n"
            "    raise ValueError('x')"
        )
        self.assertEqual(native(code).notes, [CLOSED])

    def test_other_errors_have_no_such_note(self):
        for code in ("1/0", "open('/etc/shadow')", "import socket\n1/0"):
            self.assertEqual(native(code).notes, [], code)

    def test_a_name_that_is_looked_up_says_so_itself(self):
        code = (
            "import socket\ntry:\n    socket.getaddrinfo('no.invalid', 80)\nexcept OSError as e:\n"
            "    print(e.strerror)\nsocket.getaddrinfo('no.invalid', 80)"
        )
        result = native(code)
        self.assertEqual(result.stdout, f"no address for 'no.invalid': {CLOSED}\n")
        self.assertEqual(result.notes, [])

    def test_the_guest_says_that_native_is_off(self):
        code = "class error(OSError): __module__ = 'socket'\nraise error('no')"
        result = guest(code, native="off", native_why="no Landlock")
        expected = CLOSED + ", which needs the native runtime, and that is off: no Landlock"
        self.assertEqual(result.notes, [expected])


class Routing(unittest.TestCase):
    def test_what_wants_an_open_network_goes_native(self):
        for code, module in WANTING.items():
            with self.subTest(code):
                result = guest("print('ran')\n" + code, **ON, **OPEN)
                expected = [{"exit": "needs_native", "code": 1, "module": module, "how": "import"}]
                self.assertEqual((result.stdout, result.reports), ("", expected))

    def test_what_does_not_want_it_stays(self):
        for code in NOT_WANTING:
            with self.subTest(code):
                self.assertEqual(guest(code, **ON, **OPEN).report["exit"], "ok")

    def test_a_closed_network_sends_nobody(self):
        self.assertEqual(guest("import urllib.request, http.client", **ON).report["exit"], "ok")


if __name__ == "__main__":
    unittest.main()
