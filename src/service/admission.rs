//! Admission: how many jobs run at once, in the order in which they came, and when to say no.

use crate::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Lets one job run; given back when dropped.
pub(crate) type Permit = OwnedSemaphorePermit;

/// Bounds the jobs that run and the jobs that wait.
#[derive(Debug)]
pub(crate) struct Admission {
    permits: Arc<Semaphore>,
    running_max: usize,
    peak: AtomicUsize,
    waiting: AtomicUsize,
    waiting_max: usize,
}

impl Admission {
    pub(crate) fn new(running: usize, waiting: usize) -> Self {
        let running = running.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            permits: Arc::new(Semaphore::new(running)),
            running_max: running,
            peak: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            waiting_max: waiting,
        }
    }

    /// Waits for a permit; [`Error::Busy`] at once if the queue is full.
    pub(crate) async fn enter(&self) -> Result<Permit, Error> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            self.peak.fetch_max(self.running(), Ordering::Relaxed);
            return Ok(permit);
        }
        let _waiting = Queued::begin(self)?;
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        // The semaphore is never closed.
        permit.map_err(|_| self.busy())
    }

    pub(crate) fn places(&self) -> usize {
        self.running_max
    }

    pub(crate) fn running(&self) -> usize {
        self.running_max - self.permits.available_permits()
    }

    /// The most jobs that ran at once since the last question.
    pub(crate) fn take_peak(&self) -> usize {
        self.peak.swap(0, Ordering::Relaxed)
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn busy(&self) -> Error {
        Error::Busy { running: self.running(), waiting: self.waiting() }
    }
}

/// Counts one waiting job, also when its future is dropped.
struct Queued<'a>(&'a Admission);

impl<'a> Queued<'a> {
    fn begin(admission: &'a Admission) -> Result<Self, Error> {
        let one_more = |waiting| (waiting < admission.waiting_max).then_some(waiting + 1);
        match admission.waiting.try_update(Ordering::Relaxed, Ordering::Relaxed, one_more) {
            Ok(_) => Ok(Self(admission)),
            Err(_) => Err(admission.busy()),
        }
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
