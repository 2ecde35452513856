//! Whose folder it is shows in a lock, which the kernel drops when the process that holds it ends.
//! A process id would say nothing to servers in other containers that share `/tmp`.

use super::{make_private, walk};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, fstat, open, stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::{fs, io};

/// Keeps a folder from being taken for one that a dead server left behind.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _folder: OwnedFd,
}

impl FolderLock {
    /// Makes the folder at `path`, private, and locks it.
    ///
    /// # Errors
    /// It cannot be made or locked.
    pub(crate) fn hold(path: &Path) -> io::Result<Self> {
        // One that looks for leftovers may have seen it before it was locked, and remove it.
        for _attempt in 0..10 {
            make_private(path).map_err(io::Error::other)?;
            if let Ok(Some(folder)) = lock(path) {
                return Ok(Self { _folder: folder });
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }
}

/// Removes the folders beside the one at `path` that are named like it, `<name>-<pid>-<nonce>`, and
/// that nobody has locked.
pub(crate) fn remove_leftovers(path: &Path) {
    let (Some(parent), Some(ours)) = (path.parent(), path.file_name()) else { return };
    let Some(name) = owner_name(ours) else { return };
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let other = entry.file_name();
        // A folder of another user cannot be opened, and is not ours to judge.
        if other != ours
            && owner_name(&other) == Some(name)
            && let Ok(Some(_folder)) = lock(&entry.path())
        {
            let _ = walk::remove(&entry.path());
        }
    }
}

/// The name in `<name>-<pid>-<nonce>`.
fn owner_name(folder: &OsStr) -> Option<&str> {
    let (rest, nonce) = folder.to_str()?.rsplit_once('-')?;
    let (name, pid) = rest.rsplit_once('-')?;
    let is_pid = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
    let is_nonce = nonce.len() == 16 && nonce.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_pid && is_nonce).then_some(name)
}

/// The locked folder at `path`; `None` if another process has locked it, or removed it meanwhile.
fn lock(path: &Path) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = open(path, flags, Mode::empty())?;
    match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    let (locked, named) = (fstat(&folder)?, stat(path)?);
    let is_same = (locked.st_dev, locked.st_ino) == (named.st_dev, named.st_ino);
    Ok(is_same.then_some(folder))
}
