//! An in-memory copy-on-write filesystem, one per job: a tree of mounts over host directories.
//!
//! The rule that must stay true: nothing here changes the host, except [`Vfs::commit`] and
//! [`Vfs::export`]; and nothing a job does makes the host hold more than its [`Quota`] says.
//!
//! How it works: an inode table (`node.rs`) holds what the job has looked at or made. A node is
//! *below* as long as the mount's lower layer has it unchanged: its content is then read from
//! there, on demand. The first change copies it up into memory. A removed name of the lower layer
//! leaves a whiteout. Renaming copies up, so that a node that is below always sits where the lower
//! layer has it.

mod attributes;
mod changes;
mod commit;
mod content;
mod copy_up;
mod error;
mod export;
mod host;
mod lookup;
mod lower;
mod mount;
mod namespace;
mod node;
mod open;
mod quota;
mod read_dir;
mod read_write;
mod rename;
mod resolve;
mod time;
mod work;

pub use attributes::{Metadata, SetTime};
pub use changes::{Change, ChangeKind};
pub use error::{Error, Result};
pub use export::{CommitError, CommitReport};
pub use mount::{Mount, measure};
pub use node::{FileKind, NodeId};
pub use open::{OpenFile, OpenOptions};
pub use quota::{Quota, StorageUse};
pub use read_dir::DirEntry;
pub use resolve::Symlinks;
pub use time::Times;
pub use work::Interrupt;

use lower::{Lower, OpenBelow};
use mount::Layer;
use node::{Body, Directory, MountId, NameTarget, Node, Nodes};
use quota::Ledger;
use work::Work;

/// Bytes in one name, as on Linux.
const NAME_BYTES: usize = 255;

/// The files of one job: see the module's documentation.
///
/// Cheap to make: nothing of a lower layer is read until the job asks for it.
#[derive(Debug)]
pub struct Vfs {
    nodes: Nodes,
    layers: Vec<Layer>,
    ledger: Ledger,
    open_below: OpenBelow,
    work: Work,
    root: NodeId,
}

impl Vfs {
    /// A filesystem with these mounts. `/`, and directories on the way to a mount point that no
    /// other mount has, are read-only; `/dev/null` is always there.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a mount point is not an absolute path without `.`, `..` and empty
    /// names; [`Error::Exists`] if two mounts have the same; what the host says if a directory
    /// cannot be looked at.
    pub fn new(mounts: &[Mount], quota: Quota) -> Result<Self> {
        let mut used = StorageUse::default();
        for own in mounts.iter().filter_map(|mount| mount.used) {
            used.bytes = used.bytes.saturating_add(own.bytes);
            used.files = used.files.saturating_add(own.files);
        }
        let mut nodes = Nodes::default();
        let body = Body::Directory(Directory::new(Nodes::FIRST, "".into(), true));
        let root = fixed(&mut nodes, MountId(0), None, body, Times::now());
        let root = nodes.insert(root)?;
        let top = Layer { at: "".into(), root, lower: None, writable: false, counted: false };
        let (ledger, open_below) = (Ledger::new(quota, used), OpenBelow::default());
        let (layers, work) = (vec![top], Work::default());
        let mut vfs = Self { nodes, layers, ledger, open_below, work, root };

        let mut outer_first: Vec<_> = mounts.iter().collect();
        outer_first.sort_by_key(|mount| mount.at.len());
        for mount in outer_first {
            vfs.mount(mount)?;
        }
        let devices = vfs.fixed_directory(root, "dev")?;
        let null = fixed(&mut vfs.nodes, MountId(0), None, Body::Null, Times::now());
        vfs.place(devices, "null", null)?;
        Ok(vfs)
    }

    /// The directory `/`.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// What the job was given.
    pub fn quota(&self) -> Quota {
        self.ledger.quota
    }

    /// What is charged to the job now.
    pub fn usage(&self) -> StorageUse {
        self.ledger.used
    }

    fn mount(&mut self, mount: &Mount) -> Result<()> {
        let mut components = mount.components()?;
        let name = components.pop().ok_or(Error::Invalid)?;
        let mut parent = self.root;
        for component in components {
            parent = self.fixed_directory(parent, component)?;
        }
        if self.nodes.get(parent)?.directory()?.get(name).is_some() {
            return Err(Error::Exists);
        }
        let lower = mount.below.clone().map(|directory| Lower { directory });
        let times = lower.as_ref().map_or_else(|| Ok(Times::now()), Lower::root_times)?;
        let id = MountId(u16::try_from(self.layers.len()).map_err(|_| Error::Invalid)?);
        let below = lower.is_some().then(|| "".into());
        let body = Body::Directory(Directory::new(parent, name.into(), lower.is_none()));
        let node = fixed(&mut self.nodes, id, below, body, times);
        let root = self.place(parent, name, node)?;
        let (at, counted) = (mount.at.clone(), mount.used.is_some());
        self.layers.push(Layer { at, root, lower, writable: mount.writable, counted });
        Ok(())
    }

    /// The directory `name` in `parent`, made if there is none: a step on the way to a mount point.
    fn fixed_directory(&mut self, parent: NodeId, name: &str) -> Result<NodeId> {
        if let Some(known) = self.child(parent, name)? {
            return self.nodes.get(known)?.directory().map(|_| known);
        }
        let mount = self.nodes.get(parent)?.mount;
        let body = Body::Directory(Directory::new(parent, name.into(), true));
        let node = fixed(&mut self.nodes, mount, None, body, Times::now());
        self.place(parent, name, node)
    }

    fn place(&mut self, parent: NodeId, name: &str, node: Node) -> Result<NodeId> {
        let id = self.nodes.insert(node)?;
        self.nodes.get_mut(parent)?.directory_mut()?.put(&name.into(), NameTarget::Node(id), None);
        Ok(id)
    }

    fn layer(&self, mount: MountId) -> Result<&Layer> {
        self.layers.get(usize::from(mount.0)).ok_or(Error::Io)
    }

    fn mount_at(&self, at: &str) -> Result<MountId> {
        let mut numbered = self.layers.iter().zip(0..).skip(1);
        let found = numbered.find(|(layer, _)| *layer.at == *at);
        found.map(|(_, index)| MountId(index)).ok_or(Error::NotFound)
    }

    fn must_be_writable(&self, id: NodeId) -> Result<()> {
        let layer = self.layer(self.nodes.get(id)?.mount)?;
        if layer.writable { Ok(()) } else { Err(Error::ReadOnly) }
    }

    fn is_mount_point(&self, id: NodeId) -> bool {
        self.layers.iter().any(|layer| layer.root == id)
    }
}

/// A node that the job did not make: there from the start, charged to nobody.
fn fixed(
    nodes: &mut Nodes,
    mount: MountId,
    below: Option<Box<str>>,
    body: Body,
    times: Times,
) -> Node {
    let node = Node::new(nodes.new_ino(), mount, body, times);
    Node { below, links: 1, seeded: true, ..node }
}
