//! The upper layer of a mount onto a host directory. Files appear whole or not at all; no symbolic
//! link of the host is followed, and none is made that leads out.

use super::Vfs;
use super::content::Content;
use super::error::Error;
use super::lookup::join;
use super::lower::open_file;
use super::node::{Body, FileBody, FileKind, NameEntry, NameTarget, Node, NodeId};
use super::time::{Times, system_time};
use cap_std::fs::{Dir, File, MetadataExt, OpenOptions};
use std::collections::BTreeMap;
use std::fs::{FileTimes, Permissions};
use std::io;
use std::os::unix::fs::{FileExt, PermissionsExt};

/// What an export did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitReport {
    /// Files, directories and symbolic links that were written.
    pub written: u64,
    /// Paths that were removed.
    pub removed: u64,
    /// Symbolic links that were left out, because on the host they could lead out of the directory.
    pub skipped: Vec<String>,
}

/// Where an export stopped. What was written before it stays.
#[derive(Debug, thiserror::Error)]
#[error("failed to write `{path}`: {source}")]
pub struct CommitError {
    /// Relative to the mount.
    pub path: String,
    /// The host's reason.
    pub source: io::Error,
}

impl Vfs {
    /// Writes the upper layer of the mount at `at` into a directory of the host, which holds what
    /// the mount's lower layer has. The filesystem itself stays as it is; see [`Vfs::commit`] for
    /// one that goes on.
    ///
    /// # Errors
    /// The first error of the host, with the path at which it happened.
    pub fn export(&self, at: &str, to: &Dir) -> Result<CommitReport, CommitError> {
        let (linked, report) = (BTreeMap::new(), CommitReport::default());
        let mut export = Export { vfs: self, to, linked, parts: 0, report };
        let root = self.mount_at(at).and_then(|mount| self.layer(mount)).map(|layer| layer.root);
        let mut pending = vec![(root.map_err(|error| Export::internal("", error))?, String::new())];
        while let Some((id, prefix)) = pending.pop() {
            export.directory(id, &prefix, &mut pending)?;
        }
        Ok(export.report)
    }
}

struct Export<'a> {
    vfs: &'a Vfs,
    to: &'a Dir,
    /// Where files with several names were written first.
    linked: BTreeMap<NodeId, String>,
    parts: u64,
    report: CommitReport,
}

