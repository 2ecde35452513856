"""The road of one job, from the host's request to the exit code."""

from types import ModuleType

from ..display import show
from ..host import deadline, ending, frames, report, traceback_filter
from ..host.request import Request
from ..host.reroute import NeedsNative
from . import environment, finish, imports, main_module, session, source, streams


def run_request(data: bytes) -> int:
    """Run the job that `data` (JSON, see `host.request`) describes; returns its exit code.

    Whatever the job shows, and its report, goes out through the job's channel.
    """
    request = Request.parse(data)
    frames.open_channel(request.nonce, request.runtime)
    report.start()
    error: BaseException | None = None
    module: ModuleType | None = None
    try:
        traceback_filter.install()
        ending.install_hooks()
        deadline.arm(ending.report_deadline)
        if session.goes_on(request):
            session.resume()
        streams.settle()
        if not session.goes_on(request):
            environment.enter(request)
        imports.install(request)
        show.install(request.show_value)
        program = source.load(request)
        if request.session:
            session.remember_source(request)
        imports.require_guest_modules(program, request)
        if request.migrate:
            raise NeedsNative("the caller", "import")
        module = session.enter(request) if request.session else main_module.create(request)
        main_module.run(program, module)
    except BaseException as job_error:  # a failure of the job is data, whatever it raised
        error = job_error
    try:
        return finish.end(request, module, error)
    except BaseException as own_error:  # a trace function of the job's, no memory left, …
        return finish.end_in_need(error or own_error)
