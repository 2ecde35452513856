"""The forked child: becomes the process of one job, confines itself, runs the job and leaves."""

import os
import resource
import signal
import socket
import sys
import time
from typing import Any, NoReturn

from ..host import frames
from ..job.run import run_request
from ..native import file_metadata
from . import control, new_imports, session_calls, walls


def run(server: socket.socket, parent: int, order: dict[str, Any], fds: list[int]) -> NoReturn:
    """Confine, run, leave; `server` is the control socket. Nothing of the parent may run here."""
    code = control.BROKEN_BOOTSTRAP
    try:
        try:
            request, channel = become_job(server, parent, order, fds)
        except BaseException as error:  # whatever it is, the job must not run without its walls
            why = f"failed to set up its process: {type(error).__name__}: {error}"
            control.tell(server, {"is": "refused", "job": order["job"], "why": why})
            os._exit(code)
        if channel is not None:
            os._exit(session_calls.serve(channel, request))
        code = run_request(request)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        # The bootstrap reports what a job raises. What arrives here comes from a stream that the
        # job closed or broke.
        pass
    os._exit(code & 0xFF)


def become_job(
    server: socket.socket, parent: int, order: dict[str, Any], fds: list[int]
) -> tuple[bytes, int | None]:
    """Turn the forked process into the job's. The order matters.

    Returns the request, and the channel if the job is a session.
    """
    stdout, stderr, request_fd, *others = fds
    channel = others.pop(0) if order["keep"] else None
    # 1. Die with the parent; first, so that no later step can leave a process behind.
    walls.die_with_parent()
    if os.getppid() != parent:
        os._exit(control.BROKEN_BOOTSTRAP)
    # 2. A session of its own: its group is killed as one, and there is no terminal.
    os.setsid()
    # 3. The parent's signal handling must not run here.
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # 4. Streams. The control socket stays open, to report if the walls cannot be put on.
    _take_streams(stdout, stderr)
    with open(request_fd, "rb", closefd=False) as source:
        request = source.read()
    # 5. The job's directories, as long as their paths are in reach.
    _enter(order["data"], order["tmp"], order["proxy"])
    # 6. Limits, as long as setting them is allowed.
    for number, soft, hard in order["rlimits"]:
        resource.setrlimit(number, (soft, hard))
    kept = [server.fileno()]
    if channel is not None:
        channel = frames.private_fd(channel, 1)
        kept.append(channel)
    # 7. to 9. The walls.
    listener: list[int] = []
    if order["walls"] is None:
        walls.close_all_but(*kept)
    else:
        listener = walls.put_on(order["walls"], others[0], kept)
    # 10. The last message to the server, from code that is still ours; then close the way to it.
    #     Whoever has the filter's listener can answer for the server.
    imports = new_imports.named_in(request)
    begins = {"is": "begins", "job": order["job"], "imports": imports, "at": time.monotonic_ns()}
    control.tell(server, begins, listener)
    for fd in (server.fileno(), *listener):
        os.close(fd)
    return request, channel


def _take_streams(stdout: int, stderr: int) -> None:
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    # New objects: the parent's remember that their descriptors were files.
    for name, fd in (("stdout", 1), ("stderr", 2)):
        stream: Any = open(fd, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # stays open
        stream.buffer.raw.name = f"<{name}>"
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _enter(data: str, tmp: str, proxy: str | None) -> None:
    """Put the job's directories and its proxy into the environment; the parent has neither."""
    os.chdir(data)
    file_metadata.tolerate_in(data, tmp)
    for name, value in (("HOME", tmp), ("TMPDIR", tmp), ("MPLCONFIGDIR", tmp), ("PWD", data)):
        os.environ[name] = value
    if proxy is not None:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            os.environ[name] = os.environ[name.lower()] = proxy
    tempfile: Any = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile.tempdir = None
    matplotlib: Any = sys.modules.get("matplotlib")
    if matplotlib is not None:  # it remembers the parent's
        _forget(matplotlib.get_configdir)
        _forget(matplotlib.get_cachedir)


def _forget(remembering: Any) -> None:
    """Reset a function that matplotlib lets run only once: it keeps a flag in a closure."""
    names, cells = remembering.__code__.co_freevars, remembering.__closure__ or ()
    for name, cell in zip(names, cells, strict=True):
        if name == "called":
            cell.cell_contents = False
