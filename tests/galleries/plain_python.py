"""Plays programs in plain Python, each in a child that is forked once the packages are loaded.

A line of JSON comes in for each program: `code`, `files` (name: base64), `timeout` in seconds. A
line goes out: `exit` (0, the exit code, or minus the signal), `error` (the name of the exception),
`figures` (those that a person would have seen), `shows` (how often one was shown), `pictures`
(files of pictures that it wrote), `out` (what it printed). No network, as in the sandbox.
"""

import base64
import builtins
import contextlib
import errno
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

PRELOAD = """
matplotlib.pyplot matplotlib.pylab mpl_toolkits.mplot3d numpy pandas scipy.stats scipy.signal
scipy.ndimage scipy.interpolate sklearn.ensemble sklearn.datasets sklearn.model_selection
seaborn networkx sympy PIL.Image
""".split()
PICTURES = {".png", ".jpg", ".jpeg", ".gif"}
MAX_OUT = 4 << 20
RESULT = ".result-of-the-program"
seen: list[int] = []  # what was shown, by figure or picture, each time


def count_figures() -> None:
    """Let what shows figures count them instead, and close them as a person would."""
    import PIL.Image
    from matplotlib import backend_bases, pyplot

    def show(*_args: Any, block: bool | None = None, **_options: Any) -> None:
        keep_open = pyplot.isinteractive() if block is None else not block
        count_open()
        if not keep_open:
            pyplot.close("all")

    def show_one(self: Any, *_args: Any, **_options: Any) -> None:
        count(self.canvas.figure)

    pyplot.show = show
    sys.modules["matplotlib.pylab"].show = show  # type: ignore[attr-defined]
    backend_bases.FigureManagerBase.show = show_one
    PIL.Image.Image.show = lambda self, *_args, **_options: seen.append(len(seen))
    builtins.display = display  # type: ignore[attr-defined]


def display(*values: Any) -> None:
    """Stand for the function of notebooks."""
    for value in values:
        draw = getattr(value, "_repr_png_", None)
        if draw is not None and draw() is not None:
            seen.append(len(seen))
        elif draw is None:
            print(repr(value))


def count(figure: Any) -> None:
    """Count a figure that has something in it."""
    if len(figure.get_children()) > 1:
        figure.number_of_the_suite = getattr(figure, "number_of_the_suite", len(seen))
        seen.append(figure.number_of_the_suite)


def count_open() -> None:
    """Count the figures of pyplot."""
    from matplotlib import pyplot

    for number in pyplot.get_fignums():
        count(pyplot.figure(number))


def close_network() -> None:
    """Let names and addresses outside of this machine be unreachable, at once."""
    connect = socket.socket.connect

    def connect_here(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and not str(address[0]).startswith("127."):
            raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))
        connect(self, address)

    def look_up(host: Any, *args: Any, **options: Any) -> Any:
        if host in (None, "", "localhost", "127.0.0.1"):
            return find(host, *args, **options)
        raise socket.gaierror(socket.EAI_AGAIN, "no network")

    find = socket.getaddrinfo
    socket.socket.connect = connect_here  # type: ignore[method-assign,assignment]
    socket.getaddrinfo = look_up


def play(code: str) -> tuple[int, str]:
    """Run the program as `__main__`; gives its exit code and the name of its exception."""
    module = ModuleType("__main__")
    module.__dict__.update(__file__=str(Path("main.py").resolve()), __builtins__=builtins)
    sys.modules["__main__"] = module
    sys.argv = ["main.py"]
    try:
        exec(compile(code, "main.py", "exec"), module.__dict__)
        threading._shutdown()  # type: ignore[attr-defined]  # tells pools to end, waits for threads
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None), ""
    except BaseException as error:
        traceback.print_exc()
        return 1, type(error).__name__
    return 0, ""


def child(request: dict[str, Any], folder: Path) -> None:
    """Be the program; the result is left in its folder."""
    os.setsid()
    os.chdir(folder)
    for number, name in ((0, os.devnull), (1, ".out"), (2, ".err")):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
        os.dup2(os.open(name, flags), number)
    for stream in (sys.stdout, sys.stderr):  # these were a pipe and nothing
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    sys.path[0] = str(folder)
    Path("main.py").write_text(request["code"])
    for name, data in request["files"].items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(base64.b64decode(data))
    given = set(request["files"])
    code, error = play(request["code"])
    count_open()
    paths = [path for path in folder.rglob("*") if path.suffix.lower() in PICTURES]
    pictures = [path for path in paths if str(path.relative_to(folder)) not in given]
    result = {"exit": code, "error": error, "figures": len(set(seen)), "shows": len(seen)}
    result["pictures"] = len(pictures)
    sys.stdout.flush()
    sys.stderr.flush()
    (folder / RESULT).write_text(json.dumps(result))


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Fork a child for a program and wait for it, until its time is over."""
    folder = Path(tempfile.mkdtemp(prefix="galleries-"))
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        try:
            child(request, folder)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    status: int | None = None
    while status is None and time.monotonic() - started < request["timeout"]:
        done, code = os.waitpid(pid, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if done else None
        time.sleep(0.002 if time.monotonic() - started < 1 else 0.05)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    if status is None:
        os.waitpid(pid, 0)
    result: dict[str, Any] = {"exit": status, "error": ""}
    result |= {"figures": 0, "shows": 0, "pictures": 0}
    if status is None:
        result |= {"exit": 1, "error": "limit wall"}
    if (folder / RESULT).exists():
        result = json.loads((folder / RESULT).read_text())
    for name in ("out", "err"):
        path = folder / f".{name}"
        text = path.read_bytes()[:MAX_OUT].decode("utf-8", "replace") if path.exists() else ""
        result[name] = text.replace(str(folder), "/mnt/data")
    result["err"] = result["err"][-1500:]
    result["seconds"] = round(time.monotonic() - started, 2)
    shutil.rmtree(folder, ignore_errors=True)
    return result


def main() -> None:
    """Load the packages; then play what comes in."""
    for name in PRELOAD:
        __import__(name)
    count_figures()
    close_network()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        answers.write(json.dumps(run(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
