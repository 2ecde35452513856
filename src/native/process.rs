//! One job's process, from its launch to its end: streams, limits, deadline, cancellation.
//!
//! The end is set *before* a signal is sent, so a death that we caused is never taken for a crash.
//! The process is over when the fork server has reaped it; what is then in the pipes is read
//! without waiting, so a stranger that holds one open cannot hold us.

use super::control::Ended;
use super::death::classify;
use super::fork_server::JobEvent;
use super::interpreter::answered;
use super::launch::{Child, Run};
use super::sockets::Sockets;
use super::watch::{self, Size};
use crate::error::Error;
use crate::job::{LimitHit, LimitKind, RunEnd, Usage, milliseconds};
use crate::output::RunOrder;
use rustix::io::read as read_now;
use rustix::process::Signal;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::time::sleep_until;

/// How often a job's size is looked at. Between two looks a job can take what the machine gives in
/// that time.
const LOOK: Duration = Duration::from_millis(20);
/// With more jobs than this at once, each is looked at less often, so that looking takes the same
/// part of the time.
const CROWD: u32 = 8;
/// Looking at a directory tree may take this part of the time.
const TREE_SHARE: u32 = 20;
/// Setting up a process takes milliseconds, except on a machine that has no time for anything.
const START_PATIENCE: Duration = Duration::from_secs(20);
/// A killed process that is not reaped in this time has a parent that does not work.
const KILL_PATIENCE: Duration = Duration::from_secs(2);
/// One read from a pipe.
const CHUNK: usize = 64 << 10;

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Finish {
    /// It has a result.
    Done {
        /// How it ended.
        end: RunEnd,
        /// The limit for which it was asked to unwind.
        asked: Option<LimitHit>,
        /// What it used.
        usage: Usage,
        /// Modules that its code names and that its parent had not imported.
        imports: Vec<String>,
    },
    /// The fork server died.
    ParentDied {
        /// Whether a line of the job may have run.
        begun: bool,
    },
}

impl Run<'_> {
    /// Watches the request from here to its end.
    ///
    /// # Errors
    /// The child refused, because its walls do not stand, or was not ready in time; no line of the
    /// job has run.
    pub(super) async fn watch(self, child: &mut Child) -> Result<Finish, Error> {
        let cpu_before = child.pid.and_then(watch::size).map_or(Duration::ZERO, |size| size.cpu);
        let started = Instant::now();
        let resumed = child.begun.is_some();
        let (stage, deadline) = if resumed {
            (Stage::Running, started + self.order.limits.wall)
        } else {
            (Stage::Starting, started + START_PATIENCE)
        };
        let watched = Watched {
            run: self,
            child,
            started,
            resumed,
            stage,
            deadline,
            next_look: started,
            next_tree: started,
            asked: None,
            forced_end: None,
            peak: 0,
            cpu_before,
            imports: Vec::new(),
        };
        watched.until_over().await
    }
}

/// A request under watch.
struct Watched<'a> {
    run: Run<'a>,
    child: &'a mut Child,
    started: Instant,
    /// Whether the child has run earlier requests.
    resumed: bool,
    stage: Stage,
    /// That of the present stage.
    deadline: Instant,
    next_look: Instant,
    /// When its directories may be looked at again.
    next_tree: Instant,
    asked: Option<LimitHit>,
    forced_end: Option<RunEnd>,
    peak: u64,
    /// CPU time that earlier requests of the same child took.
    cpu_before: Duration,
    imports: Vec<String>,
}

