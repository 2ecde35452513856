//! What a child reads before it becomes a job's process: its order, in a file in memory that the
//! fork server never sees.

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

/// How a child is to be set up. With it go the descriptors of stdout, stderr, this order and, if it
/// is confined, the ruleset.
#[derive(Debug, Serialize)]
pub(super) struct ChildOrder<'a> {
    /// Working directory.
    pub(super) data: &'a Path,
    /// Private temporary directory, also its home.
    pub(super) tmp: &'a Path,
    /// Whether the child waits for further requests on its channel instead of ending.
    pub(super) keep: bool,
    /// Resource, soft limit, hard limit.
    pub(super) rlimits: &'a [(u32, u64, u64)],
    /// What it confines itself with; `None` runs unconfined.
    pub(super) walls: Option<ChildWalls<'a>>,
    /// The address of the proxy with the job's credential; `None` has no network.
    pub(super) proxy: Option<&'a str>,
}

/// What the child needs beside the ruleset.
#[derive(Debug, Serialize)]
pub(super) struct ChildWalls<'a> {
    /// Base64 of the seccomp filter's instructions.
    pub(super) filter: &'a str,
    /// Instructions whose operand becomes the child's pid.
    pub(super) pid_slots: &'a [usize],
    /// Files below its `/proc/self` that it adds to the ruleset, for reading.
    pub(super) own_proc_files: &'a [&'a str],
    /// Base64 of the filter that leaves calls to the server, if any are; the child sends its
    /// listener.
    pub(super) asking: Option<&'a str>,
    /// The number of the call `seccomp`.
    pub(super) seccomp: libc::c_long,
}

impl ChildOrder<'_> {
    /// Writes it; readable from its start, not changeable.
    pub(super) fn file(&self) -> io::Result<OwnedFd> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let mut file = File::from(memfd_create("order", flags)?);
        file.write_all(&serde_json::to_vec(self)?)?;
        file.rewind()?;
        fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK)?;
        Ok(file.into())
    }
}
