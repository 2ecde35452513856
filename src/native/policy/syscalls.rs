//! The seccomp table: every system call that a job may make, each with its reason. What is not here
//! answers `EPERM`.
//!
//! The list follows what the imports and jobs of the shipped venv call, seen with a tracer. Rows
//! that could reach outside of the job have a condition. Left out on purpose, beside all that
//! administers a machine: `chmod`, `chown`, `utimensat` and their kin (Landlock does not cover
//! them, and a descriptor opened for reading is enough for `fchmod`), `io_uring_*`, `memfd_create`,
//! `mknod`, `ptrace`, `process_vm_*`, `pidfd_*`, System V IPC, `userfaultfd`, `inotify`.

use libc::c_long;

/// What the table says about one system call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syscall {
    pub(super) name: &'static str,
    pub(super) number: c_long,
    pub(super) action: Action,
    pub(super) reason: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Action {
    Allow,
    /// Allowed where Landlock itself guards what the call does.
    AllowFromAbi(u8),
    /// Allowed if all conditions of one alternative hold.
    AllowIf(&'static [&'static [Cond]]),
    /// Answered with this errno, because callers know what to do about it; 0 is success.
    Errno(i32),
    AskServer,
    /// The same where the argument is one of these values. Other rows say what else is allowed.
    ErrnoWhere(u8, &'static [u32], i32),
    AskServerWhere(u8, &'static [u32]),
}

/// A condition on an argument, by its index. Flags are looked at in the low word, where all of them
/// are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cond {
    IsNull(u8),
    Is(u8, u32),
    /// The bits of the low word under the mask equal the value.
    Bits(u8, u32, u32),
}

use Action::{Allow, AllowFromAbi, AllowIf, AskServer, AskServerWhere, Errno, ErrnoWhere};
use Cond::{Bits, Is, IsNull};

/// Stands for the pid of the process that wears the filter, which is known only after the fork.
/// Above every real pid.
pub(super) const SELF: u32 = 0x3fff_fff1;

macro_rules! rows {
    ($reason:literal, $action:expr, [$($call:ident),+ $(,)?]) => {
        &[$(Syscall {
            name: stringify!($call),
            number: libc::$call,
            action: $action,
            reason: $reason,
        }),+]
    };
}

/// Allows a call if the argument is one of these.
macro_rules! one_of {
    ($argument:expr, [$($value:ident),+ $(,)?]) => {
        AllowIf(&[$(&[Is($argument, word(libc::$value))]),+])
    };
}

macro_rules! options {
    ($($level:ident $option:ident),+ $(,)?) => {
        AllowIf(&[$(&[Is(1, word(libc::$level)), Is(2, word(libc::$option))]),+])
    };
}

/// The sign bit does not matter here: the constants are small flags and commands that `libc` types
/// as it pleases.
pub(crate) const fn word(flag: i32) -> u32 {
    flag.cast_unsigned()
}

const ACCESS: u32 = word(libc::O_ACCMODE);
const TRUNCATE: u32 = word(libc::O_TRUNC);
const EXEC: u32 = word(libc::PROT_EXEC);
const WRITE_EXEC: u32 = word(libc::PROT_WRITE | libc::PROT_EXEC);
const ANONYMOUS: u32 = word(libc::MAP_ANONYMOUS);
const PRIVATE: u32 = word(libc::MAP_PRIVATE);
const SHARED: u32 = word(libc::MAP_SHARED);
/// What kind of mapping it is: private, shared, and newer kinds, which nothing honest needs. Two
/// more kinds of memory are in no limit of the kernel's: stacks that grow, and huge pages.
const MAPPING: u32 = word(libc::MAP_TYPE | libc::MAP_GROWSDOWN | libc::MAP_HUGETLB);
/// All flags of `renameat2` but `RENAME_NOREPLACE` and `RENAME_EXCHANGE`.
const ODD_RENAMES: u32 = !(libc::RENAME_NOREPLACE | libc::RENAME_EXCHANGE);
const THREAD: u32 = word(libc::CLONE_THREAD);
/// Namespaces that `clone` can make; the last one shares its bit with nothing else that `clone`
/// takes.
#[rustfmt::skip]
const NAMESPACES: u32 = word(
    libc::CLONE_NEWNS | libc::CLONE_NEWCGROUP | libc::CLONE_NEWUTS | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWNET,
);
/// The byte of `clone`'s flags that holds the signal for the parent.
const EXIT_SIGNAL: u32 = 0xff;
/// Connects while it sends, which Landlock does not check.
const FASTOPEN: u32 = word(libc::MSG_FASTOPEN);
/// `SOCK_CLOEXEC` and `SOCK_NONBLOCK` lie above these bits.
pub(crate) const SOCKET_KIND: u32 = 0xf;

