//! The child of a session: forked and confined like any other, but it waits for further requests instead of ending.
//!
//! Between two calls it is stopped (SIGSTOP): threads that the job left behind cost nothing while nobody waits for them.

use super::launch::{Live, Run};
use super::process::Finish;
use super::watch;
use super::{JobDir, NativeRun, NativeRuntime};
use crate::error::Error;
use crate::limits::Limits;
use crate::output::Output;
use crate::proxy::Pass;
use rustix::process::Signal;
use std::future::pending;
use std::io;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long a child that was killed may take to end, before its directory is removed.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A child that has answered a request and waits for the next one.
#[derive(Debug)]
pub struct Kept {
    live: Live,
    dir: JobDir,
    /// Its credential for the proxy, if hosts are open.
    pass: Option<Pass>,
}

impl Kept {
    /// Its directories.
    pub fn dir(&mut self) -> &mut JobDir {
        &mut self.dir
    }

    /// Bytes that it holds beyond what its parent has.
    pub fn memory(&self) -> u64 {
        let size = self.live.pid.and_then(watch::size).unwrap_or_default();
        size.resident.saturating_sub(self.live.shared)
    }

    /// Ends the child; its private directory goes with the returned value.
    pub async fn end(mut self) -> JobDir {
        self.live.job.signal(Signal::KILL).await;
        let _ = timeout(LAST_WORDS, self.live.job.until_over()).await;
        self.dir
    }
}

impl NativeRuntime {
    /// Runs the first request of a session in `dir`, in a child that is kept if it lives on.
    ///
    /// # Errors
    /// As [`NativeRuntime::run`].
    pub async fn run_first(
        &self,
        dir: JobDir,
        request: &[u8],
        limits: &Limits,
        life: Duration,
        output: &Output,
        cancel: &CancellationToken,
    ) -> Result<(NativeRun, Result<Kept, JobDir>), Error> {
        let on = self.on()?;
        // CPU time is counted by request; what the kernel counts is the child's whole life.
        let lifelong = Limits { cpu: life.max(limits.cpu), ..limits.clone() };
        let pass = on.pass()?;
        let run = Run { dir: &dir, request, limits, output, cancel, proxy: pass.as_ref().map(Pass::url) };
        match self.in_child(on, run, &lifelong, true).await? {
            Some((run, live)) => Ok((run, self.park(Kept { live, dir, pass }).await)),
            None => Ok((on.cancelled(), Err(dir))),
        }
    }

    /// Runs a further request in a child that was kept.
    ///
    /// # Errors
    /// As [`NativeRuntime::run`]; the child is then lost.
    pub async fn run_next(
        &self,
        kept: Kept,
        request: &[u8],
        limits: &Limits,
        output: &Output,
        cancel: &CancellationToken,
    ) -> Result<(NativeRun, Result<Kept, JobDir>), Error> {
        let on = self.on()?;
        let Kept { mut live, dir, pass } = kept;
        live.job.signal(Signal::CONT).await;
        if send(live.channel.as_mut(), request).await.is_err() {
            return Err(Error::Native("the session's process has died since its last call".to_owned()));
        }
        let run = Run { dir: &dir, request, limits, output, cancel, proxy: pass.as_ref().map(Pass::url) };
        match run.watch(&mut live).await? {
            Finish::Done { end, asked, usage, .. } => {
                let run = NativeRun { end, asked, usage, confined: on.walls.is_some() };
                Ok((run, self.park(Kept { live, dir, pass }).await))
            }
            Finish::ParentDied { .. } => {
                Err(Error::Native("the process that the session was forked from was killed".to_owned()))
            }
        }
    }

    /// Stops a child that lives on.
    async fn park(&self, kept: Kept) -> Result<Kept, JobDir> {
        if kept.live.job.has_ended() || kept.live.channel.is_none() {
            return Err(kept.dir);
        }
        kept.live.job.signal(Signal::STOP).await;
        Ok(kept)
    }
}

/// Sends a request: four bytes of length, then its text.
async fn send(channel: Option<&mut UnixStream>, request: &[u8]) -> io::Result<()> {
    let channel = channel.ok_or(io::ErrorKind::NotConnected)?;
    // Whatever the job itself wrote there answers nothing.
    let mut stale = [0; 64];
    while channel.try_read(&mut stale).is_ok_and(|read| read > 0) {}
    let length = u32::try_from(request.len()).map_err(io::Error::other)?;
    channel.write_all(&length.to_le_bytes()).await?;
    channel.write_all(request).await
}

/// The exit code of the request that the child of a session has just answered; `None` if it will answer none any more.
/// Cancel-safe. Of a child without a channel nothing ever comes.
pub(in crate::native) async fn done(channel: Option<&UnixStream>) -> Option<i32> {
    let Some(channel) = channel else { return pending().await };
    let mut code = [0; 4];
    loop {
        channel.readable().await.ok()?;
        match channel.try_read(&mut code) {
            // Four bytes are written at once, and so they arrive.
            Ok(4) => return Some(i32::from_le_bytes(code)),
            Ok(_) => return None,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return None,
        }
    }
}
