//! Jobs that run while nobody waits: begun by one call, asked after and ended by others.
//!
//! Bounded in number and time like any job, and found by the client that began them only. A result is kept for a while;
//! its images are given once.

use crate::answer::Answer;
use crate::error::Error;
use crate::handle::Instance;
use crate::limits::Limits;
use crate::live::Live;
use crate::lock::lock;
use crate::outcome::Job;
use crate::output::Captured;
use crate::runner::Runner;
use crate::session::{Client, Which, take_place};
use futures_util::FutureExt as _;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Results that are kept at most.
const RESULTS_MAX: usize = 64;
/// How long a job that is being ended may take to say its last.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// What background jobs may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackgroundConfig {
    /// Jobs at a time; 0 switches them off.
    pub count: usize,
    /// Longest wall time.
    pub wall: Duration,
    /// How long a result is kept.
    pub keep: Duration,
}

/// The background jobs of one server.
#[derive(Debug)]
pub struct Background {
    config: BackgroundConfig,
    instance: Instance,
    jobs: Mutex<HashMap<String, Arc<Running>>>,
}

#[derive(Debug)]
struct Running {
    client: Client,
    began: Instant,
    live: Live,
    cancel: CancellationToken,
    result: watch::Sender<Option<Done>>,
}

#[derive(Debug, Clone)]
struct Done {
    at: Instant,
    answer: Answer,
}

/// A job that has just begun.
#[derive(Debug)]
pub struct Begun {
    /// Its handle.
    pub handle: String,
    job: Arc<Running>,
}

impl Begun {
    /// A window on it.
    pub fn live(&self) -> &Live {
        &self.job.live
    }

    /// Returns once it is over.
    pub async fn until_over(&self) {
        self.job.until_over().await;
    }
}

/// How a job is.
#[derive(Debug)]
pub enum Progress {
    /// It runs, or waits for a place: what it has written, if it has begun.
    Running {
        /// Since it was begun.
        elapsed: Duration,
        /// What it has written.
        so_far: Option<Box<Captured>>,
    },
    /// It is over; this is its answer.
    Done(Answer),
}

impl Background {
    /// None yet. Their handles name `instance`.
    pub fn new(config: BackgroundConfig, instance: Instance) -> Self {
        Self { config, instance, jobs: Mutex::default() }
    }

    /// What they may take.
    pub fn config(&self) -> BackgroundConfig {
        self.config
    }

    /// Begins `job`. Returns once it has taken its place in its session's line.
    ///
    /// # Errors
    /// [`Error::Request`] if there are too many already, or none at all may be.
    pub async fn start(
        &self,
        runner: &Arc<Runner>,
        client: Client,
        job: Job,
        limits: Limits,
        session: Option<Which>,
    ) -> Result<Begun, Error> {
        let handle = self.instance.new_handle()?;
        let running = Arc::new(Running {
            client,
            began: Instant::now(),
            live: Live::default(),
            cancel: CancellationToken::new(),
            result: watch::Sender::new(None),
        });
        {
            let mut jobs = self.fresh();
            let count = jobs.values().filter(|job| job.result.borrow().is_none()).count();
            if count >= self.config.count {
                return Err(Error::Request(match self.config.count {
                    0 => "background jobs are off: the server was started with `--background 0`".into(),
                    max => format!(
                        "{max} background jobs run already; wait for one with `check_job` or end it with `cancel_job`"
                    ),
                }));
            }
            jobs.insert(handle.clone(), Arc::clone(&running));
        }
        let begun = Begun { handle, job: Arc::clone(&running) };
        let runner = Arc::clone(runner);
        let mut work = Box::pin(async move {
            let run = AssertUnwindSafe(answer(&runner, &running, &job, &limits, session.as_ref())).catch_unwind().await;
            let answer = run.unwrap_or_else(|_| Answer::failed("internal error: the job crashed in the server"));
            running.result.send_replace(Some(Done { at: Instant::now(), answer }));
        });
        if take_place(work.as_mut()).await.is_pending() {
            tokio::spawn(work);
        }
        Ok(begun)
    }

