//! What calls without a session left: their files, readable for a short time under a handle of
//! their own.
//!
//! Bounded in bytes and time; of the caller who must make room, what came first goes first. A file
//! is never served from memory: it lies in a private folder, which is removed with its last holder.

use super::Folder;
use super::share::Share;
use crate::error::Error;
use crate::host::{PrivateDir, lock};
use crate::job::{Client, Instance, OutputFile};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Scheme of the addresses of files.
pub(crate) const SCHEME: &str = "sandbox://";

/// Name of the file that holds an output which the answer shows shortened.
pub(crate) const FULL_OUTPUT: &str = ".stdout.txt";

/// Handles that are kept at most, however small their files.
const ENTRIES: Share = Share { of_one: 192, of_all: 256 };

/// How much is kept, and how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStoreConfig {
    /// Bytes of files; 0 keeps none.
    pub bytes: Share,
    /// How long a call's files can be read.
    pub time: Duration,
    pub folder: PathBuf,
}

/// What one call left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RetainedFiles {
    pub(crate) dir: Arc<PrivateDir>,
    pub(crate) bytes: u64,
}

#[derive(Debug)]
pub(super) struct FileStore {
    config: FileStoreConfig,
    instance: Instance,
    entries: Mutex<VecDeque<StoredCall>>,
}

#[derive(Debug)]
struct StoredCall {
    handle: String,
    client: Client,
    since: Instant,
    files: RetainedFiles,
}

impl FileStore {
    pub(super) fn new(config: FileStoreConfig, instance: Instance) -> Self {
        Self { config, instance, entries: Mutex::default() }
    }

    /// A place for the files that a call wrote; `None` if there are none, or too many to be kept.
    pub(super) fn room_for(&self, files: &[OutputFile]) -> Option<RetainedFiles> {
        if files.is_empty() { None } else { self.room(files.iter().map(|file| file.size).sum()) }
    }

    /// A place for `bytes` of files; `None` if so many are not kept. The answer to a call is worth
    /// more than its files: it does without them if the directory cannot be made.
    pub(super) fn room(&self, bytes: u64) -> Option<RetainedFiles> {
        if self.config.bytes.of_one == 0 || bytes > self.config.bytes.of_one {
            return None;
        }
        let dir = PrivateDir::create(&self.config.folder, "kept");
        let dir = dir.inspect_err(|error| tracing::warn!(%error, "failed to keep files of a call"));
        Some(RetainedFiles { dir: Arc::new(dir.ok()?), bytes })
    }

    /// Keeps what a call of `client` left; gives the handle under which it can be read.
    pub(super) fn retain(&self, client: Client, files: RetainedFiles) -> Result<String, Error> {
        let handle = self.instance.new_handle()?;
        let entry = StoredCall { handle: handle.clone(), client, since: Instant::now(), files };
        let mut entries = self.fresh();
        entries.push_back(entry);
        let asker = client.caller;
        loop {
            let callers = entries.iter().map(|entry| (entry.client.caller, 1));
            let bytes = entries.iter().map(|entry| (entry.client.caller, entry.files.bytes));
            let debtor = ENTRIES.debtor(callers, asker);
            let debtor = debtor.or_else(|| self.config.bytes.debtor(bytes, asker));
            let is_debtor = |entry: &StoredCall| Some(entry.client.caller) == debtor;
            let Some(oldest) = entries.iter().position(is_debtor) else { return Ok(handle) };
            entries.remove(oldest);
        }
    }

    /// The handles and folders of those calls that are `wanted`, the youngest last.
    pub(crate) fn folders(&self, wanted: impl Fn(Client) -> bool) -> Vec<Folder> {
        let entries = self.fresh();
        let wanted = entries.iter().filter(|entry| wanted(entry.client));
        wanted.map(|entry| (entry.handle.clone(), Arc::clone(&entry.files.dir))).collect()
    }

    fn fresh(&self) -> MutexGuard<'_, VecDeque<StoredCall>> {
        let mut entries = lock(&self.entries);
        while entries.front().is_some_and(|entry| entry.since.elapsed() >= self.config.time) {
            entries.pop_front();
        }
        entries
    }
}

/// The address of the file `path` of a session or a call.
pub(crate) fn address(handle: &str, path: &str) -> String {
    let mut uri = format!("{SCHEME}{handle}/");
    for byte in path.bytes() {
        // RFC 3986: unreserved characters, and the slashes between the parts.
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/') {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
