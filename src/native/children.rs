//! Whose child is whose: the jobs of one fork server, and what it says of their children.
//!
//! Requests are answered in order, so no number of ours ever reaches the fork server.

use super::control::{ControlSocket, Ended, ForkCommand, ForkEvent};
use super::packets::may_pass;
use rustix::process::Signal;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::time::Instant;
use tokio::sync::mpsc;

pub(super) type JobId = u64;

/// What happens to one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JobEvent {
    /// The child exists. The process id is for looking at its size; signals go through the fork
    /// server.
    Started { pid: i32 },
    /// There is no child, for this reason.
    NotStarted { why: String },
    /// The child ended, its process group was killed, and it was reaped.
    Ended(Ended),
}

#[derive(Debug, Default)]
pub(super) struct Children {
    pub(super) last: JobId,
    pub(super) running: HashMap<JobId, Enlistment>,
    /// Whose children were asked for, and when; in this order they are answered.
    pub(super) asked: VecDeque<(JobId, Instant)>,
    /// The jobs of children that live.
    pub(super) of_pid: HashMap<i32, JobId>,
    /// Signals that could not be sent yet.
    pub(super) unsent: VecDeque<(i32, Signal)>,
}

#[derive(Debug)]
pub(super) struct Enlistment {
    pub(super) events: mpsc::UnboundedSender<JobEvent>,
    /// `None` before it is known, and after the child has ended.
    pub(super) pid: Option<i32>,
    /// A signal for a child whose pid is not known yet.
    pub(super) owed: Option<Signal>,
    /// Whether it waits for a job that may never come.
    pub(super) is_spare: bool,
}

impl Children {
    /// Passes an event on to the job that it concerns.
    pub(super) fn take(&mut self, event: &ForkEvent, control: &ControlSocket) {
        match *event {
            ForkEvent::Forked { pid } => self.forked(pid, control),
            ForkEvent::NotForked { errno } => {
                let job = self.asked.pop_front().and_then(|(job, _)| self.running.get(&job));
                if let Some(job) = job {
                    let why = io::Error::from_raw_os_error(errno);
                    let why = format!("no child for it: {why}");
                    let _ = job.events.send(JobEvent::NotStarted { why });
                }
            }
            ForkEvent::Ended { pid, ended } => {
                let job = self.of_pid.remove(&pid).and_then(|job| self.running.get_mut(&job));
                if let Some(job) = job {
                    job.pid = None;
                    let _ = job.events.send(JobEvent::Ended(ended));
                }
            }
            _ => tracing::error!(?event, "the fork server says this too late"),
        }
    }

    fn forked(&mut self, pid: i32, control: &ControlSocket) {
        let Some((id, _)) = self.asked.pop_front() else { return };
        let Some(job) = self.running.get_mut(&id) else {
            // Nobody waits for it any more.
            self.signal(pid, Signal::KILL, control);
            return;
        };
        job.pid = Some(pid);
        let _ = job.events.send(JobEvent::Started { pid });
        let owed = job.owed.take();
        self.of_pid.insert(pid, id);
        if let Some(signal) = owed {
            self.signal(pid, signal, control);
        }
    }

    pub(super) fn signal(&mut self, pid: i32, signal: Signal, control: &ControlSocket) {
        self.unsent.push_back((pid, signal));
        self.send_on(control);
    }

    /// Sends the signals that wait, in order, as far as the socket takes them.
    pub(super) fn send_on(&mut self, control: &ControlSocket) {
        while let Some(&(pid, signal)) = self.unsent.front() {
            let sent = control.send(ForkCommand::Signal { pid, signal }, None);
            if sent.is_err_and(|error| may_pass(&error)) {
                return;
            }
            // If the socket is broken, the fork server is dying, and the child with it.
            self.unsent.pop_front();
        }
    }
}
