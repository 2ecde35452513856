"""Runs jobs the way the host does, and reads their frames back.

A server process is prepared once (as the guest's snapshot, or as the fork server of native jobs)
and forks a child per job, so that a test takes milliseconds and finds a fresh interpreter.
"""

import atexit
import base64
import functools
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
import types
import unittest
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NONCE = "0123456789abcdef" * 2
BOOTSTRAP = str(Path(__file__).resolve().parent.parent)
LIBRARY = f"python3.{sys.version_info.minor}"  # as tracebacks name the standard library
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
WARM_MODULES = [
    name
    for name in ("matplotlib.pyplot", "PIL.Image", "pandas")
    if importlib.util.find_spec(name.split(".")[0])
]

_DEFAULT_WARNINGS = list(warnings.filters)  # before unittest changes them

_FRAME = re.compile(
    rb"\[(IMAGE_DATA|JOB_REPORT)_BEGIN:" + NONCE.encode() + rb":(\d+):([01])\]"
    rb"([A-Za-z0-9+/=]*)\[(?:IMAGE_DATA|JOB_REPORT)_END:" + NONCE.encode() + rb"\]"
)


@dataclass
class Image:
    """One picture as the host receives it."""

    header: dict
    data: bytes

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a PNG."""
        assert self.data.startswith(b"\x89PNG\r\n\x1a\n"), self.data[:16]
        return int.from_bytes(self.data[16:20]), int.from_bytes(self.data[20:24])


@dataclass
class Result:
    """What a job gave back; in `stdout` an image stands as `<image N>`."""

    code: int
    stdout: str
    stderr: str
    report: dict = field(default_factory=dict)
    images: list[Image] = field(default_factory=list)
    reports: list[dict] = field(default_factory=list)
    workdir: Path = Path()

    @property
    def traceback(self) -> str:
        """The reported traceback."""
        return self.report["error"]["traceback"]

    @property
    def notes(self) -> list[str]:
        """The reported notes."""
        return self.report.get("notes", [])


def request(code: str, runtime: str, **fields) -> dict:
    """What the host sends for `code`, with `fields` of its own."""
    return {
        "code": code,
        "filename": "main.py",
        "argv": ["main.py"],
        "nonce": NONCE,
        "runtime": runtime,
        "workdir": "/mnt/data",
        "mounts": [],
        "show_value": True,
        "figure_text": True,
        "max_image_side": 1568,
        "max_image_pixels": 16_000_000,
        "native_modules": [],
        "packages": [],
        "native": "off",
        "native_why": "native runtime is off",
        "network": [],
        "network_why": "",
        "session": 0,
        "state_file": "",
        "restore": False,
        "migrate": False,
        **fields,
    }


def native(code: str, **options) -> Result:
    """Run a job as the native runtime does, from a fork server."""
    return _run(_native_server(), "native", code, **options)


def guest(code: str, **options) -> Result:
    """Run a job as the WASI guest does; threads and sockets of this Python exist, but unused."""
    if _guest_server is None:
        raise unittest.SkipTest("the guest is CPython 3.13")
    return _run(_guest_server, "wasm", code, **options)


def both(code: str, **options) -> list[Result]:
    """The same job in both runtimes."""
    alone = [] if _guest_server is None else [guest(code, **options)]
    return [*alone, native(code, **options)]


# Before 3.13 Python printed what nobody caught by code of its own, which differs in details from
# the module `traceback` that makes ours.
_BY_THE_LIBRARY = """
import sys, traceback
with open(sys.argv[1]) as file:
    code = file.read()
try:
    exec(compile(code, sys.argv[1], "exec"), {"__name__": "__main__"})
except BaseException as error:
    traceback.print_exception(type(error), error, error.__traceback__.tb_next)
