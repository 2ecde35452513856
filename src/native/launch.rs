//! The start of a job's process: its pipes, its order, and the word to the fork server.

use super::channel::Channel;
use super::children::JobEvent;
use super::error::{NativeError, failed};
use super::fork_server::{Enlisted, ForkServer};
use super::job_dir::JobDir;
use super::order::{ChildOrder, ChildWalls};
use super::packets::is_gone;
use super::policy::rlimits;
use super::size::{self, Memory};
use super::sockets::Sockets;
use crate::error::Error;
use crate::job::Limits;
use crate::output::RunOrder;
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::net::unix::pipe::Receiver;

/// One request, and the directories of the process that runs it.
#[derive(Debug, Clone, Copy)]
pub(super) struct NativeRun<'a> {
    pub(super) dir: &'a JobDir,
    pub(super) order: &'a RunOrder<'a>,
}

/// What a child is forked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Launch<'a> {
    pub(super) dir: &'a JobDir,
    /// They hold for its whole life.
    pub(super) limits: &'a Limits,
    /// Whether it stays for further requests.
    pub(super) keep: bool,
    /// Whether it waits for a job that may never come.
    pub(super) is_spare: bool,
}

impl Launch<'_> {
    /// Has `server` fork a child, which becomes a job's process and waits for its request. `proxy`
    /// is the address of the proxy with a credential, if the job has a network. `None` if the fork
    /// server died before.
    ///
    /// # Errors
    /// There are no descriptors or no memory to ask for it, or no way to hand them over.
    pub(super) async fn launch(
        &self,
        server: &Arc<ForkServer>,
        proxy: Option<&str>,
        walls: Option<(OwnedFd, ChildWalls<'_>)>,
    ) -> Result<Option<Child>, Error> {
        // Our copies of the write ends go with the order, so that the end of the job is the end of
        // its streams.
        let (stdout, stdout_end) = pipe().map_err(failed("make its pipes"))?;
        let (stderr, stderr_end) = pipe().map_err(failed("make its pipes"))?;
        let (mut channel, theirs) = Channel::pair().map_err(failed("make its channel"))?;
        let footprint = size::measure(server.pid()).unwrap_or_default().memory;
        let (ruleset, walls) = walls.unzip();
        let order = ChildOrder {
            data: self.dir.data(),
            tmp: self.dir.tmp(),
            keep: self.keep,
            rlimits: &rlimits::of_job(self.limits, footprint),
            walls,
            proxy,
        };
        let order = order.file().map_err(failed("write its order"))?;
        channel.order([stdout_end, stderr_end, order].into_iter().chain(ruleset).collect());
        let job = server.enlist(self.is_spare);
        match job.launch(&theirs).await {
            Ok(()) => {}
            Err(error) if is_gone(&error) => return Ok(None),
            Err(error) => return Err(NativeError::NotHandedOver(error).into()),
        }
        Ok(Some(Child {
            job,
            stdout,
            stderr,
            open: (true, true),
            pid: None,
            begun: None,
            shared: footprint,
            keep: self.keep,
            channel: Some(channel),
            sockets: None,
        }))
    }
}

/// A child that was asked for, with the server's ends of its streams.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) job: Enlisted,
    pub(super) stdout: Receiver,
    pub(super) stderr: Receiver,
    /// Whether there may be more of each stream.
    pub(super) open: (bool, bool),
    pub(super) pid: Option<i32>,
    /// When it began, by its own clock: events can wait here when the machine is busy.
    pub(super) begun: Option<u64>,
    /// What it has from the fork server.
    pub(super) shared: Memory,
    /// Whether it stays for further requests.
    pub(super) keep: bool,
    /// Where it gets its requests and says how far it has come; `None` once either has closed it.
    pub(super) channel: Option<Channel>,
    /// Makes its sockets, if it has a network.
    pub(super) sockets: Option<Sockets>,
}

impl Child {
    /// Gives it a request, which goes out while it is watched.
    ///
    /// # Errors
    /// It takes none any more.
    pub(super) fn ask(&mut self, request: &[u8]) -> Result<(), Error> {
        let channel = self.channel.as_mut().ok_or(NativeError::SessionDied)?;
        channel.ask(request, self.keep)
    }

    /// Takes note of what became of it since it was asked for; whether it lives.
    pub(super) fn is_alive(&mut self) -> bool {
        while let Some(event) = self.job.heard() {
            match event {
                JobEvent::Started { pid } => self.pid = Some(pid),
                JobEvent::NotStarted { .. } | JobEvent::Ended(_) => return false,
            }
        }
        !self.job.has_ended()
    }
}

fn pipe() -> io::Result<(Receiver, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((Receiver::from_owned_fd(read)?, write))
}
