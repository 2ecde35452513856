//! Lists, measures and removes a directory tree that a hostile job made, and may still be changing.
//!
//! No link is ever followed: every step opens one name below a directory that is open already.
//! Depth is bounded, because each level costs a descriptor.

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, Stat, chmod, open, openat, renameat, rmdir, statat,
    unlinkat,
};
use rustix::io::Errno;
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::Path;

/// Deeper than any honest tree.
const MAX_DEPTH: usize = 40;

/// What tells a changed file from an unchanged one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    inode: u64,
    modified: (i64, i64),
}

/// What a tree holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Bytes on the disk.
    pub(crate) bytes: u64,
    /// Files and directories. A tree deeper than [`MAX_DEPTH`] counts as more than any limit.
    pub(crate) files: u64,
}

impl Weight {
    /// Adds what is below `root`. The job may be changing the tree: what vanishes is not an error.
    pub(crate) fn add(&mut self, root: &Path) {
        if let Ok(dir) = open_root(root) {
            self.add_below(&dir, MAX_DEPTH);
        }
    }

    fn add_below(&mut self, dir: &OwnedFd, depth: usize) {
        for_each(dir, &mut |name, stat| {
            self.files = self.files.saturating_add(1);
            // Blocks, not length: a sparse file takes no room.
            let bytes = u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512);
            self.bytes = self.bytes.saturating_add(bytes);
            if FileType::from_raw_mode(stat.st_mode).is_dir() {
                if depth == 0 {
                    self.files = u64::MAX;
                } else if let Ok(below) = open_below(dir, name) {
                    self.add_below(&below, depth - 1);
                }
            }
        });
    }
}

/// Calls `visit` with the path below `root` and the stamp of every regular file whose path is
/// UTF-8. Fails if `root` cannot be opened; what in it cannot be read is skipped.
pub(crate) fn files(root: &Path, visit: &mut dyn FnMut(&str, Stamp)) -> io::Result<()> {
    files_below(&open_root(root)?, "", visit, MAX_DEPTH);
    Ok(())
}

fn files_below(dir: &OwnedFd, prefix: &str, visit: &mut dyn FnMut(&str, Stamp), depth: usize) {
    for_each(dir, &mut |name, stat| {
        let Ok(text) = name.to_str() else { return };
        let path = format!("{prefix}{text}");
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind.is_file() {
            visit(&path, stamp(stat));
        } else if kind.is_dir()
            && depth > 0
            && let Ok(below) = open_below(dir, name)
        {
            files_below(&below, &format!("{path}/"), visit, depth - 1);
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
    for_each(dir, &mut |name, stat| {
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

/// Calls `visit` with each name in `dir` and what it is. Names are read first, so that `visit` may
/// change the directory.
fn for_each(dir: &OwnedFd, visit: &mut dyn FnMut(&CStr, &Stat)) {
    let Ok(entries) = Dir::read_from(dir) else { return };
    let names: Vec<_> = entries.flatten().map(|entry| entry.file_name().to_owned()).collect();
    for name in names.iter().filter(|name| !matches!(name.to_bytes(), b"." | b"..")) {
        if let Ok(stat) = statat(dir, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW) {
            visit(name, &stat);
        }
    }
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