"""


def without_calls(text: str) -> str:
    """A traceback without the underlines that Python before 3.13 leaves out: those of calls."""
    if sys.version_info >= (3, 13):
        return text
    return re.sub(r"^ *~*\^+\n", "", text, flags=re.MULTILINE)


def plain_python(
    code: str, script: str = "main.py", uncaught: bool = False
) -> subprocess.CompletedProcess:
    """Run the code as `python main.py`; paths are shortened as in answers.

    With `uncaught`, what nobody catches is printed by the module `traceback`.
    """
    by_library = ["-c", _BY_THE_LIBRARY] if uncaught and sys.version_info < (3, 13) else []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, script)
        path.write_text(code, encoding="utf-8")
        ran = subprocess.run(
            [sys.executable, "-I", "-B", "-X", "utf8", *by_library, str(path)],
            cwd=folder,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        ran.stderr = ran.stderr.replace(str(path), script)
        ran.stderr = ran.stderr.replace(os.path.dirname(os.__file__), LIBRARY)
        return ran


@functools.cache
def _folder_of_this_process() -> str:
    """What the jobs of all tests work in; goes when they are over."""
    folder = tempfile.mkdtemp(prefix="sandbox-test-")
    owner = os.getpid()

    def remove() -> None:
        # Jobs are forks, and call what is registered when they end.
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def _run(
    server: "_Server", runtime: str, code: str, files=None, signal_after=None, **options
) -> Result:
    folder = Path(tempfile.mkdtemp(dir=_folder_of_this_process()))
    data = folder / "data"
    data.mkdir()
    (folder / "tmp").mkdir()
    for name, content in (files or {}).items():
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    place = {"workdir": str(data)} if runtime == "wasm" else {"hostdir": str(data)}
    status = server.run(request(code, runtime, **place, **options), folder, signal_after)
    result = _read((folder / "stdout").read_bytes())
    result.code = status
    result.stderr = (folder / "stderr").read_text("utf-8", "backslashreplace")
    result.workdir = data
    return result


def _read(output: bytes) -> Result:
    """Take the frames out of a job's stdout."""
    chunks: dict[bytes, bytes] = {}
    result = Result(0, "", "")

    def take(match) -> bytes:
        kind, number, more, chunk = match.groups()
        chunks[number] = chunks.get(number, b"") + chunk
        if more == b"1":
            return b""
        payload = base64.b64decode(chunks[number], validate=True)
        if kind == b"JOB_REPORT":
            result.reports.append(json.loads(payload))
            result.report.update(result.reports[-1])
            return b""
        header, _, data = payload.partition(b"\n")
        result.images.append(Image(json.loads(header), data))
        return b"<image %d>" % len(result.images)

    result.stdout = _FRAME.sub(take, output).decode("utf-8", "backslashreplace")
    return result


class _Server:
    """A prepared process that forks a child for each job."""

    def __init__(self, prepare):
        self._socket, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                warnings.filters[:] = _DEFAULT_WARNINGS  # type: ignore[index]
                self._socket.close()
                prepare()
                self._serve(theirs)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        theirs.close()
        self._lines = self._socket.makefile("rw")
        atexit.register(self._stop, os.getpid())

    def run(self, request: dict, folder: Path, signal_after) -> int:
        """Run one job; its output goes to files in `folder`."""
        self._lines.write(json.dumps([json.dumps(request), str(folder), signal_after]) + "\n")
        self._lines.flush()
        return int(self._lines.readline())

    def _serve(self, connection) -> None:
        lines = connection.makefile("rw")
        for line in lines:
            request, folder, signal_after = json.loads(line)
            pid = os.fork()
            if pid == 0:
                self._job(request, folder)
            if signal_after is not None:
                import time

                time.sleep(signal_after)
                os.kill(pid, signal.SIGUSR1)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            lines.write(f"{status}\n")
            lines.flush()

    def _job(self, request: str, folder: str) -> None:
        import sandbox_bootstrap

        code = 99
        try:
            for fd, name in ((1, "stdout"), (2, "stderr")):
                os.dup2(os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_APPEND), fd)
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            os.environ["TMPDIR"] = f"{folder}/tmp"
            os.chdir(f"{folder}/data")
            code = sandbox_bootstrap.run_request(request.encode())
        finally:
            os._exit(code)

    def _stop(self, owner: int) -> None:
        if os.getpid() == owner:
            self._lines.close()
            self._socket.close()
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)


def _find_bootstrap() -> None:
    if BOOTSTRAP not in sys.path:
        sys.path.insert(1, BOOTSTRAP)


def _prepare_native() -> None:
    _find_bootstrap()
    import sandbox_bootstrap

    sandbox_bootstrap.warm(WARM_MODULES)


def _prepare_guest() -> None:
    """As the snapshot, without the packages and the built-in module that only a real guest has."""
    _find_bootstrap()
    import sandbox_bootstrap

    sys.path[:] = [entry for entry in sys.path if "site-packages" not in entry]
    sandbox_bootstrap.prepare_snapshot()
    module: Any = types.ModuleType("_sandbox")
    write = os.write
    module.emit = lambda frame: write(1, frame)
    sys.modules["_sandbox"] = module


# Forked now, before a test imports numpy, which the guest does not have. The native runtime runs on
# other versions of Python, too.
_guest_server = _Server(_prepare_guest) if sys.version_info[:2] == (3, 13) else None


@functools.cache
def _native_server() -> _Server:
    return _Server(_prepare_native)
