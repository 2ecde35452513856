"""The warm parent of the native jobs: imports once, then forks a child for each job that the server sends.

Started by the server's helper, under a filter that lets it fork.  It talks over one socket (one JSON message a packet,
descriptors beside it) and runs no line of a job.  A child closes that socket, sets itself up in the order of
`_become_job`, and puts on the walls that the server made: this file makes the calls, the policy is the server's.
"""

import ctypes
import gc
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time

if __name__ == "__main__":
    # Run by path, because an isolated interpreter finds no package outside of its venv.
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from sandbox_bootstrap import frames, metadata

PROTOCOL = 3  # changes with the messages; the server takes no other
CONTROL_FD = 3
MAX_MESSAGE = 256 << 10
MAX_FDS = 5
PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
SECCOMP_MODE_FILTER = 2
SECCOMP_SET_MODE_FILTER = 1
SECCOMP_FILTER_FLAG_NEW_LISTENER = 8
SYS_LANDLOCK_ADD_RULE = 445  # the same on every architecture
SYS_LANDLOCK_RESTRICT_SELF = 446
LANDLOCK_RULE_PATH_BENEATH = 1
LANDLOCK_ACCESS_FS_READ_FILE = 1 << 2
INSTRUCTION_SIZE = 8  # struct sock_filter
OPERAND_OFFSET = 4
HIGHEST_FD = 1 << 16
MAX_CODE_TO_READ = 64 << 10
MAX_NAMES = 64
DEADLINE_SIGNAL = signal.SIGUSR1

_libc = ctypes.CDLL(None, use_errno=True)
# Looked up here, not in the child: symbols may be bound by reading files that a confined process cannot read.
_prctl = _libc.prctl
_syscall = _libc.syscall


def main(modules: list[str], learned: list[str]) -> None:
    """Import `modules` and what is there of `learned`, then serve jobs until the server hangs up."""
    # Unconfined jobs can leave processes behind; they become children of this one, which ends them.
    _call(_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # Before a job installs its handler, its deadline must not kill it; the handler comes with the bootstrap.
    signal.signal(DEADLINE_SIGNAL, signal.SIG_IGN)
    control = socket.socket(fileno=CONTROL_FD)
    for why in _warm(modules, learned):
        _tell(control, {"is": "missing", "why": why})
    sys.exit(_Server(control).serve())


def _warm(modules: list[str], learned: list[str]) -> list[str]:
    """Import what children will need; those of `modules` that cannot be imported, with the reason."""
    import sandbox_bootstrap
    from sandbox_bootstrap import file_io

    metadata.install()
    failures = sandbox_bootstrap.warm(modules)
    file_io.install()
    for name in learned:
        try:
            __import__(name)
        except Exception:  # of `from a import b`, b may be a module or not
            pass
    gc.collect()
    gc.freeze()  # children share these pages as long as the collector leaves them alone
    return failures


class _Server:
    """The loop of the parent: one thread, its socket and its children."""

    def __init__(self, control: socket.socket):
        self.control = control
        self.jobs: dict[int, int] = {}  # pid -> job; a pid is in here until it is reaped
        self.wakeup, wakeup_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # without a handler nothing is written to the wake-up pipe
        signal.set_wakeup_fd(wakeup_write, warn_on_full_buffer=False)
        self.wakeup_write = wakeup_write
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)
        self.poll.register(self.wakeup, select.POLLIN)

    def serve(self) -> int:
        """Until the server hangs up; the children end with it."""
        _tell(self.control, {"is": "ready", "protocol": PROTOCOL})
        while True:
            for fd, _ in self.poll.poll():
                if fd == self.wakeup:
                    self._drain_wakeup()
                    self._reap()
                elif not self._take_order():
                    self._end_all()
                    return 0

    def _drain_wakeup(self) -> None:
        try:
            os.read(self.wakeup, 4096)
        except BlockingIOError:
            pass

    def _take_order(self) -> bool:
        message, fds, _, _ = socket.recv_fds(self.control, MAX_MESSAGE, MAX_FDS)
        if not message:
            return False
        order = json.loads(message)
        try:
            if order["do"] == "run":
                self._run(order, fds)
            else:
                self._signal(order["job"], order["signal"])
        finally:
            for fd in fds:
                os.close(fd)
        return True

    def _signal(self, job: int, number: int) -> None:
        for pid, known in self.jobs.items():
            if known == job:
                os.kill(pid, number)  # not reaped, so the pid means our child and nobody else

    def _run(self, order: dict, fds: list[int]) -> None:
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            _tell(self.control, {"is": "refused", "job": order["job"], "why": f"no child for it: {error.strerror}"})
            return
        if pid == 0:
            _child(self, parent, order, fds)  # does not return
        self.jobs[pid] = order["job"]
        _tell(self.control, {"is": "started", "job": order["job"], "pid": pid})

    def _reap(self) -> None:
        """Report every child that has ended, and end what it left behind."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            pid = ended.si_pid
            status, usage = _bury(pid)
            job = self.jobs.pop(pid, None)
            if job is not None:
                self._end_strays()
                _tell(self.control, _end(job, status, usage))

    def _end_all(self) -> None:
        """Their death signal would end them too, but then nobody might reap them: not each container has an init."""
        for pid in self.jobs:
            os.kill(pid, signal.SIGKILL)
        for pid in self.jobs:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            _bury(pid)
        self.jobs.clear()
        self._end_strays()

    def _end_strays(self) -> None:
        """Kill children that are no jobs: they left their group, and their parent died."""
        try:
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                children = file.read().split()
        except OSError:  # a kernel without this list; confined jobs leave nobody behind
            return
        for pid in map(int, children):
            if pid not in self.jobs:
                os.kill(pid, signal.SIGKILL)


def _bury(pid: int) -> tuple:
    """Reap a child that has ended, and end what it left behind."""
    try:
        # Its group, while the pid still holds the group's number.
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass
    _, status, usage = os.wait4(pid, 0)
    return status, usage


def _end(job: int, status: int, usage) -> dict:
    exited = os.WIFEXITED(status)
    return {
        "is": "ended",
        "job": job,
        "at": time.monotonic_ns(),
        "code": os.WEXITSTATUS(status) if exited else None,
        "signal": None if exited else os.WTERMSIG(status),
        "cpu_ms": int((usage.ru_utime + usage.ru_stime) * 1000),
        "peak": usage.ru_maxrss << 10,
    }


def _child(server: _Server, parent: int, order: dict, fds: list[int]) -> None:
    """The forked process: confine, run, leave. Nothing of the parent's stack may run again in it."""
    code = 70
    try:
        try:
            request, channel = _become_job(server, parent, order, fds)
        except BaseException as error:  # whatever it is, the job must not run without its walls
            why = f"failed to set up its process: {type(error).__name__}: {error}"
            _tell(server.control, {"is": "refused", "job": order["job"], "why": why})
            os._exit(code)
        from sandbox_bootstrap import run_request

        if channel is not None:
            from sandbox_bootstrap import session

            os._exit(session.serve(channel, request, run_request))
        code = run_request(request)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        # The bootstrap reports what a job raises; what gets here comes of a stream that the job closed or broke.
        pass
    os._exit(code & 0xFF)


