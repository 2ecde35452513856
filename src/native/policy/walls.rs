//! Which wall stands by what at which Landlock ABI: the one table for the code and its tests;
//! `SECURITY.md` tells it in words.
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
    /// Where the seccomp rows only fill in below an ABI: from there on they are not needed.
    pub seccomp_until: Option<u8>,
}

const fn wall(
    name: &'static str,
    landlock_from: Option<u8>,
    seccomp: Option<&'static str>,
) -> Wall {
    Wall { name, landlock_from, seccomp, seccomp_until: None }
}

/// All walls.
#[rustfmt::skip]
pub const WALLS: &[Wall] = &[
    wall("read files and list directories of others", Some(1), None),
    wall("write, create, remove outside its own directories", Some(1), None),
    wall("move or link files in or out", Some(1), None),
    Wall { seccomp_until: Some(3), ..wall("truncate by path", Some(3), Some("`truncate` is allowed from ABI 3")) },
    wall("empty a file that it may read", Some(3), Some("`open`, `openat`: O_TRUNC only together with writing")),
    wall("change mode, owner, times, attributes", None, Some("`chmod`, `chown`, `utimensat`, `setxattr` and kin are not in the table")),
    wall("send commands to devices and terminals", Some(5), Some("`ioctl`: seven harmless requests")),
    wall("reach the network by TCP", Some(4), Some("`socket` is not in the table; with `--allow-host` the server makes sockets that reach this machine only")),
    wall("reach the network by UDP or anything else", None, Some("`socket` is not in the table; with `--allow-host` it is for TCP only")),
    wall("reach Unix sockets by path", Some(9), Some("`socket`, `connect`, addresses in `sendto`; pairs are streams")),
    wall("reach abstract Unix sockets", Some(6), Some("`socket`, `connect`, addresses in `sendto`; pairs are streams")),
    wall("signal other processes", Some(6), Some("`kill`, `tgkill`: its own pid only; `fcntl`: no F_SETOWN")),
    wall("trace, read or write other processes", Some(1), Some("`ptrace`, `process_vm_*`, `pidfd_*` are not in the table")),
    wall("start processes and programs", Some(1), Some("`clone`: threads only; `clone3`: ENOSYS; `fork`, `execve` are not in the table")),
    wall("make writable memory executable", None, Some("`mmap`, `mprotect`: code comes from files")),
    wall("change its limits, or anyone's", None, Some("`prlimit64`: reading its own")),
    wall("reach rarely used parts of the kernel", None, Some("`io_uring_*`, `bpf`, `userfaultfd`, `perf_event_open`, `keyctl`, … are not in the table")),
    wall("enter by the x32 or 32-bit tables", None, Some("killed")),
];

/// What holds a wall up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Support {
    /// Landlock alone.
    Landlock,
    /// seccomp alone.
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
pub(in crate::native) fn fallen(abi: u8) -> Option<&'static Wall> {
    WALLS.iter().find(|wall| wall.support(abi).is_none())
}
