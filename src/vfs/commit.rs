//! Writes a job's changes to the host: the upper layer of a mount goes into its directory, and is
//! read from there from then on.

use super::Vfs;
use super::error::{Error, Result};
use super::export::{CommitError, CommitReport, portable_target};
use super::lookup::join;
use super::node::{Body, FileBody, FileKind, FileName, NameTarget, Node, NodeId};
use std::io;

impl Vfs {
    /// Writes what the job changed under the mount at `at` to the mount's directory, and goes on
    /// from there: memory is freed, files that are open stay open. A mount without a directory has
    /// nothing to commit to.
    ///
    /// # Errors
    /// The first error of the host. The job's view is then unchanged, and a part of its changes may
    /// be on the host.
    pub fn commit(&mut self, at: &str) -> Result<CommitReport, CommitError> {
        let internal =
            |error: Error| CommitError { path: String::new(), source: io::Error::other(error) };
        let mount = self.mount_at(at).map_err(internal)?;
        let layer = self.layer(mount).map_err(internal)?;
        let Some(lower) = layer.lower.clone() else { return Ok(CommitReport::default()) };
        self.save_unlinked();
        let report = self.export(at, &lower.directory)?;
        self.rebase(at).map_err(internal)?;
        Ok(report)
    }

    /// Files that are open but have no name any more are about to vanish from the host.
    fn save_unlinked(&mut self) {
        let unlinked =
            |(id, node): (NodeId, &Node)| (node.links == 0 && node.below.is_some()).then_some(id);
        let unlinked: Vec<NodeId> = self.nodes.ids().filter_map(unlinked).collect();
        for id in unlinked {
            // Without room for it, reading it will fail; nobody else can see the file.
            self.copy_up(id).unwrap_or_default();
        }
    }

    fn rebase(&mut self, at: &str) -> Result<()> {
        let mount = self.mount_at(at)?;
        self.open_below.close_all();
        let mut pending = vec![(self.layer(mount)?.root, String::new())];
        while let Some((id, prefix)) = pending.pop() {
            let entries = self.nodes.get(id)?.directory()?.entries();
            let entries: Vec<_> =
                entries.map(|(name, entry)| (FileName::clone(name), entry.target)).collect();
            for (name, target) in entries {
                let path = join(&prefix, &name);
                let below = match target {
                    NameTarget::Listed { kind, .. } => Some(kind),
                    NameTarget::Whiteout => None,
                    NameTarget::Node(child) if self.nodes.get(child)?.mount != mount => continue,
                    NameTarget::Node(child) => {
                        if self.is_directory(child) {
                            pending.push((child, path.clone()));
                        }
                        self.commit_node(child, at, path)?
                    }
                };
                let freed = self.nodes.get_mut(id)?.directory_mut()?.set_below(&name, below);
                self.ledger.refund_metadata(freed);
            }
        }
        Ok(())
    }

    /// From now on a node that was written is read from the host; returns what the host has there.
    fn commit_node(&mut self, id: NodeId, at: &str, path: String) -> Result<Option<FileKind>> {
        let node = self.nodes.get(id)?;
        let kind = node.kind();
        if let Body::Symlink(target) = &node.body
            && node.below.is_none()
            && portable_target(at, &path, target).is_none()
        {
            return Ok(None);
        }
        let (counted, size) = (self.layer(node.mount)?.counted, node.size());
        let node = self.nodes.get_mut(id)?;
        if node.charged && !counted {
            node.charged = false;
            self.ledger.refund(size);
        }
        if matches!(node.body, Body::File(_)) {
            node.body = Body::File(FileBody::Below(size));
        }
        node.touched = false;
        node.seeded = false;
        if node.below.is_none() {
            self.ledger.note_metadata(path.len() as u64);
            node.below = Some(path.into());
        }
        Ok(Some(kind))
    }
}
