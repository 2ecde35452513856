//! Jobs that run while nobody waits: one call begins a job, others look at it and end it.
//!
//! Bounded in number and time like any job, and found by the caller that began them only. A result
//! is kept for a while; its images are given once.

use super::share::Share;
use super::{Call, Outcome, Service, take_place};
use crate::error::Error;
use crate::host::lock;
use crate::job::{Caller, Instance};
use crate::output::{Captured, OutputTap};
use futures_util::FutureExt as _;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Results that are kept at most.
const RESULTS: Share = Share { of_one: 64, of_all: 256 };
/// Bytes that they may have.
const RESULT_BYTES: Share = Share { of_one: 48 << 20, of_all: 64 << 20 };
/// How long a job that is being ended may take for its last output.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// What background jobs may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobsConfig {
    /// Jobs of one caller at a time; 0 switches them off.
    pub count: usize,
    /// Longest wall time.
    pub wall: Duration,
    /// How long a result is kept.
    pub keep: Duration,
}

#[derive(Debug)]
pub(crate) struct Jobs {
    config: JobsConfig,
    instance: Instance,
    by_handle: Mutex<HashMap<String, Arc<BackgroundJob>>>,
}

#[derive(Debug)]
pub(crate) struct BackgroundJob {
    pub(crate) handle: String,
    began: Instant,
    caller: Caller,
    pub(crate) output: Arc<OutputTap>,
    cancel: CancellationToken,
    result: watch::Sender<Option<JobResult>>,
}

/// A result that is kept for a while.
#[derive(Debug, Clone)]
struct JobResult {
    at: Instant,
    outcome: Arc<Result<Outcome, Error>>,
    /// Whether its images were given away.
    images_are_given: bool,
}

#[derive(Debug)]
pub(crate) enum Progress {
    /// It runs, or waits for a permit: what it has written, if it has begun.
    Running { elapsed: Duration, so_far: Option<Box<Captured>> },
    /// It is over; perhaps its images came with an earlier answer.
    Done { outcome: Arc<Result<Outcome, Error>>, images_are_given: bool },
}

impl Jobs {
    pub(crate) fn new(config: JobsConfig, instance: Instance) -> Self {
        Self { config, instance, by_handle: Mutex::default() }
    }

    /// Begins `call`. Returns once it has taken its place in its session's line.
    pub(crate) async fn start(
        &self,
        service: &Arc<Service>,
        call: Call,
    ) -> Result<Arc<BackgroundJob>, Error> {
        let handle = self.instance.new_handle()?;
        let job = Arc::new(BackgroundJob {
            handle,
            began: Instant::now(),
            caller: call.client.caller,
            output: Arc::clone(&call.output),
            cancel: call.cancel.clone(),
            result: watch::Sender::new(None),
        });
        {
            let mut jobs = self.fresh();
            let of_caller = jobs.values().filter(|job| job.caller == call.client.caller);
            let count = of_caller.filter(|job| job.age().is_none()).count();
            if count >= self.config.count {
                return Err(Error::Request(match self.config.count {
                    0 => "background jobs are off: the server was started with `--background 0`"
                        .into(),
                    max => format!(
                        "{max} background jobs run already; wait for one with `check_job` or end \
                         it with `cancel_job`"
                    ),
                }));
            }
            jobs.insert(job.handle.clone(), Arc::clone(&job));
        }
        let started = Arc::clone(&job);
        let service = Arc::clone(service);
        let mut work = Box::pin(async move {
            let run = AssertUnwindSafe(service.execute_for_client(&call)).catch_unwind().await;
            // A result does not need its code and files.
            drop(call);
            let outcome = Arc::new(run.unwrap_or(Err(Error::Panicked)));
            let result = JobResult { at: Instant::now(), outcome, images_are_given: false };
            job.result.send_replace(Some(result));
        });
        if take_place(work.as_mut()).await.is_pending() {
            tokio::spawn(work);
        }
        Ok(started)
    }

    /// What came of a job whose caller waited. If it is over, it is forgotten.
    pub(crate) fn take(&self, job: &BackgroundJob) -> Option<Arc<Result<Outcome, Error>>> {
        let result = job.result.borrow().clone()?;
        self.fresh().remove(&job.handle);
        Some(result.outcome)
    }

