//! The escape probes: for each wall, attempts to climb it, as Python that runs inside of a job.
//!
//! An attempt raises the `OSError` that it met. Names in capitals stand for things outside that the
//! prober has made or knows; `libc(name, …)` calls the C library directly and `raw(name, …)` the
//! system call itself, past all that the bootstrap wraps. Unconfined, each attempt succeeds, or at
//! least gets through to [`Control::Reaches`]: that is the proof that the attempt is able to
//! succeed.

use libc::{EACCES, EBADF, EINVAL, EISCONN, ENOENT, ENOSYS, ENOTSUP, ENOTTY, EPERM, EXDEV};

/// One attempt to get out.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// Its name.
    pub name: &'static str,
    /// The wall of [`crate::native::WALLS`] that it climbs.
    pub wall: &'static str,
    /// Python.
    pub(super) attempt: &'static str,
    /// The errno that stops it.
    pub(super) errno: i32,
    /// Another errno below a Landlock ABI, where another mechanism stops it.
    pub(super) below: Option<(u8, i32)>,
    /// The errnos that stop it where hosts are open (`--allow-host`), if that makes a difference.
    pub(super) networked: &'static [i32],
    /// What the same mechanism answers on kernels whose own ABI is 1; it looks at the directories
    /// first there.
    pub(super) first_kernels: Option<i32>,
    /// What happens without walls.
    pub control: Control,
}

/// What an attempt does where nothing confines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// It succeeds.
    Succeeds,
    /// It succeeds if the server runs as root, and meets the system's own permissions otherwise.
    SucceedsAsRoot,
    /// It gets past the wall and then fails with this errno, so that it does no harm.
    Reaches(i32),
}

impl Probe {
    /// The errno that must stop it at a Landlock ABI, where hosts are `networked` or not.
    pub(crate) fn expected(&self, abi: u8, networked: bool) -> i32 {
        if let (true, Some(&errno)) = (networked, self.networked.first()) {
            return errno;
        }
        self.below.filter(|&(until, _)| abi < until).map_or(self.errno, |(_, errno)| errno)
    }

    /// Whether `errno` is the right answer at a Landlock ABI, where hosts are `networked` or not.
    pub(crate) fn is_stopped_by(&self, errno: i32, abi: u8, networked: bool) -> bool {
        if networked && !self.networked.is_empty() {
            return self.networked.contains(&errno);
        }
        errno == self.expected(abi, networked) || (abi == 1 && self.first_kernels == Some(errno))
    }
}

const fn probe(name: &'static str, wall: &'static str, errno: i32, attempt: &'static str) -> Probe {
    Probe {
        name,
        wall,
        attempt,
        errno,
        below: None,
        networked: &[],
        first_kernels: None,
        control: Control::Succeeds,
    }
}

const fn reaching(probe: Probe, errno: i32) -> Probe {
    Probe { control: Control::Reaches(errno), ..probe }
}

const fn as_root(probe: Probe) -> Probe {
    Probe { control: Control::SucceedsAsRoot, ..probe }
}

const fn below(abi: u8, errno: i32, probe: Probe) -> Probe {
    Probe { below: Some((abi, errno)), ..probe }
}

const fn networked(errnos: &'static [i32], probe: Probe) -> Probe {
    Probe { networked: errnos, ..probe }
}

const fn first_kernels(errno: i32, probe: Probe) -> Probe {
    Probe { first_kernels: Some(errno), ..probe }
}

const READ: &str = "read files and list directories of others";
const WRITE: &str = "write, create, remove outside its own directories";
const MOVE: &str = "move or link files in or out";
const META: &str = "change mode, owner, times, attributes";
const DEVICE: &str = "send commands to devices and terminals";
const EMPTY: &str = "empty a file that it may read";
const TCP: &str = "reach the network by TCP";
const UDP: &str = "reach the network by UDP or anything else";
const UNIX: &str = "reach Unix sockets by path";
const ABSTRACT: &str = "reach abstract Unix sockets";
const SIGNAL: &str = "signal other processes";
const TRACE: &str = "trace, read or write other processes";
const PROCESS: &str = "start processes and programs";
const CODE: &str = "make writable memory executable";
const COUNT: &str = "take what no limit counts";
const LIMITS: &str = "change its limits, or anyone's";
const KERNEL: &str = "reach rarely used parts of the kernel";

