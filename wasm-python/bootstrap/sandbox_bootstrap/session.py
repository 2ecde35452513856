"""A session: the interpreter outlives the call, so what one call left behind the next one finds.

Between two calls everything of the job's stays as it is: its module, its imports, its current directory.  Only what
belongs to a call (streams, deadline, the report) is set up anew.
"""

import sys
from types import ModuleType

from . import deadline, main_module, report

module: ModuleType | None = None  # the session's `__main__`; None before its first call
sources: dict[str, str] = {}  # the code of its calls, by the file name that tracebacks show
_before: dict | None = None  # what the names stood for when the running call began


def goes_on(request) -> bool:
    """Whether an earlier call of this session ran in this interpreter."""
    return bool(request.session) and module is not None


def resume() -> None:
    """Set up a further call: prints go to the call's streams again, whatever the last one did to them."""
    global _before
    _before = None
    for name in ("stdout", "stderr"):
        real = getattr(sys, f"__{name}__", None)
        if real is not None and not real.closed:
            setattr(sys, name, real)


def enter(request) -> ModuleType:
    """The module that the call's code runs in; with what another runtime saved, if the session comes from there."""
    global module, _before
    if module is None:
        module = main_module.create(request)
        if request.restore:
            report.left_behind(_load(request.restore))
    else:
        sys.modules["__main__"] = module
        vars(module)["__file__"] = f"{request.workdir}/{request.filename}"
    _before = dict(vars(module))
    return module


def _load(path: str) -> list[str]:
    from . import carry

    try:
        return carry.load(path, module, sources)
    except Exception as error:
        return [f"everything ({type(error).__name__}: {error})"]


def remember_source(request) -> None:
    """Keep the text of this call: classes are carried over by it, and tracebacks of later calls show it."""
    import linecache

    entry = linecache.cache.get(request.filename)
    if entry is not None:
        sources[request.filename] = "".join(entry[2])


def save_for_native(request) -> None:
    """The session goes on in the native runtime: put its names back to what the call found, and save what they hold."""
    from . import carry

    if module is None:
        return
    namespace = vars(module)
    if _before is not None:
        namespace.clear()
        namespace.update(_before)
    sources.pop(request.filename, None)
    try:
        left = carry.save(request.carry, module, sources)
    except (Exception, RecursionError) as error:  # no memory, no room for the file
        left = [f"everything ({type(error).__name__}: {error})"]
    report.left_behind(left)


def wait_for_threads() -> None:
    """Join the threads that the call left running and that are no daemons, as the end of a script would."""
    threading = sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        return
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def serve(channel: int, first: bytes, run_request) -> int:
    """Native runtime: run the calls of a session, one after the other, until the host hangs up.

    A call arrives as four bytes of length and the request; its exit code goes back the same way, when everything it
    printed is written.
    """
    import os

    request = first
    while request is not None:
        try:
            code = run_request(request)
        except BaseException:  # the deadline struck in the very last step
            code = 70
        deadline.disarm()
        _flush()
        os.write(channel, (code & 0xFF).to_bytes(4, "little"))
        request = _receive(channel)
    return 0


def _flush() -> None:
    from . import streams

    try:
        streams.flush()
    except BaseException:
        pass


def _receive(channel: int) -> bytes | None:
    head = _read(channel, 4)
    return None if head is None else _read(channel, int.from_bytes(head, "little"))


def _read(channel: int, size: int) -> bytes | None:
    """Exactly `size` bytes; None when the host has gone."""
    import os

    parts = []
    while size:
        part = os.read(channel, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
