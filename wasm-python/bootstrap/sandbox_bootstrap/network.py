"""The network as a job meets it: none, or the hosts that the operator opened, by way of the server's proxy.

The walls stand elsewhere.  Here, errors are given words that say what is open and who can open more, jobs that want the
network are sent to the runtime that has it, and libraries that know no proxy are shown the one there is.
"""

import os
import sys

from .errors import causes

# What a job imports, and is then likely to use, to talk to a host.
WANTING_MODULES = frozenset(
    "ftplib http.client imaplib poplib requests smtplib socket ssl urllib.request urllib3 xmlrpc.client yfinance".split()
)
_FAILING_MODULES = frozenset("curl_cffi http requests socket ssl urllib urllib3 yfinance".split())
_NOT_PERMITTED = (1, 13)  # EPERM, EACCES


def sentence(request) -> str:
    """What is open, in the words of every error and note."""
    if request.network:
        return (
            f"jobs reach these hosts only: {', '.join(request.network)} (through the proxy in HTTPS_PROXY); "
            "the operator can add one with `--allow-host`"
        )
    if request.network_why:
        return f"jobs have no network: {request.network_why}"
    if request.in_wasm and request.native != "on":
        why = f"which needs the native runtime, and that is off: {request.native_why}"
        return f"jobs have no network; the operator can open a host with `--allow-host`, {why}"
    return "jobs have no network; the operator can open a host with `--allow-host`"


def install(request) -> None:
    """Give the functions that look names up their words, and urllib3 its proxy."""
    socket = sys.modules.get("socket")
    if socket is None:
        from . import import_hooks

        import_hooks.after_import("socket", lambda module: _reword(module, request))
    else:
        _reword(socket, request)
    if request.network:
        from . import import_hooks

        import_hooks.after_import("urllib3.poolmanager", _patch_urllib3)


def wanted(statements: list) -> str | None:
    """The module among import statements that is imported in order to talk to a host, if there is one."""
    for module, names in statements:
        for name in (module, *(f"{module}.{taken}" for taken in names)):
            if name in WANTING_MODULES or name.partition(".")[0] in WANTING_MODULES:
                return name
    return None


def hint(error: BaseException | None, request) -> None:
    """Note what is open, if the network is what `error` is about."""
    chain = list(causes(error))
    said = any("--allow-host" in str(cause) for cause in chain if isinstance(cause, OSError))
    if not said and any(_is_about_the_network(cause, request) for cause in chain):
        from . import report

        report.note(sentence(request))


def _is_about_the_network(error: BaseException, request) -> bool:
    module = type(error).__module__ or ""
    if module.partition(".")[0] in _FAILING_MODULES or type(error).__name__ == "gaierror":
        return True
    refused = isinstance(error, OSError) and error.errno in _NOT_PERMITTED and error.filename is None
    return refused and "socket" in request.code


def _reword(socket, request) -> None:
    for name in ("getaddrinfo", "gethostbyname"):
        function = getattr(socket, name)
        if not hasattr(function, "__wrapped__"):
            setattr(socket, name, _worded(function, socket))


def _worded(function, socket):
    def look_up(host, *arguments, **options):
        from . import request

        try:
            return function(host, *arguments, **options)
        except socket.gaierror as error:
            why = f"no address for {host!r}: {sentence(request.current)}"
            raise socket.gaierror(error.errno, why) from None

    look_up.__name__ = look_up.__qualname__ = function.__name__
    look_up.__wrapped__ = function
    return look_up


def _patch_urllib3(poolmanager) -> None:
    """Let a plain PoolManager use the proxy of the environment, which urllib3 leaves to its callers."""
    original = poolmanager.PoolManager.urlopen

    def urlopen(self, method, url, *arguments, **options):
        proxy = os.environ.get("HTTPS_PROXY")
        if proxy and type(self) is poolmanager.PoolManager:
            _give_proxy(self, poolmanager, proxy)
            return self.urlopen(method, url, *arguments, **options)
        return original(self, method, url, *arguments, **options)

    poolmanager.PoolManager.urlopen = urlopen


def _give_proxy(manager, poolmanager, proxy: str) -> None:
    from urllib3.util import make_headers, parse_url

    credential = parse_url(proxy).auth
    manager.__class__ = poolmanager.ProxyManager
    poolmanager.ProxyManager.__init__(
        manager,
        proxy,
        headers=manager.headers,
        proxy_headers=make_headers(proxy_basic_auth=credential),
        **manager.connection_pool_kw,
    )
