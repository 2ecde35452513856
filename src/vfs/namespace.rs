//! Names come and go: directories, links, symbolic links, removal. Every change of a directory goes
//! through [`Vfs::create`], [`Vfs::add_name`] and [`Vfs::drop_name`].

use super::Vfs;
use super::error::{Error, Result};
use super::node::{Body, Directory, Name, Node, NodeId, Target};
use super::quota::Limit;
use super::resolve::{Place, Symlinks};
use super::time::{Times, now};

impl Vfs {
    /// Makes a directory, as
    /// [`mkdir`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/mkdir.html).
    ///
    /// # Errors
    ///
    /// Those of `mkdir`; [`Error::NoSpace`] and [`Error::NoMemory`] at the quota.
    pub fn create_directory(&mut self, base: NodeId, path: &str) -> Result<()> {
        let place = self.resolve_name(base, path)?;
        if place.node.is_some() {
            return Err(Error::Exists);
        }
        let name = place.name.clone().ok_or(Error::Exists)?;
        let body = Body::Directory(Directory::new(place.parent, Name::clone(&name), true));
        self.create(place.parent, &name, body).map(|_| ())
    }

    /// Removes an empty directory, as
    /// [`rmdir`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/rmdir.html).
    ///
    /// # Errors
    ///
    /// Those of `rmdir`.
    pub fn remove_directory(&mut self, base: NodeId, path: &str) -> Result<()> {
        let place = self.resolve_name(base, path)?;
        let id = place.found()?;
        let Some(name) = &place.name else {
            return Err(if id == self.root {
                Error::Busy
            } else if place.dot_dot {
                Error::NotEmpty
            } else {
                Error::Invalid
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
    ///
    /// # Errors
    ///
    /// Those of `unlink`.
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
    ///
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
        self.add_name(place.parent, name, id)
    }

    /// Makes a symbolic link, as
    /// [`symlink`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/symlink.html). The
    /// target need not exist.
    ///
    /// # Errors
    ///
    /// Those of `symlink`; [`Error::NoSpace`] and [`Error::NoMemory`] at the quota.
    pub fn symlink(&mut self, target: &str, base: NodeId, path: &str) -> Result<()> {
        self.check_path(target)?;
        let place = self.resolve_name(base, path)?;
        let name = vacant(&place)?;
        self.create(place.parent, name, Body::Symlink(target.into())).map(|_| ())
    }

    /// The target of a symbolic link, as
    /// [`readlink`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/readlink.html).
    ///
    /// # Errors
    ///
    /// Those of `readlink`.
    pub fn read_link(&mut self, base: NodeId, path: &str) -> Result<&str> {
        let id = self.resolve(base, path, Symlinks::Keep)?.found()?;
        match &self.nodes.get(id)?.body {
            Body::Symlink(target) => Ok(target),
            Body::File(_) | Body::Directory(_) | Body::Null | Body::Other => Err(Error::Invalid),
        }
    }

    /// A new node with its first name. Charges it; changes nothing if that fails.
    pub(super) fn create(&mut self, parent: NodeId, name: &Name, body: Body) -> Result<NodeId> {
        self.must_be_writable(parent)?;
        self.check_new_name(parent, name)?;
        let mount = self.nodes.get(parent)?.mount;
        let ino = self.nodes.new_ino();
        let node = Node {
            ino,
            mount,
            body,
            below: None,
            links: 0,
            opens: 0,
            charged: true,
            times: Times::now(),
            touched: false,
            seeded: false,
        };
        let bytes = node.size();
        self.ledger.charge_metadata(node.cost())?;
        if let Err(error) = self.ledger.charge(bytes) {
            self.ledger.refund_metadata(node.cost());
            return Err(error);
        }
        let id = self.nodes.insert(node)?;
        if let Err(error) = self.add_name(parent, name, id) {
            self.release(id);
            return Err(error);
        }
        Ok(id)
    }

    /// Refuses a name that would make the whole path too long.
    pub(super) fn check_new_name(&mut self, parent: NodeId, name: &Name) -> Result<()> {
        let wanted = self.path_bytes(parent)? + 1 + name.len();
        self.check_path_bytes(wanted)
    }

    /// Refuses a path of so many bytes, if that is too long.
    pub(super) fn check_path_bytes(&mut self, wanted: usize) -> Result<()> {
        let allowed = self.ledger.quota.path_bytes;
        if wanted > allowed {
            self.refuse(Limit::PathBytes, allowed as u64, wanted as u64);
            return Err(Error::NameTooLong);
        }
        Ok(())
    }

    /// Lets a free name lead to a node.
    pub(super) fn add_name(&mut self, parent: NodeId, name: &Name, id: NodeId) -> Result<()> {
        let directory = self.nodes.get_mut(parent)?.directory_mut()?;
        let cost = directory.put(name, Target::Node(id), None);
        if let Err(error) = self.ledger.charge_metadata(cost) {
            self.nodes.get_mut(parent)?.directory_mut()?.take(name);
            return Err(error);
        }
        self.mark_modified(parent)?;
        let node = self.nodes.get_mut(id)?;
        node.links += 1;
        node.times.changed = now();
        Ok(())
    }

    /// Takes a name away, and the node with it if nothing else leads there.
    pub(super) fn drop_name(&mut self, parent: NodeId, name: &Name) -> Result<()> {
        let id = self.child(parent, name)?.ok_or(Error::NotFound)?;
        if self.nodes.get(id)?.links > 1 {
            // The other names must not depend on what the lower layer has under this one.
            self.copy_up(id)?;
        }
        let freed = self.nodes.get_mut(parent)?.directory_mut()?.take(name);
        self.ledger.refund_metadata(freed);
        self.mark_modified(parent)?;
        let node = self.nodes.get_mut(id)?;
        node.links = node.links.saturating_sub(1);
        node.times.changed = now();
        self.release(id);
        Ok(())
    }

    /// Frees a node that nothing leads to any more.
    pub(super) fn release(&mut self, id: NodeId) {
        if self.nodes.get(id).is_ok_and(|node| node.links > 0 || node.opens > 0) {
            return;
        }
        self.open_below.close(id);
        if let Some(node) = self.nodes.remove(id) {
            if node.charged {
                self.ledger.refund(node.size());
            }
            let names = node.directory().map_or(0, Directory::cost);
            self.ledger.refund_metadata(node.cost() + names);
        }
    }

    /// A directory has got or lost a name.
    fn mark_modified(&mut self, directory: NodeId) -> Result<()> {
        let node = self.nodes.get_mut(directory)?;
        node.times.modified = now();
        node.times.changed = node.times.modified;
        Ok(())
    }
}

/// The name at a place where nothing may be yet, and that nothing but a directory could have.
fn vacant(place: &Place) -> Result<&Name> {
    match &place.name {
        Some(name) if place.node.is_none() => {
            if place.slash {
                Err(Error::NotFound)
            } else {
                Ok(name)
            }
        }
        Some(_) | None => Err(Error::Exists),
    }
}
