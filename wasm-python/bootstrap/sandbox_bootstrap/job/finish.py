"""The end of a job: what Python does when a script is over, and what is still to be shown."""

import atexit
import builtins
import gc
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..display import sending
from ..host import deadline, ending, own_builtins, report, traceback_text
from ..host.report import Ending
from ..host.request import Request
from ..host.reroute import NeedsNative
from ..workers import running
from . import environment, imports, main_module, session, streams

_RECURSION_LIMIT = 1000
# Words in code whose objects act when they are freed, also as part of a cycle. Only then is garbage
# collected, because that is the most expensive step of a job.
_WANTS_COLLECTION = ("open", "__del__", "weakref")


def end(request: Request, module: ModuleType | None, error: BaseException | None) -> int:
    """Wind up the job that `error` (None: nothing) ended; reports how, returns the exit code."""
    _take_the_interpreter_back()
    if "builtins" in request.code and not request.session:
        # The library's code below needs what every module takes for granted.
        vars(builtins).update(own_builtins.names)
    try:
        how = ending.of(error)
    except (deadline.DeadlineReached, NeedsNative) as late:  # in code of the job's that it runs
        how = ending.of(late)
    except BaseException:
        how = ending.last_words(error or SystemError())
    how = _explained(how, error, request)
    error = None
    if how["exit"] == "needs_native":
        if request.session:
            session.save_for_native(request)
        report.send(how)
        return how["code"]
    if "error" in how:  # before the steps below, which run code of the job's again
        report.send(how)
    for step in _steps(request, module):
        if deadline.fired and step is not _emit_open_figures:
            continue
        try:
            step()
        except NeedsNative as late:
            how = ending.of(late)
            break
        except BaseException as late:
            _print_ignored(late)
    if deadline.fired:
        how = {"exit": "deadline", "code": report.DEADLINE_CODE}
    report.send(how)
    return how["code"]


def _explained(how: Ending, error: BaseException | None, request: Request) -> Ending:
    """`how` with notes about its cause, or a rerun that would help."""
    try:
        how = imports.rerun_or(how, error, request)
        environment.hint_at_shadowing(how)
        if error is not None:
            from ..hints import sandbox_hints

            sandbox_hints.hint(error)
    except (deadline.DeadlineReached, NeedsNative) as late:
        return ending.of(late)
    except BaseException:  # the job removed modules; its own error matters
        pass
    return how


def _steps(request: Request, module: ModuleType | None) -> tuple[Callable[[], None], ...]:
    """What is to be done at the end of a job; less in a session, whose interpreter goes on."""
    if request.session:
        return _finish_workers, session.wait_for_threads, _emit_open_figures, streams.flush
    return (
        _finish_workers,
        _wait_for_threads,
        _emit_open_figures,  # before the exit handlers, in which matplotlib closes all figures
        _run_exit_handlers,
        lambda: _let_go_of(module, request.code),
        streams.flush,
    )


def end_in_need(error: BaseException) -> int:
    """Report an end that `end` could not work out: few words are better than none."""
    try:
        _take_the_interpreter_back()
        how = ending.of(error)
    except BaseException:
        how = ending.last_words(error)
    streams.flush()
    report.send(how)
    return how["code"]


def _take_the_interpreter_back() -> None:
    """Undo settings of the job that would get in the way of its end."""
    undo: tuple[Callable[[], object], ...] = (
        lambda: sys.settrace(None),
        lambda: sys.setprofile(None),
        lambda: sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION_LIMIT)),
    )
    for step in undo:
        try:
            step()
        except Exception:  # an audit hook of the job's
            continue


def _finish_workers() -> None:
    """Do what `multiprocessing` was given to do and is not begun."""
    running.way.finish()


def _wait_for_threads() -> None:
    """Join the threads that are not daemons, as the interpreter does before it ends."""
    threading: Any = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        threading._shutdown()


def _run_exit_handlers() -> None:
    atexit._run_exitfuncs()


def _emit_open_figures() -> None:
    """Show the figures that the job drew and never showed."""
    tracker = sending.loaded_tracker()
    if tracker is not None:
        tracker.emit_open()
        tracker.say_what_was_missing()


def _let_go_of(module: ModuleType | None, code: str) -> None:
    """Clear the job's namespace as Python does at its end: files are written, `__del__` runs."""
    if module is None:
        return
    main_module.clear(module)
    if any(word in code for word in _WANTS_COLLECTION):
        gc.collect()


def _print_ignored(error: BaseException) -> None:
    if isinstance(error, (deadline.DeadlineReached, SystemExit)) or sys.stderr is None:
        return
    try:
        print(traceback_text.of(error), end="", file=sys.stderr)
    except Exception:  # no stderr left
        return
