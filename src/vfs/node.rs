//! Inodes and the table that holds them. A node lives as long as a name or an open file refers to
//! it, so an id that someone holds is never stale.

use super::content::Content;
use super::error::{Error, Result};
use super::time::{Times, now};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A name in a directory, shared between the two indexes of the directory.
pub(super) type FileName = Arc<str>;

/// Bytes that the host remembers for a node besides its path and target, with the table of its
/// content; an upper bound.
const NODE_COST: u64 = 384;
const _: () = assert!(size_of::<Option<Node>>() <= 256);

/// Bytes that a directory takes besides: the first blocks of its two indexes.
const DIRECTORY_COST: u64 = 1024;

/// Bytes that the host remembers for a name besides its own: entries of half-filled blocks of two
/// indexes.
const ENTRY_COST: u64 = 256;

/// Which node; valid as long as a name or an [`OpenFile`](super::OpenFile) refers to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(u32);

/// Which mount; an index into the layers of the filesystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MountId(pub(super) u16);

/// What kind of thing a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// The null device.
    Device,
    /// Something of the host that a job sees but cannot use: a FIFO, a socket, a device.
    Other,
}

/// A file, directory, symbolic link or device.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) ino: u64,
    pub(super) mount: MountId,
    pub(super) body: Body,
    /// Where the mount's lower layer has this very node, as long as it is unchanged. A directory is
    /// then a merger of both.
    pub(super) below: Option<Box<str>>,
    pub(super) links: u32,
    pub(super) opens: u32,
    /// Is it, with its size, part of the use that the ledger holds?
    pub(super) charged: bool,
    pub(super) times: Times,
    /// Were the times set, while the content is still that of the lower layer?
    pub(super) touched: bool,
    /// Was it put there by the host, and left alone by the job since?
    pub(super) seeded: bool,
}

#[derive(Debug)]
pub(super) enum Body {
    File(FileBody),
    Directory(Directory),
    Symlink(Box<str>),
    Null,
    Other,
}

#[derive(Debug)]
pub(super) enum FileBody {
    /// Still in the lower layer, with this many bytes when it was looked up.
    Below(u64),
    Here(Content),
}

/// A directory: the names that are known, and those that are gone.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) parent: NodeId,
    pub(super) name: FileName,
    entries: BTreeMap<FileName, NameEntry>,
    /// Names in the order in which they came to be known: a position in a listing stays right
    /// whatever happens to other names.
    order: BTreeMap<u64, FileName>,
    next_cookie: u64,
    /// Are all names of the lower layer among the entries?
    pub(super) listed: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct NameEntry {
    pub(super) target: NameTarget,
    pub(super) below: Option<FileKind>,
    cookie: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum NameTarget {
    Node(NodeId),
    /// Seen in a listing of the lower layer, not looked up yet.
    Listed {
        ino: u64,
        kind: FileKind,
    },
    /// Removed, while the lower layer still has it.
    Whiteout,
}

/// A name that a listing shows.
#[derive(Debug)]
pub(super) struct Listing<'a> {
    pub(super) cookie: u64,
    pub(super) name: &'a FileName,
    pub(super) target: NameTarget,
}

impl Node {
    pub(super) fn new(ino: u64, mount: MountId, body: Body, times: Times) -> Self {
        let (below, touched, seeded) = (None, false, false);
        Self { ino, mount, body, below, links: 0, opens: 0, charged: false, times, touched, seeded }
    }

    pub(super) fn kind(&self) -> FileKind {
        match self.body {
            Body::File(_) => FileKind::File,
            Body::Directory(_) => FileKind::Directory,
            Body::Symlink(_) => FileKind::Symlink,
            Body::Null => FileKind::Device,
            Body::Other => FileKind::Other,
        }
    }

    /// Bytes that count: of a file its length, of a symbolic link that of its target.
    pub(super) fn size(&self) -> u64 {
        match &self.body {
            Body::File(FileBody::Here(content)) => content.len(),
            Body::File(FileBody::Below(size)) => *size,
            Body::Symlink(target) => target.len() as u64,
            Body::Directory(_) | Body::Null | Body::Other => 0,
        }
    }

    pub(super) fn cost(&self) -> u64 {
        let path = self.below.as_ref().map_or(0, |path| path.len() as u64);
        let body = match &self.body {
            Body::Symlink(target) => target.len() as u64,
            Body::Directory(_) => DIRECTORY_COST,
            Body::File(_) | Body::Null | Body::Other => 0,
        };
        NODE_COST + path + body
    }

    pub(super) fn directory(&self) -> Result<&Directory> {
        let Body::Directory(directory) = &self.body else { return Err(Error::NotDirectory) };
        Ok(directory)
    }

    pub(super) fn directory_mut(&mut self) -> Result<&mut Directory> {
        let Body::Directory(directory) = &mut self.body else { return Err(Error::NotDirectory) };
        Ok(directory)
    }

