//! What `stat` tells about a file, and the times that can be set.

use super::Vfs;
use super::error::Result;
use super::node::{FileKind, NodeId};
use super::resolve::Symlinks;
use super::time::{Times, now};

/// What is known about a file, as
/// [`<sys/stat.h>`](https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/sys_stat.h.html) has
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// Which mount; nothing moves or links from one to another.
    pub device: u64,
    /// Unique among all files of the job, ever.
    pub inode: u64,
    /// What it is.
    pub kind: FileKind,
    /// Names that lead to it.
    pub links: u32,
    /// Bytes: of a file its length, of a symbolic link that of its target.
    pub size: u64,
    /// When it was read, written, changed.
    pub times: Times,
}

/// What becomes of a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetTime {
    /// It stays.
    Keep,
    /// The time of the call.
    Now,
    /// Nanoseconds since 1970-01-01.
    To(u64),
}

impl Vfs {
    /// What is known about an open file or a directory.
    ///
    /// # Errors
    /// [`Error::BadHandle`](super::Error::BadHandle) if nothing refers to the node any more.
    pub fn metadata(&self, id: NodeId) -> Result<Metadata> {
        let node = self.nodes.get(id)?;
        Ok(Metadata {
            device: u64::from(node.mount.0) + 1,
            inode: node.ino,
            kind: node.kind(),
            links: node.links,
            size: node.size(),
            times: node.times,
        })
    }

    /// What is known about what a path leads to.
    pub fn metadata_at(
        &mut self,
        base: NodeId,
        path: &str,
        symlinks: Symlinks,
    ) -> Result<Metadata> {
        let id = self.resolve(base, path, symlinks)?.found()?;
        self.metadata(id)
    }

    /// Sets the times of an open file or a directory, as
    /// [`futimens`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/futimens.html).
    ///
    /// # Errors
    /// [`Error::ReadOnly`](super::Error::ReadOnly) on a mount that the job may only read.
    pub fn set_times(&mut self, id: NodeId, accessed: SetTime, modified: SetTime) -> Result<()> {
        if (accessed, modified) == (SetTime::Keep, SetTime::Keep) {
            return Ok(());
        }
        if self.nodes.get(id)?.kind() == FileKind::Device {
            return Ok(());
        }
        self.must_be_writable(id)?;
        let node = self.nodes.get_mut(id)?;
        let now = now();
        node.times = Times {
            accessed: accessed.applied(node.times.accessed, now),
            modified: modified.applied(node.times.modified, now),
            changed: now,
        };
        node.touched = node.below.is_some();
        Ok(())
    }

    /// Sets the times of what a path leads to.
    ///
    /// # Errors
    /// The path leads nowhere, or is none; and those of [`Vfs::set_times`].
    pub fn set_times_at(
        &mut self,
        base: NodeId,
        path: &str,
        symlinks: Symlinks,
        accessed: SetTime,
        modified: SetTime,
    ) -> Result<()> {
        let id = self.resolve(base, path, symlinks)?.found()?;
        self.set_times(id, accessed, modified)
    }
}

impl SetTime {
    fn applied(self, old: u64, now: u64) -> u64 {
        match self {
            Self::Keep => old,
            Self::Now => now,
            Self::To(time) => time,
        }
    }
}
