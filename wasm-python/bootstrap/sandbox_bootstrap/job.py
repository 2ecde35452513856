"""The road of one job, from the host's request to the exit code."""

import sys

from . import deadline, display, errors, finish, frames, imports, main_module
from . import report, session, source, streams, traceback_filter, workplace
from .request import Request


def run_request(data: bytes) -> int:
    """Run the job that `data` (JSON, see `request`) describes; what comes out goes through the job's channel."""
    request = Request.parse(data)
    frames.open_channel(request.nonce, request.runtime)
    report.start()
    error = None
    module = None
    try:
        traceback_filter.install()
        sys.unraisablehook = errors.print_unraisable
        deadline.arm()
        if session.goes_on(request):
            session.resume()
        streams.settle()
        if not session.goes_on(request):
            workplace.enter(request)
        imports.install(request)
        display.install(request.show_value)
        program = source.load(request)
        if request.session:
            session.remember_source(request)
        imports.require_guest_modules(program, request)
        if request.move:
            raise errors.NeedsNative("the caller", "import")
        module = session.enter(request) if request.session else main_module.create(request)
        main_module.run(program, module)
    except BaseException as job_error:  # the job's failure is data, whatever it raised
        error = job_error
    try:
        return finish.end(request, module, error)
    except BaseException as own_error:  # a trace function of the job's, no memory left, …
        return finish.end_in_need(error or own_error)
