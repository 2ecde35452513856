//! An interpreter of the native runtime: its directories, and a process once it has run.
//!
//! The process of a session waits for further requests instead of ending. Between two calls it is
//! stopped (SIGSTOP), so threads that the job left behind cost nothing.

use super::JobDir;
use super::channel::Said;
use super::error::NativeError;
use super::launch::Child;
use super::size;
use super::spare::SpareChild;
use crate::error::Error;
use crate::host::{PrivateDir, put, read_start};
use crate::job::{InputFile, STATE_FILE};
use crate::proxy::Pass;
use rustix::process::Signal;
use std::path::Path;
use std::time::Duration;
use tokio::time::timeout;

/// How long a child that was killed may take to end, before its directory is removed.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// An interpreter of the native runtime.
#[derive(Debug)]
pub struct NativeInterpreter {
    /// There is none before the first run, and none after the last. Ends before its directories.
    pub(super) process: Option<SessionChild>,
    /// A process that waits for the first run. The same.
    pub(super) spare: Option<SpareChild>,
    pub(super) dir: JobDir,
}

/// A child that has answered a request and waits for the next one.
#[derive(Debug)]
pub(super) struct SessionChild {
    pub(super) child: Child,
    /// Its credential for the proxy, if hosts are open.
    pub(super) _pass: Option<Pass>,
}

impl NativeInterpreter {
    /// An interpreter that is to run in `dir`.
    pub fn new(dir: JobDir) -> Self {
        Self { process: None, spare: None, dir }
    }

    /// Its directories.
    pub fn dir(&self) -> &JobDir {
        &self.dir
    }

    /// What its jobs know as `/mnt/data`.
    pub(crate) fn data(&self) -> &Path {
        self.dir.data()
    }

    /// Puts files into the working directory, before a run.
    pub(crate) fn put_files(&mut self, given: &[InputFile]) -> Result<(), Error> {
        put(self.data(), given.iter().map(|file| (file.path.as_str(), file.content.as_slice())))
    }

    /// The first `max` bytes of a file of the working directory, if it can be read.
    pub(crate) fn read_start(&self, path: &str, max: usize) -> Option<Vec<u8>> {
        read_start(self.data(), path, max as u64).ok()
    }

    /// Puts the variables that the other runtime saved where its first run looks for them.
    pub(crate) fn restore(&mut self, state: &[u8]) -> Result<(), Error> {
        self.dir.put_private(STATE_FILE, state)
    }

    /// Moves the files of an interpreter that has ended to `to`, which is empty; true if they are
    /// there.
    pub(crate) fn export(&self, to: &PrivateDir) -> bool {
        let moved = std::fs::rename(self.data(), to.path());
        moved.inspect_err(|error| tracing::warn!(%error, "failed to keep files of a call")).is_ok()
    }

    /// Bytes that it holds beyond what the fork server has.
    pub(crate) fn memory(&self) -> u64 {
        let Some(SessionChild { child, .. }) = &self.process else { return 0 };
        let size = child.pid.and_then(size::measure).unwrap_or_default();
        size.memory.kept.saturating_sub(child.shared.kept)
    }

    /// Ends it, and removes its private directories.
    pub(crate) async fn end(self) {
        if let Some(SessionChild { mut child, .. }) = self.process {
            child.job.signal(Signal::KILL);
            let _ = timeout(LAST_WORDS, child.job.until_over()).await;
        }
    }
}

impl SessionChild {
    /// Stops a child that lives on until its next request; `None` if it does not.
    pub(super) fn park(self) -> Option<Self> {
        if self.child.job.has_ended() || self.child.channel.is_none() {
            return None;
        }
        self.child.job.signal(Signal::STOP);
        Some(self)
    }

    /// Lets the child go on, with a request, which goes out while it is watched.
    ///
    /// # Errors
    /// It has died since its last request, or its job wrote where only ours writes. It is then to
    /// be dropped.
    pub(super) fn resume(&mut self, request: &[u8]) -> Result<(), Error> {
        let channel = self.child.channel.as_ref().ok_or(NativeError::SessionDied)?;
        match channel.heard() {
            None => {}
            Some(Said::Closed) => return Err(NativeError::SessionDied.into()),
            Some(_) => return Err(NativeError::SessionSpoke.into()),
        }
        self.child.ask(request)?;
        self.child.job.signal(Signal::CONT);
        Ok(())
    }
}
