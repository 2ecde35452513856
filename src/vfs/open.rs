//! Opening and closing. An [`OpenFile`] is an open file description: it keeps its node alive, and
//! must be given back to [`Vfs::close`].

use super::Vfs;
use super::content::Content;
use super::error::{Error, Result};
use super::node::{Body, FileBody, FileKind, NodeId};
use super::resolve::{Resolved, Symlinks};

/// How to open a file; the flags of
/// [`open`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/open.html). All are off by
/// default.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "POSIX has them as independent flags")]
pub struct OpenOptions {
    /// Open for reading.
    pub read: bool,
    /// Open for writing.
    pub write: bool,
    /// Each write goes to the end.
    pub append: bool,
    /// Make the file if there is none.
    pub create: bool,
    /// With `create`: there must be none.
    pub exclusive: bool,
    /// Cut the file to nothing.
    pub truncate: bool,
    /// It must be a directory.
    pub directory: bool,
    /// A symbolic link at the end of the path is an error, not followed.
    pub no_follow: bool,
}

/// An open file or directory: which, where in it, and for what.
#[derive(Debug)]
pub struct OpenFile {
    pub(super) node: NodeId,
    /// Where the next read or write begins.
    pub position: u64,
    pub(super) read: bool,
    pub(super) write: bool,
    /// Does each write go to the end?
    pub append: bool,
}

impl OpenFile {
    /// The node that is open; as a base it is where relative paths begin.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Is it open for reading?
    pub fn is_readable(&self) -> bool {
        self.read
    }

    /// Is it open for writing?
    pub fn is_writable(&self) -> bool {
        self.write
    }
}

impl Vfs {
    /// Opens a file or directory, as
    /// [`open`](https://pubs.opengroup.org/onlinepubs/9799919799/functions/open.html).
    ///
    /// How many are open is not counted here: see [`Quota::open_files`](super::Quota::open_files),
    /// which the owner of the descriptors holds.
    ///
    /// # Errors
    /// Those of `open`; [`Error::NoSpace`] and [`Error::NoMemory`] at the quota, for a file that is
    /// made.
    pub fn open(&mut self, base: NodeId, path: &str, options: OpenOptions) -> Result<OpenFile> {
        if options.create && path.ends_with('/') && self.resolve_name(base, path)?.name.is_some() {
            return Err(Error::IsDirectory);
        }
        let keep = options.no_follow || (options.create && options.exclusive);
        let symlinks = if keep { Symlinks::Keep } else { Symlinks::Follow };
        let place = self.resolve(base, path, symlinks)?;
        let node = match place.node {
            Some(id) => self.check_existing(id, options).map(|()| id)?,
            None => self.create_file(&place, options)?,
        };
        self.nodes.get_mut(node)?.opens += 1;
        let OpenOptions { read, write, append, .. } = options;
        Ok(OpenFile { node, position: 0, read, write, append })
    }

    /// Closes what was opened.
    #[expect(clippy::needless_pass_by_value, reason = "what is closed cannot be used any more")]
    pub fn close(&mut self, file: OpenFile) {
        if let Ok(node) = self.nodes.get_mut(file.node) {
            node.opens = node.opens.saturating_sub(1);
            self.release(file.node);
        }
    }

    fn check_existing(&mut self, id: NodeId, options: OpenOptions) -> Result<()> {
        if options.create && options.exclusive {
            return Err(Error::Exists);
        }
        let kind = self.nodes.get(id)?.kind();
        match kind {
            FileKind::Directory if options.write || options.truncate || options.create => {
                return Err(Error::IsDirectory);
            }
            FileKind::Directory => {}
            _ if options.directory => return Err(Error::NotDirectory),
            FileKind::Symlink => return Err(Error::Loop),
            FileKind::Other => return Err(Error::Denied),
            FileKind::File | FileKind::Device => {}
        }
        if kind == FileKind::File {
            if options.write || options.truncate {
                self.must_be_writable(id)?;
            }
            if options.truncate {
                self.set_node_len(id, 0)?;
            }
        }
        Ok(())
    }

    fn create_file(&mut self, place: &Resolved, options: OpenOptions) -> Result<NodeId> {
        let name = place.name.as_ref().filter(|_| options.create).ok_or(Error::NotFound)?;
        if place.slash {
            return Err(Error::IsDirectory);
        }
        if options.directory {
            return Err(Error::Invalid);
        }
        self.create(place.parent, name, Body::File(FileBody::Here(Content::default())))
    }
}
