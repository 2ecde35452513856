//! Lists, measures and removes a directory tree that a hostile job made, and may still be changing.
//!
//! No link is ever followed: every step opens one name below a directory that is open already.
//! Depth is bounded, because each level costs a descriptor.

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, Stat, chmod, open, openat, renameat, rmdir, statat,
    unlinkat,
};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::Path;

/// Deeper than any honest tree.
const MAX_DEPTH: usize = 40;
/// More names than any honest tree has.
const MAX_LISTED: usize = 10_000;

/// What tells a changed file from an unchanged one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    inode: u64,
    modified: (i64, i64),
}

/// What trees hold, and files that no tree names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Bytes on the disk.
    pub(crate) bytes: u64,
    /// Names of files and directories. A tree deeper than [`MAX_DEPTH`] counts as more than any
    /// limit.
    pub(crate) files: u64,
    /// Inodes that have been counted and may turn up again.
    counted: BTreeSet<(u64, u64)>,
}

impl Weight {
    /// Adds what is below `root`, and stops when there are more than `most` files. The job may be
    /// changing the tree: what vanishes is not an error.
    ///
    /// # Errors
    /// Something is there and cannot be looked at.
    pub(crate) fn add(&mut self, root: &Path, most: u64) -> io::Result<()> {
        match open_root(root) {
            Ok(dir) => self.add_below(&dir, most, MAX_DEPTH),
            Err(error) => vanished(error),
        }
    }

    /// Adds a file, whatever its names are; one that was added before is not counted again.
    pub(crate) fn add_file(&mut self, stat: &Stat) {
        self.files = self.files.saturating_add(1);
        self.add_blocks(stat);
    }

    /// Whether the file of this inode number was added by [`Weight::add_file`].
    pub(crate) fn has_inode(&self, inode: u64) -> bool {
        self.counted.iter().any(|&(_, counted)| counted == inode)
    }

    fn add_below(&mut self, dir: &OwnedFd, most: u64, depth: usize) -> io::Result<()> {
        let room = usize::try_from(most.saturating_sub(self.files)).unwrap_or(usize::MAX);
        for name in names(dir, room.saturating_add(1))? {
            let stat = match statat(dir, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(error) => {
                    vanished(error)?;
                    continue;
                }
            };
            self.files = self.files.saturating_add(1);
            let is_dir = FileType::from_raw_mode(stat.st_mode).is_dir();
            // A directory has more than one link as well.
            if is_dir || stat.st_nlink < 2 {
                self.add_bytes(&stat);
            } else {
                self.add_blocks(&stat);
            }
            if is_dir && depth == 0 {
                self.files = u64::MAX;
            } else if is_dir {
                match open_below(dir, &name) {
                    Ok(below) => self.add_below(&below, most, depth - 1)?,
                    Err(error) => vanished(error)?,
                }
            }
            if self.files > most {
                break;
            }
        }
        Ok(())
    }

    fn add_blocks(&mut self, stat: &Stat) {
        if self.counted.insert((stat.st_dev, stat.st_ino)) {
            self.add_bytes(stat);
        }
    }

    fn add_bytes(&mut self, stat: &Stat) {
        // Blocks, not length: a sparse file takes no room.
        let bytes = u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// That a name is gone, or is another kind of file by now, is no error.
fn vanished(error: Errno) -> io::Result<()> {
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => Ok(()),
        error => Err(error.into()),
    }
}

/// Calls `visit` with the path below `root` and the stamp of every regular file whose path is
/// UTF-8, and stops after [`MAX_LISTED`] names. Fails if `root` cannot be opened; what in it cannot
/// be read is skipped.
pub(crate) fn files(root: &Path, visit: &mut dyn FnMut(&str, Stamp)) -> io::Result<()> {
    files_below(&open_root(root)?, "", visit, MAX_DEPTH, &mut { MAX_LISTED });
    Ok(())
}

fn files_below(
    dir: &OwnedFd,
    prefix: &str,
    visit: &mut dyn FnMut(&str, Stamp),
    depth: usize,
    room: &mut usize,
) {
    for_each(dir, *room, &mut |name, stat| {
        *room = room.saturating_sub(1);
        let Ok(text) = name.to_str() else { return };
        let path = format!("{prefix}{text}");
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind.is_file() {
            visit(&path, stamp(stat));
        } else if kind.is_dir()
            && depth > 0
            && let Ok(below) = open_below(dir, name)
        {
            files_below(&below, &format!("{path}/"), visit, depth - 1, room);
        }
    });
}

/// Removes `root` and all below it. Only for a tree whose job has ended.
pub(crate) fn remove(root: &Path) -> io::Result<()> {
    let top = open_root(root)?;
    let (mut before, mut moved) = (None, 0);
    // Directories that were too deep have been moved to the top: empty it again.
    while before != Some(moved) {
        before = Some(moved);
        empty(&top, &top, MAX_DEPTH, &mut moved);
    }
    Ok(rmdir(root)?)
}

fn empty(dir: &OwnedFd, top: &OwnedFd, depth: usize, moved: &mut u64) {
    for_each(dir, usize::MAX, &mut |name, stat| {
        if !FileType::from_raw_mode(stat.st_mode).is_dir() {
            let _ = unlinkat(dir, name, AtFlags::empty());
            return;
        }
        if depth == 0 {
            *moved += 1;
            let _ = renameat(dir, name, top, format!("deep-{moved}"));
        } else if let Ok(below) = open_below(dir, name) {
            empty(&below, top, depth - 1, moved);
            let _ = unlinkat(dir, name, AtFlags::REMOVEDIR);
        }
    });
}

/// Calls `visit` with the first `most` names in `dir` and what they are. Names are read first, so
/// that `visit` may change the directory.
fn for_each(dir: &OwnedFd, most: usize, visit: &mut dyn FnMut(&CStr, &Stat)) {
    for name in names(dir, most).unwrap_or_default() {
        if let Ok(stat) = statat(dir, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW) {
            visit(&name, &stat);
        }
    }
}

/// The first `most` names in `dir`.
fn names(dir: &OwnedFd, most: usize) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        let name = entry?.file_name().to_owned();
        if names.len() >= most {
            break;
        }
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(name);
        }
    }
    Ok(names)
}

fn open_root(path: &Path) -> Result<OwnedFd, Errno> {
    open(path, DIRECTORY, Mode::empty())
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens the directory `name`, also if the job made it without permission to read: it must not hide
/// anything from us.
fn open_below(parent: impl AsFd, name: &CStr) -> Result<OwnedFd, Errno> {
    match openat(&parent, name, DIRECTORY, Mode::empty()) {
        Err(Errno::ACCESS) => {
            // The mode is changed through this very directory, whatever has become of its name
            // since.
            let found = openat(&parent, name, DIRECTORY.union(OFlags::PATH), Mode::empty())?;
            chmod(format!("/proc/self/fd/{}", found.as_raw_fd()), Mode::RWXU)?;
            openat(&parent, name, DIRECTORY, Mode::empty())
        }
        opened => opened,
    }
}

fn stamp(stat: &Stat) -> Stamp {
    Stamp {
        size: u64::try_from(stat.st_size).unwrap_or(0),
        inode: stat.st_ino,
        modified: (stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or(0)),
    }
}
