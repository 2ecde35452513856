//! What a native job may do, as data, and its translation for the kernel. The only code that names
//! the mechanisms.
//!
//! | file | holds |
//! | --- | --- |
//! | `walls` | what a job must not be able to do, and what keeps it from that at each Landlock ABI |
//! | `paths` | table: the paths that stay open |
//! | `syscalls` | table: the system calls that stay open |
//! | `rlimits` | what the process limits are set to |
//! | `landlock`, `seccomp` | the tables in the kernel's terms |

pub(in crate::native) mod landlock;
pub(in crate::native) mod paths;
pub(in crate::native) mod rlimits;
pub(in crate::native) mod seccomp;
pub(in crate::native) mod syscalls;
pub(in crate::native) mod walls;

use self::landlock::{FIRST_NETWORK_ABI, NEWEST_ABI, Whom};
use self::paths::{Access, Layout, Opened};
use self::seccomp::Program;
use super::sys;
use crate::job::HostFolder;
use libc::c_long;
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// The policy of one server, opened and compiled: ready to be put on jobs.
#[derive(Debug)]
pub(in crate::native) struct Policy {
    abi: u8,
    /// The paths of the table, and the operator's folders.
    open: Vec<Opened>,
    job_filter: Program,
    port: Option<u16>,
}

impl Policy {
    /// Opens and compiles everything for the ABI in force, which is the kernel's, or `cap` if that
    /// is less. With `port`, jobs may connect to that port of this machine.
    ///
    /// # Errors
    /// Why native code cannot be confined here, and what would help.
    pub(in crate::native) fn new(
        layout: &Layout,
        cap: Option<u8>,
        port: Option<u16>,
        mounts: &[HostFolder],
    ) -> Result<Self, String> {
        let abi = abi_in_force(cap)?;
        if let Some(wall) = walls::fallen(abi) {
            return Err(format!(
                "at Landlock ABI {abi} nothing would keep a job from this: {}",
                wall.name
            ));
        }
        let mut open = paths::open_table(layout)?;
        open.extend(open_mounts(
            mounts.iter().map(|mount| (mount.host.as_path(), mount.writable)),
        )?);
        Ok(Self { abi, open, job_filter: Program::job(abi, port.is_some())?, port })
    }

    /// The Landlock ABI in force.
    pub(in crate::native) fn abi(&self) -> u8 {
        self.abi
    }

    /// The number of the call by which a job puts its filter on, if the filter leaves some calls to
    /// the server.
    pub(in crate::native) fn listen_by(&self) -> Option<c_long> {
        self.port.map(|_| libc::SYS_seccomp)
    }

    /// The filter that a job puts on last.
    pub(in crate::native) fn job_filter(&self) -> &Program {
        &self.job_filter
    }

    /// A ruleset for one job, whose own directories are `own`.
    ///
    /// # Errors
    /// A directory cannot be opened, or the kernel does not take a rule.
    pub(in crate::native) fn job_ruleset(&self, own: &[&Path]) -> Result<OwnedFd, String> {
        let own = open_own(own)?;
        let rules = self.open.iter().chain(&own);
        landlock::descriptor(landlock::ruleset(self.abi, Whom::Job, rules, self.port)?)
    }
}

/// Puts the parent's walls on the calling thread: Landlock, then seccomp. `roots` are the
/// directories below which job directories will be made; a job cannot get more than its parent has.
///
/// # Errors
/// A wall does not stand; the caller must not go on.
pub(in crate::native) fn confine_parent(
    layout: &Layout,
    roots: &[&Path],
    mounts: &[(PathBuf, bool)],
    cap: Option<u8>,
    port: Option<u16>,
) -> Result<(), String> {
    let abi = abi_in_force(cap)?;
    let filter = Program::parent(abi, port.is_some())?;
    let readable = paths::open_table(layout)?;
    let mut own = open_own(roots)?;
    own.extend(open_mounts(mounts.iter().map(|(path, writable)| (path.as_path(), *writable)))?);
    landlock::ruleset(abi, Whom::Parent, readable.iter().chain(&own), port)?
        .restrict_self()
        .map_err(|e| format!("failed to put on the Landlock ruleset: {e}"))?;
    drop((readable, own));
    filter.install()
}

/// Opens the operator's folders: path, and whether jobs may change it.
fn open_mounts<'a>(mounts: impl Iterator<Item = (&'a Path, bool)>) -> Result<Vec<Opened>, String> {
    let open = |(path, writable): (&Path, bool)| {
        let access = if writable { Access::Work } else { Access::Read };
        Opened::new(path, access)
            .map_err(|e| format!("failed to open the mount `{}`: {e}", path.display()))
    };
    mounts.map(open).collect()
}

fn open_own(paths: &[&Path]) -> Result<Vec<Opened>, String> {
    let open = |path: &&Path| {
        Opened::new(path, Access::Work)
            .map_err(|e| format!("failed to open `{}`: {e}", path.display()))
    };
    paths.iter().map(open).collect()
}

/// Whether jobs can be let out to one port here.
///
/// # Errors
/// Why they cannot, and what would help.
pub(in crate::native) fn network_at(cap: Option<u8>) -> Result<(), String> {
    let abi = abi_in_force(cap)?;
    if abi >= FIRST_NETWORK_ABI {
        return Ok(());
    }
    Err(format!(
        "`--allow-host` needs Landlock ABI {FIRST_NETWORK_ABI} (Linux 6.7 or newer), and here it is {abi}"
    ))
}

/// The kernel's Landlock ABI as far as this code knows it, or `cap` if that is less.
///
/// # Errors
/// There is none, and what would help.
pub(in crate::native) fn abi_in_force(cap: Option<u8>) -> Result<u8, String> {
    let kernel = if cap == Some(0) { Err(Errno::NOSYS) } else { sys::landlock_abi() };
    match kernel {
        Ok(abi) => Ok(abi.min(NEWEST_ABI).min(cap.unwrap_or(NEWEST_ABI))),
        Err(Errno::OPNOTSUPP) => Err(
            "Landlock is switched off on this kernel; boot with `lsm=landlock,…` to switch it on"
                .to_owned(),
        ),
        Err(Errno::NOSYS) => Err("this kernel has no Landlock; Linux 5.13 or newer has".to_owned()),
        Err(e) => Err(format!(
            "the kernel does not let us use Landlock ({e}); a container's seccomp profile may be in the way"
        )),
    }
}
