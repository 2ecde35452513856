//! From the lower layer into memory: a node that is changed, or that moves, must no longer depend
//! on where the host has it. Charged before it is read.

use super::Vfs;
use super::content::Content;
use super::error::{Error, Result};
use super::node::{Body, FileBody, FileName, NodeId};
use super::work::NAME;

/// How much is read from the host at a time.
const STEP: usize = 64 * 1024;

impl Vfs {
    /// Brings a file or symbolic link into memory, if it is not there yet.
    pub(super) fn copy_up(&mut self, id: NodeId) -> Result<()> {
        let node = self.nodes.get(id)?;
        if node.below.is_none() || node.directory().is_ok() {
            return Ok(());
        }
        self.charge_node(id)?;
        if let Body::File(FileBody::Below(size)) = self.nodes.get(id)?.body {
            let content = self.read_all(id, size)?;
            self.ledger.resize(size, content.len());
            self.nodes.get_mut(id)?.body = Body::File(FileBody::Here(content));
        }
        self.detach(id)
    }

    /// Makes a file that is to be emptied anyway an empty one in memory.
    pub(super) fn replace_by_empty(&mut self, id: NodeId) -> Result<()> {
        let node = self.nodes.get_mut(id)?;
        self.work.bytes(node.size());
        if node.charged {
            self.ledger.resize(node.size(), 0);
        } else {
            self.ledger.charge(0)?;
        }
        node.charged = true;
        node.body = Body::File(FileBody::Here(Content::default()));
        self.detach(id)
    }

    /// Brings a whole tree into memory, so that it can move.
    pub(super) fn copy_up_tree(&mut self, top: NodeId) -> Result<()> {
        let mut tree = vec![top];
        let mut next = 0;
        while let Some(id) = tree.get(next).copied() {
            next += 1;
            self.work.add(NAME);
            if self.is_directory(id) {
                tree.extend(self.children(id)?);
            }
        }
        for id in &tree {
            self.copy_up(*id)?;
        }
        for id in tree {
            if self.is_directory(id) {
                self.charge_node(id)?;
                self.detach_directory(id)?;
            }
        }
        Ok(())
    }

    fn children(&mut self, id: NodeId) -> Result<Vec<NodeId>> {
        self.list(id)?;
        let names: Vec<FileName> = self
            .nodes
            .get(id)?
            .directory()?
            .list(0)
            .map(|entry| FileName::clone(entry.name))
            .collect();
        let mut children = Vec::with_capacity(names.len());
        for name in names {
            children.extend(self.child(id, &name)?);
        }
        Ok(children)
    }

    /// The node is the job's from now on, and counts.
    fn charge_node(&mut self, id: NodeId) -> Result<()> {
        let node = self.nodes.get(id)?;
        if !node.charged {
            self.ledger.charge(node.size())?;
            self.nodes.get_mut(id)?.charged = true;
        }
        Ok(())
    }

    fn detach(&mut self, id: NodeId) -> Result<()> {
        self.open_below.close(id);
        let node = self.nodes.get_mut(id)?;
        node.touched = false;
        if let Some(path) = node.below.take() {
            self.ledger.refund_metadata(path.len() as u64);
        }
        Ok(())
    }

    /// At another place the lower layer has nothing: whiteouts have nothing to hide there.
    fn detach_directory(&mut self, id: NodeId) -> Result<()> {
        self.detach(id)?;
        let directory = self.nodes.get_mut(id)?.directory_mut()?;
        directory.listed = true;
        let names: Vec<FileName> =
            directory.entries().map(|(name, _)| FileName::clone(name)).collect();
        let freed = names.iter().map(|name| directory.set_below(name, None)).sum();
        self.ledger.refund_metadata(freed);
        Ok(())
    }

    fn read_all(&mut self, id: NodeId, size: u64) -> Result<Content> {
        let mut content = Content::default();
        let mut buffer = vec![0; STEP.min(usize::try_from(size).unwrap_or(STEP))];
        while content.len() < size {
            self.work.go_on()?;
            let left = usize::try_from(size - content.len()).unwrap_or(STEP).min(STEP);
            let part = buffer.get_mut(..left).ok_or(Error::Io)?;
            let count = self.read_below(id, content.len(), part)?;
            if count == 0 {
                break;
            }
            content.write(content.len(), part.get(..count).unwrap_or_default())?;
            self.work.bytes(count as u64);
        }
        Ok(content)
    }
}
