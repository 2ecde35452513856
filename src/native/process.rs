//! One job's process, from its launch to its end: streams, limits, deadline, cancellation.
//!
//! The verdict is set *before* a signal is sent, so a death that we caused is never taken for a crash. The process is
//! over when the warm parent has reaped it; what is then in the pipes is read without waiting, so a stranger that holds
//! one open cannot hold us.

use super::control::Ended;
use super::death::classify;
use super::kept::done;
use super::launch::{Live, Run};
use super::sockets::Sockets;
use super::warm::JobEvent;
use super::watch::{self, Size};
use crate::error::Error;
use crate::limits::{LimitHit, LimitKind, milliseconds};
use crate::outcome::{RunEnd, Usage};
use rustix::io::read as read_now;
use rustix::process::Signal;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::time::sleep_until;

/// How often a job's size is looked at. Between two looks a job can take what the machine gives in that time.
const LOOK: Duration = Duration::from_millis(20);
/// With more jobs than this at once, each is looked at less often, so that looking takes the same part of the time.
const CROWD: u32 = 8;
/// Looking at a directory tree may take this part of the time.
const TREE_SHARE: u32 = 20;
/// Setting up a process takes milliseconds, except on a machine that has no time for anything.
const START_PATIENCE: Duration = Duration::from_secs(20);
/// A killed process that is not reaped in this time has a parent that does not work.
const KILL_PATIENCE: Duration = Duration::from_secs(2);
/// How long a session's job may unwind when its call is withdrawn.
const SOFT_CANCEL: Duration = Duration::from_millis(80);
/// One read from a pipe.
const CHUNK: usize = 64 << 10;

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::native) enum Finish {
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
    /// The warm parent died.
    ParentDied {
        /// Whether a line of the job may have run.
        begun: bool,
    },
}

impl Run<'_> {
    /// Watches the request from here to its end.
    ///
    /// # Errors
    /// The child refused, because its walls do not stand, or was not ready in time; no line of the job has run.
    pub(in crate::native) async fn watch(self, live: &mut Live) -> Result<Finish, Error> {
        let cpu_before = live.pid.and_then(watch::size).map_or(Duration::ZERO, |size| size.cpu);
        let started = Instant::now();
        let resumed = live.begun.is_some();
        let (asked, verdict, imports) = (None, None, Vec::new());
        Watched { run: self, live, started, resumed, asked, verdict, peak: 0, cpu_before, imports }.watch().await
    }
}

struct Watched<'a> {
    run: Run<'a>,
    live: &'a mut Live,
    started: Instant,
    /// Whether the child has run earlier requests.
    resumed: bool,
    asked: Option<LimitHit>,
    verdict: Option<RunEnd>,
    peak: u64,
    /// CPU time that earlier requests of the same child took.
    cpu_before: Duration,
    imports: Vec<String>,
}

