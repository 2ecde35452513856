"""The end of a job: what Python does when a script is over, and what is still to be shown."""

import atexit
import gc
import sys

from . import deadline, errors, imports, main_module, report, session, streams, workplace

_RECURSION_LIMIT = 1000
# Words of code whose objects do something when they go, also from within a cycle; a collection is a job's dearest step.
_WANTS_COLLECTION = ("open", "__del__", "weakref")


def end(request, module, error: BaseException | None) -> int:
    """Wind up the job that `error` (None: nothing) ended; reports how, and returns the exit code."""
    _take_the_interpreter_back()
    try:
        ending = imports.rerun_or(errors.ending_of(error), error, request)
        workplace.hint_at_shadowing(ending)
        _hint_at_walls(error)
    except BaseException as late:  # the deadline, or a hook of the job's that asks for the native runtime
        ending = errors.ending_of(late)
    error = None
    if ending["exit"] == "needs_native":
        if request.session:
            session.save_for_native(request)
        report.send(**ending)
        return ending["code"]
    for step in _steps(request, module):
        if deadline.fired and step is not _emit_open_figures:
            continue
        try:
            step()
        except errors.NeedsNative as late:
            ending = errors.ending_of(late)
            break
        except BaseException as late:
            _print_ignored(late)
    if deadline.fired:
        ending = {"exit": "deadline", "code": report.DEADLINE_CODE}
    report.send(**ending)
    return ending["code"]


def _steps(request, module) -> tuple:
    """What is to be done at the end of a job; a session's interpreter goes on, so less of it."""
    if request.session:
        return session.wait_for_threads, _emit_open_figures, streams.flush
    return (
        _wait_for_threads,
        _emit_open_figures,  # before the exit handlers: matplotlib closes all figures in one
        _run_exit_handlers,
        lambda: _let_go_of(module, request.code),
        streams.flush,
    )


def end_in_need(error: BaseException) -> int:
    """Report an end that could not be worked out properly: better few words than none."""
    try:
        _take_the_interpreter_back()
        ending = errors.ending_of(error)
    except BaseException:
        ending = errors.last_words(error)
    streams.flush()
    report.send(**ending)
    return ending["code"]


def _hint_at_walls(error: BaseException | None) -> None:
    if error is None:
        return
    try:
        from . import denied

        denied.hint(error)
    except Exception:  # the job has taken modules away; its own error counts
        pass


def _take_the_interpreter_back() -> None:
    """Undo settings of the job that would hinder its end."""
    sys.settrace(None)
    sys.setprofile(None)
    if sys.getrecursionlimit() < _RECURSION_LIMIT:
        sys.setrecursionlimit(_RECURSION_LIMIT)


def _wait_for_threads() -> None:
    """Join the threads that are no daemons, as the interpreter does before it ends."""
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        threading._shutdown()


def _run_exit_handlers() -> None:
    atexit._run_exitfuncs()


def _emit_open_figures() -> None:
    """Show the figures that the job drew and never showed."""
    figures = sys.modules.get(__package__ + ".figures")
    if figures is not None:
        figures.emit_open()
        figures.say_what_was_missing()


def _let_go_of(module, code: str) -> None:
    """Clear the job's namespace as the end of Python does: open files are written out, `__del__` methods run."""
    if module is None:
        return
    main_module.clear(module)
    if any(word in code for word in _WANTS_COLLECTION):
        gc.collect()


def _print_ignored(error: BaseException) -> None:
    if isinstance(error, (deadline.DeadlineReached, SystemExit)):
        return
    try:
        print(errors.traceback_text(error), end="", file=sys.stderr)
    except Exception:  # no stderr left
        pass
