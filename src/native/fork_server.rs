//! One fork server: its socket, and the jobs whose children it has.
//!
//! It knows children by their pids and nothing else; which job is whose stands in `children`.

use super::children::{Children, Enlistment, JobEvent, JobId};
use super::control::{ControlSocket, ForkCommand, ForkEvent, PROTOCOL};
use super::error::{NativeError, failed};
use super::fork_server_process::{ServerProcess, spawn_owned};
use super::helper::{HelperConfig, SUBCOMMAND};
use super::packets::may_pass;
use crate::host::lock;
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

/// How long it may take to start.
const STARTING: Duration = Duration::from_mins(1);
/// How long a fork server that has hung up may take to end.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How long it may take to end its children and itself.
const ENDING: Duration = Duration::from_millis(500);
/// How often it is asked whether it is reaped.
const REAPING: Duration = Duration::from_millis(2);
/// How long a command is tried that cannot be sent at the moment.
const HAND_OVER: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_millis(10);
/// A fork server whose socket is open is given up only when it has not answered for this long: on a
/// machine that is overloaded a fork takes seconds.
const SILENCE: Duration = Duration::from_mins(1);

/// A fork server that has done its imports.
#[derive(Debug)]
pub(super) struct ForkServer {
    control: ControlSocket,
    process: Arc<ServerProcess>,
    jobs: Mutex<Children>,
    gone: watch::Sender<bool>,
    /// What it has imported of the names that it was given beside its preload list.
    pub(super) learned: Vec<String>,
    /// What jobs may import and it has not.
    pub(super) learnable: BTreeSet<String>,
}

