//! Names come and go: directories, links, symbolic links, removal. Every change of a directory goes
//! through [`Vfs::create`], [`Vfs::add_name`] and [`Vfs::drop_name`].

use super::Vfs;
use super::error::{Error, Result};
use super::node::{Body, Directory, FileName, NameTarget, Node, NodeId};
use super::resolve::{Resolved, Symlinks};
use super::time::{Times, now};

impl Vfs {
    /// Makes a directory, as
    /// [`mkdir`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/mkdir.html).
    ///
    /// # Errors
    /// Those of `mkdir`; [`Error::NoSpace`] and [`Error::NoMemory`] at the quota.
    pub fn create_directory(&mut self, base: NodeId, path: &str) -> Result<()> {
        let place = self.resolve_name(base, path)?;
        if place.node.is_some() {
            return Err(Error::Exists);
        }
        let name = place.name.clone().ok_or(Error::Exists)?;
        let body = Body::Directory(Directory::new(place.parent, FileName::clone(&name), true));
        self.create(place.parent, &name, body).map(|_| ())
    }

    /// Removes an empty directory, as
    /// [`rmdir`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/rmdir.html).
    pub fn remove_directory(&mut self, base: NodeId, path: &str) -> Result<()> {
        let place = self.resolve_name(base, path)?;
        let id = place.found()?;
        let Some(name) = &place.name else {
            return Err(match place.dot_dot {
                _ if id == self.root => Error::Busy,
                true => Error::NotEmpty,
                false => Error::Invalid,
            });
        };
        self.nodes.get(id)?.directory()?;
        if self.is_mount_point(id) {
            return Err(Error::Busy);
        }
        self.must_be_writable(place.parent)?;
        if !self.is_empty(id)? {
            return Err(Error::NotEmpty);
        }
        self.drop_name(place.parent, name)
    }

    /// Removes a name of a file, as
    /// [`unlink`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/unlink.html). Who has
    /// it open keeps it.
    pub fn remove_file(&mut self, base: NodeId, path: &str) -> Result<()> {
        let place = self.resolve_name(base, path)?;
        let id = place.found()?;
        if self.is_directory(id) {
            return Err(Error::IsDirectory);
        }
        if place.slash {
            return Err(Error::NotDirectory);
        }
        let name = place.name.as_ref().ok_or(Error::IsDirectory)?;
        self.must_be_writable(place.parent)?;
        self.drop_name(place.parent, name)
    }

    /// Gives a file another name, as
    /// [`link`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/link.html).
    ///
    /// # Errors
    /// Those of `link`; [`Error::NoSpace`] and [`Error::NoMemory`] at the quota.
    pub fn link(
        &mut self,
        old_base: NodeId,
        old: &str,
        symlinks: Symlinks,
        new_base: NodeId,
        new: &str,
    ) -> Result<()> {
        let id = self.resolve(old_base, old, symlinks)?.found()?;
        let place = self.resolve_name(new_base, new)?;
        let name = vacant(&place)?;
        if self.is_directory(id) {
            return Err(Error::NotPermitted);
        }
        if self.nodes.get(id)?.mount != self.nodes.get(place.parent)?.mount {
            return Err(Error::CrossDevice);
        }
        self.must_be_writable(place.parent)?;
        self.check_new_name(place.parent, name)?;
        self.copy_up(id)?;
        // A name counts like a file: the answer may list each.
        self.ledger.charge(0)?;
        self.add_name(place.parent, name, id).inspect_err(|_| self.ledger.refund(0))
    }

    /// Makes a symbolic link, as
    /// [`symlink`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/symlink.html). The
    /// target need not exist.
    ///
    /// # Errors
    /// Those of `symlink`; [`Error::NoSpace`] and [`Error::NoMemory`] at the quota.
    pub fn symlink(&mut self, target: &str, base: NodeId, path: &str) -> Result<()> {
        self.check_path(target)?;
        let place = self.resolve_name(base, path)?;
        let name = vacant(&place)?;
        self.create(place.parent, name, Body::Symlink(target.into())).map(|_| ())
    }