impl Watched<'_> {
    async fn until_over(mut self) -> Result<Finish, Error> {
        let order = self.run.order;
        let (mut stdout, mut stderr) = (vec![0; CHUNK], vec![0; CHUNK]);
        loop {
            let has_process = self.child.pid.is_some() && self.stage != Stage::Killed;
            tokio::select! {
                event = self.child.job.next() => match event {
                    JobEvent::Started(pid) => self.child.pid = Some(pid),
                    JobEvent::Begins { imports, at, listener } => {
                        self.begins(imports, at, listener)?;
                    }
                    JobEvent::Refused(why) => return Err(Error::Native(why)),
                    JobEvent::Ended(ended) => return Ok(self.finish(ended)),
                    JobEvent::ParentDied => return Ok(self.parent_died()),
                },
                code = answered(self.child.channel.as_ref()) => match code {
                    Some(code) => return Ok(self.request_done(code)),
                    // It ends, or the job closed the channel: then no further request reaches it.
                    None => self.child.channel = None,
                },
                () = order.cancel.cancelled(), if self.stage.is_wanted() => self.withdraw().await,
                () = sleep_until(self.deadline.into()) => self.strike().await?,
                read = read(&mut self.child.streams.stdout, &mut stdout),
                    if self.child.streams.open.0 =>
                {
                    self.child.streams.open.0 = read > 0;
                    if let Err(hit) = order.output.stdout(&stdout[..read]) {
                        self.kill(RunEnd::Limit(hit)).await;
                    }
                }
                read = read(&mut self.child.streams.stderr, &mut stderr),
                    if self.child.streams.open.1 =>
                {
                    self.child.streams.open.1 = read > 0;
                    if let Err(hit) = order.output.stderr(&stderr[..read]) {
                        self.kill(RunEnd::Limit(hit)).await;
                    }
                }
                () = sleep_until(self.next_look.into()), if has_process => {
                    let crowd = self.child.job.crowd().div_ceil(CROWD).max(1);
                    self.next_look = Instant::now() + LOOK * crowd;
                    if let Some(hit) = self.look() {
                        self.kill(RunEnd::Limit(hit)).await;
                    }
                }
            }
        }
    }

    /// The child's walls stand, and its code begins to run.
    fn begins(
        &mut self,
        imports: Vec<String>,
        at: u64,
        listener: Option<OwnedFd>,
    ) -> Result<(), Error> {
        let sockets = listener.map(Sockets::serve).transpose();
        self.child.sockets =
            sockets.map_err(|e| Error::Native(format!("no sockets for it: {e}")))?;
        self.child.begun = Some(at);
        self.imports = imports;
        self.started = Instant::now();
        if self.stage == Stage::Starting {
            self.stage = Stage::Running;
            self.deadline = self.started + self.run.order.limits.wall;
        }
        Ok(())
    }

    /// The time of the present stage is over.
    ///
    /// # Errors
    /// The child was not ready in time. Dropping it kills its process.
    async fn strike(&mut self) -> Result<(), Error> {
        let limits = self.run.order.limits;
        match self.stage {
            Stage::Starting => {
                let seconds = START_PATIENCE.as_secs();
                let why = format!("its process was not ready after {seconds} s");
                return Err(Error::Native(why));
            }
            Stage::Running => {
                let used = milliseconds(self.started.elapsed());
                self.asked = Some(LimitHit {
                    kind: LimitKind::Wall,
                    limit: milliseconds(limits.wall),
                    used,
                });
                self.stage = Stage::Grace;
                self.deadline = Instant::now() + limits.grace;
                self.child.job.signal(Signal::USR1).await;
            }
            Stage::Withdrawn => self.kill(RunEnd::Cancelled).await,
            Stage::Grace => {
                let forced_end = self.asked.map_or(RunEnd::Cancelled, RunEnd::Limit);
                self.kill(forced_end).await;
            }
            Stage::Killed => {
                tracing::error!("the fork server did not end a job; ending the fork server");
                self.deadline = Instant::now() + KILL_PATIENCE;
                self.child.job.kill_parent();
            }
        }
        Ok(())
    }

    /// Nobody waits for the job any more. A session's may unwind for a moment, so that its
    /// variables live on.
    async fn withdraw(&mut self) {
        if self.child.channel.is_none() || self.stage != Stage::Running {
            self.kill(RunEnd::Cancelled).await;
            return;
        }
        self.forced_end = Some(RunEnd::Cancelled);
        self.stage = Stage::Withdrawn;
        self.deadline = Instant::now() + RunOrder::SOFT_CANCEL;
        self.child.job.signal(Signal::USR1).await;
    }

    async fn kill(&mut self, forced_end: RunEnd) {
        if self.stage != Stage::Killed {
            self.forced_end = Some(forced_end);
            self.stage = Stage::Killed;
            self.deadline = Instant::now() + KILL_PATIENCE;
            self.child.job.signal(Signal::KILL).await;
        }
    }

    /// Looks at what the job uses; returns the limit that it is over.
    fn look(&mut self) -> Option<LimitHit> {
        let limits = self.run.order.limits;
        let Size { resident, threads, cpu } = watch::size(self.child.pid?)?;
        let cpu = cpu.saturating_sub(self.cpu_before);
        self.peak = self.peak.max(resident);
        let hit = |kind, limit, used| (used > limit).then_some(LimitHit { kind, limit, used });
        hit(LimitKind::Memory, limits.memory, resident)
            .or_else(|| hit(LimitKind::Threads, limits.threads, threads))
            .or_else(|| hit(LimitKind::Cpu, milliseconds(limits.cpu), milliseconds(cpu)))
            .or_else(|| {
                let before = Instant::now();
                if before < self.next_tree {
                    return None;
                }
                let weight = self.run.dir.weight();
                self.next_tree = Instant::now() + before.elapsed() * TREE_SHARE;
                hit(LimitKind::Files, limits.file_bytes, weight.bytes)
                    .or_else(|| hit(LimitKind::FileCount, limits.files, weight.files))
            })
    }

    /// The child of a session has answered the request and waits for the next one.
    fn request_done(mut self, code: i32) -> Finish {
        if let Err(hit) = self.drain() {
            self.forced_end.get_or_insert(RunEnd::Limit(hit));
        }
        let cpu = self
            .child
            .pid
            .and_then(watch::size)
            .map(|size| size.cpu.saturating_sub(self.cpu_before));
        let usage =
            Usage { wall: self.started.elapsed(), fuel: None, cpu, peak_memory: Some(self.peak) };
        let end = self.forced_end.unwrap_or(RunEnd::Returned(code));
        Finish::Done { end, asked: self.asked, usage, imports: self.imports }
    }

    fn finish(mut self, ended: Ended) -> Finish {
        if let Err(hit) = self.drain() {
            self.forced_end.get_or_insert(RunEnd::Limit(hit));
        }
        let wall = match self.child.begun {
            _ if self.resumed => self.started.elapsed(),
            Some(begun) => Duration::from_nanos(ended.at.saturating_sub(begun)),
            None => Duration::ZERO,
        };
        let usage = Usage {
            wall,
            fuel: None,
            cpu: Some(Duration::from_millis(ended.cpu_ms)),
            peak_memory: Some(ended.peak.max(self.peak)),
        };
        let end = self.forced_end.unwrap_or_else(|| classify(ended, self.run.order.limits));
        Finish::Done { end, asked: self.asked, usage, imports: self.imports }
    }

    fn parent_died(self) -> Finish {
        // Killed because the parent did not obey: that end stands.
        let _ = self.drain();
        match self.forced_end {
            Some(end) => {
                let usage = Usage {
                    wall: self.started.elapsed(),
                    peak_memory: Some(self.peak),
                    ..Usage::default()
                };
                Finish::Done { end, asked: self.asked, usage, imports: Vec::new() }
            }
            None => Finish::ParentDied { begun: self.child.begun.is_some() },
        }
    }

    /// Takes what is in the pipes now. At most what a pipe holds: whoever still writes is not the
    /// job.
    fn drain(&self) -> Result<(), LimitHit> {
        let mut buffer = vec![0; 1 << 20];
        let stdout = read_now(&self.child.streams.stdout, &mut *buffer).unwrap_or(0);
        self.run.order.output.stdout(&buffer[..stdout])?;
        let stderr = read_now(&self.child.streams.stderr, &mut *buffer).unwrap_or(0);
        self.run.order.output.stderr(&buffer[..stderr])
    }
}

/// How far the ending of a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Its process is being set up; no line of it has run.
    Starting,
    Running,
    /// Asked to unwind because its call was withdrawn.
    Withdrawn,
    /// Asked to unwind because its time is over.
    Grace,
    Killed,
}

impl Stage {
    /// Whether somebody waits for the job's result.
    fn is_wanted(self) -> bool {
        !matches!(self, Self::Withdrawn | Self::Killed)
    }
}

async fn read(pipe: &mut Receiver, buffer: &mut [u8]) -> usize {
    // An error of a pipe that we hold would be the end of it for us, too.
    pipe.read(buffer).await.unwrap_or(0)
}
