"""Giving a job up in the guest, to have it run in the native runtime instead."""

from typing import NoReturn

from . import report, request


class NeedsNative(BaseException):
    """Raised in the guest to rerun the job natively; job code must not catch it."""

    def __init__(self, module: str, how: report.Noticed) -> None:
        super().__init__(module, how)
        self.module = module
        self.how = how


def ending(module: str, how: report.Noticed, code: int = report.EXCEPTION_CODE) -> report.Ending:
    """The report's keys for a job that needs the native runtime because of `module`."""
    return {"exit": "needs_native", "code": code, "module": module, "how": how}


def rerun_natively(module: str) -> NoReturn:
    """Give this attempt up. The report goes out first: the job might swallow the exception."""
    report.send(ending(module, "attempt"))
    raise NeedsNative(module, "attempt")


def prefer_native(module: str) -> None:
    """Rerun natively if `module` is available there; otherwise the guest does what it can."""
    job = request.running
    if job is not None and job.native == "on" and module in job.native_modules:
        rerun_natively(module)
