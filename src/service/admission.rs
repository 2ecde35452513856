//! Admission: how many jobs run at once, whose turn is next, and when to say no.
//!
//! A place belongs to a job, not to whoever waits for its answer. Callers take turns, and the calls
//! of one are let in as they came. Some places are left for callers of which nothing runs yet, so
//! that one print need not wait for the long jobs of another.

use crate::error::Error;
use crate::host::lock;
use crate::job::Caller;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

/// How many calls may run and wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdmissionConfig {
    /// Jobs that run at once, without the reserve.
    pub running: usize,
    /// Calls that wait.
    pub waiting: usize,
    /// The same of one caller.
    pub running_of_one: usize,
    /// The same of one caller.
    pub waiting_of_one: usize,
}

impl AdmissionConfig {
    /// For one caller alone, or several that share all there is.
    pub(crate) fn shared(running: usize, waiting: usize) -> Self {
        Self { running, waiting, running_of_one: running, waiting_of_one: waiting }
    }

    /// Whether nobody can wait for a permit.
    pub(super) fn has_no_queue(&self) -> bool {
        self.waiting.min(self.waiting_of_one) == 0
    }

    /// Places beyond `running`, for callers of which nothing runs.
    fn reserve(&self) -> usize {
        (self.running / 4).max(1)
    }
}

/// Bounds the jobs that run and the calls that wait.
#[derive(Debug)]
pub(crate) struct Admission(Arc<Gate>);

#[derive(Debug)]
struct Gate {
    config: AdmissionConfig,
    line: Mutex<Line>,
}

#[derive(Debug, Default)]
struct Line {
    /// Callers of which something runs or waits.
    callers: HashMap<Caller, Queue>,
    /// Callers of which something waits, the next first.
    turns: VecDeque<Caller>,
    running: usize,
    waiting: usize,
    peak: usize,
    /// Of the last call that had to wait.
    number: u64,
}

#[derive(Debug, Default)]
struct Queue {
    running: usize,
    waiting: VecDeque<Waiter>,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    permit: oneshot::Sender<Permit>,
}

/// Lets one job run; given back when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    gate: Arc<Gate>,
    caller: Caller,
}

impl Admission {
    pub(crate) fn new(config: AdmissionConfig) -> Self {
        let running = config.running.max(1);
        let config = AdmissionConfig {
            running,
            running_of_one: config.running_of_one.clamp(1, running),
            ..config
        };
        Self(Arc::new(Gate { config, line: Mutex::default() }))
    }

    /// Waits for a permit of `caller`; [`Error::Busy`] at once if its queue is full, or that of
    /// all.
    pub(crate) async fn enter(&self, caller: Caller) -> Result<Permit, Error> {
        let (number, permit) = {
            let mut line = lock(&self.0.line);
            // Those who came before could not run either.
            if line.may_run(&self.0.config, caller) && line.of(caller).1 == 0 {
                line.start(caller);
                return Ok(self.0.permit(caller));
            }
            line.join(&self.0.config, caller)?
        };
        let _left = Waiting { gate: &self.0, caller, number };
        // The sender waits in the line for as long as we do.
        permit.await.map_err(|_| Error::Withdrawn)
    }

    /// Jobs that run at once, without the reserve.
    pub(crate) fn places(&self) -> usize {
        self.0.config.running
    }

    pub(crate) fn running(&self) -> usize {
        lock(&self.0.line).running
    }

    pub(crate) fn waiting(&self) -> usize {
        lock(&self.0.line).waiting
    }

    /// Jobs of `caller` that run, and calls that wait.
    pub(crate) fn of(&self, caller: Caller) -> (usize, usize) {
        lock(&self.0.line).of(caller)
    }

    /// The most jobs that ran at once since the last question.
    pub(crate) fn take_peak(&self) -> usize {
        std::mem::take(&mut lock(&self.0.line).peak)
    }
}

impl Gate {
    fn permit(self: &Arc<Self>, caller: Caller) -> Permit {
        Permit { gate: Arc::clone(self), caller }
    }

    /// Lets in whoever may run now.
    fn let_in(self: &Arc<Self>) {
        loop {
            let next = lock(&self.line).next(&self.config);
            let Some((caller, waiter)) = next else { return };
            // Who left meanwhile gives it back by dropping it.
            drop(waiter.permit.send(self.permit(caller)));
        }
    }
}

impl Line {
    fn of(&self, caller: Caller) -> (usize, usize) {
        self.callers.get(&caller).map_or((0, 0), |own| (own.running, own.waiting.len()))
    }

    fn may_run(&self, config: &AdmissionConfig, caller: Caller) -> bool {
        match self.of(caller).0 {
            0 => self.running < config.running + config.reserve(),
            own => own < config.running_of_one && self.running < config.running,
        }
    }

    fn start(&mut self, caller: Caller) {
        self.callers.entry(caller).or_default().running += 1;
        self.running += 1;
        self.peak = self.peak.max(self.running);
    }

    fn join(
        &mut self,
        config: &AdmissionConfig,
        caller: Caller,
    ) -> Result<(u64, oneshot::Receiver<Permit>), Error> {
        let (running, waiting) = self.of(caller);
        if self.waiting >= config.waiting {
            return Err(Error::Busy { running: self.running, waiting: self.waiting });
        }
        if waiting >= config.waiting_of_one {
            return Err(Error::ClientBusy { running, waiting });
        }
        if waiting == 0 {
            self.turns.push_back(caller);
        }
        let (sender, permit) = oneshot::channel();
        self.waiting += 1;
        self.number += 1;
        let waiter = Waiter { number: self.number, permit: sender };
        self.callers.entry(caller).or_default().waiting.push_back(waiter);
        Ok((self.number, permit))
    }

    /// Takes out the call whose turn it is, if there is one that may run, and counts it as running.
    fn next(&mut self, config: &AdmissionConfig) -> Option<(Caller, Waiter)> {
        for _ in 0..self.turns.len() {
            let caller = self.turns.pop_front()?;
            if !self.may_run(config, caller) {
                self.turns.push_back(caller);
                continue;
            }
            let own = self.callers.get_mut(&caller)?;
            let waiter = own.waiting.pop_front()?;
            if !own.waiting.is_empty() {
                self.turns.push_back(caller);
            }
            self.waiting -= 1;
            self.start(caller);
            return Some((caller, waiter));
        }
        None
    }

    /// A call leaves the line, if it is still there.
    fn leave(&mut self, caller: Caller, number: u64) {
        let Some(own) = self.callers.get_mut(&caller) else { return };
        let Some(at) = own.waiting.iter().position(|waiter| waiter.number == number) else {
            return;
        };
        own.waiting.remove(at);
        self.waiting -= 1;
        if self.of(caller).1 == 0 {
            self.turns.retain(|other| *other != caller);
        }
        self.forget(caller);
    }

    fn end(&mut self, caller: Caller) {
        self.running -= 1;
        if let Some(own) = self.callers.get_mut(&caller) {
            own.running -= 1;
        }
        self.forget(caller);
    }

    fn forget(&mut self, caller: Caller) {
        if self.of(caller) == (0, 0) {
            self.callers.remove(&caller);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        lock(&self.gate.line).end(self.caller);
        self.gate.let_in();
    }
}

/// A call in the line; leaves it when dropped.
struct Waiting<'a> {
    gate: &'a Gate,
    caller: Caller,
    number: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.gate.line).leave(self.caller, self.number);
    }
}

#[cfg(test)]
#[path = "../../tests/unit/service_admission.rs"]
mod tests;
