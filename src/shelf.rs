//! What calls without a session left: their files, readable for a short time under a handle of their own.
//!
//! Bounded in bytes and time; what came first goes first. A file is never served from memory: it lies in a private folder,
//! which is removed with its last holder.

use crate::error::Error;
use crate::folder::Folder;
use crate::handle::Instance;
use crate::lock::lock;
use crate::session::Client;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Scheme of the addresses of files.
pub const SCHEME: &str = "sandbox://";

/// Name of the file that holds an output which the answer shows shortened.
pub const WHOLE_OUTPUT: &str = ".stdout.txt";

/// Handles that are kept at most, however small their files.
const ENTRIES_MAX: usize = 256;

/// How much is kept, and how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShelfConfig {
    /// Bytes of all files together; 0 keeps none.
    pub bytes: u64,
    /// How long a call's files can be read.
    pub time: Duration,
    /// Where the folders are made.
    pub folder: PathBuf,
}

/// What one call left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leavings {
    /// Where its files are.
    pub(crate) folder: Arc<Folder>,
    /// Their bytes.
    pub(crate) bytes: u64,
}

/// The leavings of the last calls.
#[derive(Debug)]
pub struct Shelf {
    config: ShelfConfig,
    instance: Instance,
    entries: Mutex<VecDeque<Entry>>,
}

#[derive(Debug)]
struct Entry {
    handle: String,
    client: Client,
    since: Instant,
    leavings: Leavings,
}

impl Shelf {
    /// An empty one. Its handles name `instance`.
    pub fn new(config: ShelfConfig, instance: Instance) -> Self {
        Self { config, instance, entries: Mutex::default() }
    }

    /// A new folder for `bytes` of files; `None` if so many are not kept.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(crate) fn folder(&self, bytes: u64) -> Result<Option<Folder>, Error> {
        if bytes > self.config.bytes {
            return Ok(None);
        }
        Folder::create(&self.config.folder, "kept").map(Some)
    }

    /// Keeps what a call of `client` left; gives the handle under which it can be read.
    ///
    /// # Errors
    /// There is no randomness for a handle.
    pub fn keep(&self, client: Client, leavings: Leavings) -> Result<String, Error> {
        let handle = self.instance.new_handle()?;
        let entry = Entry { handle: handle.clone(), client, since: Instant::now(), leavings };
        let mut entries = self.fresh();
        entries.push_back(entry);
        while entries.len() > ENTRIES_MAX
            || entries.iter().map(|entry| entry.leavings.bytes).sum::<u64>() > self.config.bytes
        {
            entries.pop_front();
        }
        Ok(handle)
    }

    /// Lets go of what `client` left, which is gone.
    pub(crate) fn forget(&self, client: Client) {
        self.fresh().retain(|entry| entry.client != client);
    }

    /// The handles and folders of `client`, the youngest last.
    pub(crate) fn of(&self, client: Client) -> Vec<(String, Arc<Folder>)> {
        let entries = self.fresh();
        let his = entries.iter().filter(|entry| entry.client == client);
        his.map(|entry| (entry.handle.clone(), Arc::clone(&entry.leavings.folder))).collect()
    }

    /// The entries that are still in time.
    fn fresh(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        let mut entries = lock(&self.entries);
        while entries.front().is_some_and(|entry| entry.since.elapsed() >= self.config.time) {
            entries.pop_front();
        }
        entries
    }
}

/// The address of the file `path` of a session or a call.
pub fn address(handle: &str, path: &str) -> String {
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
