//! A private directory of ours for files of jobs: no operation on it can leave it, whatever it
//! contains.

use super::walk::{self, Stamp};
use super::{apart, nonce};
use crate::error::Error;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use std::fs::DirBuilder;
use std::io::{self, Read as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// Files that are listed at most.
const MAX_FILES: usize = 10_000;

/// A private directory, removed with all it holds when the value is dropped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PrivateDir {
    path: PathBuf,
}

impl PrivateDir {
    /// Makes one below `parent`. Native jobs can see its name, which is unlike any handle.
    pub(crate) fn create(parent: &Path, kind: &str) -> Result<Self, Error> {
        let path = parent.join(format!("{kind}-{}", &nonce()?[..16]));
        make_private(&path)?;
        Ok(Self { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it: links that lead out are not followed.
    pub(crate) fn open(&self) -> Result<Dir, Error> {
        open(&self.path)
    }

    /// As [`put`].
    pub(crate) fn put<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<(), Error> {
        put(&self.path, files)
    }

    /// Its regular files with their sizes, sorted by path. What cannot be read is not listed.
    pub(crate) fn files(&self) -> Result<Vec<(String, u64)>, Error> {
        let mut found = Vec::new();
        let visit = &mut |path: &str, stamp: Stamp| {
            if found.len() < MAX_FILES {
                found.push((path.to_owned(), stamp.size));
            }
        };
        apart(|| walk::files(&self.path, visit))
            .map_err(failed("list the files in", &self.path))?;
        found.sort();
        Ok(found)
    }

    /// The content of a regular file; `None` if it has more than `limit` bytes.
    ///
    /// # Errors
    /// There is no such file, it is none, or it cannot be read.
    pub(crate) fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let content = read_start(&self.path, path, limit.saturating_add(1))?;
        Ok((content.len() as u64 <= limit).then_some(content))
    }

    /// Removes its contents.
    pub(crate) fn clear(&self) -> Result<(), Error> {
        self.remove();
        make_private(&self.path)
    }

    pub(crate) fn remove(&self) {
        if let Err(error) = apart(|| walk::remove(&self.path))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %self.path.display(), "failed to remove a directory: {error}");
        }
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        self.remove();
    }
}

/// The first `max` bytes of a regular file below `folder`. A link that leads out is not followed.
///
/// # Errors
/// There is no such file, it is none, or it cannot be read.
pub(crate) fn read_start(folder: &Path, path: &str, max: u64) -> io::Result<Vec<u8>> {
    // A FIFO that a job made must not block us.
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NONBLOCK);
    let file = open(folder).map_err(io::Error::other)?.open_with(path, &options)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut content = Vec::new();
    file.take(max).read_to_end(&mut content)?;
    Ok(content)
}

/// Puts files, each a relative path and its content, into the directory at `path`. Fails if the
/// host has no room for them, or something of that name is in the way.
pub(crate) fn put<'a>(
    path: &Path,
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Result<(), Error> {
    let mut files = files.into_iter().peekable();
    if files.peek().is_none() {
        return Ok(());
    }
    let dir = open(path)?;
    for (path, content) in files {
        let made = path.rsplit_once('/').map_or(Ok(()), |(parent, _)| dir.create_dir_all(parent));
        let written = made.and_then(|()| dir.write(path, content));
        written.map_err(failed("write the given file", Path::new(path)))?;
    }
    Ok(())
}

fn open(path: &Path) -> Result<Dir, Error> {
    Dir::open_ambient_dir(path, ambient_authority()).map_err(failed("open the directory", path))
}

/// Makes a directory, and those on the way to it, that nobody else can look into.
pub(crate) fn make_private(path: &Path) -> Result<(), Error> {
    let made = DirBuilder::new().mode(0o700).recursive(true).create(path);
    made.map_err(failed("create the directory", path))
}

fn failed<'a>(what: &'static str, path: &'a Path) -> impl Fn(io::Error) -> Error + 'a {
    move |source| Error::Io { what, path: path.to_owned(), source }
}
