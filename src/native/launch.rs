//! The start of a job's process: its pipes, its request, and the order to the fork server.

use super::control::{Launch, LaunchWalls};
use super::fork_server::{Enlisted, ForkServer};
use super::job_dir::JobDir;
use super::policy::rlimits;
use super::sockets::Sockets;
use super::watch;
use crate::error::Error;
use crate::job::Limits;
use crate::output::RunOrder;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::Arc;
use tokio::net::UnixStream;
use tokio::net::unix::pipe::Receiver;

/// One request in a child.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) dir: &'a JobDir,
    pub(super) order: &'a RunOrder<'a>,
    /// The address of the proxy with a credential, if the job has a network.
    pub(super) proxy: Option<&'a str>,
}

/// The walls of one run.
#[derive(Debug)]
pub(super) struct Walls<'a> {
    pub(super) ruleset: OwnedFd,
    pub(super) launch: LaunchWalls<'a>,
}

impl Run<'_> {
    /// Has a child of `warm` started, which stays for further requests if it is to be kept.
    /// `limits` hold for its whole life. `None` if the parent died before.
    ///
    /// # Errors
    /// It could not even be asked for, for want of descriptors or memory.
    pub(super) async fn launch(
        &self,
        warm: &Arc<ForkServer>,
        walls: Option<Walls<'_>>,
        limits: &Limits,
    ) -> Result<Option<Child>, Error> {
        let pipes =
            Pipes::new().map_err(|e| Error::Native(format!("failed to make its pipes: {e}")))?;
        let request = request_file(&self.order.request)
            .map_err(|e| Error::Native(format!("failed to pass it on: {e}")))?;
        let keep = self.order.keep.is_some();
        let channel = keep.then(channel).transpose();
        let channel =
            channel.map_err(|e| Error::Native(format!("failed to make its channel: {e}")))?;
        let parent = watch::footprint(warm.pid());
        let rlimits = rlimits::of_job(limits, parent);
        let job = warm.enlist();
        let (ours, theirs) = channel.unzip();
        let (ruleset, walls) = walls.map(|walls| (walls.ruleset, walls.launch)).unzip();
        let mut fds = vec![pipes.stdout.1.as_fd(), pipes.stderr.1.as_fd(), request.as_fd()];
        fds.extend(theirs.iter().chain(&ruleset).map(OwnedFd::as_fd));
        let (data, tmp) = (self.dir.data(), self.dir.tmp());
        let launch =
            Launch { job: job.id(), data, tmp, keep, rlimits: &rlimits, walls, proxy: self.proxy };
        if job.launch(launch, &fds).await.is_err() {
            return Ok(None);
        }
        // Our copies of the write ends go with this scope, so that the end of the job is the end of
        // its streams.
        let streams =
            Streams { stdout: pipes.stdout.0, stderr: pipes.stderr.0, open: (true, true) };
        Ok(Some(Child {
            job,
            streams,
            pid: None,
            begun: None,
            shared: parent.resident,
            channel: ours,
            sockets: None,
        }))
    }
}

/// A child that was asked for, with the server's ends of its streams.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) job: Enlisted,
    pub(super) streams: Streams,
    pub(super) pid: Option<i32>,
    /// When it began, by its own clock: events can wait here when the machine is busy.
    pub(super) begun: Option<u64>,
    /// Resident bytes that it shares with its parent, most likely.
    pub(super) shared: u64,
    /// Where the child of a session takes its requests and says when each is done.
    pub(super) channel: Option<UnixStream>,
    /// Makes its sockets, if it has a network.
    pub(super) sockets: Option<Sockets>,
}

struct Pipes {
    stdout: (Receiver, OwnedFd),
    stderr: (Receiver, OwnedFd),
}

impl Pipes {
    fn new() -> io::Result<Self> {
        let pipe = || {
            let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
            io::Result::Ok((Receiver::from_owned_fd(read)?, write))
        };
        Ok(Self { stdout: pipe()?, stderr: pipe()? })
    }
}

/// The request in memory, readable from its start and not changeable.
fn request_file(request: &[u8]) -> io::Result<OwnedFd> {
    let mut file =
        File::from(memfd_create("request", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?);
    file.write_all(request)?;
    file.rewind()?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK)?;
    Ok(file.into())
}

/// The server's ends of a child's output.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) stdout: Receiver,
    pub(super) stderr: Receiver,
    /// Whether there may be more of each.
    pub(super) open: (bool, bool),
}

/// The server's end of a channel, and the child's.
fn channel() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((UnixStream::from_std(ours)?, theirs.into()))
}
