"""A session: the interpreter outlives the call, so the next call finds what this one left.

Between two calls everything of the job stays as it is: its module, its imports, its current
directory. Only what belongs to a call (streams, deadline, the report) is set up anew.
"""

import sys
from types import ModuleType
from typing import Any

from ..host import report, source_lines
from ..host.request import Request
from . import main_module

module: ModuleType | None = None  # the session's `__main__`; None before its first call
sources: dict[str, str] = {}  # the code of its calls, by the file name that tracebacks show
_before: dict[str, Any] | None = None  # the namespace when the running call began


def goes_on(request: Request) -> bool:
    """Whether an earlier call of this session ran in this interpreter."""
    return bool(request.session) and module is not None


def resume() -> None:
    """Set up a further call: prints go to the call's streams again, whatever the last one did."""
    global _before
    _before = None
    for name in ("stdout", "stderr"):
        real = getattr(sys, f"__{name}__", None)
        if real is not None and not real.closed:
            setattr(sys, name, real)


def enter(request: Request) -> ModuleType:
    """The module that the call's code runs in, with what another runtime saved for it."""
    global module, _before
    if module is None:
        module = main_module.create(request)
        if request.restore:
            report.left_behind(_load(request.state_file, module))
    else:
        sys.modules["__main__"] = module
        vars(module)["__file__"] = f"{request.workdir}/{request.filename}"
    _before = dict(vars(module))
    return module


def _load(path: str, into: ModuleType) -> list[str]:
    from . import session_pickle

    try:
        return session_pickle.load(path, into, sources)
    except Exception as error:
        return [f"everything ({type(error).__name__}: {error})"]


def remember_source(request: Request) -> None:
    """Keep the text of this call: migration makes classes from it, later tracebacks show it."""
    sources[request.filename] = "".join(source_lines.getlines(request.filename))


def save_for_native(request: Request) -> None:
    """The session migrates: undo what this call did to its names, and save what they hold."""
    from . import session_pickle

    if module is None:
        return
    namespace = vars(module)
    if _before is not None:
        namespace.clear()
        namespace.update(_before)
    sources.pop(request.filename, None)
    try:
        left = session_pickle.save(request.state_file, module, sources)
    except Exception as error:  # no memory, no room for the file
        left = [f"everything ({type(error).__name__}: {error})"]
    report.left_behind(left)


def wait_for_threads() -> None:
    """Join the threads that the call started and that are not daemons."""
    threading: Any = sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        return
    not_ours = (threading.main_thread(), threading.current_thread())
    for thread in threading.enumerate():
        if thread not in not_ours and not thread.daemon:
            thread.join()
