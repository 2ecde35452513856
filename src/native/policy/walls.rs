//! Which wall stands by what at which Landlock ABI: the one table for the code and its tests.
//! `SECURITY.md` explains it.
//!
//! seccomp is the same on every kernel that has Landlock, so a wall that Landlock only knows from a
//! later ABI stands by a row of [`super::syscalls`] before it.

/// Something that a job must not be able to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wall {
    /// What it keeps a job from.
    pub name: &'static str,
    /// First Landlock ABI that guards it.
    pub landlock_from: Option<u8>,
    /// The seccomp rows that guard it, whatever the ABI.
    pub seccomp: Option<&'static str>,
    /// First ABI at which the seccomp rows let it through, because Landlock guards it.
    pub seccomp_until: Option<u8>,
}

const fn landlock(name: &'static str, from: u8) -> Wall {
    Wall { name, landlock_from: Some(from), seccomp: None, seccomp_until: None }
}

const fn seccomp(name: &'static str, rows: &'static str) -> Wall {
    Wall { name, landlock_from: None, seccomp: Some(rows), seccomp_until: None }
}

const fn both(name: &'static str, from: u8, rows: &'static str) -> Wall {
    Wall { name, landlock_from: Some(from), seccomp: Some(rows), seccomp_until: None }
}

const NO_ADDRESSES: &str = "`socket`, `connect`, addresses in `sendto`; pairs are streams";

/// All walls.
#[rustfmt::skip]
pub const WALLS: &[Wall] = &[
    landlock("read files and list directories of others", 1),
    landlock("write, create, remove outside its own directories", 1),
    landlock("move or link files in or out", 1),
    Wall {
        seccomp_until: Some(3),
        ..both("truncate by path", 3, "`truncate` is allowed from ABI 3")
    },
    both("empty a file that it may read", 3, "`open`, `openat`: O_TRUNC only when writing"),
    seccomp("change mode, owner, times, attributes",
        "`chmod`, `chown`, `utimensat`, `setxattr` and kin are not in the table"),
    both("send commands to devices and terminals", 5, "`ioctl`: seven harmless requests"),
    both("reach the network by TCP", 4, "`socket` is not in the table; with `--allow-host` the \
        server makes sockets that reach this machine only"),
    seccomp("reach the network by UDP or anything else",
        "`socket` is not in the table; with `--allow-host` it is for TCP only"),
    both("reach Unix sockets by path", 9, NO_ADDRESSES),
    both("reach abstract Unix sockets", 6, NO_ADDRESSES),
    both("signal other processes", 6, "`kill`, `tgkill`: its own pid only; `fcntl`: no F_SETOWN"),
    both("trace, read or write other processes", 1,
        "`ptrace`, `process_vm_*`, `pidfd_*` are not in the table"),
    both("start processes and programs", 1,
        "`clone`: threads only; `clone3`: ENOSYS; `fork`, `execve` are not in the table"),
    seccomp("make writable memory executable",
        "`mmap`, `mprotect`: code comes from private mappings of files"),
    seccomp("take what no limit counts", "`mmap`: no shared memory without a file, no growing \
        stacks, no huge pages; `fallocate`: EOPNOTSUPP; `fcntl`: no F_SETPIPE_SZ; `sendmsg` \
        is not in the table"),
    seccomp("change its limits, or anyone's", "`prlimit64`: reading its own"),
    seccomp("reach rarely used parts of the kernel", "`io_uring_*`, `bpf`, `userfaultfd`, \
        `perf_event_open`, `keyctl`, … are not in the table"),
    seccomp("enter by the x32 or 32-bit tables", "killed"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Support {
    Landlock,
    Seccomp,
    /// Both, each enough by itself.
    Both,
}

impl Wall {
    /// What holds it up at `abi`; `None` if nothing does.
    pub(crate) fn support(&self, abi: u8) -> Option<Support> {
        let landlock = self.landlock_from.is_some_and(|from| abi >= from);
        let seccomp = self.seccomp.is_some() && self.seccomp_until.is_none_or(|until| abi < until);
        match (landlock, seccomp) {
            (true, true) => Some(Support::Both),
            (true, false) => Some(Support::Landlock),
            (false, true) => Some(Support::Seccomp),
            (false, false) => None,
        }
    }
}

/// The first wall that does not stand at `abi`.
pub(super) fn fallen(abi: u8) -> Option<&'static Wall> {
    WALLS.iter().find(|wall| wall.support(abi).is_none())
}
