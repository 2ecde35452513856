"""What a job's sockets can do, each with its errno."""

PORT = 0

import ctypes
import errno
import os
import socket

proxy = int(os.environ["HTTP_PROXY"].rpartition(":")[2])


def attempt(name, action):
    try:
        print(name, action())
    except OSError as error:
        print(name, errno.errorcode.get(error.errno, error))


def tcp():
    client = socket.socket()
    client.settimeout(1)
    return client


def connected():
    client = tcp()
    client.connect(("127.0.0.1", proxy))
    client.sendall(b"GET http://allowed.test/ HTTP/1.1\r\n\r\n")
    return client.recv(12)


def after_disconnect():
    client = tcp()
    client.connect(("127.0.0.1", proxy))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.connect(client.fileno(), bytes(16), 16):
        raise OSError(ctypes.get_errno(), "disconnect")
    client.connect(("192.0.2.1", proxy))


def bound_to():
    client = tcp()
    device = client.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16)
    return client.getsockname()[0], device


other = ("127.0.0.1", PORT)
inet, stream = socket.AF_INET, socket.SOCK_STREAM
fast = socket.MSG_FASTOPEN
device = (socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"eth0")
attempt("the proxy", connected)
attempt("another port", lambda: tcp().connect(other))
attempt("the same port elsewhere", lambda: tcp().connect(("192.0.2.1", proxy)))
attempt("the same port elsewhere, after a disconnect", after_disconnect)
attempt("past connect", lambda: tcp().sendto(b"x", fast, other))
attempt("past connect by message", lambda: tcp().sendmsg([b"x"], [], fast, other))
attempt("a late connect", lambda: tcp().setsockopt(socket.IPPROTO_TCP, 30, 1))
attempt("another device", lambda: tcp().setsockopt(*device))
attempt("bind", lambda: tcp().bind(("0.0.0.0", 0)))
attempt("listen", lambda: tcp().listen())
attempt("UDP", lambda: socket.socket(inet, socket.SOCK_DGRAM))
attempt("IPv6", lambda: socket.socket(socket.AF_INET6))
attempt("Unix", lambda: socket.socket(socket.AF_UNIX))
attempt("raw", lambda: socket.socket(inet, socket.SOCK_RAW, 1))
attempt("MPTCP", lambda: socket.socket(inet, stream, 262))
attempt("SCTP", lambda: socket.socket(inet, stream, 132))
attempt("netlink", lambda: socket.socket(16, socket.SOCK_RAW))
attempt("bound to", bound_to)
try:
    socket.getaddrinfo("allowed.test", 80)
except socket.gaierror as error:
    print("DNS", error.strerror)
