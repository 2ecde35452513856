"""The network as a job meets it: none, or the hosts that the operator opened.

The walls are elsewhere. Here errors get a text that says what is open and who can open more.
"""

from ..host import report
from ..host.exceptions import causes
from ..host.request import Request

# What a job imports in order to talk to a host.
WANTING_MODULES = frozenset(
    """ftplib http.client imaplib poplib requests smtplib socket ssl urllib.request urllib3
    xmlrpc.client yfinance""".split()
)
_FAILING_MODULES = frozenset("curl_cffi http requests socket ssl urllib urllib3 yfinance".split())
_NOT_PERMITTED = (1, 13)  # EPERM, EACCES


def sentence(request: Request) -> str:
    """What is open, in the words of every error and note."""
    if request.network:
        hosts = ", ".join(request.network)
        return (
            f"jobs reach these hosts only: {hosts} (through the proxy in HTTPS_PROXY); "
            "the operator can add one with `--allow-host`"
        )
    if request.network_why:
        return f"jobs have no network: {request.network_why}"
    closed = "jobs have no network; the operator can open a host with `--allow-host`"
    if request.in_wasm and request.native != "on":
        return f"{closed}, which needs the native runtime, and that is off: {request.native_why}"
    return closed


def wanted(statements: list[tuple[str, list[str]]]) -> str | None:
    """The first module among import statements that is imported in order to talk to a host."""
    for module, names in statements:
        for name in (module, *(f"{module}.{taken}" for taken in names)):
            if name in WANTING_MODULES or name.partition(".")[0] in WANTING_MODULES:
                return name
    return None


def hint(error: BaseException | None, request: Request) -> None:
    """Note what is open, if `error` is about the network."""
    chain = list(causes(error))
    said = any("--allow-host" in str(cause) for cause in chain if isinstance(cause, OSError))
    if not said and any(_is_about_the_network(cause, request) for cause in chain):
        report.note(sentence(request))


def _is_about_the_network(error: BaseException, request: Request) -> bool:
    module = type(error).__module__ or ""
    if module.partition(".")[0] in _FAILING_MODULES or type(error).__name__ == "gaierror":
        return True
    if not isinstance(error, OSError) or error.errno not in _NOT_PERMITTED:
        return False
    return error.filename is None and "socket" in request.code
