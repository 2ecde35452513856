//! Listing a directory in pieces: an entry's cookie says where the next piece begins, and stays
//! right whatever happens to other names.

use super::Vfs;
use super::error::Result;
use super::node::{FileKind, NameTarget, NodeId};
use super::work::NAME;

/// A name in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirEntry<'a> {
    /// Where the listing goes on after this entry.
    pub next: u64,
    /// The number that [`Metadata::inode`](super::Metadata::inode) will show.
    pub inode: u64,
    /// What it is.
    pub kind: FileKind,
    /// The name; `.` and `..` come first.
    pub name: &'a str,
}

impl Vfs {
    /// Gives the entries of a directory from a cookie on (0 is the start) to `each`, until it says
    /// no.
    ///
    /// # Errors
    /// [`Error::NotDirectory`](super::Error::NotDirectory); what the host says of the lower layer.
    pub fn read_dir(
        &mut self,
        id: NodeId,
        cookie: u64,
        mut each: impl FnMut(DirEntry<'_>) -> bool,
    ) -> Result<()> {
        self.list(id)?;
        let node = self.nodes.get(id)?;
        let directory = node.directory()?;
        if node.links == 0 {
            return Ok(());
        }
        let dots = [(1, ".", node.ino), (2, "..", self.nodes.get(directory.parent)?.ino)];
        for (next, name, inode) in dots {
            if cookie < next && !each(DirEntry { next, inode, kind: FileKind::Directory, name }) {
                return Ok(());
            }
        }
        for entry in directory.list(cookie) {
            self.work.add(NAME);
            let (inode, kind) = match entry.target {
                NameTarget::Node(id) => self.nodes.get(id).map(|node| (node.ino, node.kind()))?,
                NameTarget::Listed { ino, kind } => (ino, kind),
                NameTarget::Whiteout => continue,
            };
            if !each(DirEntry { next: entry.cookie + 1, inode, kind, name: entry.name }) {
                break;
            }
        }
        Ok(())
    }
}