    /// The target of a symbolic link, as
    /// [`readlink`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/readlink.html).
    pub fn read_link(&mut self, base: NodeId, path: &str) -> Result<&str> {
        let id = self.resolve(base, path, Symlinks::Keep)?.found()?;
        match &self.nodes.get(id)?.body {
            Body::Symlink(target) => Ok(target),
            _ => Err(Error::Invalid),
        }
    }

    /// A new node with its first name. Charges it; changes nothing if that fails.
    pub(super) fn create(&mut self, parent: NodeId, name: &FileName, body: Body) -> Result<NodeId> {
        self.must_be_writable(parent)?;
        self.check_new_name(parent, name)?;
        let mount = self.nodes.get(parent)?.mount;
        let ino = self.nodes.new_ino();
        let node = Node { charged: true, ..Node::new(ino, mount, body, Times::now()) };
        let (bytes, cost) = (node.size(), node.cost());
        self.ledger.charge_metadata(cost)?;
        self.ledger.charge(bytes).inspect_err(|_| self.ledger.refund_metadata(cost))?;
        let id = self.nodes.insert(node)?;
        self.add_name(parent, name, id).inspect_err(|_| self.release(id))?;
        Ok(id)
    }

    /// Refuses a name that would make the whole path too long.
    pub(super) fn check_new_name(&self, parent: NodeId, name: &FileName) -> Result<()> {
        let wanted = self.path_bytes(parent)? + 1 + name.len();
        self.check_path_bytes(wanted)
    }

    pub(super) fn check_path_bytes(&self, wanted: usize) -> Result<()> {
        if wanted > self.ledger.quota.path_bytes { Err(Error::NameTooLong) } else { Ok(()) }
    }

    /// Lets a free name lead to a node.
    pub(super) fn add_name(&mut self, parent: NodeId, name: &FileName, id: NodeId) -> Result<()> {
        let directory = self.nodes.get_mut(parent)?.directory_mut()?;
        let cost = directory.put(name, NameTarget::Node(id), None);
        if let Err(error) = self.ledger.charge_metadata(cost) {
            self.nodes.get_mut(parent)?.directory_mut()?.take(name);
            return Err(error);
        }
        self.nodes.get_mut(parent)?.mark_modified();
        let node = self.nodes.get_mut(id)?;
        node.links += 1;
        node.times.changed = now();
        Ok(())
    }

    /// Takes a name away, and the node with it if nothing else leads there.
    pub(super) fn drop_name(&mut self, parent: NodeId, name: &FileName) -> Result<()> {
        let id = self.child(parent, name)?.ok_or(Error::NotFound)?;
        let has_others = self.nodes.get(id)?.links > 1;
        if has_others {
            // The other names must not depend on what the lower layer has under this one.
            self.copy_up(id)?;
            self.ledger.refund(0);
        }
        let freed = self.nodes.get_mut(parent)?.directory_mut()?.take(name);
        self.ledger.refund_metadata(freed);
        self.nodes.get_mut(parent)?.mark_modified();
        let node = self.nodes.get_mut(id)?;
        node.links = node.links.saturating_sub(1);
        node.times.changed = now();
        self.release(id);
        Ok(())
    }

    pub(super) fn release(&mut self, id: NodeId) {
        if self.nodes.get(id).is_ok_and(|node| node.links > 0 || node.opens > 0) {
            return;
        }
        self.open_below.close(id);
        if let Some(node) = self.nodes.remove(id) {
            self.work.bytes(node.size());
            if node.charged {
                self.ledger.refund(node.size());
            }
            let names = node.directory().map_or(0, Directory::cost);
            self.ledger.refund_metadata(node.cost() + names);
        }
    }
}

/// The name at a place where nothing may be yet, and that nothing but a directory could have.
fn vacant(place: &Resolved) -> Result<&FileName> {
    match &place.name {
        Some(name) if place.node.is_none() && !place.slash => Ok(name),
        Some(_) if place.node.is_none() => Err(Error::NotFound),
        Some(_) | None => Err(Error::Exists),
    }
}