impl Export<'_> {
    fn directory(
        &mut self,
        id: NodeId,
        prefix: &str,
        pending: &mut Vec<(NodeId, String)>,
    ) -> Result<(), CommitError> {
        let vfs = self.vfs;
        let node = vfs.nodes.get(id).and_then(|node| Ok((node.mount, node.directory()?)));
        let (mount, directory) = node.map_err(|error| Self::internal(prefix, error))?;
        // Removals first: they make room on the host's disk.
        let (gone, there): (Vec<_>, Vec<_>) = directory
            .entries()
            .partition(|(_, entry)| matches!(entry.target, NameTarget::Whiteout));
        for (name, entry) in gone.into_iter().chain(there) {
            let path = join(prefix, name);
            let NameTarget::Node(child) = entry.target else {
                if matches!(entry.target, NameTarget::Whiteout) {
                    remove(self.to, &path).map_err(|source| failed(&path, source))?;
                    self.report.removed += 1;
                }
                continue;
            };
            let Ok(node) = vfs.nodes.get(child) else { continue };
            if node.mount != mount {
                continue;
            }
            self.entry(&path, entry, child, node).map_err(|source| failed(&path, source))?;
            if node.kind() == FileKind::Directory {
                pending.push((child, path));
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: &str, entry: NameEntry, id: NodeId, node: &Node) -> io::Result<()> {
        if node.below.is_some() {
            if node.touched && node.kind() == FileKind::File {
                open_file(self.to, path)?.into_std().set_times(file_times(node.times))?;
            }
            return Ok(());
        }
        match &node.body {
            Body::File(FileBody::Here(content)) => self.file(path, id, node, content)?,
            Body::Directory(_) => {
                if entry.below.is_some() {
                    remove(self.to, path)?;
                }
                self.make_directory(path)?;
            }
            Body::Symlink(target) => {
                remove(self.to, path)?;
                let layer = self.vfs.layer(node.mount).map_err(io::Error::other)?;
                let Some(target) = portable_target(&layer.at, path, target) else {
                    self.report.skipped.push(path.to_owned());
                    return Ok(());
                };
                self.to.symlink_contents(target, path)?;
            }
            Body::File(FileBody::Below(_)) | Body::Null | Body::Other => return Ok(()),
        }
        self.report.written += 1;
        Ok(())
    }

    fn make_directory(&self, path: &str) -> io::Result<()> {
        match self.to.create_dir(path) {
            Err(error)
                if error.kind() == io::ErrorKind::AlreadyExists
                    && self.to.symlink_metadata(path)?.is_dir() =>
            {
                Ok(())
            }
            made => made,
        }
    }

    fn file(&mut self, path: &str, id: NodeId, node: &Node, content: &Content) -> io::Result<()> {
        if let Some(first) = self.linked.get(&id) {
            remove(self.to, path)?;
            return self.to.hard_link(first, self.to, path);
        }
        let (part, file) = self.part(path)?;
        let written = write_content(file, content, node.times, self.to, path)
            .and_then(|()| self.put_in_place(&part, path));
        if written.is_err() {
            // The error that is reported is the first one.
            self.to.remove_file(&part).unwrap_or_default();
        }
        if node.links > 1 {
            self.linked.insert(id, path.to_owned());
        }
        written
    }

    /// A new file beside the one that it will become.
    fn part(&mut self, path: &str) -> io::Result<(String, File)> {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        loop {
            self.parts += 1;
            let part = join(directory, &format!(".part-{}", self.parts));
            match self.to.open_with(&part, OpenOptions::new().write(true).create_new(true)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                opened => return opened.map(|file| (part, file)),
            }
        }
    }

    fn put_in_place(&self, part: &str, path: &str) -> io::Result<()> {
        match self.to.rename(part, self.to, path) {
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                remove(self.to, path)?;
                self.to.rename(part, self.to, path)
            }
            renamed => renamed,
        }
    }

    fn internal(path: &str, error: Error) -> CommitError {
        failed(path, io::Error::other(error))
    }
}

fn write_content(
    file: File,
    content: &Content,
    times: Times,
    to: &Dir,
    path: &str,
) -> io::Result<()> {
    let file = file.into_std();
    for (position, bytes) in content.extents() {
        file.write_all_at(bytes, position)?;
    }
    file.set_len(content.len())?;
    if let Ok(replaced) = to.symlink_metadata(path)
        && replaced.is_file()
    {
        file.set_permissions(Permissions::from_mode(replaced.mode() & 0o777))?;
    }
    file.set_times(file_times(times))
}

fn file_times(times: Times) -> FileTimes {
    FileTimes::new()
        .set_accessed(system_time(times.accessed))
        .set_modified(system_time(times.modified))
}

/// Removes whatever is there, if anything.
fn remove(directory: &Dir, path: &str) -> io::Result<()> {
    let removed = match directory.symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => directory.remove_dir_all(path),
        Ok(_) => directory.remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn failed(path: &str, source: io::Error) -> CommitError {
    CommitError { path: path.to_owned(), source }
}

/// What a link's target is on the host, if it surely stays within the mount at `at`: relative, and
/// up only at its beginning, where it goes through directories and not through other links.
pub(super) fn portable_target(at: &str, link: &str, target: &str) -> Option<String> {
    let depth = link.matches('/').count();
    let relative = match target.strip_prefix(at) {
        Some("") => "../".repeat(depth) + ".",
        Some(inside) if inside.starts_with('/') => {
            "../".repeat(depth) + inside.trim_start_matches('/')
        }
        Some(_) | None if target.starts_with('/') => return None,
        Some(_) | None => target.to_owned(),
    };
    let is_up = |name: &&str| matches!(*name, ".." | "." | "");
    let mut down = relative.split('/').skip_while(is_up);
    let up = relative.split('/').take_while(is_up).filter(|name| *name == "..").count();
    let stays = up <= depth && !down.any(|name| name == "..");
    stays.then_some(relative)
}

#[cfg(test)]
#[path = "../../tests/unit/vfs_export.rs"]
mod tests;
