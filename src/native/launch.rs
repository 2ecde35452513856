//! The start of a job's process: its pipes, its order, and the word to the fork server.

use super::channel::Channel;
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

#[derive(Debug, Clone, Copy)]
pub(super) struct NativeRun<'a> {
    pub(super) dir: &'a JobDir,
    pub(super) order: &'a RunOrder<'a>,
    /// The address of the proxy with a credential, if the job has a network.
    pub(super) proxy: Option<&'a str>,
}

impl NativeRun<'_> {
    /// Has `server` fork a child, which stays for further requests if it is to be kept.
    /// `limits` hold for its whole life. `None` if the fork server died before.
    ///
    /// # Errors
    /// There are no descriptors or no memory to ask for it, or no way to hand them over.
    pub(super) async fn launch(
        &self,
        server: &Arc<ForkServer>,
        walls: Option<(OwnedFd, ChildWalls<'_>)>,
        limits: &Limits,
    ) -> Result<Option<Child>, Error> {
        // Our copies of the write ends go with the order, so that the end of the job is the end of
        // its streams.
        let (stdout, stdout_end) = pipe().map_err(failed("make its pipes"))?;
        let (stderr, stderr_end) = pipe().map_err(failed("make its pipes"))?;
        let (mut channel, theirs) = Channel::pair().map_err(failed("make its channel"))?;
        let footprint = size::measure(server.pid()).unwrap_or_default().memory;
        let keep = self.order.keep.is_some();
        let (ruleset, walls) = walls.unzip();
        let order = ChildOrder {
            data: self.dir.data(),
            tmp: self.dir.tmp(),
            keep,
            rlimits: &rlimits::of_job(limits, footprint),
            walls,
            proxy: self.proxy,
        };
        let order = order.file(&self.order.request).map_err(failed("write its order"))?;
        channel
            .order([stdout_end, stderr_end, order].into_iter().chain(ruleset).collect(), keep)?;
        let job = server.enlist();
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
            keep,
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

fn pipe() -> io::Result<(Receiver, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((Receiver::from_owned_fd(read)?, write))
}
