//! What lies where: the mounts of a job, and the host directories below them. Host directories are
//! opened by the operator's side; nothing here opens one by an absolute path.

use super::error::{Error, Result};
use super::lower::Lower;
use super::node::NodeId;
use super::quota::StorageUse;
use cap_std::fs::Dir;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// A place in the guest's namespace and what is found there.
#[derive(Debug, Clone)]
pub struct Mount {
    pub(super) at: Arc<str>,
    pub(super) below: Option<Arc<Dir>>,
    pub(super) writable: bool,
    /// What of the lower layer counts against the quota.
    pub(super) used: Option<StorageUse>,
}

impl Mount {
    /// A host directory that the job may read. The directory can be shared by all jobs.
    pub fn read_only(at: impl Into<Arc<str>>, directory: Arc<Dir>) -> Self {
        Self { at: at.into(), below: Some(directory), writable: false, used: None }
    }

    /// An empty directory that is gone with the job.
    pub fn scratch(at: impl Into<Arc<str>>) -> Self {
        Self { at: at.into(), below: None, writable: true, used: None }
    }

    /// A host directory of the job's own, whose present content (see [`measure`]) counts against
    /// the quota. Changes stay in memory until they are committed.
    pub fn own(at: impl Into<Arc<str>>, directory: Arc<Dir>, used: StorageUse) -> Self {
        Self { used: Some(used), ..Self::writable(at, directory) }
    }

    /// A host directory of someone else, whose present content does not count: only what the job
    /// changes does. Changes stay in memory until they are committed.
    pub fn writable(at: impl Into<Arc<str>>, directory: Arc<Dir>) -> Self {
        Self { at: at.into(), below: Some(directory), writable: true, used: None }
    }

    /// The mount point.
    pub fn at(&self) -> &str {
        &self.at
    }

    pub(super) fn components(&self) -> Result<Vec<&str>> {
        let path = self.at.strip_prefix('/').ok_or(Error::Invalid)?;
        let components: Vec<_> = path.split('/').collect();
        let odd = |name: &&str| matches!(*name, "" | "." | "..") || name.contains('\0');
        if components.iter().any(odd) { Err(Error::Invalid) } else { Ok(components) }
    }
}

#[derive(Debug)]
pub(super) struct Layer {
    pub(super) at: Arc<str>,
    pub(super) root: NodeId,
    pub(super) lower: Option<Lower>,
    pub(super) writable: bool,
    /// Is the lower layer's content part of the use that the ledger holds?
    pub(super) counted: bool,
}

/// What a host directory holds, in the terms of a quota: its files, directories and symbolic links,
/// itself not counted.
///
/// # Errors
/// The host's error, if a directory cannot be read.
pub fn measure(directory: &Dir) -> io::Result<StorageUse> {
    let mut usage = StorageUse::default();
    let mut pending = vec![PathBuf::from(".")];
    while let Some(path) = pending.pop() {
        for entry in directory.read_dir(&path)? {
            let entry = entry?;
            usage.files += 1;
            if entry.file_type()?.is_dir() {
                pending.push(path.join(entry.file_name()));
            } else {
                usage.bytes += entry.metadata()?.len();
            }
        }
    }
    Ok(usage)
}
