//! A host directory as a lower layer: looked at and read, never changed here. Symbolic links are
//! not followed: they are resolved in the guest's namespace.

use super::error::{Error, Result};
use super::node::{FileKind, NodeId};
use super::time::Times;
use super::work::{LOOKUP, Work};
use cap_std::fs::{Dir, File, FileExt, FileType, OpenOptions, OpenOptionsExt};
use std::io;
use std::sync::Arc;

/// Host descriptors that one job may hold for reading; more files than these are opened anew for
/// each read.
const OPEN_FILES: usize = 8;
/// Bytes that are read between two looks at the order to break off.
const STEP: usize = 1 << 20;

/// What a lower layer has under a path.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) kind: FoundKind,
    pub(super) times: Times,
}

#[derive(Debug)]
pub(super) enum FoundKind {
    File(u64),
    Directory,
    Symlink(Box<str>),
    Other,
}

/// A lower layer; paths are relative to it, the empty path is the layer's root.
#[derive(Debug, Clone)]
pub(super) struct Lower {
    pub(super) directory: Arc<Dir>,
}

impl Lower {
    pub(super) fn root_times(&self) -> Result<Times> {
        Ok(Times::of_host(&self.directory.dir_metadata()?))
    }

    /// Looks a path up; nothing there is not an error.
    pub(super) fn find(&self, path: &str) -> Result<Option<Found>> {
        let metadata = match self.directory.symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => return absent(error),
        };
        let kind = match kind_of(metadata.file_type()) {
            FileKind::File => FoundKind::File(metadata.len()),
            FileKind::Directory => FoundKind::Directory,
            FileKind::Symlink => match self.directory.read_link_contents(path) {
                Ok(target) => target
                    .to_str()
                    .map_or(FoundKind::Other, |target| FoundKind::Symlink(target.into())),
                Err(error) => return absent(error),
            },
            FileKind::Device | FileKind::Other => FoundKind::Other,
        };
        Ok(Some(Found { kind, times: Times::of_host(&metadata) }))
    }

    /// The names in a directory. Names that are not UTF-8 do not exist for a guest.
    pub(super) fn list(
        &self,
        path: &str,
    ) -> Result<impl Iterator<Item = Result<(String, FileKind)>> + use<>> {
        let entries = self.directory.read_dir(if path.is_empty() { "." } else { path })?;
        Ok(entries.filter_map(|entry| {
            match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
                Ok((name, kind)) => name.into_string().ok().map(|name| Ok((name, kind_of(kind)))),
                Err(error) => Some(Err(error.into())),
            }
        }))
    }
}

/// The files of lower layers that were read last, kept open: last used first.
#[derive(Debug, Default)]
pub(super) struct OpenBelow {
    files: Vec<(NodeId, File)>,
}

impl OpenBelow {
    /// Reads what there is at `position` of the node's file, found at `path`; a short count means
    /// the end.
    pub(super) fn read(
        &mut self,
        lower: &Lower,
        (id, path): (NodeId, &str),
        position: u64,
        buffer: &mut [u8],
        work: &mut Work,
    ) -> Result<usize> {
        if let Some(index) = self.files.iter().position(|(node, _)| *node == id) {
            self.files.get_mut(..=index).unwrap_or_default().rotate_right(1);
        } else {
            work.add(LOOKUP);
            self.files.truncate(OPEN_FILES - 1);
            self.files.insert(0, (id, open_file(&lower.directory, path)?));
        }
        let (_, file) = self.files.first().ok_or(Error::Io)?;
        let mut done = 0;
        while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
            work.go_on()?;
            let rest = rest.split_at_mut(rest.len().min(STEP)).0;
            match file.read_at(rest, position.saturating_add(done as u64)) {
                Ok(0) => break,
                Ok(count) => {
                    work.host_bytes(count as u64);
                    done += count;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(done)
    }

    pub(super) fn close(&mut self, id: NodeId) {
        self.files.retain(|(node, _)| *node != id);
    }

    pub(super) fn close_all(&mut self) {
        self.files.clear();
    }
}

/// Opens a regular file for reading, and nothing else.
pub(super) fn open_file(directory: &Dir, path: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // Were it replaced by a FIFO in the meantime, opening it must not wait.
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = directory.open_with(path, &options)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::from_raw_os_error(libc::EACCES))
    }
}

fn kind_of(kind: FileType) -> FileKind {
    if kind.is_file() {
        FileKind::File
    } else if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_symlink() {
        FileKind::Symlink
    } else {
        FileKind::Other
    }
}

fn absent<T>(error: io::Error) -> Result<Option<T>> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
        _ => Err(error.into()),
    }
}
