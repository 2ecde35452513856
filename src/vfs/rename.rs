//! Renaming, as [`rename`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/rename.html):
//! within a mount, over what is there, files and whole trees.

use super::Vfs;
use super::error::{Error, Result};
use super::node::{FileName, NameTarget, NodeId};
use super::resolve::Resolved;
use super::work::NAME;

impl Vfs {
    /// Moves a file, symbolic link or directory. What the lower layer has is brought into memory
    /// first, and counts.
    ///
    /// # Errors
    /// Those of `rename`; [`Error::CrossDevice`] from one mount to another, [`Error::NoSpace`] if
    /// what moves does not fit.
    pub fn rename(
        &mut self,
        old_base: NodeId,
        old: &str,
        new_base: NodeId,
        new: &str,
    ) -> Result<()> {
        let from = self.resolve_name(old_base, old)?;
        let to = self.resolve_name(new_base, new)?;
        let (Some(old_name), Some(new_name)) = (&from.name, &to.name) else {
            return Err(Error::Busy);
        };
        let id = from.found()?;
        let is_directory = self.is_directory(id);
        if (from.slash || to.slash) && !is_directory {
            return Err(Error::NotDirectory);
        }
        if self.holds_mount_point(id)? || to.node.is_some_and(|node| self.is_mount_point(node)) {
            return Err(Error::Busy);
        }
        if self.nodes.get(from.parent)?.mount != self.nodes.get(to.parent)?.mount {
            return Err(Error::CrossDevice);
        }
        self.must_be_writable(from.parent)?;
        self.must_be_writable(to.parent)?;
        if to.node == Some(id) {
            return Ok(());
        }
        if self.is_within(to.parent, id)? {
            return Err(Error::Invalid);
        }
        self.check_replaced(id, &from, &to)?;
        self.check_new_paths(id, to.parent, new_name)?;
        self.copy_up_tree(id)?;
        if to.node.is_some() {
            self.drop_name(to.parent, new_name)?;
        }
        self.move_name(id, from.parent, old_name, to.parent, new_name)
    }

    fn move_name(
        &mut self,
        id: NodeId,
        from: NodeId,
        old: &FileName,
        to: NodeId,
        new: &FileName,
    ) -> Result<()> {
        // For a moment it has a name more, which no quota refuses.
        self.ledger.used.files += 1;
        self.add_name(to, new, id).inspect_err(|_| self.ledger.refund(0))?;
        let node = self.nodes.get_mut(id)?;
        node.seeded = false;
        if let Ok(directory) = node.directory_mut() {
            directory.parent = to;
            directory.name = FileName::clone(new);
        }
        self.drop_name(from, old)
    }

    fn holds_mount_point(&self, id: NodeId) -> Result<bool> {
        let mut within = self.layers.iter().map(|layer| self.is_within(layer.root, id));
        within.try_fold(false, |found, within| Ok(found || within?))
    }

    /// Is a directory the same as `top`, or below it?
    fn is_within(&self, directory: NodeId, top: NodeId) -> Result<bool> {
        let mut at = directory;
        while at != top && at != self.root {
            at = self.nodes.get(at)?.directory()?.parent;
        }
        Ok(at == top)
    }

    /// What is replaced must be of the same sort, and empty.
    fn check_replaced(&mut self, id: NodeId, from: &Resolved, to: &Resolved) -> Result<()> {
        let Some(replaced) = to.node else { return Ok(()) };
        if self.is_within(from.parent, replaced)? {
            return Err(Error::NotEmpty);
        }
        match (self.is_directory(id), self.is_directory(replaced)) {
            (true, false) => Err(Error::NotDirectory),
            (false, true) => Err(Error::IsDirectory),
            (true, true) if !self.is_empty(replaced)? => Err(Error::NotEmpty),
            (true, true) | (false, false) => Ok(()),
        }
    }

    /// No path in a tree that moves may become too long: that bounds how deep trees are.
    fn check_new_paths(&mut self, id: NodeId, parent: NodeId, name: &FileName) -> Result<()> {
        let top = self.path_bytes(parent)? + 1 + name.len();
        let mut pending = vec![(id, top)];
        let mut longest = top;
        while let Some((id, bytes)) = pending.pop() {
            longest = longest.max(bytes);
            if let Ok(directory) = self.nodes.get(id)?.directory() {
                for entry in directory.list(0) {
                    self.work.add(NAME);
                    let bytes = bytes + 1 + entry.name.len();
                    longest = longest.max(bytes);
                    if let NameTarget::Node(child) = entry.target {
                        pending.push((child, bytes));
                    }
                }
            }
        }
        self.check_path_bytes(longest)
    }
}
