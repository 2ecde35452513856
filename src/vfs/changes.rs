//! What a job did to a mount, in the terms of its user: files that are new, changed or gone.

use super::Vfs;
use super::error::Result;
use super::lookup::join;
use super::node::{FileKind, NameTarget};

/// A path at which the job left something else than it found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// Relative to the mount.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// What it is; of what is gone, what it was.
    pub file: FileKind,
    /// Bytes in the file; 0 if it is gone.
    pub size: u64,
}

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Nothing was there.
    Created,
    /// Something else was there.
    Modified,
    /// Nothing is there any more.
    Removed,
}

impl Vfs {
    /// What the job created, modified and removed under the mount at `at` since it began or since
    /// the last commit, sorted by path. What the host put there with [`Vfs::write_file`] is not
    /// among it, unless the job changed it.
    ///
    /// # Errors
    /// [`Error::NotFound`](super::Error::NotFound) if no mount is at `at`.
    pub fn changes(&self, at: &str) -> Result<Vec<Change>> {
        let mount = self.mount_at(at)?;
        let mut changes = Vec::new();
        let mut pending = vec![(self.layer(mount)?.root, String::new())];
        while let Some((id, prefix)) = pending.pop() {
            for (name, entry) in self.nodes.get(id)?.directory()?.entries() {
                let path = join(&prefix, name);
                let id = match entry.target {
                    NameTarget::Listed { .. } => continue,
                    NameTarget::Whiteout => {
                        let file = entry.below.unwrap_or(FileKind::Other);
                        changes.push(Change { path, kind: ChangeKind::Removed, file, size: 0 });
                        continue;
                    }
                    NameTarget::Node(id) => id,
                };
                let node = self.nodes.get(id)?;
                let (file, size) = (node.kind(), node.size());
                if node.mount != mount {
                    continue;
                }
                if node.below.is_none() && !node.seeded {
                    let was_there = entry.below.is_some();
                    let kind = if was_there { ChangeKind::Modified } else { ChangeKind::Created };
                    changes.push(Change { path: path.clone(), kind, file, size });
                }
                if file == FileKind::Directory {
                    pending.push((id, path));
                }
            }
        }
        changes.sort();
        Ok(changes)
    }
}
