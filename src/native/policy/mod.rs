//! What a native job may do, as data, and its translation for the kernel. The only code that names
//! the mechanisms.
//!
//! | file | holds |
//! | --- | --- |
//! | `walls` | what a job must not be able to do, and what prevents it at each Landlock ABI |
//! | `paths` | table: the paths that stay open |
//! | `syscalls` | table: the system calls that stay open |
//! | `rlimits` | what the process limits are set to |
//! | `landlock`, `seccomp` | the tables in the kernel's terms |

mod landlock;
pub(super) mod paths;
pub(super) mod rlimits;
mod seccomp;
pub(super) mod syscalls;
pub(super) mod walls;

use self::landlock::{FIRST_NETWORK_ABI, NEWEST_ABI, Whom};
use self::paths::{Layout, Opened, PathAccess};
use self::seccomp::Program;
use super::error::{NativeError, failed};
use super::helper::HelperConfig;
use super::order::ChildWalls;
use super::sys;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// The policy of one server, opened and compiled: ready to be put on jobs.
#[derive(Debug)]
pub(super) struct Policy {
    /// The Landlock ABI in force.
    pub(super) abi: u8,
    /// The paths of the table, and the operator's folders.
    open: Vec<Opened>,
    /// Base64 of the seccomp filter that a job puts on last.
    filter: String,
    pid_slots: Vec<usize>,
    /// Base64 of the filter that leaves calls to the server, if any are.
    asking: Option<String>,
    port: Option<u16>,
}

impl Policy {
    /// Opens and compiles everything for the ABI in force, which is the kernel's, or `cap` if that
    /// is less. With `port`, jobs may connect to that port of this machine.
    ///
    /// # Errors
    /// Why native code cannot be confined here, and what would help.
    pub(super) fn new(
        layout: &Layout,
        cap: Option<u8>,
        port: Option<u16>,
        mounts: &[(PathBuf, bool)],
    ) -> Result<Self, NativeError> {
        let abi = abi_in_force(cap)?;
        if let Some(wall) = walls::fallen(abi) {
            return Err(NativeError::Unguarded { abi, wall: wall.name });
        }
        let mut open = paths::open_table(layout)?;
        open.extend(open_mounts(mounts)?);
        let share = mounts.iter().any(|&(_, writable)| writable);
        let program = Program::job(abi, port.is_some(), share)?;
        let filter = STANDARD.encode(program.bytes());
        let asking = Program::asking(port.is_some(), share)?;
        let asking = asking.map(|program| STANDARD.encode(program.bytes()));
        Ok(Self { abi, open, filter, pid_slots: program.pid_slots(), asking, port })
    }

    /// The walls of one job, whose own directories are `own`: its Landlock ruleset, and the rest.
    pub(super) fn walls(&self, own: &[&Path]) -> Result<(OwnedFd, ChildWalls<'_>), NativeError> {
        let own = open_own(own)?;
        let rules = self.open.iter().chain(&own);
        let ruleset = landlock::ruleset(self.abi, Whom::Job, rules, self.port)?;
        let rest = ChildWalls {
            filter: &self.filter,
            pid_slots: &self.pid_slots,
            own_proc_files: paths::OWN_PROC_FILES,
            asking: self.asking.as_deref(),
            seccomp: libc::SYS_seccomp,
        };
        // The descriptor of the ruleset, to be put on by another process.
        let ruleset = Option::from(ruleset).ok_or(NativeError::NoRuleset)?;
        Ok((ruleset, rest))
    }
}

/// Puts the fork server's walls on the calling thread: Landlock, then seccomp. They leave open what
/// its jobs will need, since a job cannot get more than its fork server has.
///
/// # Errors
/// A wall does not stand; the caller must not go on.
pub(super) fn confine_fork_server(
    layout: &Layout,
    config: &HelperConfig,
) -> Result<(), NativeError> {
    let abi = abi_in_force(config.abi_cap)?;
    let filter = Program::fork_server(abi, config.port.is_some())?;
    let mut open = paths::open_table(layout)?;
    open.extend(open_own(&[&config.root, &config.home])?);
    open.extend(open_mounts(&config.mounts)?);
    landlock::ruleset(abi, Whom::ForkServer, &open, config.port)?
        .restrict_self()
        .map_err(failed("put on the Landlock ruleset"))?;
    drop(open);
    filter.install()
}

/// Opens the operator's folders: path, and whether jobs may change it.
fn open_mounts(mounts: &[(PathBuf, bool)]) -> Result<Vec<Opened>, NativeError> {
    let open = |(path, writable): &(PathBuf, bool)| {
        let access = if *writable { PathAccess::Mount } else { PathAccess::Read };
        open("open the mount", path, access)
    };
    mounts.iter().map(open).collect()
}

fn open_own(paths: &[&Path]) -> Result<Vec<Opened>, NativeError> {
    paths.iter().map(|path| open("open", path, PathAccess::Work)).collect()
}

fn open(what: &'static str, path: &Path, access: PathAccess) -> Result<Opened, NativeError> {
    let cannot = |e: Errno| NativeError::AtPath { what, path: path.to_owned(), source: e.into() };
    Opened::new(path, access).map_err(cannot)
}

/// Whether jobs can be allowed to connect to one port here.
pub(super) fn network_at(cap: Option<u8>) -> Result<(), NativeError> {
    let (needed, found) = (FIRST_NETWORK_ABI, abi_in_force(cap)?);
    if found >= needed { Ok(()) } else { Err(NativeError::NoNetworkRules { needed, found }) }
}

/// The kernel's Landlock ABI as far as this code knows it, or `cap` if that is less.
fn abi_in_force(cap: Option<u8>) -> Result<u8, NativeError> {
    let kernel = if cap == Some(0) { Err(Errno::NOSYS) } else { sys::landlock_abi() };
    match kernel {
        Ok(abi) => Ok(abi.min(NEWEST_ABI).min(cap.unwrap_or(NEWEST_ABI))),
        Err(Errno::OPNOTSUPP) => Err(NativeError::LandlockIsOff),
        Err(Errno::NOSYS) => Err(NativeError::NoLandlock),
        Err(e) => Err(NativeError::LandlockRefused(e)),
    }
}
