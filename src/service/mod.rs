//! What the server does with calls. `execute` is the road of one call, with the steps `admission`,
//! `routing`, `classify` and `finish`; `session`, `jobs`, `file_store` and `metrics` outlive it.

mod accounts;
mod admission;
mod call;
mod classify;
mod execute;
mod file_store;
mod finish;
mod jobs;
mod metrics;
mod outcome;
mod pictures;
mod routing;
mod session;
mod share;
mod status;

pub(crate) use accounts::{Accounts, AccountsConfig, Held, Resource, UntilSent};
pub(crate) use admission::{Admission, AdmissionConfig, Permit};
pub use call::Call;
pub(crate) use call::{Asking, SessionRef, gone, take_place};
pub(crate) use file_store::{FULL_OUTPUT, FileStoreConfig, SCHEME, address};
pub(crate) use jobs::{Jobs, JobsConfig, Progress};
pub(crate) use outcome::Outcome;
pub(crate) use outcome::{MAX_TRACEBACK, OutcomeImage, SessionFacts, StoppedAt};
pub(crate) use session::{SessionConfig, Sessions};
pub(crate) use share::Share;
pub(crate) use status::JobStatus;

use crate::host::PrivateDir;
use crate::images::Budget;
use crate::job::{Caller, Client, Instance, Limits};
use crate::runtime::{Runtimes, RuntimesConfig};
use file_store::FileStore;
use metrics::Metrics;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Bytes that the text of an answer takes at most on its way, about.
const ANSWER_TEXT: u64 = 1 << 20;

/// The handle of a session or of a call without one, and its directory.
pub(crate) type Folder = (String, Arc<PrivateDir>);

/// What a service is made of.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    /// Both runtimes.
    pub runtimes: RuntimesConfig,
    /// Limits of a job that asks for nothing else.
    pub limits: Limits,
    /// What the images of one answer may weigh, and how large each may be.
    pub budget: Budget,
    /// Calls that run and wait.
    pub admission: AdmissionConfig,
    /// What callers hold in memory and streams.
    pub accounts: AccountsConfig,
    /// What sessions may take.
    pub sessions: SessionConfig,
    /// How long files of calls without a session can be read.
    pub files: FileStoreConfig,
    /// What background jobs may take.
    pub jobs: JobsConfig,
    /// Whom the handles of all these name.
    pub instance: Instance,
}

/// Runs calls. One per process.
#[derive(Debug)]
pub struct Service {
    pub(crate) config: ServiceConfig,
    pub(crate) runtimes: Runtimes,
    pub(crate) admission: Admission,
    pub(crate) accounts: Accounts,
    metrics: Metrics,
    pub(crate) sessions: Arc<Sessions>,
    files: FileStore,
    pub(crate) jobs: Jobs,
    fitting: Arc<Semaphore>,
}

impl Service {
    /// A service that has loaded nothing yet.
    pub fn new(config: ServiceConfig) -> Self {
        Self {
            runtimes: Runtimes::new(config.runtimes.clone()),
            admission: Admission::new(config.admission),
            accounts: Accounts::new(config.accounts),
            metrics: Metrics::default(),
            sessions: Sessions::new(config.sessions.clone(), config.instance.clone()),
            files: FileStore::new(config.files.clone(), config.instance.clone()),
            jobs: Jobs::new(config.jobs, config.instance.clone()),
            fitting: pictures::places(),
            config,
        }
    }

    /// Takes room for an answer to `asked`, which holds it until it is sent.
    pub(crate) async fn room_for_answer(&self, asked: Option<&Asking>) {
        let Some(Asking { caller, until_sent, .. }) = asked else { return };
        let bytes = (self.config.budget.bytes as u64).saturating_mul(2) + ANSWER_TEXT;
        until_sent.keep(self.accounts.wait_for(*caller, Resource::Answers, bytes).await);
    }

    /// Figures of `caller`, or of all.
    pub(crate) fn metrics(&self, caller: Option<Caller>) -> String {
        self.metrics.text(&self.admission, &self.runtimes, caller)
    }

    /// The folders of those who are `wanted`: of their sessions, then of their calls without a
    /// session.
    pub(crate) fn folders(&self, wanted: impl Fn(Client) -> bool) -> Vec<Folder> {
        let sessions = self.sessions.folders(&wanted);
        sessions.into_iter().chain(self.files.folders(wanted)).collect()
    }

    pub(crate) async fn shut_down(&self) {
        self.jobs.shut_down().await;
        self.sessions.shut_down().await;
        self.runtimes.shut_down().await;
    }
}
