//! The start of a job's process: its pipes, its request, and the order to the fork server.

use super::control::{ChildSpec, ChildWalls};
use super::error::{NativeError, failed};
use super::fork_server::{Enlisted, ForkServer};
use super::job_dir::JobDir;
use super::policy::rlimits;
use super::size::{self, Memory};
use super::sockets::Sockets;
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
    /// There are no descriptors or no memory to ask for it.
    pub(super) async fn launch(
        &self,
        server: &Arc<ForkServer>,
        walls: Option<(OwnedFd, ChildWalls<'_>)>,
        limits: &Limits,
    ) -> Result<Option<Child>, NativeError> {
        // Our copies of the write ends go with this scope, so that the end of the job is the end of
        // its streams.
        let (stdout, stdout_end) = pipe().map_err(failed("make its pipes"))?;
        let (stderr, stderr_end) = pipe().map_err(failed("make its pipes"))?;
        let request = request_file(&self.order.request).map_err(failed("pass it on"))?;
        let keep = self.order.keep.is_some();
        let channel = keep.then(channel).transpose().map_err(failed("make its channel"))?;
        let footprint = size::measure(server.pid()).unwrap_or_default().memory;
        let rlimits = &rlimits::of_job(limits, footprint);
        let job = server.enlist();
        let (channel, theirs) = channel.unzip();
        let (ruleset, walls) = walls.unzip();
        let mut fds = vec![stdout_end.as_fd(), stderr_end.as_fd(), request.as_fd()];
        fds.extend(theirs.iter().chain(&ruleset).map(OwnedFd::as_fd));
        let (data, tmp) = (self.dir.data(), self.dir.tmp());
        let spec = ChildSpec { job: job.id(), data, tmp, keep, rlimits, walls, proxy: self.proxy };
        if job.launch(spec, &fds).await.is_err() {
            return Ok(None);
        }
        Ok(Some(Child {
            job,
            stdout,
            stderr,
            open: (true, true),
            pid: None,
            begun: None,
            shared: footprint,
            channel,
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
    /// Where the child of a session takes its requests and says when each is done.
    pub(super) channel: Option<UnixStream>,
    /// Makes its sockets, if it has a network.
    pub(super) sockets: Option<Sockets>,
}

fn pipe() -> io::Result<(Receiver, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((Receiver::from_owned_fd(read)?, write))
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

/// The server's end of a channel, and the child's.
fn channel() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((UnixStream::from_std(ours)?, theirs.into()))
}
