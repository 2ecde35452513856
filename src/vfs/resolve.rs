//! From a path to a node in the tree, as [POSIX pathname
//! resolution](https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap04.html#tag_04_16)
//! says. Symbolic links are resolved here, in the guest's namespace, whichever layer they come
//! from: `/` is the guest's root, so no link leads out.

use super::error::{Error, Result};
use super::node::{Body, FileName, NodeId};
use super::work::NAME;
use super::{NAME_BYTES, Vfs};
use std::borrow::Cow;

/// Symbolic links that one path may go through, as on Linux.
const MAX_SYMLINKS: u32 = 40;

/// Is a symbolic link at the very end of a path followed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symlinks {
    /// The path means what the link leads to.
    Follow,
    /// The path means the link.
    Keep,
}

/// Where a path leads: to a name in a directory, or straight to a directory (`/`, `.`, `..`).
#[derive(Debug)]
pub(super) struct Resolved {
    /// The directory that holds the name; without a name, the directory itself.
    pub(super) parent: NodeId,
    pub(super) name: Option<FileName>,
    pub(super) node: Option<NodeId>,
    /// Did the path end in a slash, which only a directory may?
    pub(super) slash: bool,
    /// Did the path end in `..`?
    pub(super) dot_dot: bool,
}

impl Resolved {
    pub(super) fn found(&self) -> Result<NodeId> {
        self.node.ok_or(Error::NotFound)
    }
}

impl Vfs {
    /// Resolves a path for what it leads to, relative to `base` unless it begins with a slash.
    /// Everything but the last name must be there. A slash at the end asks for a directory, and
    /// follows a link to it.
    pub(super) fn resolve(
        &mut self,
        base: NodeId,
        path: &str,
        symlinks: Symlinks,
    ) -> Result<Resolved> {
        let place = self.walk(base, path, |slash| slash || symlinks == Symlinks::Follow)?;
        match place.node {
            Some(id) if place.slash && !self.is_directory(id) => Err(Error::NotDirectory),
            Some(_) | None => Ok(place),
        }
    }

    /// Resolves a path for its last name, which is to be made, removed or moved: a link there is
    /// never followed.
    pub(super) fn resolve_name(&mut self, base: NodeId, path: &str) -> Result<Resolved> {
        self.walk(base, path, |_slash| false)
    }

    fn walk(
        &mut self,
        base: NodeId,
        path: &str,
        follow_last: impl Fn(bool) -> bool,
    ) -> Result<Resolved> {
        self.check_path(path)?;
        let mut links_left = MAX_SYMLINKS;
        // The path, or what it is after the last link; and where in it the next name begins.
        let (mut text, mut start) = (Cow::Borrowed(path), 0);
        let mut at = if path.starts_with('/') { self.root } else { base };
        self.must_be_there(at)?;
        loop {
            self.work.add(NAME);
            let (name, end) = next_name(&text, start);
            let after = text.get(end..).unwrap_or_default();
            let last = after.trim_start_matches('/').is_empty();
            match name {
                "" | "." if last => return Ok(directory(at, false)),
                "." => {}
                ".." => {
                    at = self.nodes.get(at)?.directory()?.parent;
                    if last {
                        return Ok(directory(at, true));
                    }
                }
                name => {
                    if name.len() > NAME_BYTES {
                        return Err(Error::NameTooLong);
                    }
                    let node = self.child(at, name)?;
                    let link = node.and_then(|id| self.link_target(id));
                    let slash = last && !after.is_empty();
                    if let Some(target) = link.filter(|_| !last || follow_last(slash)) {
                        links_left = links_left.checked_sub(1).ok_or(Error::Loop)?;
                        if target.starts_with('/') {
                            at = self.root;
                        }
                        (text, start) =
                            (expand(target, after, self.ledger.quota.path_bytes)?.into(), 0);
                        self.work.add(text.len() as u64 / 8);
                        continue;
                    }
                    if last {
                        let (parent, name) = (at, Some(name.into()));
                        return Ok(Resolved { parent, name, node, slash, dot_dot: false });
                    }
                    at = node.ok_or(Error::NotFound)?;
                    self.nodes.get(at)?.directory()?;
                }
            }
            start = end;
        }
    }

    pub(super) fn check_path(&self, path: &str) -> Result<()> {
        self.check_path_bytes(path.len())?;
        if path.contains('\0') {
            return Err(Error::IllegalName);
        }
        if path.is_empty() { Err(Error::NotFound) } else { Ok(()) }
    }

    /// Whether it is a directory, and there.
    pub(super) fn is_directory(&self, id: NodeId) -> bool {
        self.nodes.get(id).is_ok_and(|node| node.directory().is_ok())
    }

    fn link_target(&self, id: NodeId) -> Option<&str> {
        match &self.nodes.get(id).ok()?.body {
            Body::Symlink(target) => Some(target),
            _ => None,
        }
    }

    /// A directory that was removed while it was open leads nowhere any more.
    fn must_be_there(&self, id: NodeId) -> Result<()> {
        let node = self.nodes.get(id)?;
        node.directory()?;
        if node.links == 0 { Err(Error::NotFound) } else { Ok(()) }
    }
}

fn directory(id: NodeId, dot_dot: bool) -> Resolved {
    Resolved { parent: id, name: None, node: Some(id), slash: true, dot_dot }
}

/// The first name in a path from `start` on, and where it ends.
fn next_name(path: &str, start: usize) -> (&str, usize) {
    let rest = path.get(start..).unwrap_or_default();
    let name = rest.trim_start_matches('/');
    let begin = path.len() - name.len();
    let name = name.split('/').next().unwrap_or_default();
    (name, begin + name.len())
}

/// The path that goes on in a link's target.
fn expand(target: &str, after: &str, allowed: usize) -> Result<String> {
    let fits = target.len() + after.len() <= allowed;
    if fits { Ok([target, after].concat()) } else { Err(Error::NameTooLong) }
}
