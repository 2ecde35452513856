//! One job's process, from its launch to its end: streams, limits, deadline, cancellation.
//!
//! The end is set *before* a signal is sent, so a death that we caused is never taken for a crash.
//! The process is over when the fork server has reaped it, or some time after it was killed: how
//! long a dying process waits for a disk is no reason to make others wait. What is then in the
//! pipes is read without waiting, because some other process may still hold one open.

use super::channel::{Channel, Said};
use super::children::JobEvent;
use super::control::Ended;
use super::death::classify;
use super::error::NativeError;
use super::holdings::FileWatch;
use super::launch::{Child, NativeRun};
use super::size::{self, Sight, Size};
use super::sockets::Sockets;
use crate::job::{LimitHit, LimitKind, RunEnd, Usage, milliseconds, resources};
use crate::output::RunOrder;
use rustix::io::read as read_now;
use rustix::process::Signal;
use std::future::pending;
use std::io;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::time::sleep_until;

/// With more jobs than this at once, each is looked at less often, so that looking takes no larger
/// share of the time.
const CROWD: u32 = 8;
/// Setting up a process takes milliseconds, except on a machine that is overloaded.
const START_PATIENCE: Duration = Duration::from_secs(20);
/// How long the answer waits for a killed process to be reaped: it may be in the middle of a write
/// to a slow disk, or have many threads to end.
const KILL_PATIENCE: Duration = Duration::from_secs(2);
/// A child that closes its channel is ending, or its job closed it: what comes next tells.
const CLOSED_PATIENCE: Duration = Duration::from_secs(1);
/// How a job of a session ends that writes to the channel, or closes it.
const OUT_OF_TURN: &str =
    "ended because it used the channel between its session's process and the server";
/// One read from a pipe.
const CHUNK: usize = 64 << 10;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Finish {
    Done {
        end: RunEnd,
        /// The limit for which it was asked to unwind.
        asked: Option<LimitHit>,
        usage: Usage,
    },
    /// The fork server died; `begun` if a line of the job may have run.
    ServerDied { begun: bool },
}

impl NativeRun<'_> {
    /// Watches the request from here to its end.
    ///
    /// # Errors
    /// The child refused, because its walls do not stand, or was not ready in time; no line of the
    /// job has run.
    pub(super) async fn watch(self, child: &mut Child) -> Result<Finish, NativeError> {
        let cpu_before = child.pid.and_then(size::measure).map_or(Duration::ZERO, |size| size.cpu);
        let started = Instant::now();
        let resumed = child.begun.is_some();
        let (stage, deadline) = if resumed {
            (Stage::Running, started + self.order.wall())
        } else {
            (Stage::Starting, started + START_PATIENCE)
        };
        let files = FileWatch::new(self.dir.holdings(self.order.limits));
        let watched = Watched {
            run: self,
            child,
            started,
            resumed,
            stage,
            deadline,
            next_look: started,
            files,
            asked: None,
            forced_end: None,
            peak: 0,
            sight: Sight::default(),
            cpu_before,
        };
        watched.until_over().await
    }
}

struct Watched<'a> {
    run: NativeRun<'a>,
    child: &'a mut Child,
    started: Instant,
    /// Whether the child has run earlier requests.
    resumed: bool,
    stage: Stage,
    /// The deadline of the present stage.
    deadline: Instant,
    next_look: Instant,
    files: FileWatch,
    asked: Option<LimitHit>,
    forced_end: Option<RunEnd>,
    peak: u64,
    sight: Sight,
    /// CPU time that earlier requests of the same child took.
    cpu_before: Duration,
}