/// `open` flags at argument `i`: Landlock before ABI 3 lets a file that may be read be emptied with
/// `O_TRUNC`.
const fn open_flags(i: u8) -> [[Cond; 1]; 3] {
    [
        [Bits(i, TRUNCATE, 0)],
        [Bits(i, ACCESS, word(libc::O_WRONLY))],
        [Bits(i, ACCESS, word(libc::O_RDWR))],
    ]
}
#[cfg(target_arch = "x86_64")]
const OPEN: [[Cond; 1]; 3] = open_flags(1);
const OPENAT: [[Cond; 1]; 3] = open_flags(2);

/// Numbers of clocks that belong to a process or thread: the inverse of its pid, then three bits.
/// The second of these says that it is a thread's (`include/linux/posix-timers.h`).
const FOREIGN_CLOCK: u32 = 1 << 31;
const THREAD_CLOCK: u32 = FOREIGN_CLOCK | 1 << 2;

/// `PRIO_PROCESS`.
const PROCESS: Cond = Is(0, 0);
const INET: Cond = Is(0, word(libc::AF_INET));
const STREAM: Cond = Bits(1, SOCKET_KIND, word(libc::SOCK_STREAM));

#[rustfmt::skip]
pub(super) const JOB: &[&[Syscall]] = &[
    // Files that are open already; Landlock guarded the opening.
    rows!("data of open files", Allow, [
        SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv,
        SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_lseek, SYS_fsync, SYS_fdatasync, SYS_ftruncate,
        SYS_fadvise64, SYS_sendfile, SYS_copy_file_range, SYS_flock,
    ]),
    rows!("takes the whole disk before anyone can look; libc then writes the blocks one by one",
        Errno(libc::EOPNOTSUPP), [SYS_fallocate]),
    rows!("state of open files", Allow, [SYS_fstat, SYS_fstatfs, SYS_getdents64]),
    rows!("the job's own descriptors", Allow, [
        SYS_close, SYS_close_range, SYS_dup, SYS_dup3,
    ]),
    rows!(
        "stays on the descriptor: F_SETOWN and F_SETSIG would send signals, F_NOTIFY would watch, \
         F_SETPIPE_SZ would take what pipes of the user's other processes share",
        one_of!(1, [
            F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK,
            F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETPIPE_SZ,
        ]),
        [SYS_fcntl]
    ),
    rows!(
        "is it a terminal, how wide, how much to read, blocking, close-on-exec: never TIOCSTI or a \
         device's commands",
        // TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
        AllowIf(&[
            &[Is(1, 0x5401)], &[Is(1, 0x802c_542a)], &[Is(1, 0x5413)], &[Is(1, 0x541b)],
            &[Is(1, 0x5421)], &[Is(1, 0x5450)], &[Is(1, 0x5451)],
        ]),
        [SYS_ioctl]
    ),
    rows!("pipes and waiting on descriptors: asyncio, selectors, subprocess pipes", Allow, [
        SYS_pipe2, SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait,
        SYS_eventfd2,
    ]),
    #[cfg(target_arch = "x86_64")]
    rows!("older names of the same", Allow, [
        SYS_pipe, SYS_poll, SYS_select, SYS_dup2, SYS_epoll_create, SYS_epoll_wait, SYS_eventfd,
    ]),
    // Paths; Landlock guards what lies behind them.
    rows!("opening; never a truncation of what is opened for reading",
        AllowIf(&[&OPENAT[0], &OPENAT[1], &OPENAT[2]]), [SYS_openat]),
    #[cfg(target_arch = "x86_64")]
    rows!("opening; never a truncation of what is opened for reading",
        AllowIf(&[&OPEN[0], &OPEN[1], &OPEN[2]]), [SYS_open]),
    rows!("its flags lie in memory, where a filter cannot see them; callers fall back to `openat`",
        Errno(libc::ENOSYS), [SYS_openat2]),
    rows!("state of files by path, which no wall but the file's own mode closes", Allow, [
        SYS_newfstatat, SYS_statx, SYS_statfs, SYS_faccessat, SYS_faccessat2, SYS_readlinkat,
        SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_umask,
    ]),
    rows!("making, moving and removing files", Allow, [
        SYS_mkdirat, SYS_unlinkat, SYS_renameat, SYS_linkat, SYS_symlinkat,
    ]),
    rows!("moving without replacing, and swapping; never a whiteout, which is a device",
        AllowIf(&[&[Bits(4, ODD_RENAMES, 0)]]), [SYS_renameat2]),
    #[cfg(target_arch = "x86_64")]
    rows!("older names of the same", Allow, [
        SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_creat, SYS_mkdir, SYS_rmdir, SYS_unlink,
        SYS_rename, SYS_link, SYS_symlink,
    ]),
    rows!("truncation by path, where Landlock guards it", AllowFromAbi(3), [SYS_truncate]),
    rows!("as on a file system without extended attributes: `shutil` then leaves them alone",
        Errno(libc::ENOTSUP), [
        SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr, SYS_flistxattr,
        SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr,
        SYS_fremovexattr,
    ]),
    // Memory.
    rows!("the job's own memory", Allow, [
        SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_msync, SYS_mbind, SYS_get_mempolicy,
        SYS_membarrier,
    ]),
    rows!(
        "private memory, which limits of the kernel count, and files; code is mapped from files, \
         and never writable or shared",
        AllowIf(&[
            &[Bits(2, EXEC, 0), Bits(3, MAPPING, PRIVATE)],
            &[Bits(2, EXEC, 0), Bits(3, MAPPING | ANONYMOUS, SHARED)],
            &[Bits(2, WRITE_EXEC, EXEC), Bits(3, MAPPING | ANONYMOUS, PRIVATE)],
        ]),
        [SYS_mmap]
    ),
    rows!("memory does not become code", AllowIf(&[&[Bits(2, EXEC, 0)]]), [SYS_mprotect]),
    // Time, threads, signals.
    rows!("clocks of the machine and of its own threads, which the kernel checks; the clock of \
        another process has a negative number and says how much that works",
        AllowIf(&[&[Bits(0, FOREIGN_CLOCK, 0)], &[Bits(0, THREAD_CLOCK, THREAD_CLOCK)]]),
        [SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep]),
    rows!("sleeping, and alarms for oneself", Allow, [
        SYS_nanosleep, SYS_gettimeofday, SYS_times, SYS_setitimer, SYS_getitimer,
    ]),
    #[cfg(target_arch = "x86_64")]
    rows!("older names of the same", Allow, [SYS_time, SYS_alarm, SYS_pause]),
    rows!("threads, but no process and no namespace",
        AllowIf(&[&[Bits(0, THREAD | NAMESPACES, THREAD)]]), [SYS_clone]),
    rows!("its flags lie in memory, where a filter cannot see them; libc falls back to `clone`",
        Errno(libc::ENOSYS), [SYS_clone3]),
    rows!("running and ending threads", Allow, [
        SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_set_tid_address, SYS_sched_yield,
        SYS_getcpu, SYS_exit, SYS_exit_group, SYS_restart_syscall,
    ]),
    rows!("the job's own signal handling", Allow, [
        SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending,
        SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_sigaltstack,
    ]),
    rows!("signals to oneself: `abort`, `raise`, `signal.raise_signal`",
        AllowIf(&[&[Is(0, SELF)]]), [SYS_kill, SYS_tgkill]),
    rows!("there is nothing to wait for, and `ECHILD` says so", Allow, [SYS_wait4, SYS_waitid]),
    // Who and where am I.
    rows!("identity of the process", Allow, [
        SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
        SYS_getresuid, SYS_getresgid, SYS_getgroups,
    ]),
    rows!("group, session and processors of oneself, not of whatever else runs here",
        AllowIf(&[&[Is(0, 0)], &[Is(0, SELF)]]),
        [SYS_getpgid, SYS_getsid, SYS_sched_getaffinity]),
    rows!("priority of oneself",
        AllowIf(&[&[PROCESS, Is(1, 0)], &[PROCESS, Is(1, SELF)]]), [SYS_getpriority]),
    #[cfg(target_arch = "x86_64")]
    rows!("older names of the same", Allow, [SYS_getpgrp]),
    rows!("sizes and names of the machine, and what the job has used", Allow, [
        SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_getrandom,
    ]),
    rows!("reading its own limits; setting them, or another process's, would undo ours",
        AllowIf(&[&[Is(0, 0), IsNull(2)]]), [SYS_prlimit64]),
    #[cfg(target_arch = "x86_64")]
    rows!("reading its own limits", Allow, [SYS_getrlimit]),
    rows!("names of threads; not PR_SET_DUMPABLE, PR_SET_PDEATHSIG, PR_SET_SECCOMP and the rest",
        one_of!(0, [PR_SET_NAME, PR_GET_NAME]), [SYS_prctl]),
    // Sockets: a pair within the process is all there is.
    rows!("a connected pair, which asyncio needs; other kinds can be pointed at another address",
        AllowIf(&[&[Is(0, word(libc::AF_UNIX)), STREAM]]), [SYS_socketpair]),
    // Not `sendmsg`: descriptors in flight are counted for the user, not for the job.
    rows!("sending over a pair, without an address",
        AllowIf(&[&[IsNull(4), Bits(3, FASTOPEN, 0)]]), [SYS_sendto]),
    rows!("using a pair", Allow, [
        SYS_recvfrom, SYS_recvmsg, SYS_shutdown, SYS_getsockopt, SYS_getsockname, SYS_getpeername,
    ]),
];

