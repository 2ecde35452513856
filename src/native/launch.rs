//! The start of a job's process: its pipes, its request, and the order to the warm parent.

use super::control::{Launch, LaunchWalls};
use super::job_dir::JobDir;
use super::policy::rlimits;
use super::sockets::Sockets;
use super::warm::{Enlisted, Warm};
use super::watch;
use crate::error::Error;
use crate::limits::Limits;
use crate::output::Output;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::Arc;
use tokio::net::UnixStream;
use tokio::net::unix::pipe::Receiver;
use tokio_util::sync::CancellationToken;

/// What one run needs.
#[derive(Debug, Clone, Copy)]
pub(in crate::native) struct Run<'a> {
    pub(in crate::native) dir: &'a JobDir,
    pub(in crate::native) request: &'a [u8],
    pub(in crate::native) limits: &'a Limits,
    pub(in crate::native) output: &'a Output,
    pub(in crate::native) cancel: &'a CancellationToken,
    /// The address of the proxy with a credential, if the job has a network.
    pub(in crate::native) proxy: Option<&'a str>,
}

/// The walls of one run.
#[derive(Debug)]
pub(in crate::native) struct Walls<'a> {
    pub(in crate::native) ruleset: OwnedFd,
    pub(in crate::native) launch: LaunchWalls<'a>,
}

impl Run<'_> {
    /// Has a child of `warm` started, which stays for further requests if it is to be kept. `limits` hold for its
    /// whole life. `None` if the parent died before.
    ///
    /// # Errors
    /// It could not even be asked for, for want of descriptors or memory.
    pub(in crate::native) async fn launch(
        &self,
        warm: &Arc<Warm>,
        walls: Option<Walls<'_>>,
        limits: &Limits,
        keep: bool,
    ) -> Result<Option<Live>, Error> {
        let pipes = Pipes::new().map_err(|e| Error::Native(format!("failed to make its pipes: {e}")))?;
        let request = request_file(self.request).map_err(|e| Error::Native(format!("failed to pass it on: {e}")))?;
        let channel = keep.then(channel).transpose();
        let channel = channel.map_err(|e| Error::Native(format!("failed to make its channel: {e}")))?;
        let parent = watch::footprint(warm.pid());
        let rlimits = rlimits::of_job(limits, parent);
        let job = warm.enlist();
        let (ours, theirs) = channel.unzip();
        let (ruleset, walls) = walls.map(|walls| (walls.ruleset, walls.launch)).unzip();
        let mut fds = vec![pipes.stdout.1.as_fd(), pipes.stderr.1.as_fd(), request.as_fd()];
        fds.extend(theirs.iter().chain(&ruleset).map(OwnedFd::as_fd));
        let (data, tmp) = (self.dir.data(), self.dir.tmp());
        let launch = Launch { job: job.id(), data, tmp, keep, rlimits: &rlimits, walls, proxy: self.proxy };
        if job.launch(launch, &fds).await.is_err() {
            return Ok(None);
        }
        // Our copies of the write ends go with this scope, so that the end of the job is the end of its streams.
        let streams = Streams { stdout: pipes.stdout.0, stderr: pipes.stderr.0, open: (true, true) };
        Ok(Some(Live { job, streams, pid: None, begun: None, shared: parent.resident, channel: ours, sockets: None }))
    }
}

/// A child that was asked for, with the server's ends of its streams.
#[derive(Debug)]
pub(in crate::native) struct Live {
    pub(in crate::native) job: Enlisted,
    pub(in crate::native) streams: Streams,
    pub(in crate::native) pid: Option<i32>,
    /// When it began, by its own clock: events can wait here when the machine is busy.
    pub(in crate::native) begun: Option<u64>,
    /// Resident bytes that it shares with its parent, most likely.
    pub(in crate::native) shared: u64,
    /// Where the child of a session takes its requests and says when each is done.
    pub(in crate::native) channel: Option<UnixStream>,
    /// Makes its sockets, if it has a network.
    pub(in crate::native) sockets: Option<Sockets>,
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
    let mut file = File::from(memfd_create("request", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?);
    file.write_all(request)?;
    file.rewind()?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK)?;
    Ok(file.into())
}

/// The server's ends of a child's output.
#[derive(Debug)]
pub(in crate::native) struct Streams {
    pub(in crate::native) stdout: Receiver,
    pub(in crate::native) stderr: Receiver,
    /// Whether there may be more of each.
    pub(in crate::native) open: (bool, bool),
}

/// The server's end of a channel, and the child's.
fn channel() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((UnixStream::from_std(ours)?, theirs.into()))
}