    /// The answer to a job that nobody has to ask after: if it is over, it is forgotten.
    pub fn take(&self, begun: &Begun) -> Option<Answer> {
        let done = begun.job.result.borrow().clone()?;
        self.fresh().remove(&begun.handle);
        Some(done.answer)
    }

    /// How a job is, after waiting for its end for up to `patience`.
    ///
    /// # Errors
    /// `client` has no such job, or another server holds it.
    pub async fn check(&self, handle: &str, client: Client, patience: Duration) -> Result<Progress, Error> {
        let job = self.find(handle, client)?;
        let _ = tokio::time::timeout(patience, job.until_over()).await;
        Ok(job.progress())
    }

    /// Ends a job; gives how it is then.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub async fn cancel(&self, handle: &str, client: Client) -> Result<Progress, Error> {
        let job = self.find(handle, client)?;
        job.cancel.cancel();
        let _ = tokio::time::timeout(LAST_WORDS, job.until_over()).await;
        Ok(job.progress())
    }

    /// Ends the jobs of `client`, which is gone.
    pub(crate) fn forget(&self, client: Client) {
        for (_, job) in self.fresh().extract_if(|_, job| job.client == client) {
            job.cancel.cancel();
        }
    }

    /// Ends all jobs.
    pub async fn shut_down(&self) {
        let all: Vec<_> = self.fresh().drain().map(|(_, job)| job).collect();
        for job in &all {
            job.cancel.cancel();
        }
        for job in &all {
            let _ = tokio::time::timeout(LAST_WORDS, job.until_over()).await;
        }
    }

    fn find(&self, handle: &str, client: Client) -> Result<Arc<Running>, Error> {
        let job = self.fresh().get(handle).filter(|job| job.client == client).map(Arc::clone);
        job.ok_or_else(|| self.instance.elsewhere(handle).unwrap_or_else(unknown))
    }

    /// The jobs whose results are not too old, or too many.
    fn fresh(&self) -> MutexGuard<'_, HashMap<String, Arc<Running>>> {
        let mut jobs = lock(&self.jobs);
        jobs.retain(|_, job| job.age().is_none_or(|age| age < self.config.keep));
        let mut ages: Vec<(Duration, String)> =
            jobs.iter().filter_map(|(handle, job)| Some((job.age()?, handle.clone()))).collect();
        ages.sort();
        for (_, handle) in ages.into_iter().skip(RESULTS_MAX) {
            jobs.remove(&handle);
        }
        jobs
    }
}

impl Running {
    /// Since when its result is there.
    fn age(&self) -> Option<Duration> {
        self.result.borrow().as_ref().map(|done| done.at.elapsed())
    }

    async fn until_over(&self) {
        // The sender lives in `self`.
        let _ = self.result.subscribe().wait_for(Option::is_some).await;
    }

    fn progress(&self) -> Progress {
        let mut answer = None;
        self.result.send_if_modified(|done| {
            let Some(done) = done else { return false };
            answer = Some(done.answer.clone());
            if !done.answer.images.is_empty() {
                done.answer.images.clear();
                done.answer.text.push_str("\n[the images came with an earlier answer]");
            }
            true
        });
        match answer {
            Some(answer) => Progress::Done(answer),
            None => Progress::Running { elapsed: self.began.elapsed(), so_far: self.live.so_far().map(Box::new) },
        }
    }
}

/// The one answer to all handles that mean no job of the caller.
fn unknown() -> Error {
    Error::Request("there is no job with this handle: it ended a while ago, or never was".into())
}

async fn answer(
    runner: &Arc<Runner>,
    running: &Running,
    job: &Job,
    limits: &Limits,
    session: Option<&Which>,
) -> Answer {
    let Running { client, live, cancel, .. } = running;
    runner.answer(session, *client, job, limits, live, cancel).await
}