/// The commands of `fcntl` that take and give back locks.
const LOCKS: &[u32] =
    &[word(libc::F_SETLK), word(libc::F_SETLKW), word(libc::F_OFD_SETLK), word(libc::F_OFD_SETLKW)];

/// Rows of a job that shares no file with others: it would lock those that it can only read.
#[rustfmt::skip]
pub(super) const LOCKS_ALONE: &[&[Syscall]] = &[
    rows!("a job alone has no one to lock out: it succeeds, and nothing is locked",
        Errno(0), [SYS_flock]),
    rows!("a job alone has no one to lock out: it succeeds, and nothing is locked",
        ErrnoWhere(1, LOCKS, 0), [SYS_fcntl]),
];

/// Rows of a job that shares folders with others.
#[rustfmt::skip]
pub(super) const LOCKS_SHARED: &[&[Syscall]] = &[
    rows!("a filter cannot see which file it is", AskServer, [SYS_flock]),
    rows!("a filter cannot see which file it is", AskServerWhere(1, LOCKS), [SYS_fcntl]),
];

/// Rows beside those of [`JOB`] where the operator has opened hosts.
#[rustfmt::skip]
pub(super) const NETWORK: &[&[Syscall]] = &[
    rows!("Landlock lets it connect to the proxy's port alone", AllowFromAbi(4), [SYS_connect]),
    rows!(
        "waiting, buffers and keep-alive of a connection: never SO_BINDTODEVICE, \
         TCP_FASTOPEN_CONNECT, TCP_REPAIR, TCP_ULP",
        options!(
            SOL_SOCKET SO_KEEPALIVE, SOL_SOCKET SO_LINGER, SOL_SOCKET SO_RCVBUF,
            SOL_SOCKET SO_RCVTIMEO, SOL_SOCKET SO_SNDBUF, SOL_SOCKET SO_SNDTIMEO,
            IPPROTO_TCP TCP_NODELAY, IPPROTO_TCP TCP_KEEPIDLE, IPPROTO_TCP TCP_KEEPINTVL,
            IPPROTO_TCP TCP_KEEPCNT, IPPROTO_TCP TCP_USER_TIMEOUT,
        ),
        [SYS_setsockopt]
    ),
];