impl Watched<'_> {
    async fn until_over(mut self) -> Result<Finish, NativeError> {
        let order = self.run.order;
        let (mut stdout, mut stderr) = (vec![0; CHUNK], vec![0; CHUNK]);
        loop {
            let is_wanted = !matches!(self.stage, Stage::Withdrawn | Stage::Killed);
            let pid = self.child.pid.filter(|_| self.stage != Stage::Killed);
            let has_begun = pid.is_some() && self.child.begun.is_some();
            let crowd = self.child.job.crowd().div_ceil(CROWD).max(1);
            let open = self.child.open;
            tokio::select! {
                event = self.child.job.next() => match event {
                    Some(JobEvent::Started { pid }) => self.child.pid = Some(pid),
                    Some(JobEvent::NotStarted { why }) => return Err(NativeError::Refused(why)),
                    Some(JobEvent::Ended(ended)) => return self.finish(ended),
                    None => return Ok(self.server_died()),
                },
                said = heard(self.child.channel.as_mut()) => if let Some(code) = self.hear(said)? {
                    return Ok(self.request_done(code));
                },
                () = order.cancel.cancelled(), if is_wanted => self.withdraw(),
                () = sleep_until(self.deadline.into()) => if self.strike()? {
                    return Ok(self.abandon());
                },
                read = read(&mut self.child.stdout, &mut stdout), if open.0 => {
                    self.child.open.0 = read > 0;
                    self.enforce(order.output.stdout(&stdout[..read]));
                }
                read = read(&mut self.child.stderr, &mut stderr), if open.1 => {
                    self.child.open.1 = read > 0;
                    self.enforce(order.output.stderr(&stderr[..read]));
                }
                () = sleep_until(self.next_look.into()), if pid.is_some() => {
                    self.next_look = Instant::now() + resources::LOOK * crowd;
                    if let Err(end) = self.look() {
                        self.kill(end);
                    }
                }
                checked = self.files.next(pid.unwrap_or(0), crowd), if has_begun => {
                    match checked {
                        Ok(None) => {}
                        Ok(Some(hit)) => self.kill(RunEnd::Limit(hit)),
                        Err(error) => self.kill(unwatched(&error)),
                    }
                }
            }
        }
    }

    /// Takes what the child says; gives its exit code if it has answered its request.
    ///
    /// # Errors
    /// It could not become the job's process. No line of the job has run.
    fn hear(&mut self, said: Said) -> Result<Option<i32>, NativeError> {
        let (begun, keep) = (self.child.begun.is_some(), self.child.keep);
        match said {
            Said::Listener(listener) if !begun => {
                let sockets = Sockets::serve(listener, self.run.dir.locks())
                    .map_err(NativeError::NoSockets)?;
                self.child.sockets = Some(sockets);
            }
            Said::Waits if !begun => {}
            Said::Begins { at } if !begun => self.begins(at),
            Said::Refused { why } if !begun => return Err(NativeError::Refused(why)),
            Said::Done { code } if begun && self.stage != Stage::Killed => return Ok(Some(code)),
            Said::Unsent(error) if !begun => return Err(NativeError::NotHandedOver(error)),
            Said::Unsent(error) => {
                self.kill(RunEnd::Crashed(format!("its request could not be sent: {error}")));
            }
            Said::Closed => {
                self.child.channel = None;
                if self.stage == Stage::Running && keep {
                    self.stage = Stage::Closed;
                    self.deadline = self.deadline.min(Instant::now() + CLOSED_PATIENCE);
                }
            }
            _ => {
                self.child.channel = None;
                self.kill(RunEnd::Crashed(OUT_OF_TURN.to_owned()));
            }
        }
        Ok(None)
    }

    /// The child's walls stand, and its code begins to run.
    fn begins(&mut self, at: u64) {
        self.child.begun = Some(at);
        self.started = Instant::now();
        if self.stage == Stage::Starting {
            self.stage = Stage::Running;
            self.deadline = self.started + self.run.order.wall();
        }
    }

    /// The time of the present stage is over; true if nothing more is waited for.
    ///
    /// # Errors
    /// The child was not ready in time. Dropping it kills its process.
    fn strike(&mut self) -> Result<bool, NativeError> {
        let limits = self.run.order.limits;
        match self.stage {
            Stage::Starting => return Err(NativeError::ChildNotReady(START_PATIENCE.as_secs())),
            Stage::Running => {
                let (limit, used) = (limits.wall, self.run.order.spent + self.started.elapsed());
                let (limit, used) = (milliseconds(limit), milliseconds(used));
                self.asked = Some(LimitHit { kind: LimitKind::Wall, limit, used });
                self.stage = Stage::Grace;
                self.deadline = Instant::now() + limits.grace;
                self.child.job.signal(Signal::USR1);
            }
            Stage::Closed => self.kill(RunEnd::Crashed(OUT_OF_TURN.to_owned())),
            Stage::Withdrawn => self.kill(RunEnd::Cancelled),
            Stage::Grace => self.kill(self.asked.map_or(RunEnd::Cancelled, RunEnd::Limit)),
            Stage::Killed => {
                let pid = self.child.pid;
                tracing::warn!(pid, "a job's process takes its time to die; its call goes on");
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Nobody waits for the job any more. A session's job may unwind for a moment, so that its
    /// variables live on.
    fn withdraw(&mut self) {
        if self.stage != Stage::Running || !self.child.keep {
            self.kill(RunEnd::Cancelled);
            return;
        }
        self.forced_end = Some(RunEnd::Cancelled);
        self.stage = Stage::Withdrawn;
        self.deadline = Instant::now() + RunOrder::SOFT_CANCEL;
        self.child.job.signal(Signal::USR1);
    }

    fn enforce(&mut self, looked: Result<(), LimitHit>) {
        if let Err(hit) = looked {
            self.kill(RunEnd::Limit(hit));
        }
    }

    fn kill(&mut self, forced_end: RunEnd) {
        if self.stage != Stage::Killed {
            self.forced_end = Some(forced_end);
            self.stage = Stage::Killed;
            self.deadline = Instant::now() + KILL_PATIENCE;
            self.child.job.signal(Signal::KILL);
        }
    }

    /// Looks at what the job uses.
    fn look(&mut self) -> Result<(), RunEnd> {
        let Some(pid) = self.child.pid else { return Ok(()) };
        match self.sight.look(pid) {
            Ok(Some(size)) => self.compare(size).map_err(RunEnd::Limit),
            Ok(None) => Ok(()),
            Err(error) => Err(unwatched(&error)),
        }
    }

    /// Compares what the job uses with its limits.
    fn compare(&mut self, size: Size) -> Result<(), LimitHit> {
        let limits = self.run.order.limits;
        let Size { memory, threads, cpu } = size;
        let cpu = cpu.saturating_sub(self.cpu_before);
        let own = memory.kept.saturating_sub(self.child.shared.kept);
        self.peak = self.peak.max(own);
        LimitKind::Memory.check(limits.memory, own)?;
        LimitKind::Threads.check(limits.threads, threads)?;
        LimitKind::Cpu.check(milliseconds(limits.cpu), milliseconds(cpu))
    }

    /// The child of a session has answered the request and waits for the next one.
    fn request_done(mut self, code: i32) -> Finish {
        self.drain();
        let size = self.child.pid.and_then(size::measure);
        let cpu = size.map(|size| size.cpu.saturating_sub(self.cpu_before));
        let usage =
            Usage { wall: self.started.elapsed(), fuel: None, cpu, peak_memory: Some(self.peak) };
        self.done(RunEnd::Returned(code), usage)
    }

    /// The child has ended.
    ///
    /// # Errors
    /// It did so before its code began, and not because we wanted it to.
    fn finish(mut self, ended: Ended) -> Result<Finish, NativeError> {
        self.drain();
        let mut end = classify(ended, self.run.order.limits);
        // What it said last may not have been heard yet.
        while self.forced_end.is_none()
            && let Some(said) = self.child.channel.as_ref().and_then(Channel::heard)
        {
            end = self.hear(said)?.map_or(end, RunEnd::Returned);
        }
        if self.child.begun.is_none() && self.forced_end.is_none() {
            let how = match end {
                RunEnd::Returned(code) => format!("exit code {code}"),
                RunEnd::Crashed(how) => how,
                other => format!("{other:?}"),
            };
            return Err(NativeError::EndedUnbegun(how));
        }
        let wall = match self.child.begun {
            _ if self.resumed => self.started.elapsed(),
            Some(begun) => Duration::from_nanos(ended.at.saturating_sub(begun)),
            None => Duration::ZERO,
        };
        let cpu = Some(Duration::from_millis(ended.cpu_ms));
        let peak = ended.peak.saturating_sub(self.child.shared.kept).max(self.peak);
        let usage = Usage { wall, fuel: None, cpu, peak_memory: Some(peak) };
        Ok(self.done(end, usage))
    }

    /// The process was killed and is not reaped yet. The fork server will do that, whenever it can.
    fn abandon(mut self) -> Finish {
        self.drain();
        let usage = Usage {
            wall: self.started.elapsed(),
            peak_memory: Some(self.peak),
            ..Usage::default()
        };
        self.child.channel = None;
        self.done(RunEnd::Cancelled, usage)
    }

    fn server_died(mut self) -> Finish {
        if self.forced_end.is_some() {
            return self.abandon();
        }
        self.drain();
        Finish::ServerDied { begun: self.child.begun.is_some() }
    }

    fn done(self, end: RunEnd, usage: Usage) -> Finish {
        let end = self.forced_end.unwrap_or(end);
        Finish::Done { end, asked: self.asked, usage }
    }

    /// Takes what is in the pipes now. At most what a pipe holds: whoever still writes is not the
    /// job.
    fn drain(&mut self) {
        let mut buffer = vec![0; 1 << 20];
        let output = self.run.order.output;
        let stdout = read_now(&self.child.stdout, &mut *buffer).unwrap_or(0);
        let drained = output.stdout(&buffer[..stdout]).and_then(|()| {
            let stderr = read_now(&self.child.stderr, &mut *buffer).unwrap_or(0);
            output.stderr(&buffer[..stderr])
        });
        if let Err(hit) = drained {
            self.forced_end.get_or_insert(RunEnd::Limit(hit));
        }
    }
}

/// The end of a job that cannot be watched: no limit holds for what nobody sees.
pub(super) fn unwatched(error: &io::Error) -> RunEnd {
    RunEnd::Crashed(format!("its use could not be watched: {error}"))
}

/// How far the ending of a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Its process is being set up; no line of it has run.
    Starting,
    Running,
    /// It has closed its channel.
    Closed,
    /// Asked to unwind because its call was withdrawn.
    Withdrawn,
    /// Asked to unwind because its time is over.
    Grace,
    Killed,
}

/// What the child says next. Cancel-safe.
async fn heard(channel: Option<&mut Channel>) -> Said {
    match channel {
        Some(channel) => channel.next().await,
        None => pending().await,
    }
}

async fn read(pipe: &mut Receiver, buffer: &mut [u8]) -> usize {
    // An error of a pipe that we hold would be the end of it for us, too.
    pipe.read(buffer).await.unwrap_or(0)
}