    pub(super) fn mark_modified(&mut self) {
        self.times.modified = now();
        self.times.changed = self.times.modified;
    }
}

impl Directory {
    /// An empty directory; `listed` says whether a lower layer may have more.
    pub(super) fn new(parent: NodeId, name: FileName, listed: bool) -> Self {
        let (entries, order) = (BTreeMap::new(), BTreeMap::new());
        // Cookies 0 and 1 are `.` and `..`.
        Self { parent, name, entries, order, next_cookie: 2, listed }
    }

    pub(super) fn get(&self, name: &str) -> Option<NameEntry> {
        self.entries.get(name).copied()
    }

    /// All that is known about names, whiteouts among it.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&FileName, NameEntry)> {
        self.entries.iter().map(|(name, entry)| (name, *entry))
    }

    pub(super) fn list(&self, cookie: u64) -> impl Iterator<Item = Listing<'_>> {
        self.order.range(cookie..).filter_map(|(&cookie, name)| {
            self.entries.get(name).map(|entry| Listing { cookie, name, target: entry.target })
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Lets `name` lead to `target`; returns the bytes that the host remembers in addition.
    pub(super) fn put(
        &mut self,
        name: &FileName,
        target: NameTarget,
        below: Option<FileKind>,
    ) -> u64 {
        let old = self.entries.get(name).copied();
        let below = old.map_or(below, |entry| entry.below);
        let visible = old.filter(|entry| !matches!(entry.target, NameTarget::Whiteout));
        let cookie = match (visible, target) {
            // Cookie 0 is in no listing.
            (None, NameTarget::Whiteout) => 0,
            (Some(entry), NameTarget::Whiteout) => {
                self.order.remove(&entry.cookie);
                0
            }
            (Some(entry), _) => entry.cookie,
            (None, _) => {
                let cookie = self.next_cookie;
                self.next_cookie += 1;
                self.order.insert(cookie, FileName::clone(name));
                cookie
            }
        };
        self.entries.insert(FileName::clone(name), NameEntry { target, below, cookie });
        if old.is_some() { 0 } else { entry_cost(name) }
    }

    /// Forgets `name`, or remembers that it is gone if the lower layer has it; returns the bytes
    /// that this frees.
    pub(super) fn take(&mut self, name: &FileName) -> u64 {
        match self.entries.get(name) {
            Some(entry) if entry.below.is_some() => {
                self.put(name, NameTarget::Whiteout, None);
                0
            }
            Some(_) => self.forget(name),
            None => 0,
        }
    }

    /// Sets what the lower layer has under a name, and forgets a whiteout that hides nothing any
    /// more; returns the bytes that this frees.
    pub(super) fn set_below(&mut self, name: &FileName, below: Option<FileKind>) -> u64 {
        let Some(entry) = self.entries.get_mut(name) else { return 0 };
        entry.below = below;
        let hides_nothing = matches!((entry.target, below), (NameTarget::Whiteout, None));
        if hides_nothing { self.forget(name) } else { 0 }
    }

    fn forget(&mut self, name: &FileName) -> u64 {
        let Some(entry) = self.entries.remove(name) else { return 0 };
        self.order.remove(&entry.cookie);
        entry_cost(name)
    }

    pub(super) fn cost(&self) -> u64 {
        self.entries.keys().map(entry_cost).sum()
    }
}

fn entry_cost(name: &FileName) -> u64 {
    ENTRY_COST + name.len() as u64
}

/// The inode table: slots are reused, inode numbers are not.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    slots: Vec<Option<Node>>,
    free: Vec<u32>,
    last_ino: u64,
}

impl Nodes {
    /// The id of the first node that is put in: the root, which is its own parent.
    pub(super) const FIRST: NodeId = NodeId(0);

    /// A number that no file had or will have.
    pub(super) fn new_ino(&mut self) -> u64 {
        self.last_ino += 1;
        self.last_ino
    }

    pub(super) fn insert(&mut self, node: Node) -> Result<NodeId> {
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = Some(node);
            return Ok(NodeId(index));
        }
        let index = u32::try_from(self.slots.len()).map_err(|_| Error::NoMemory)?;
        self.slots.push(Some(node));
        Ok(NodeId(index))
    }

    pub(super) fn get(&self, id: NodeId) -> Result<&Node> {
        self.slots.get(id.0 as usize).and_then(Option::as_ref).ok_or(Error::BadHandle)
    }

    pub(super) fn get_mut(&mut self, id: NodeId) -> Result<&mut Node> {
        self.slots.get_mut(id.0 as usize).and_then(Option::as_mut).ok_or(Error::BadHandle)
    }

    pub(super) fn remove(&mut self, id: NodeId) -> Option<Node> {
        let node = self.slots.get_mut(id.0 as usize)?.take()?;
        self.free.push(id.0);
        Some(node)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        let numbered = self.slots.iter().zip(0..);
        numbered.filter_map(|(slot, index)| Some((NodeId(index), slot.as_ref()?)))
    }
}
