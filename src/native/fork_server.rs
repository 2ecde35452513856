//! One fork server: its process, its socket, and the jobs whose children it has.
//!
//! Its process is started and waited for by a thread of its own, because the death signal fires
//! when the *thread* that started a child ends. That thread is the only one that reaps it, so its
//! pid never means anyone else while we use it.

use super::control::{
    ChildSpec, ControlSocket, ForkCommand, ForkEvent, ForkMessage, JobId, PROTOCOL,
};
use super::error::{NativeError, failed};
use super::helper::{HelperConfig, SUBCOMMAND};
use crate::host::lock;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use std::collections::HashMap;
use std::io::{self, Read as _};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{sleep, timeout};

/// What the fork server writes to stderr before it is ready is the reason why native is off; this
/// much of it is kept.
const MAX_REASON: u64 = 4 << 10;
/// How long it may take to start.
const STARTING: Duration = Duration::from_mins(1);
/// How long a fork server that has hung up may take to end.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How long it may take to end its children and itself.
const ENDING: Duration = Duration::from_millis(500);
/// How often it is asked whether it is reaped.
const REAPING: Duration = Duration::from_millis(2);

/// What happens to one job, with the descriptor of [`ForkEvent::Begins`].
type JobEvent = (ForkEvent, Option<OwnedFd>);

/// A fork server that has done its imports.
#[derive(Debug)]
pub(super) struct ForkServer {
    control: ControlSocket,
    process: Arc<ServerProcess>,
    jobs: Mutex<Children>,
    gone: watch::Sender<bool>,
    /// The names that it was given to import beside its preload list.
    pub(super) learned: Vec<String>,
}

#[derive(Debug, Default)]
struct Children {
    last: JobId,
    running: HashMap<JobId, mpsc::UnboundedSender<JobEvent>>,
}

/// The operating system's process, and whether its pid still means it.
#[derive(Debug)]
struct ServerProcess {
    pid: Pid,
    reaped: Mutex<bool>,
}

impl ForkServer {
    /// Starts one and waits until its imports are done.
    ///
    /// # Errors
    /// Why it did not become ready, in its own words if it said any.
    pub(super) async fn start(
        program: PathBuf,
        config: &HelperConfig,
    ) -> Result<Arc<Self>, NativeError> {
        let (control, theirs) = ControlSocket::pair().map_err(failed("make the control socket"))?;
        let text = serde_json::to_string(config).map_err(failed("write the order"))?;
        let mut command = Command::new(program);
        command.arg(SUBCOMMAND).arg(text).env_clear();
        command.stdin(Stdio::from(theirs)).stdout(Stdio::null()).stderr(Stdio::piped());
        let (process, mut reason) = spawn_owned(command).await?;
        // Dropping it kills the process.
        let server = Arc::new(Self {
            control,
            process,
            jobs: Mutex::default(),
            gone: watch::Sender::new(false),
            learned: config.learned.clone(),
        });
        match timeout(STARTING, server.until_ready()).await {
            Ok(Some(PROTOCOL)) => {
                tokio::spawn(Arc::clone(&server).dispatch());
                Ok(server)
            }
            Ok(Some(theirs)) => Err(NativeError::Protocol {
                bootstrap: config.bootstrap.clone(),
                theirs,
                ours: PROTOCOL,
            }),
            Ok(None) => {
                // It hung up, so it is about to end. What it wrote last is the reason.
                let last_words = timeout(LAST_WORDS, &mut reason).await.ok().and_then(Result::ok);
                let why = last_words.unwrap_or_else(|| "it did not say why".into());
                Err(NativeError::EndedEarly(why))
            }
            Err(_) => Err(NativeError::NotReady(STARTING.as_secs())),
        }
    }

    /// The id of its process, for looking at its size.
    pub(super) fn pid(&self) -> i32 {
        self.process.pid.as_raw_nonzero().get()
    }

    pub(super) fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }

    /// Returns once it has died.
    pub(super) async fn until_gone(&self) {
        // The sender lives in `self`, so this cannot fail before the value is there.
        let _ = self.gone.subscribe().wait_for(|gone| *gone).await;
    }

    pub(super) fn running(&self) -> usize {
        lock(&self.jobs).running.len()
    }

    /// A number for a job, and the queue of its events. Ends with the returned value.
    pub(super) fn enlist(self: &Arc<Self>) -> Enlisted {
        let (sender, events) = mpsc::unbounded_channel();
        let jobs = &mut *lock(&self.jobs);
        jobs.last += 1;
        if !self.is_gone() {
            jobs.running.insert(jobs.last, sender);
        }
        Enlisted { server: Arc::clone(self), job: jobs.last, events, ended: false }
    }

    /// Kills it, and by their death signals all of its children.
    pub(super) fn kill(&self) {
        let reaped = lock(&self.process.reaped);
        if !*reaped {
            // A process that is ending already is as good as killed.
            let _ = kill_process(self.process.pid, Signal::KILL);
        }
    }

    /// Lets it end its children and itself, and kills it if that takes too long. Returns once it is
    /// reaped: in a container, pid 1 may not reap what we leave.
    pub(super) async fn end(&self) {
        self.control.hang_up();
        if timeout(ENDING, self.until_reaped()).await.is_err() {
            self.kill();
            let _ = timeout(ENDING, self.until_reaped()).await;
        }
    }

    async fn until_reaped(&self) {
        while !*lock(&self.process.reaped) {
            sleep(REAPING).await;
        }
    }

    /// The version that it speaks, once it is ready; `None` if it hangs up before.
    async fn until_ready(&self) -> Option<u32> {
        loop {
            match self.control.receive().await.ok()??.0.event {
                ForkEvent::Ready { protocol } => return Some(protocol),
                ForkEvent::Missing { why } => {
                    tracing::warn!("the fork server could not import a module in advance: {why}");
                }
                _ => {}
            }
        }
    }

    async fn dispatch(self: Arc<Self>) {
        loop {
            match self.control.receive().await {
                Ok(Some((ForkMessage { job, event }, listener))) => {
                    let jobs = lock(&self.jobs);
                    if let Some(sender) = job.and_then(|job| jobs.running.get(&job)) {
                        let _ = sender.send((event, listener));
                    }
                }
                Ok(None) => break,
                Err(e) => {
                    tracing::error!("failed to read from the fork server: {e}");
                    break;
                }
            }
        }
        // It may be alive with a broken socket: no job could be ended any more.
        self.kill();
        let mut jobs = lock(&self.jobs);
        self.gone.send_replace(true);
        jobs.running.clear();
    }
}