impl ForkServer {
    /// Starts one and waits until its imports are done.
    ///
    /// # Errors
    /// Why it did not become ready, in its own words if it said any; the learned module to which it
    /// ended, if that is so.
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
        let mut server = Self {
            control,
            process,
            jobs: Mutex::default(),
            gone: watch::Sender::new(false),
            learned: config.learned.clone(),
            learnable: BTreeSet::new(),
        };
        let mut tried = None;
        let why = match timeout(STARTING, server.until_ready(&mut tried)).await {
            Ok(Some(PROTOCOL)) => {
                let server = Arc::new(server);
                tokio::spawn(Arc::clone(&server).dispatch());
                return Ok(server);
            }
            Ok(Some(theirs)) => {
                let bootstrap = config.bootstrap.clone();
                return Err(NativeError::Protocol { bootstrap, theirs, ours: PROTOCOL });
            }
            Ok(None) => {
                // It hung up, so it is about to end. What it wrote last is the reason.
                let last_words = timeout(LAST_WORDS, &mut reason).await.ok().and_then(Result::ok);
                let why = last_words.unwrap_or_else(|| "it did not say why".into());
                NativeError::EndedEarly(why)
            }
            Err(_) => NativeError::NotReady(STARTING.as_secs()),
        };
        Err(match tried {
            Some(name) => NativeError::Learning { name, source: why.into() },
            None => why,
        })
    }

    /// The id of its process, for looking at its size.
    pub(super) fn pid(&self) -> i32 {
        self.process.pid()
    }

    pub(super) fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }

    /// Returns once it has died.
    pub(super) async fn until_gone(&self) {
        // The sender lives in `self`, so this cannot fail before the value is there.
        let _ = self.gone.subscribe().wait_for(|gone| *gone).await;
    }

    /// Jobs; children that wait for one do not count.
    pub(super) fn running(&self) -> usize {
        lock(&self.jobs).running.values().filter(|job| !job.is_spare).count()
    }

    /// Whether it has left a request without an answer for longer than any load explains.
    pub(super) fn is_silent(&self) -> bool {
        lock(&self.jobs).asked.front().is_some_and(|(_, since)| since.elapsed() > SILENCE)
    }

    /// A place for a job, and the queue of its events. Ends with the returned value.
    pub(super) fn enlist(self: &Arc<Self>, is_spare: bool) -> Enlisted {
        let (sender, events) = mpsc::unbounded_channel();
        let jobs = &mut *lock(&self.jobs);
        jobs.last += 1;
        if !self.is_gone() {
            let running = Enlistment { events: sender, pid: None, owed: None, is_spare };
            jobs.running.insert(jobs.last, running);
        }
        Enlisted { server: Arc::clone(self), job: jobs.last, events, ended: false }
    }

    /// Kills it, and by their death signals all of its children.
    pub(super) fn kill(&self) {
        self.process.kill();
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
        while !self.process.is_reaped() {
            sleep(REAPING).await;
        }
    }

    /// The version that it speaks, once it is ready; `None` if it hangs up before. `tried` is the
    /// learned module that it is importing.
    async fn until_ready(&mut self, tried: &mut Option<String>) -> Option<i32> {
        loop {
            match self.control.receive().await? {
                ForkEvent::Ready { protocol } => return Some(protocol),
                ForkEvent::Missing { why } => {
                    tracing::warn!("the fork server could not import a module in advance: {why}");
                }
                ForkEvent::Trying { name } => *tried = Some(name),
                ForkEvent::Failed { name } => self.learned.retain(|learned| *learned != name),
                ForkEvent::Learnable { names } => {
                    *tried = None;
                    self.learnable = names.split(' ').map(str::to_owned).collect();
                }
                ForkEvent::Forked { .. }
                | ForkEvent::NotForked { .. }
                | ForkEvent::Ended { .. } => {}
            }
        }
    }

    async fn dispatch(self: Arc<Self>) {
        loop {
            let waits = !lock(&self.jobs).unsent.is_empty();
            tokio::select! {
                event = self.control.receive() => match event {
                    Some(event) => lock(&self.jobs).take(&event, &self.control),
                    None => break,
                },
                () = sleep(RETRY), if waits => lock(&self.jobs).send_on(&self.control),
            }
        }
        // It may be alive with a broken socket: no job could be ended any more.
        self.give_up();
    }

    /// Ends it with all of its children, and takes no more jobs.
    pub(super) fn give_up(&self) {
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

/// A job that has a place with a fork server.
#[derive(Debug)]
pub(super) struct Enlisted {
    server: Arc<ForkServer>,
    job: JobId,
    events: mpsc::UnboundedReceiver<JobEvent>,
    ended: bool,
}

impl Enlisted {
    /// How many jobs the same fork server runs.
    pub(super) fn crowd(&self) -> u32 {
        u32::try_from(self.server.running()).unwrap_or(u32::MAX)
    }

    /// Whether its child is one of `server`.
    pub(super) fn is_of(&self, server: &Arc<ForkServer>) -> bool {
        Arc::ptr_eq(&self.server, server)
    }

    /// Its child gets a job.
    pub(super) fn employ(&self) {
        if let Some(job) = lock(&self.server.jobs).running.get_mut(&self.job) {
            job.is_spare = false;
        }
    }

    /// Asks for the child, which is to get `channel`. Fails if the fork server is gone, or if there
    /// is no way to reach it for [`HAND_OVER`].
    pub(super) async fn launch(&self, channel: &OwnedFd) -> io::Result<()> {
        let begun = Instant::now();
        loop {
            match self.ask(channel) {
                Err(error) if may_pass(&error) && begun.elapsed() < HAND_OVER => {
                    sleep(RETRY).await;
                }
                other => return other,
            }
        }
    }

    fn ask(&self, channel: &OwnedFd) -> io::Result<()> {
        // Under one lock, because the answers come in the order of the packets.
        let mut jobs = lock(&self.server.jobs);
        self.server.control.send(ForkCommand::Fork, Some(channel.as_fd()))?;
        jobs.asked.push_back((self.job, Instant::now()));
        Ok(())
    }

    /// The next event; `None` if the fork server died, and the kernel killed the job with it.
    /// Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<JobEvent> {
        let event = self.events.recv().await;
        self.ended |= !matches!(event, Some(JobEvent::Started { .. }));
        event
    }

    /// An event that has come already. The death of a fork server is one: the job has ended.
    pub(super) fn heard(&mut self) -> Option<JobEvent> {
        match self.events.try_recv() {
            Err(TryRecvError::Empty) => None,
            event => {
                self.ended |= !matches!(event, Ok(JobEvent::Started { .. }));
                event.ok()
            }
        }
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

    /// Sends a signal to the child, if it has not ended; as soon as there is one, and the socket
    /// takes it.
    pub(super) fn signal(&self, signal: Signal) {
        let jobs = &mut *lock(&self.server.jobs);
        match jobs.running.get_mut(&self.job) {
            Some(Enlistment { pid: Some(pid), .. }) => {
                let pid = *pid;
                jobs.signal(pid, signal, &self.server.control);
            }
            Some(job) if !self.ended => job.owed = Some(signal),
            _ => {}
        }
    }
}

impl Drop for Enlisted {
    /// A job whose future was dropped must not live on; a child that is still to come is killed
    /// when it does.
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        lock(&self.server.jobs).running.remove(&self.job);
    }
}
