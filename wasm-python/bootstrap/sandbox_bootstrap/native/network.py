"""Makes the library's own errors about the network helpful, and gives urllib3 the proxy.

Also sends without `sendmsg`, which the filter refuses because it can carry descriptors.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

from ..hints import network
from ..host import request as job_request
from ..host.request import Request
from . import import_hooks

_GATHERED = 256 << 10  # bytes


def install(request: Request) -> None:
    """Adapt the library's sockets; tell urllib3 about its proxy."""
    socket = sys.modules.get("socket")
    if socket is None:
        import_hooks.after_import("socket", _adapt)
    else:
        _adapt(socket)
    if request.network:
        import_hooks.after_import("urllib3.poolmanager", _patch_urllib3)


def _adapt(socket: Any) -> None:
    _send_without_messages(socket)
    _reword(socket)


def _send_without_messages(socket: Any) -> None:
    real = socket.socket.sendmsg
    if hasattr(real, "__wrapped__"):
        return

    def sendmsg(self: Any, buffers: Any, ancdata: Any = (), flags: int = 0, *address: Any) -> Any:
        ancdata, parts = list(ancdata), []
        if ancdata or address:
            return real(self, buffers, ancdata, flags, *address)
        size = 0
        for part in buffers:
            parts.append(part)
            size += memoryview(part).nbytes
            if size > _GATHERED and self.gettimeout() == 0:
                break  # whoever does not wait is ready for a part
        return self.send(b"".join(parts), flags)

    sendmsg.__qualname__ = "socket.sendmsg"
    sendmsg.__wrapped__ = real  # type: ignore[attr-defined]
    socket.socket.sendmsg = sendmsg


def _reword(socket: Any) -> None:
    for name in ("getaddrinfo", "gethostbyname"):
        function = getattr(socket, name)
        if not hasattr(function, "__wrapped__"):
            setattr(socket, name, _worded(function, socket))


def _worded(function: Callable[..., Any], socket: Any) -> Callable[..., Any]:
    def look_up(host: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return function(host, *arguments, **options)
        except socket.gaierror as error:
            why = f"no address for {host!r}: {network.sentence(job_request.current())}"
            raise socket.gaierror(error.errno, why) from None

    look_up.__name__ = look_up.__qualname__ = function.__name__
    look_up.__wrapped__ = function  # type: ignore[attr-defined]
    return look_up


def _patch_urllib3(poolmanager: Any) -> None:
    """Let a plain PoolManager use the proxy of the environment, which urllib3 does not read."""
    original = poolmanager.PoolManager.urlopen

    def urlopen(self: Any, method: str, url: str, *arguments: Any, **options: Any) -> Any:
        proxy = os.environ.get("HTTPS_PROXY")
        if proxy and type(self) is poolmanager.PoolManager:
            _give_proxy(self, poolmanager, proxy)
            return self.urlopen(method, url, *arguments, **options)
        return original(self, method, url, *arguments, **options)

    poolmanager.PoolManager.urlopen = urlopen


def _give_proxy(manager: Any, poolmanager: Any, proxy: str) -> None:
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
