//! From a directory and a name to a node: what the job knows comes first, then the lower layer.
//! Each look costs metadata allowance, so that a guest cannot fill the host with names.

use super::Vfs;
use super::error::Result;
use super::lower::{Found, FoundKind};
use super::node::{Body, Directory, FileBody, FileKind, FileName, NameTarget, Node, NodeId};
use super::work::{ENTRY, LOOKUP, NAME};

impl Vfs {
    pub(super) fn child(&mut self, parent: NodeId, name: &str) -> Result<Option<NodeId>> {
        self.work.add(NAME);
        let node = self.nodes.get(parent)?;
        let directory = node.directory()?;
        match directory.get(name).map(|entry| entry.target) {
            Some(NameTarget::Node(id)) => return Ok(Some(id)),
            Some(NameTarget::Whiteout) => return Ok(None),
            None if directory.listed => return Ok(None),
            Some(NameTarget::Listed { .. }) | None => {}
        }
        self.work.add(LOOKUP);
        let node = self.nodes.get(parent)?;
        let layer = self.layer(node.mount)?;
        let (Some(lower), Some(below)) = (&layer.lower, &node.below) else { return Ok(None) };
        let path = join(below, name);
        match lower.find(&path)? {
            Some(found) => self.adopt(parent, name, path, found).map(Some),
            None => Ok(None),
        }
    }

    /// Makes a node for what the lower layer has.
    fn adopt(&mut self, parent: NodeId, name: &str, path: String, found: Found) -> Result<NodeId> {
        let name = FileName::from(name);
        let mount = self.nodes.get(parent)?.mount;
        let charged = self.layer(mount)?.counted;
        let body = match found.kind {
            FoundKind::File(size) => Body::File(FileBody::Below(size)),
            FoundKind::Directory => Body::Directory(Directory::new(parent, name.clone(), false)),
            FoundKind::Symlink(target) => Body::Symlink(target),
            FoundKind::Other => Body::Other,
        };
        let known = self.nodes.get(parent)?.directory()?.get(&name).map(|entry| entry.target);
        let ino = match known {
            Some(NameTarget::Listed { ino, .. }) => ino,
            _ => self.nodes.new_ino(),
        };
        let node = Node::new(ino, mount, body, found.times);
        let node = Node { below: Some(path.into()), links: 1, charged, ..node };
        let kind = node.kind();
        self.ledger.charge_metadata(node.cost())?;
        let id = self.nodes.insert(node)?;
        let cost = self.nodes.get_mut(parent)?.directory_mut()?.put(
            &name,
            NameTarget::Node(id),
            Some(kind),
        );
        self.ledger.charge_metadata(cost)?;
        Ok(id)
    }

    /// Brings the names of the lower layer into a directory, once.
    pub(super) fn list(&mut self, id: NodeId) -> Result<()> {
        let node = self.nodes.get(id)?;
        let layer = self.layer(node.mount)?;
        let (false, Some(lower), Some(below)) =
            (node.directory()?.listed, &layer.lower, &node.below)
        else {
            return Ok(());
        };
        let listing = lower.list(below)?;
        self.work.add(LOOKUP);
        for found in listing {
            self.work.add(ENTRY);
            self.work.go_on()?;
            let (name, kind) = found?;
            self.note(id, &name, kind)?;
        }
        self.nodes.get_mut(id)?.directory_mut()?.listed = true;
        Ok(())
    }

    fn note(&mut self, id: NodeId, name: &str, kind: FileKind) -> Result<()> {
        if self.nodes.get(id)?.directory()?.get(name).is_some() {
            return Ok(());
        }
        let ino = self.nodes.new_ino();
        let directory = self.nodes.get_mut(id)?.directory_mut()?;
        let cost = directory.put(&name.into(), NameTarget::Listed { ino, kind }, Some(kind));
        self.ledger.charge_metadata(cost)
    }

    /// Does a directory hold no names? Looks at the lower layer too.
    pub(super) fn is_empty(&mut self, id: NodeId) -> Result<bool> {
        self.list(id)?;
        Ok(self.nodes.get(id)?.directory()?.is_empty())
    }

    /// The bytes that the full guest path of a directory takes, without a slash at the end.
    pub(super) fn path_bytes(&self, id: NodeId) -> Result<usize> {
        let (mut id, mut bytes) = (id, 0);
        while id != self.root {
            let directory = self.nodes.get(id)?.directory()?;
            bytes += directory.name.len() + 1;
            id = directory.parent;
        }
        Ok(bytes)
    }
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { [path, name].join("/") }
}
