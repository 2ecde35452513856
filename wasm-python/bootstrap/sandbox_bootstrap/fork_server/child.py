"""The forked child: becomes the process of one job, confines itself, runs the job and leaves."""

import json
import os
import resource
import sys
from typing import Any, NoReturn

from ..host import frames
from ..job.run import run_request
from ..native import file_metadata
from . import control, session_calls, walls


def run(channel: int) -> NoReturn:
    """Confine, run, leave; `channel` leads to the server. Nothing of the parent may run here."""
    code = control.BROKEN_BOOTSTRAP
    try:
        try:
            request, kept = become_job(channel)
        except BaseException as error:  # whatever it is, the job must not run without its walls
            why = f"failed to set up its process: {type(error).__name__}: {error}"
            control.refuse(channel, why)
            os._exit(code)
        if kept is not None:
            os._exit(session_calls.serve(kept, request))
        code = run_request(request)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        # The bootstrap reports what a job raises. What arrives here comes from a stream that the
        # job closed or broke.
        pass
    os._exit(code & 0xFF)


def become_job(channel: int) -> tuple[bytes, int | None]:
    """Turn the forked process, which dies with its parent, into the job's. The order matters.

    Returns the request, and the channel if it lives on for further ones. The process may have
    waited for the request: all before it is done ahead of the call.
    """
    # 1. A session of its own: its group is killed as one, and there is no terminal.
    os.setsid()
    # 2. The order, which the parent has never seen.
    stdout, stderr, order_fd, *ruleset = control.receive_order(channel)
    order = _read(order_fd)
    # 3. Streams. The channel stays open, to report if the walls cannot be put on.
    _take_streams(stdout, stderr)
    # 4. The job's directories, as long as their paths are in reach.
    _enter(order["data"], order["tmp"], order["proxy"])
    confining = order["walls"]
    # 5. The listener, as long as its user's count of descriptors in flight is compared with the
    #    server's limit. Whoever has it can answer for the server, so it does not stay here.
    if confining is not None and confining["asking"] is not None:
        listener = walls.let_server_answer(confining)
        control.hand_over(channel, listener)
        os.close(listener)
    # 6. Limits, as long as setting them is allowed.
    for number, soft, hard in order["rlimits"]:
        resource.setrlimit(number, (soft, hard))
    # 7. to 9. The walls.
    if confining is None:
        walls.close_all_but(channel)
    else:
        walls.put_on(confining, ruleset[0], [channel])
    # 10. The request, and the last words of code that is still ours.
    request = control.wait(channel)
    kept = frames.private_fd(channel, 1) if order["keep"] else None
    control.begin(channel)
    os.close(channel)
    return request, kept


def _read(order: int) -> Any:
    """The order of the server."""
    with open(order, "rb") as file:
        return json.loads(file.read())


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
