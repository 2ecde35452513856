//! The directories of one job: `data`, which it knows as `/mnt/data`, and `tmp`. Private, and gone
//! with this value.

use super::holdings::Holdings;
use super::locks::Locks;
use crate::error::Error;
use crate::host::walk::Stamp;
use crate::host::{apart, nonce, walk};
use crate::job::mounts::HostFolder;
use crate::job::{LimitHit, Limits, OutputFile};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The directories of one job.
#[derive(Debug)]
pub struct JobDir {
    /// Made by us and removed in the end.
    root: PathBuf,
    data: PathBuf,
    tmp: PathBuf,
    /// The operator's folders that the job may change, and whether it may read others.
    shared: Vec<PathBuf>,
    any_read_only: bool,
    before: BTreeMap<String, Stamp>,
}

impl JobDir {
    /// Makes private directories below `runtime_dir`. With `data` of a session, only `tmp` is
    /// private. `mounts` are the operator's folders.
    pub(super) fn create(
        runtime_dir: &Path,
        data: Option<PathBuf>,
        mounts: &[HostFolder],
    ) -> Result<Self, Error> {
        let root = runtime_dir.join(format!("job-{}", &nonce()?[..16]));
        make_private(&root)?;
        // From here on, dropping the value removes what was made.
        let shared = mounts.iter().filter(|mount| mount.writable);
        let mut dir = Self {
            tmp: root.join("tmp"),
            data: root.join("data"),
            root,
            shared: shared.map(|mount| mount.host.clone()).collect(),
            any_read_only: mounts.iter().any(|mount| !mount.writable),
            before: BTreeMap::new(),
        };
        make_private(&dir.tmp)?;
        match data {
            Some(session) => dir.data = session,
            None => make_private(&dir.data)?,
        }
        Ok(dir)
    }

    /// What the job knows as `/mnt/data`. Files given to the job go in here before
    /// [`JobDir::seal`].
    pub fn data(&self) -> &Path {
        &self.data
    }

    pub(super) fn is_there(&self) -> bool {
        self.data.is_dir() && self.tmp.is_dir()
    }

    pub(super) fn tmp(&self) -> &Path {
        &self.tmp
    }

    /// Puts a file into the private temporary directory; `path` as the job sees it, below `/tmp`.
    ///
    /// # Errors
    /// The host's.
    pub fn put_private(&self, path: &str, content: &[u8]) -> Result<(), Error> {
        let path = self.tmp.join(path.trim_start_matches("/tmp/"));
        fs::write(&path, content).map_err(|source| Error::Io { what: "write", path, source })
    }

    /// Remembers what is there, so that [`JobDir::changed_files`] names only what the job wrote.
    pub fn seal(&mut self) {
        let mut before = BTreeMap::new();
        // If the tree cannot be read, all files look new, which is harmless.
        let visit = &mut |path: &str, stamp: Stamp| {
            before.insert(path.to_owned(), stamp);
        };
        let _ = apart(|| walk::files(&self.data, visit));
        self.before = before;
    }

    /// Regular files that the job wrote or changed, in the order of their paths, without their
    /// content.
    ///
    /// Never follows a link and never opens a file, so a job cannot lead the server anywhere.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn changed_files(&self) -> Result<Vec<OutputFile>, Error> {
        let mut changed = Vec::new();
        let visit = &mut |path: &str, stamp: Stamp| {
            if self.before.get(path) != Some(&stamp) {
                changed.push(OutputFile { path: path.to_owned(), size: stamp.size });
            }
        };
        apart(|| walk::files(&self.data, visit)).map_err(|source| Error::Io {
            what: "list the job's files in",
            path: self.data.clone(),
            source,
        })?;
        changed.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changed)
    }

    /// What a job in here holds, to be compared with `limits`.
    pub(super) fn holdings(&self, limits: &Limits) -> Holdings {
        Holdings::new([self.data.clone(), self.tmp.clone()], &self.shared, limits)
    }

    /// Where locks of a job in here are real.
    pub(super) fn locks(&self) -> Locks {
        Locks { shared: self.shared.clone(), any_read_only: self.any_read_only, calls: 0 }
    }

    /// The limit that is passed by what is left in here, if one is.
    ///
    /// # Errors
    /// Something in here cannot be looked at.
    pub(super) fn exceeded(&self, limits: &Limits) -> io::Result<Option<LimitHit>> {
        let mut holdings = self.holdings(limits);
        Ok(apart(|| holdings.check(None))?.hit)
    }
}

impl Drop for JobDir {
    fn drop(&mut self) {
        if let Err(e) = apart(|| walk::remove(&self.root)) {
            tracing::warn!(path = %self.root.display(), "failed to remove a job directory: {e}");
        }
    }
}

/// Without parents: [`super::NativeRuntime::job_dir`] must see that the runtime directory is gone.
fn make_private(path: &Path) -> Result<(), Error> {
    DirBuilder::new().mode(0o700).create(path).map_err(|source| Error::Io {
        what: "create the job directory",
        path: path.to_owned(),
        source,
    })
}
