"""The soft deadline: the host trips a signal, the job reports where it was and unwinds.

The report goes out first, because unwinding may never finish: the job can swallow the exception.
After a grace period the host stops such a job for good.
"""

import _signal
import _thread
from collections.abc import Callable
from types import FrameType

DEADLINE_SIGNAL = 10  # SIGUSR1; in WASI the host trips CPython's own signal flags


class DeadlineReached(BaseException):
    """Raised in the job's main thread when its time is up; job code must not catch it."""


fired = False  # whether the deadline has struck in this job
_armed = False  # whether a job is running
_main_thread = 0
_shields = 0
_pending = False
_report_place: Callable[[FrameType | None], None] | None = None


def arm(report_place: Callable[[FrameType | None], None]) -> None:
    """Let the deadline's signal interrupt the job; `report_place` gets the frame it struck in."""
    global fired, _shields, _pending, _main_thread, _armed, _report_place
    fired, _shields, _pending, _main_thread = False, 0, False, _thread.get_ident()
    _report_place = report_place
    _armed = True
    _signal.signal(DEADLINE_SIGNAL, _on_signal)


def disarm() -> None:
    """The job is over: ignore a signal that comes late."""
    global _armed
    _armed = False


def shield() -> None:
    """Put the deadline off until `unshield`: for steps that must not be interrupted."""
    global _shields
    if _thread.get_ident() == _main_thread:  # the deadline strikes in no other thread
        _shields += 1


def unshield() -> None:
    """End a shielded step; a deadline that came meanwhile strikes now."""
    global _shields, _pending
    if _thread.get_ident() != _main_thread:
        return
    _shields -= 1
    if _pending and not _shields:
        _pending = False
        raise DeadlineReached


def _on_signal(_number: int, frame: FrameType | None) -> None:
    global fired, _pending
    if not _armed:
        return
    if not fired:
        fired = True
        try:
            if _report_place is not None:
                _report_place(frame)
        except Exception:  # no memory, no stack left: striking matters more than reporting
            pass
    if _shields:
        _pending = True
    else:
        raise DeadlineReached
