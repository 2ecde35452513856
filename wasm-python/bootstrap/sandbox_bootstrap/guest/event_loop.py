"""An asyncio event loop that only sleeps and runs callbacks: WASI has no sockets to poll."""

import time
from asyncio import base_events, events


class SleepingLoop(base_events.BaseEventLoop):
    """Runs tasks and timers; there is nothing else to wait for."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = _Sleeper()

    def _process_events(self, event_list: object) -> None:
        """No descriptor is ever ready."""

    def _write_to_self(self) -> None:
        """Nothing sleeps in another thread, so nothing needs waking."""


class _Sleeper:
    """Takes the selector's place: waits for the next timer."""

    def select(self, timeout: float | None) -> tuple[()]:
        """Sleep until `timeout`; no event comes."""
        if timeout is None:
            raise RuntimeError("the event loop waits for ever: no task can run and no timer is set")
        if timeout > 0:
            time.sleep(timeout)
        return ()


class SleepingLoopPolicy(events.BaseDefaultEventLoopPolicy):
    """Makes every new event loop a `SleepingLoop`."""

    _loop_factory = SleepingLoop


def install() -> None:
    """Make asyncio use it from now on."""
    events.set_event_loop_policy(SleepingLoopPolicy())  # type: ignore[abstract]  # by typeshed only