    /// Waits for the end of a job for up to `patience`.
    pub(crate) async fn wait(
        &self,
        handle: &str,
        caller: Caller,
        patience: Duration,
    ) -> Result<(), Error> {
        let job = self.find(handle, caller)?;
        let _ = tokio::time::timeout(patience, job.until_over()).await;
        Ok(())
    }

    /// How a job is.
    pub(crate) fn check(&self, handle: &str, caller: Caller) -> Result<Progress, Error> {
        Ok(self.find(handle, caller)?.progress())
    }

    /// Ends a job; gives how it is then.
    pub(crate) async fn cancel(&self, handle: &str, caller: Caller) -> Result<Progress, Error> {
        let job = self.find(handle, caller)?;
        self.end(&job).await;
        Ok(job.progress())
    }

    /// Ends a job without a look at what came of it.
    pub(crate) async fn end(&self, job: &BackgroundJob) {
        job.cancel.cancel();
        let _ = tokio::time::timeout(LAST_WORDS, job.until_over()).await;
    }

    pub(crate) async fn shut_down(&self) {
        let all: Vec<_> = self.fresh().drain().map(|(_, job)| job).collect();
        for job in &all {
            job.cancel.cancel();
        }
        for job in &all {
            let _ = tokio::time::timeout(LAST_WORDS, job.until_over()).await;
        }
    }

    fn find(&self, handle: &str, caller: Caller) -> Result<Arc<BackgroundJob>, Error> {
        let job = self.fresh().get(handle).filter(|job| job.caller == caller).map(Arc::clone);
        job.ok_or_else(|| self.instance.elsewhere(handle).unwrap_or_else(unknown))
    }

    fn fresh(&self) -> MutexGuard<'_, HashMap<String, Arc<BackgroundJob>>> {
        let mut jobs = lock(&self.by_handle);
        jobs.retain(|_, job| job.age().is_none_or(|age| age < self.config.keep));
        while let Some(handle) = Self::must_go(&jobs) {
            jobs.remove(&handle);
        }
        jobs
    }

    /// The oldest result of the caller that must make room, if one must.
    fn must_go(jobs: &HashMap<String, Arc<BackgroundJob>>) -> Option<String> {
        let sizes = || jobs.values().filter_map(|job| Some((job, job.bytes()?)));
        let youngest = sizes().min_by_key(|(job, _)| job.age())?.0.caller;
        let count = RESULTS.debtor(sizes().map(|(job, _)| (job.caller, 1)), youngest);
        let bytes = || sizes().map(|(job, bytes)| (job.caller, bytes));
        let debtor = count.or_else(|| RESULT_BYTES.debtor(bytes(), youngest))?;
        let own = sizes().filter(|(job, _)| job.caller == debtor);
        own.max_by_key(|(job, _)| job.age()).map(|(job, _)| job.handle.clone())
    }
}

impl BackgroundJob {
    /// Since when its result is there.
    fn age(&self) -> Option<Duration> {
        self.result.borrow().as_ref().map(|result| result.at.elapsed())
    }

    /// How large its result is, if it is there.
    fn bytes(&self) -> Option<u64> {
        let result = self.result.borrow();
        result.as_ref().map(|result| result.outcome.as_ref().as_ref().map_or(0, Outcome::bytes))
    }

    pub(crate) async fn until_over(&self) {
        // The sender lives in `self`.
        let _ = self.result.subscribe().wait_for(Option::is_some).await;
    }

    fn progress(&self) -> Progress {
        let mut given = None;
        self.result.send_if_modified(|result| {
            let Some(result) = result else { return false };
            given = Some(result.clone());
            if !result.images_are_given {
                if let Ok(outcome) = &*result.outcome {
                    result.outcome = Arc::new(Ok(outcome.without_images()));
                }
                result.images_are_given = true;
            }
            true
        });
        match given {
            Some(JobResult { outcome, images_are_given, .. }) => {
                Progress::Done { outcome, images_are_given }
            }
            None => Progress::Running {
                elapsed: self.began.elapsed(),
                so_far: self.output.so_far().map(Box::new),
            },
        }
    }
}

/// The one answer to all handles that mean no job of the caller.
fn unknown() -> Error {
    Error::Request("there is no job with this handle: it ended a while ago, or never was".into())
}