impl Watched<'_> {
    async fn watch(mut self) -> Result<Finish, Error> {
        let limits = self.run.limits;
        let mut stdout = vec![0; CHUNK];
        let mut stderr = vec![0; CHUNK];
        let mut next_look = Instant::now();
        let mut next_tree = Instant::now();
        // That of the present stage.
        let (mut stage, mut deadline) = if self.resumed {
            (Stage::Running, self.started + limits.wall)
        } else {
            (Stage::Starting, self.started + START_PATIENCE)
        };
        loop {
            tokio::select! {
                event = self.live.job.next() => match event {
                    JobEvent::Started(pid) => self.live.pid = Some(pid),
                    JobEvent::Begins { imports, at, listener } => {
                        let sockets = listener.map(Sockets::serve).transpose();
                        self.live.sockets = sockets.map_err(|e| Error::Native(format!("no sockets for it: {e}")))?;
                        self.live.begun = Some(at);
                        self.imports = imports;
                        self.started = Instant::now();
                        if stage == Stage::Starting {
                            (stage, deadline) = (Stage::Running, self.started + limits.wall);
                        }
                    }
                    JobEvent::Refused(why) => return Err(Error::Native(why)),
                    JobEvent::Ended(ended) => return Ok(self.finish(ended)),
                    JobEvent::ParentDied => return Ok(self.parent_died()),
                },
                code = done(self.live.channel.as_ref()) => match code {
                    Some(code) => return Ok(self.request_done(code)),
                    // It ends, or the job closed the channel: then there is no further request for it.
                    None => self.live.channel = None,
                },
                () = self.run.cancel.cancelled(), if !matches!(stage, Stage::Withdrawn | Stage::Killed) => {
                    self.withdraw(&mut stage, &mut deadline).await;
                }
                () = sleep_until(deadline.into()) => {
                    // Dropping the job kills its process.
                    if stage == Stage::Starting {
                        return Err(Error::Native(format!("its process was not ready after {} s", START_PATIENCE.as_secs())));
                    }
                    self.deadline(&mut stage, &mut deadline).await;
                }
                read = read(&mut self.live.streams.stdout, &mut stdout), if self.live.streams.open.0 => {
                    self.live.streams.open.0 = read > 0;
                    if let Err(hit) = self.run.output.stdout(&stdout[..read]) {
                        self.kill(RunEnd::Limit(hit), &mut stage, &mut deadline).await;
                    }
                }
                read = read(&mut self.live.streams.stderr, &mut stderr), if self.live.streams.open.1 => {
                    self.live.streams.open.1 = read > 0;
                    if let Err(hit) = self.run.output.stderr(&stderr[..read]) {
                        self.kill(RunEnd::Limit(hit), &mut stage, &mut deadline).await;
                    }
                }
                () = sleep_until(next_look.into()), if self.live.pid.is_some() && stage != Stage::Killed => {
                    next_look = Instant::now() + LOOK * self.live.job.crowd().div_ceil(CROWD).max(1);
                    if let Some(hit) = self.look(&mut next_tree) {
                        self.kill(RunEnd::Limit(hit), &mut stage, &mut deadline).await;
                    }
                }
            }
        }
    }

    async fn deadline(&mut self, stage: &mut Stage, deadline: &mut Instant) {
        let limits = self.run.limits;
        match stage {
            Stage::Starting => {}
            Stage::Running => {
                let used = milliseconds(self.started.elapsed());
                self.asked = Some(LimitHit { kind: LimitKind::Wall, limit: milliseconds(limits.wall), used });
                *stage = Stage::Grace;
                *deadline = Instant::now() + limits.grace;
                self.live.job.signal(Signal::USR1).await;
            }
            Stage::Withdrawn => self.kill(RunEnd::Cancelled, stage, deadline).await,
            Stage::Grace => {
                let verdict = self.asked.map_or(RunEnd::Cancelled, RunEnd::Limit);
                self.kill(verdict, stage, deadline).await;
            }
            Stage::Killed => {
                tracing::error!("the warm parent did not end a job; ending the warm parent");
                *deadline = Instant::now() + KILL_PATIENCE;
                self.live.job.kill_parent();
            }
        }
    }

    /// Nobody waits for the job any more. A session's may unwind for a moment, so that its variables live on.
    async fn withdraw(&mut self, stage: &mut Stage, deadline: &mut Instant) {
        if self.live.channel.is_none() || *stage != Stage::Running {
            self.kill(RunEnd::Cancelled, stage, deadline).await;
            return;
        }
        self.verdict = Some(RunEnd::Cancelled);
        *stage = Stage::Withdrawn;
        *deadline = Instant::now() + SOFT_CANCEL;
        self.live.job.signal(Signal::USR1).await;
    }

    async fn kill(&mut self, verdict: RunEnd, stage: &mut Stage, deadline: &mut Instant) {
        if *stage != Stage::Killed {
            self.verdict = Some(verdict);
            *stage = Stage::Killed;
            *deadline = Instant::now() + KILL_PATIENCE;
            self.live.job.signal(Signal::KILL).await;
        }
    }

    /// Looks at what the job uses; returns the limit that it is over.
    fn look(&mut self, next_tree: &mut Instant) -> Option<LimitHit> {
        let limits = self.run.limits;
        let Size { resident, threads, cpu } = watch::size(self.live.pid?)?;
        let cpu = cpu.saturating_sub(self.cpu_before);
        self.peak = self.peak.max(resident);
        let hit = |kind, limit, used| (used > limit).then_some(LimitHit { kind, limit, used });
        hit(LimitKind::Memory, limits.memory, resident)
            .or_else(|| hit(LimitKind::Threads, limits.threads, threads))
            .or_else(|| hit(LimitKind::Cpu, milliseconds(limits.cpu), milliseconds(cpu)))
            .or_else(|| {
                let before = Instant::now();
                if before < *next_tree {
                    return None;
                }
                let weight = self.run.dir.weight();
                *next_tree = Instant::now() + before.elapsed() * TREE_SHARE;
                hit(LimitKind::Files, limits.file_bytes, weight.bytes)
                    .or_else(|| hit(LimitKind::FileCount, limits.files, weight.files))
            })
    }

    /// The child of a session has answered the request and waits for the next one.
    fn request_done(mut self, code: i32) -> Finish {
        if let Err(hit) = self.drain() {
            self.verdict.get_or_insert(RunEnd::Limit(hit));
        }
        let cpu = self.live.pid.and_then(watch::size).map(|size| size.cpu.saturating_sub(self.cpu_before));
        let usage = Usage { wall: self.started.elapsed(), fuel: None, cpu, peak_memory: Some(self.peak) };
        let end = self.verdict.unwrap_or(RunEnd::Returned(code));
        Finish::Done { end, asked: self.asked, usage, imports: self.imports }
    }

    fn finish(mut self, ended: Ended) -> Finish {
        if let Err(hit) = self.drain() {
            self.verdict.get_or_insert(RunEnd::Limit(hit));
        }
        let wall = match self.live.begun {
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
        let end = self.verdict.unwrap_or_else(|| classify(ended, self.run.limits));
        Finish::Done { end, asked: self.asked, usage, imports: self.imports }
    }

    fn parent_died(self) -> Finish {
        // Killed because the parent did not obey: the verdict stands.
        let _ = self.drain();
        match self.verdict {
            Some(end) => {
                let usage = Usage { wall: self.started.elapsed(), peak_memory: Some(self.peak), ..Usage::default() };
                Finish::Done { end, asked: self.asked, usage, imports: Vec::new() }
            }
            None => Finish::ParentDied { begun: self.live.begun.is_some() },
        }
    }

    /// Takes what is in the pipes now. At most what a pipe holds: whoever still writes is not the job.
    fn drain(&self) -> Result<(), LimitHit> {
        let mut buffer = vec![0; 1 << 20];
        let stdout = read_now(&self.live.streams.stdout, &mut *buffer).unwrap_or(0);
        self.run.output.stdout(&buffer[..stdout])?;
        let stderr = read_now(&self.live.streams.stderr, &mut *buffer).unwrap_or(0);
        self.run.output.stderr(&buffer[..stderr])
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

async fn read(pipe: &mut Receiver, buffer: &mut [u8]) -> usize {
    // An error of a pipe that we hold would be the end of it for us, too.
    pipe.read(buffer).await.unwrap_or(0)
}