def _become_job(server: _Server, parent: int, order: dict, fds: list[int]) -> tuple[bytes, int | None]:
    """Turn the forked process into the job's; returns the request and the channel of a session. The order matters."""
    stdout, stderr, request_fd, *others = fds
    channel = others.pop(0) if order["keep"] else None
    ruleset = others
    # 1. Die with the parent; first, so that no later step can leave a process behind.
    _call(_prctl, PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(70)
    # 2. A session of its own: its group is killed as one, and there is no terminal.
    os.setsid()
    # 3. The parent's signal handling must not run in here.
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # 4. Streams. The control socket stays until the walls stand, to say so if they do not.
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    # The parent's objects remember that their descriptors were files.
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", closefd=False)
    sys.stdout.buffer.raw.name, sys.stderr.buffer.raw.name = "<stdout>", "<stderr>"
    with open(request_fd, "rb", closefd=False) as source:
        request = source.read()
    # 5. Its own places, before paths are out of reach.
    _enter(order["data"], order["tmp"], order["proxy"])
    # 6. Limits, while setting them is still allowed.
    for number, soft, hard in order["rlimits"]:
        resource.setrlimit(number, (soft, hard))
    if channel is not None:
        channel = frames.private_fd(channel, 1)
    kept = [] if channel is None else [channel]
    walls = order["walls"]
    control = server.control.fileno()
    if walls is None:
        _close_all_but(control, *kept)
        listener = []
    else:
        listener = _put_on(walls, ruleset, control, kept)
    # 10. The last word to the server, from code that is still ours; then no way to it is left. Whoever has the filter's
    # listener can answer for the server.
    imports = _unknown_imports(request)
    begins = {"is": "begins", "job": order["job"], "imports": imports, "at": time.monotonic_ns()}
    _tell(server.control, begins, listener)
    for fd in (control, *listener):
        os.close(fd)
    return request, channel


def _put_on(walls: dict, ruleset: list[int], control: int, kept: list[int]) -> list[int]:
    """The walls; the listener of the filter, if it leaves calls to the server."""
    # 7. Landlock before seccomp, which has no row for it. `no_new_privs` came with the parent.
    own_files = [_allow_own_file(ruleset[0], name) for name in walls["own_proc_files"]]
    _call(_syscall, SYS_LANDLOCK_RESTRICT_SELF, ruleset[0], 0)
    # 8. Everything goes that is not the job's. Those of its own files stay: the rules mean them, not their names.
    _close_all_but(control, *own_files, *kept)
    # 9. seccomp last. The program's address must stay valid during the call only: the kernel copies it.
    program = _program(walls)
    if walls["listen_by"] is None:
        _call(_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)
        return []
    seccomp, flags = walls["listen_by"], SECCOMP_FILTER_FLAG_NEW_LISTENER
    return [_call(_syscall, seccomp, SECCOMP_SET_MODE_FILTER, flags, ctypes.byref(program))]


def _unknown_imports(request: bytes) -> list[str]:
    """The modules that the job's code names and that the parent does not have; the next parent may have them."""
    import ast

    code = json.loads(request).get("code", "")
    if "import" not in code or len(code) > MAX_CODE_TO_READ:
        return []
    names = set()
    try:
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module)
                names.update(f"{node.module}.{alias.name}" for alias in node.names if alias.name.islower())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # the bootstrap has its own way with such code
    # A name that a module has is no module, and one with capitals is a class.
    return sorted(name for name in names if name not in sys.modules and not _is_attribute(name))[:MAX_NAMES]