/// All probes.
#[rustfmt::skip]
pub const PROBES: &[Probe] = &[
    probe("read-canary", READ, EACCES, "read(CANARY)"),
    probe("read-canary-raw", READ, EACCES, "raw('openat', AT_FDCWD, CANARY, os.O_RDONLY, 0)"),
    as_root(probe("read-shadow", READ, EACCES, "read('/etc/shadow')")),
    probe("read-passwd", READ, EACCES, "read('/etc/passwd')"),
    probe("list-root", READ, EACCES, "listing('/')"),
    probe("list-home", READ, EACCES, "listing(REAL_HOME)"),
    probe("list-job-directories", READ, EACCES, "listing(JOBS)"),
    probe("read-other-job", READ, EACCES, "read(OTHER + '/secret')"),
    probe("list-other-job", READ, EACCES, "listing(OTHER)"),
    probe("read-through-symlink", READ, EACCES,
        "libc('symlink', CANARY, HERE + '/link'); read(HERE + '/link')"),
    probe("list-proc", READ, EACCES, "listing('/proc')"),
    probe("read-own-environ", READ, EACCES, "read('/proc/self/environ')"),
    probe("read-dot-dot-of-proc-self", READ, EACCES, "read(f'/proc/self/../{SERVER}/cmdline')"),
    probe("read-server-environ", READ, EACCES, "read(f'/proc/{SERVER}/environ')"),
    probe("read-server-memory", READ, EACCES, "read(f'/proc/{SERVER}/mem')"),
    probe("watch-canary", READ, EPERM,
        "libc('inotify_add_watch', libc('inotify_init1', 0), CANARY, 2)"),

    probe("write-canary", WRITE, EACCES, "libc('open', CANARY, os.O_WRONLY)"),
    probe("create-outside", WRITE, EACCES, "create(JOBS + '/made')"),
    probe("create-in-tmp", WRITE, EACCES, "create_in('/tmp')"),
    probe("create-in-shm", WRITE, EACCES, "create_in('/dev/shm')"),
    probe("mkdir-outside", WRITE, EACCES, "libc('mkdir', JOBS + '/made-directory', 0o700)"),
    probe("unlink-outside", WRITE, EACCES, "libc('unlink', OTHER + '/doomed')"),
    probe("rmdir-outside", WRITE, EACCES, "libc('rmdir', OTHER + '/doomed-directory')"),
    probe("symlink-outside", WRITE, EACCES, "libc('symlink', 'x', JOBS + '/made-link')"),
    as_root(probe("make-device", WRITE, EPERM, "libc('mknod', HERE + '/device', 0o20600, 0x103)")),
    reaching(probe("make-whiteout", WRITE, EPERM,
        "raw('renameat2', AT_FDCWD, '/nonexistent', AT_FDCWD, '/nonexistent-too', 4)"), ENOENT),
    probe("make-fifo-outside", WRITE, EPERM, "libc('mkfifo', JOBS + '/made-fifo', 0o600)"),

    first_kernels(EXDEV, probe("rename-out", MOVE, EACCES,
        "libc('rename', made('a'), JOBS + '/moved')")),
    first_kernels(EXDEV, probe("rename-in", MOVE, EACCES,
        "libc('rename', OTHER + '/movable', HERE + '/moved')")),
    probe("hard-link-in", MOVE, EXDEV, "libc('link', CANARY, HERE + '/hard')"),
    first_kernels(EXDEV, probe("hard-link-out", MOVE, EACCES,
        "libc('link', made('b'), JOBS + '/hard')")),
    probe("hard-link-raw", MOVE, EXDEV,
        "raw('linkat', AT_FDCWD, CANARY, AT_FDCWD, HERE + '/hard-raw', 0)"),

    below(3, EPERM, probe("truncate", "truncate by path", EACCES, "libc('truncate', CANARY, 0)")),
    probe("empty-by-reading", EMPTY, EPERM, "libc('open', made('c'), os.O_RDONLY | os.O_TRUNC)"),
    probe("empty-by-no-access-mode", EMPTY, EPERM, "libc('open', made('d'), 3 | os.O_TRUNC)"),
    reaching(probe("openat2", EMPTY, ENOSYS, "raw('openat2', AT_FDCWD, CANARY, 0, 0)"), EINVAL),

    probe("chmod", META, EPERM, "libc('chmod', CANARY, 0o640)"),
    probe("fchmod-of-a-library", META, EPERM,
        "fd = read(READABLE); libc('fchmod', fd, os.fstat(fd).st_mode & 0o7777)"),
    probe("chown", META, EPERM, "libc('chown', CANARY, -1, -1)"),
    probe("utimensat", META, EPERM, "libc('utimensat', AT_FDCWD, CANARY, None, 0)"),
    probe("set-attribute", META, ENOTSUP, "libc('setxattr', CANARY, 'user.probe', b'x', 1, 0)"),

    reaching(probe("push-terminal-input", DEVICE, EPERM, "libc('ioctl', 0, 0x5412, b'x')"), ENOTTY),
    probe("file-system-request", DEVICE, EPERM, "libc('ioctl', read(HERE), 0x80086601, buffer)"),
    probe("open-terminal-multiplexer", READ, EACCES,
        "libc('open', '/dev/ptmx', os.O_RDWR | os.O_NOCTTY)"),

    networked(&[EACCES], probe("tcp", TCP, EPERM,
        "socket.create_connection(('127.0.0.1', PORT), 5).close()")),
    networked(&[EACCES], probe("tcp-raw", TCP, EPERM,
        "address = bytes([2, 0]) + PORT.to_bytes(2) + bytes([127, 0, 0, 1]) + bytes(8); \
         libc('connect', raw('socket', 2, 1, 0), address, 16)")),
    probe("tcp-listen", TCP, EPERM, "socket.create_server(('127.0.0.1', 0)).close()"),
    probe("tcp-6", TCP, EPERM, "libc('socket', 10, 1, 0)"),
    probe("udp", UDP, EPERM,
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP_PORT))"),
    probe("netlink", UDP, EPERM, "libc('socket', 16, 3, 0)"),
    probe("unix-path", UNIX, EPERM, "socket.socket(socket.AF_UNIX).connect(UNIX)"),
    probe("unix-abstract", ABSTRACT, EPERM,
        "socket.socket(socket.AF_UNIX).connect('\\0' + ABSTRACT)"),
    probe("datagram-pair", UNIX, EPERM, "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"),
    reaching(probe("address-on-a-pair", UNIX, EPERM,
        "a, b = socket.socketpair(); \
         libc('sendto', a.fileno(), b'x', 1, 0, b'\\1\\0/x\\0', 5)"), EISCONN),
    // Where `connect` is open, a pair is connected already, and Landlock may say no before that is
    // seen.
    networked(&[EISCONN, EACCES], reaching(probe("connect-a-pair", UNIX, EPERM,
        "a, b = socket.socketpair(); a.connect(UNIX)"), EISCONN)),

    probe("kill-everything", SIGNAL, EPERM, "libc('kill', -1, 0)"),
    probe("kill-own-group", SIGNAL, EPERM, "libc('kill', 0, 0)"),
    probe("kill-server", SIGNAL, EPERM, "libc('kill', SERVER, 0)"),
    probe("kill-fork-server", SIGNAL, EPERM, "libc('kill', os.getppid(), 0)"),
    probe("tgkill-server", SIGNAL, EPERM, "raw('tgkill', SERVER, SERVER, 0)"),
    probe("tkill-server", SIGNAL, EPERM, "raw('tkill', SERVER, 0)"),
    probe("queue-signal", SIGNAL, EPERM, "libc('sigqueue', SERVER, 0, 0)"),
    probe("signal-by-descriptor-owner", SIGNAL, EPERM, "libc('fcntl', 0, 8, SERVER)"),
    probe("pidfd", SIGNAL, EPERM, "raw('pidfd_open', SERVER, 0)"),

    reaching(probe("ptrace", TRACE, EPERM, "libc('ptrace', 1, SERVER, 0, 0)"), libc::ESRCH),
    reaching(probe("read-memory-of-server", TRACE, EPERM,
        "raw('process_vm_readv', SERVER, None, 0, None, 0, 99)"), EINVAL),
    reaching(probe("write-memory-of-server", TRACE, EPERM,
        "raw('process_vm_writev', SERVER, None, 0, None, 0, 99)"), EINVAL),

    probe("fork", PROCESS, EPERM, "os.fork() or os._exit(0)"),
    probe("clone-raw", PROCESS, EPERM, "raw('clone', 17, 0, 0, 0, 0) or os._exit(0)"),
    probe("spawn", PROCESS, EPERM, "os.posix_spawn('/bin/true', ['true'], {})"),
    probe("subprocess", PROCESS, EPERM, "subprocess.run(['/bin/true'])"),
    reaching(probe("clone3", PROCESS, ENOSYS, "raw('clone3', None, 0)"), EINVAL),
    reaching(probe("execve", PROCESS, EPERM, "raw('execve', '/nonexistent', None, None)"), ENOENT),
    reaching(probe("execveat", PROCESS, EPERM,
        "raw('execveat', AT_FDCWD, '/nonexistent', None, None, 0)"), ENOENT),
    probe("new-namespace-thread", PROCESS, EPERM, "raw('unshare', 0x10000000)"),
    probe("program-in-memory", PROCESS, EPERM, "libc('memfd_create', 'x', 0)"),

    probe("writable-code", CODE, EPERM, "mmap.mmap(-1, 4096, prot=7)"),
    probe("anonymous-code", CODE, EPERM, "mmap.mmap(-1, 4096, prot=5)"),
    probe("data-to-code", CODE, EPERM,
        "m = ctypes.c_char.from_buffer(mmap.mmap(-1, 4096)); \
         libc('mprotect', ctypes.c_void_p(ctypes.addressof(m)), 4096, 5)"),

    probe("shared-code", CODE, EPERM,
        "libc('mmap', None, 4096, 5, mmap.MAP_SHARED, os.open(made('code'), os.O_RDWR), 0)"),

    probe("shared-memory-without-file", COUNT, EPERM,
        "libc('mmap', None, 4096, 3, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, -1, 0)"),
    probe("shared-zeroes", COUNT, EACCES, "libc('open', '/dev/zero', os.O_RDWR)"),
    probe("growing-stack", COUNT, EPERM,
        "libc('mmap', None, 4096, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100, -1, 0)"),
    probe("reserve-disk", COUNT, libc::EOPNOTSUPP,
        "raw('fallocate', os.open(made('reserved'), os.O_RDWR), 0, 0, 4096)"),
    probe("descriptors-in-flight", COUNT, EPERM,
        "pair = socket.socketpair(); socket.send_fds(pair[0], [b'x'], [0])"),
    probe("enlarge-pipe", COUNT, EPERM, "libc('fcntl', os.pipe()[1], 1031, 1 << 17)"),

    probe("raise-limit", LIMITS, EPERM, "libc('setrlimit', 4, bytes(16))"),
    probe("limits-of-server", LIMITS, EPERM, "libc('prlimit', SERVER, 7, None, buffer)"),
    probe("survive-parent", LIMITS, EPERM, "libc('prctl', 1, 0, 0, 0, 0)"),
    probe("dumpable", LIMITS, EPERM, "libc('prctl', 4, 1, 0, 0, 0)"),
    probe("schedule-server", LIMITS, EPERM,
        "libc('setpriority', 0, SERVER, os.getpriority(0, SERVER))"),

    reaching(probe("io-uring", KERNEL, EPERM, "raw('io_uring_setup', 0, None)"), libc::EFAULT),
    reaching(probe("bpf", KERNEL, EPERM, "raw('bpf', 9999, None, 0)"), EINVAL),
    reaching(probe("perf", KERNEL, EPERM, "raw('perf_event_open', None, 0, 0, 0, 0x1000)"), EINVAL),
    probe("personality", KERNEL, EPERM, "libc('personality', 0xffffffff)"),
    probe("keyring", KERNEL, EPERM, "raw('keyctl', 0, -3, 1)"),
    reaching(probe("mount", KERNEL, EPERM,
        "libc('mount', None, None, None, 0, None)"), libc::EFAULT),
    reaching(probe("set-namespace", KERNEL, EPERM, "raw('setns', -1, 0)"), EBADF),
    probe("shared-memory", KERNEL, EPERM,
        "libc('shmctl', libc('shmget', 0, 4096, 0o600), 0, None)"),
    as_root(probe("root-directory", KERNEL, EPERM, "libc('chroot', '/')")),
    reaching(probe("more-landlock", KERNEL, EPERM, "raw('landlock_restrict_self', -1, 0)"), EBADF),
    reaching(probe("another-filter", KERNEL, EPERM, "raw('seccomp', 99, 0, None)"), EINVAL),
];