impl Drop for ForkServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A job that has a number with a fork server.
#[derive(Debug)]
pub(super) struct Enlisted {
    server: Arc<ForkServer>,
    job: JobId,
    events: mpsc::UnboundedReceiver<JobEvent>,
    ended: bool,
}

impl Enlisted {
    pub(super) fn id(&self) -> JobId {
        self.job
    }

    /// How many jobs the same fork server runs.
    pub(super) fn crowd(&self) -> u32 {
        u32::try_from(self.server.running()).unwrap_or(u32::MAX)
    }

    /// Asks for the child. Fails if the fork server is gone.
    pub(super) async fn launch(
        &self,
        spec: ChildSpec<'_>,
        fds: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        self.server.control.send(&ForkCommand::Run(spec), fds).await
    }

    /// The next event; `None` if the fork server died, and the kernel killed the job with it.
    /// Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<JobEvent> {
        let event = self.events.recv().await;
        let goes_on =
            matches!(event, Some((ForkEvent::Started { .. } | ForkEvent::Begins { .. }, _)));
        self.ended |= !goes_on;
        event
    }

    /// Whether the child, or its fork server, has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns once the child has ended.
    pub(super) async fn until_over(&mut self) {
        while !self.ended {
            self.next().await;
        }
    }

    /// Sends a signal to the child, if it has not ended.
    pub(super) async fn signal(&self, signal: Signal) {
        let command = ForkCommand::Signal { job: self.job, signal: signal.as_raw() };
        // If the socket is broken, the fork server is dying, and the child with it.
        let _ = self.server.control.send(&command, &[]).await;
    }

    /// The last resort, when the fork server does not answer: ends it with all its children.
    pub(super) fn kill_server(&self) {
        self.server.kill();
    }
}

impl Drop for Enlisted {
    /// A job whose future was dropped must not live on. One that has ended is unknown to the fork
    /// server.
    fn drop(&mut self) {
        if !self.ended {
            let command = ForkCommand::Signal { job: self.job, signal: Signal::KILL.as_raw() };
            self.server.control.send_now(&command);
        }
        lock(&self.server.jobs).running.remove(&self.job);
    }
}

/// Starts `command` in a thread that lives as long as the process does. Also returns what the
/// process wrote to stderr, complete once it has ended.
async fn spawn_owned(
    command: Command,
) -> Result<(Arc<ServerProcess>, oneshot::Receiver<String>), NativeError> {
    let (started, start) = oneshot::channel();
    let (ended, reason) = oneshot::channel();
    thread::Builder::new()
        .name("fork-server".to_owned())
        .spawn(move || own(command, started, ended))
        .map_err(failed("start a thread"))?;
    let process = start.await.map_err(|_| NativeError::OwnerGone)??;
    Ok((process, reason))
}

fn own(
    mut command: Command,
    started: oneshot::Sender<Result<Arc<ServerProcess>, NativeError>>,
    ended: oneshot::Sender<String>,
) {
    let spawned = command.spawn().map_err(failed("start the native helper"));
    // Our copies of the child's descriptors, its end of the control socket among them.
    drop(command);
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            let _ = started.send(Err(error));
            return;
        }
    };
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
    let process = Arc::new(ServerProcess { pid, reaped: Mutex::new(false) });
    // If nobody waits for the answer, the starter was cancelled.
    if started.send(Ok(Arc::clone(&process))).is_err() {
        let _ = child.kill();
    }
    let said = child.stderr.take().map(listen).unwrap_or_default();
    let status = reap(&mut child, &process);
    let _ = ended.send(if said.is_empty() { status } else { said });
}

/// Reads the fork server's stderr until it ends, logs it, and keeps the beginning.
fn listen(mut stderr: ChildStderr) -> String {
    let mut kept = Vec::new();
    let _ = stderr.by_ref().take(MAX_REASON).read_to_end(&mut kept);
    let _ = io::copy(&mut stderr, &mut io::sink());
    let text = String::from_utf8_lossy(&kept).trim().to_owned();
    if !text.is_empty() {
        tracing::warn!("the fork server says: {text}");
    }
    text
}

/// Waits without reaping first, so that [`ForkServer::kill`] can never hit a pid that was given to
/// someone else. Returns how it ended, in words.
fn reap(child: &mut Child, process: &ServerProcess) -> String {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(Errno::INTR) = waitid(WaitId::Pid(process.pid), options) {}
    let mut reaped = lock(&process.reaped);
    *reaped = true;
    child.wait().map_or_else(|e| e.to_string(), |status| status.to_string())
}
