"""The soft deadline: the host trips a signal, the job says where it was and unwinds.

The report goes out first, because unwinding may never finish: the job can swallow the exception, and a grace later
the host stops it for good.
"""

import _signal
import _thread

DEADLINE_SIGNAL = 10  # SIGUSR1; in WASI the host trips CPython's own signal flags
FRAMES_SHOWN = 8


class DeadlineReached(BaseException):
    """Raised in the job's main thread when its time is over; not for job code to catch."""


fired = False  # the deadline has struck in this job
_armed = False  # a job is running
_main_thread = 0
_shields = 0
_pending = False


def arm() -> None:
    """Make the deadline's signal interrupt the job."""
    global fired, _shields, _pending, _main_thread, _armed
    fired, _shields, _pending, _main_thread = False, 0, False, _thread.get_ident()
    _armed = True
    _signal.signal(DEADLINE_SIGNAL, _on_signal)


def disarm() -> None:
    """The job is over: a signal that comes late means nobody."""
    global _armed
    _armed = False


def shield() -> None:
    """Put the deadline off until `unshield`: for steps that must not be cut in two."""
    global _shields
    if _thread.get_ident() == _main_thread:  # only there a deadline can strike
        _shields += 1


def unshield() -> None:
    """End of a shielded step; a deadline that came meanwhile strikes now."""
    global _shields, _pending
    if _thread.get_ident() != _main_thread:
        return
    _shields -= 1
    if _pending and not _shields:
        _pending = False
        raise DeadlineReached


def _on_signal(_number, frame) -> None:
    global fired, _pending
    if not _armed:
        return
    if not fired:
        fired = True
        try:
            _report(frame)
        except Exception:  # no memory, no stack left: the deadline counts more than the place
            pass
    if _shields:
        _pending = True
    else:
        raise DeadlineReached


def _report(frame) -> None:
    from . import report, traceback_filter

    where = traceback_filter.format_stack(frame, limit=FRAMES_SHOWN)
    report.send(exit="deadline", code=report.DEADLINE_CODE, where=where)
