//! The directories of one job: `data`, which it knows as `/mnt/data`, and `tmp`. Private, and gone with this value.

use crate::error::Error;
use crate::outcome::OutputFile;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use std::collections::BTreeMap;
use std::fs::{DirBuilder, remove_dir_all};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// Deeper than any honest tree, and short of exhausting our descriptors: one stays open on each level.
const MAX_DEPTH: usize = 32;

/// The directories of one job.
#[derive(Debug)]
pub struct JobDir {
    /// Made by us and removed in the end.
    root: PathBuf,
    data: PathBuf,
    tmp: PathBuf,
    before: BTreeMap<String, Stamp>,
}

/// What tells a changed file from an unchanged one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    size: u64,
    inode: u64,
    modified: (i64, i64),
}

/// What a tree holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::native) struct Holds {
    /// Bytes on the disk.
    pub(in crate::native) bytes: u64,
    /// Files and directories.
    pub(in crate::native) files: u64,
}

impl JobDir {
    /// Makes private directories below `runtime_dir`. With `data` of a session, only `tmp` is private.
    pub(in crate::native) fn create(runtime_dir: &Path, data: Option<PathBuf>) -> Result<Self, Error> {
        let mut name = [0; 8];
        getrandom::fill(&mut name).map_err(|e| Error::Native(format!("no random numbers: {e}")))?;
        let root = runtime_dir.join(format!("job-{:016x}", u64::from_ne_bytes(name)));
        make_private(&root)?;
        // From here on, dropping the value removes what was made.
        let mut dir = Self { tmp: root.join("tmp"), data: root.join("data"), root, before: BTreeMap::new() };
        make_private(&dir.tmp)?;
        match data {
            Some(session) => dir.data = session,
            None => make_private(&dir.data)?,
        }
        Ok(dir)
    }

    /// What the job knows as `/mnt/data`. Files given to the job go in here before [`JobDir::seal`].
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The job's temporary directory and home.
    pub(in crate::native) fn tmp(&self) -> &Path {
        &self.tmp
    }

    /// Remembers what is there, so that [`JobDir::changed_files`] names only what the job wrote.
    pub fn seal(&mut self) {
        let mut before = BTreeMap::new();
        // A tree that cannot be read leaves all files looking new, which is harmless.
        let _ = walk(&self.data, &mut |path, stamp| {
            before.insert(path.to_owned(), stamp);
        });
        self.before = before;
    }

    /// Regular files that the job wrote or changed, in the order of their paths, without their content.
    ///
    /// Never follows a link and never opens a file, so a job cannot lead the server anywhere.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn changed_files(&self) -> Result<Vec<OutputFile>, Error> {
        let mut changed = Vec::new();
        let visit = &mut |path: &str, stamp: Stamp| {
            if self.before.get(path) != Some(&stamp) {
                changed.push(OutputFile { path: path.to_owned(), size: stamp.size, content: None });
            }
        };
        walk(&self.data, visit).map_err(|source| Error::Io {
            what: "list the job's files in",
            path: self.data.clone(),
            source,
        })?;
        changed.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changed)
    }

    /// What both directories hold now.
    pub(in crate::native) fn holds(&self) -> Holds {
        let mut holds = Holds::default();
        for dir in [&self.data, &self.tmp] {
            // The job changes the tree while it is read: what vanishes meanwhile is not an error.
            let _ = open_dir(dir).and_then(|fd| weigh(&fd, &mut holds, MAX_DEPTH));
        }
        holds
    }
}

impl Drop for JobDir {
    fn drop(&mut self) {
        // The job may have made its directories unwritable only through calls that the filter refuses; what is left
        // here is an I/O error, for the log.
        if let Err(e) = remove_dir_all(&self.root) {
            tracing::warn!(path = %self.root.display(), "failed to remove a job directory: {e}");
        }
    }
}

fn make_private(path: &Path) -> Result<(), Error> {
    DirBuilder::new().mode(0o700).create(path).map_err(|source| Error::Io {
        what: "create the job directory",
        path: path.to_owned(),
        source,
    })
}

fn open_dir(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

fn open_below(parent: impl AsFd, name: &std::ffi::CStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(parent, name, flags, Mode::empty())?)
}

/// Names and stamps of the regular files below `root`.
fn walk(root: &Path, visit: &mut dyn FnMut(&str, Stamp)) -> io::Result<()> {
    walk_below(&open_dir(root)?, "", visit, MAX_DEPTH)
}

fn walk_below(dir: &OwnedFd, prefix: &str, visit: &mut dyn FnMut(&str, Stamp), depth: usize) -> io::Result<()> {
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        // A name that is not UTF-8 cannot be named in an answer.
        let Ok(text) = name.to_str() else { continue };
        if matches!(text, "." | "..") {
            continue;
        }
        let Ok(stat) = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        let path = format!("{prefix}{text}");
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => visit(
                &path,
                Stamp {
                    size: u64::try_from(stat.st_size).unwrap_or(0),
                    inode: stat.st_ino,
                    modified: (stat.st_mtime.into(), stat.st_mtime_nsec.try_into().unwrap_or(0)),
                },
            ),
            FileType::Directory if depth > 0 => {
                if let Ok(below) = open_below(dir, name) {
                    walk_below(&below, &format!("{path}/"), visit, depth - 1)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Adds up everything below `dir`.
fn weigh(dir: &OwnedFd, holds: &mut Holds, depth: usize) -> io::Result<()> {
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let Ok(stat) = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        holds.files += 1;
        // Blocks, not length: a sparse file takes no room.
        holds.bytes += u64::try_from(stat.st_blocks).unwrap_or(0) * 512;
        if FileType::from_raw_mode(stat.st_mode).is_dir() && depth > 0 {
            if let Ok(below) = open_below(dir, name) {
                weigh(&below, holds, depth - 1)?;
            }
        }
    }
    Ok(())
}