def _is_attribute(name: str) -> bool:
    package, _, last = name.rpartition(".")
    return package in sys.modules and hasattr(sys.modules[package], last)


def _allow_own_file(ruleset: int, name: str) -> int:
    """Add the rule that this process may read its own `/proc/self/<name>`; a descriptor of the file."""
    fd = os.open(f"/proc/self/{name}", os.O_PATH | os.O_CLOEXEC)
    rule = struct.pack("=Qi", LANDLOCK_ACCESS_FS_READ_FILE, fd)
    _call(_syscall, SYS_LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, ctypes.c_char_p(rule), 0)
    return fd


def _program(walls: dict):
    """The server's filter with this process's pid where it asks for it, as `struct sock_fprog`."""
    from binascii import a2b_base64

    code = bytearray(a2b_base64(walls["filter"]))
    for slot in walls["pid_slots"]:
        struct.pack_into("=I", code, slot * INSTRUCTION_SIZE + OPERAND_OFFSET, os.getpid())
    program = _Program()
    program.instructions = (ctypes.c_char * len(code)).from_buffer(code)
    program.length = len(code) // INSTRUCTION_SIZE
    program.filter = ctypes.addressof(program.instructions)
    return program


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def _call(function, *arguments) -> int:
    ctypes.set_errno(0)
    result = function(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        errno = ctypes.get_errno()
        raise OSError(errno, os.strerror(errno))
    return result


def _enter(data: str, tmp: str, proxy: str | None) -> None:
    """The job's directories and its way out, in the environment; the parent has neither."""
    os.chdir(data)
    metadata.tolerate_in(data, tmp)
    for name, value in (("HOME", tmp), ("TMPDIR", tmp), ("MPLCONFIGDIR", tmp), ("PWD", data)):
        os.environ[name] = value
    if proxy is not None:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            os.environ[name] = os.environ[name.lower()] = proxy
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile.tempdir = None
    matplotlib = sys.modules.get("matplotlib")
    if matplotlib is not None:  # it remembers the parent's
        _forget(matplotlib.get_configdir)
        _forget(matplotlib.get_cachedir)


def _forget(remembering) -> None:
    """Reset a function that matplotlib wrapped to be called once: it keeps a flag in a closure."""
    for name, cell in zip(remembering.__code__.co_freevars, remembering.__closure__ or ()):
        if name == "called":
            cell.cell_contents = False


def _close_all_but(*kept: int) -> None:
    """Close every descriptor but the three streams and `kept`."""
    start = 3
    for fd in sorted(kept):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, HIGHEST_FD)


def _tell(control: socket.socket, message: dict, fds=()) -> None:
    try:
        text = json.dumps(message).encode()
        socket.send_fds(control, [text], fds) if fds else control.send(text)
    except OSError:
        os._exit(0)  # the server is gone, and with it the reason to be


if __name__ == "__main__":
    arguments = " ".join(sys.argv[1:])
    preload, _, learned = arguments.partition("--")
    main(preload.split(), learned.split())
