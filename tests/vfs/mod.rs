//! The in-memory filesystem, from the outside: against the host's own, at its limits, and what it
//! leaves behind.

#![expect(clippy::unwrap_used, reason = "a test whose world cannot be made fails")]

mod against_host;
mod commit;
mod listing;
mod namespace;
mod quota;
mod tree;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use mcp_python_sandbox::vfs::{Mount, OpenFile, OpenOptions, Quota, Result, Vfs, measure};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Where the job's own directory is.
const DATA: &str = "/mnt/data";

/// A job over a host directory.
struct Job {
    vfs: Vfs,
    host: TempDir,
}

impl Job {
    /// A job whose directory is empty at first.
    fn new(quota: Quota) -> Self {
        Self::over(quota, |_| ())
    }

    /// A job that finds what `prepare` puts into its directory.
    fn over(quota: Quota, prepare: impl FnOnce(&Path)) -> Self {
        let host = tempfile::tempdir().unwrap();
        prepare(host.path());
        let vfs = Vfs::new(&[own(host.path()), Mount::scratch("/tmp")], quota).unwrap();
        Self { vfs, host }
    }

    /// Opens a path that is relative to the job's directory.
    fn open(&mut self, path: &str, options: OpenOptions) -> Result<OpenFile> {
        self.vfs.open(self.vfs.root(), &data(path), options)
    }

    /// Writes a whole file.
    fn write(&mut self, path: &str, content: &[u8]) -> Result<usize> {
        let mut file = self.open(path, WRITE)?;
        let count = self.vfs.write(&mut file, content);
        self.vfs.close(file);
        count
    }

    /// Reads a whole file.
    fn read(&mut self, path: &str) -> Result<Vec<u8>> {
        self.vfs.read_file(&data(path), usize::MAX)
    }
}

const READ: OpenOptions = OpenOptions {
    read: true,
    write: false,
    append: false,
    create: false,
    exclusive: false,
    truncate: false,
    directory: false,
    no_follow: false,
};
const WRITE: OpenOptions =
    OpenOptions { write: true, create: true, truncate: true, read: false, ..READ };
const UPDATE: OpenOptions = OpenOptions { write: true, create: true, ..READ };

/// A path in the job's directory.
fn data(path: &str) -> String {
    if path.is_empty() { DATA.to_owned() } else { format!("{DATA}/{path}") }
}

fn directory(path: &Path) -> Arc<Dir> {
    Arc::new(Dir::open_ambient_dir(path, ambient_authority()).unwrap())
}

fn own(path: &Path) -> Mount {
    let directory = directory(path);
    let used = measure(&directory).unwrap();
    Mount::own(DATA, directory, used)
}