/// Rows of a job beside those of [`NETWORK`].
#[rustfmt::skip]
pub(super) const NETWORK_JOB: &[&[Syscall]] = &[
    rows!("a TCP socket that reaches this machine only; `bind` and `listen` are not in the table",
        AskServer, [SYS_socket]),
];

/// Rows of the fork server beside those of [`NETWORK`]: what it refuses, no job of its can ask the
/// server for.
#[rustfmt::skip]
pub(super) const NETWORK_FORK_SERVER: &[&[Syscall]] = &[
    rows!(
        "TCP over IPv4; not the protocols that Landlock does not know as TCP (MPTCP, SCTP, SMC)",
        AllowIf(&[
            &[INET, STREAM, Is(2, 0)],
            &[INET, STREAM, Is(2, word(libc::IPPROTO_TCP))],
        ]),
        [SYS_socket]
    ),
];

/// Rows of the fork server, beside those of [`JOB`]. It never runs a job's code.
#[rustfmt::skip]
pub(super) const FORK_SERVER: &[&[Syscall]] = &[
    rows!("starting Python, once; Landlock lets nothing else be executed", Allow, [SYS_execve]),
    #[cfg(target_arch = "x86_64")]
    rows!("the C library's start sets the thread pointer", Allow, [SYS_arch_prctl]),
    rows!("one child per job",
        AllowIf(&[&[Bits(0, THREAD | NAMESPACES | EXIT_SIGNAL, word(libc::SIGCHLD))]]),
        [SYS_clone]),
    rows!("deadlines: it owns its children, so their pids cannot mean anyone else", Allow,
        [SYS_kill, SYS_tgkill]),
    rows!("its children may ask, of whom their own filter says", Allow, [
        SYS_getpgid, SYS_getsid, SYS_sched_getaffinity, SYS_getpriority,
    ]),
    rows!("a child hands a listener over before its own filter stands", Allow, [SYS_sendmsg]),
    rows!("a session of its own for each job", Allow, [SYS_setsid, SYS_setpgid]),
    rows!("the child's death signal and its walls", Allow, [
        SYS_prctl, SYS_seccomp, SYS_landlock_add_rule, SYS_landlock_restrict_self,
    ]),
    rows!("the child's limits", Allow, [SYS_prlimit64]),
    #[cfg(target_arch = "x86_64")]
    rows!("the child's limits", Allow, [SYS_setrlimit]),
];
