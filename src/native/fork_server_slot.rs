//! Holds the fork server: starts it, starts it again when it has died, replaces it by one that has
//! imported more, ends it when nobody needs it.

use super::error::NativeError;
use super::fork_server::ForkServer;
use super::helper::HelperConfig;
use super::observed_imports::ObservedImports;
use super::size;
use crate::error::OffReason;
use crate::host::lock;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// After a start that failed, the next attempt waits so long: a cause that stays costs little.
const PAUSE: Duration = Duration::from_secs(5);
/// How long names are collected before a fork server is started for them.
const COLLECTING: Duration = Duration::from_millis(300);
/// How often a fork server that was replaced is asked whether its last job has ended.
const RETIREMENT: Duration = Duration::from_millis(100);

/// Holds at most one fork server that takes jobs.
#[derive(Debug)]
pub(super) struct ForkServerSlot {
    program: PathBuf,
    config: HelperConfig,
    idle: Option<Duration>,
    /// Locked while one starts, so that all jobs wait for the same.
    current: Arc<AsyncMutex<Option<Arc<ForkServer>>>>,
    failure: Mutex<Option<(Instant, OffReason)>>,
    used: Mutex<Instant>,
    learned: Mutex<ObservedImports>,
    /// Locked while one with more imports starts: one at a time is enough.
    improving: AsyncMutex<()>,
    closed: CancellationToken,
}

impl ForkServerSlot {
    /// An empty slot. `idle` is how long a fork server stays without a job.
    pub(super) fn new(program: PathBuf, config: HelperConfig, idle: Option<Duration>) -> Arc<Self> {
        Arc::new(Self {
            program,
            config,
            idle,
            current: Arc::default(),
            failure: Mutex::default(),
            used: Mutex::new(Instant::now()),
            learned: Mutex::default(),
            improving: AsyncMutex::default(),
            closed: CancellationToken::new(),
        })
    }

    pub(super) fn start_in_background(self: &Arc<Self>) {
        tokio::spawn(Arc::clone(self).start_if_none());
    }

    /// The fork server, started if there is none.
    pub(super) async fn get(self: &Arc<Self>) -> Result<Arc<ForkServer>, OffReason> {
        *lock(&self.used) = Instant::now();
        // In a task of its own: a job that is withdrawn while it waits does not undo the start for
        // the others.
        let started = tokio::spawn(Arc::clone(self).start_if_none());
        started.await.unwrap_or_else(|e| Err(NativeError::StartPanicked(e).into()))
    }

    /// Why the last start failed, if it did. Some time after, asking starts another attempt.
    pub(super) fn last_failure(self: &Arc<Self>) -> Option<OffReason> {
        let (when, why) = lock(&self.failure).clone()?;
        if when.elapsed() >= PAUSE {
            self.start_in_background();
        }
        Some(why)
    }

    /// Lets the next fork server import `names` too, and starts it if one of them is new: the
    /// second job with scikit-learn then does not wait for it again. Costs their memory, until
    /// memory is given back.
    pub(super) fn learn(self: &Arc<Self>, names: &[String]) {
        if lock(&self.learned).add(names) {
            tokio::spawn(Arc::clone(self).improve());
        }
    }

    /// Ends it, and with it jobs whose directories are gone; another one starts.
    pub(super) fn replace(&self) {
        // Where one is starting just now, the first job on it will fail and say so.
        if let Ok(current) = self.current.try_lock()
            && let Some(server) = current.as_ref()
        {
            server.kill();
        }
    }

    /// Ends it and its jobs, for good.
    pub(super) async fn shut_down(&self) {
        self.closed.cancel();
        let server = self.current.lock().await.take();
        if let Some(server) = server {
            server.end().await;
        }
    }

    async fn start_if_none(self: Arc<Self>) -> Result<Arc<ForkServer>, OffReason> {
        let mut current = Arc::clone(&self.current).lock_owned().await;
        if let Some(server) = current.as_ref().filter(|server| !server.is_gone()) {
            return Ok(Arc::clone(server));
        }
        if let Some((_, why)) =
            lock(&self.failure).clone().filter(|(when, _)| when.elapsed() < PAUSE)
        {
            return Err(why);
        }
        match self.start_with_learned().await {
            Ok(server) => {
                *lock(&self.failure) = None;
                Ok(self.take_over(&mut current, server))
            }
            Err(error) => {
                let why = OffReason::from(error);
                if !self.closed.is_cancelled() {
                    tracing::error!("the native runtime is off: {why}");
                }
                *lock(&self.failure) = Some((Instant::now(), why.clone()));
                Err(why)
            }
        }
    }

    /// Starts a fork server that also imports what jobs have imported, and then replaces the
    /// current one by it.
    async fn improve(self: Arc<Self>) {
        let _one_at_a_time = self.improving.lock().await;
        // Children that come together often import together.
        sleep(COLLECTING).await;
        let learned = lock(&self.learned).names();
        if self.current.lock().await.as_ref().is_none_or(|server| server.learned == learned) {
            return;
        }
        if let Ok(server) = self.start_with_learned().await {
            let mut current = Arc::clone(&self.current).lock_owned().await;
            // The memory may have been given back meanwhile, and with it what was learned.
            match current.take() {
                Some(old) if !self.closed.is_cancelled() => {
                    tokio::spawn(retire(old));
                    self.take_over(&mut current, server);
                }
                other => *current = other,
            }
        }
    }

    /// Starts one with what was learned. A name that ends or spoils it is given up, and no other.
    async fn start_with_learned(&self) -> Result<Arc<ForkServer>, NativeError> {
        loop {
            let names = lock(&self.learned).names();
            let refused = match self.start(names.clone()).await {
                Ok(server) => {
                    let mut learned = lock(&self.learned);
                    learned.list(&server.learnable);
                    learned.refuse(names.iter().filter(|name| !server.learned.contains(name)));
                    return Ok(server);
                }
                Err(error @ NativeError::Leaving) => return Err(error),
                Err(error) if names.is_empty() => return Err(error),
                Err(NativeError::Learning { name, source }) => {
                    tracing::warn!("jobs go on importing `{name}` by themselves: {source}");
                    vec![name]
                }
                Err(why) => {
                    tracing::warn!("jobs go on importing {names:?} by themselves: {why}");
                    names
                }
            };
            lock(&self.learned).refuse(&refused);
        }
    }

    async fn start(&self, learned: Vec<String>) -> Result<Arc<ForkServer>, NativeError> {
        let before = Instant::now();
        let config = HelperConfig { learned, ..self.config.clone() };
        let server = tokio::select! {
            server = ForkServer::start(self.program.clone(), &config) => server?,
            () = self.closed.cancelled() => return Err(NativeError::Leaving),
        };
        let threads = size::measure(server.pid()).map_or(0, |size| size.threads);
        if self.config.threads == 1 && threads != 1 {
            // A fork copies one thread, and locks that the others held stay locked in the child.
            return Err(NativeError::Threads(threads));
        }
        let ms = before.elapsed().as_millis();
        let (pid, learned) = (server.pid(), &server.learned);
        tracing::info!(ms, pid, ?learned, "the fork server is ready");
        Ok(server)
    }

    fn take_over(
        self: &Arc<Self>,
        current: &mut OwnedMutexGuard<Option<Arc<ForkServer>>>,
        server: Arc<ForkServer>,
    ) -> Arc<ForkServer> {
        **current = Some(Arc::clone(&server));
        tokio::spawn(look_after(Arc::downgrade(self), Arc::downgrade(&server), self.idle));
        server
    }
}

impl Drop for ForkServerSlot {
    fn drop(&mut self) {
        self.closed.cancel();
        if let Ok(current) = self.current.try_lock()
            && let Some(server) = current.as_ref()
        {
            server.kill();
        }
    }
}

/// Starts the next fork server when this one dies, and ends this one when it is idle for too long.
async fn look_after(slot: Weak<ForkServerSlot>, server: Weak<ForkServer>, idle: Option<Duration>) {
    loop {
        let Some(server) = server.upgrade() else { return };
        let pause = idle.map_or(Duration::from_mins(1), |idle| idle / 4);
        let died = timeout(pause, server.until_gone()).await.is_ok();
        let Some(slot) = slot.upgrade() else { return };
        let mut current = slot.current.lock().await;
        // Whoever ends or replaces it on purpose takes it out of the slot first.
        if current.as_ref().is_none_or(|current| !Arc::ptr_eq(current, &server)) {
            return;
        }
        if died {
            current.take();
            tracing::warn!("the fork server died; starting another");
            slot.start_in_background();
            return;
        }
        if server.running() > 0 {
            *lock(&slot.used) = Instant::now();
        }
        let unused = lock(&slot.used).elapsed();
        if idle.is_some_and(|idle| unused >= idle) {
            let seconds = unused.as_secs();
            tracing::info!(seconds, "no native job for a while; giving memory back");
            current.take();
            lock(&slot.learned).forget();
            server.kill();
            return;
        }
    }
}

/// Ends a fork server that takes no jobs any more, once those it has are over.
async fn retire(server: Arc<ForkServer>) {
    while server.running() > 0 && !server.is_gone() {
        sleep(RETIREMENT).await;
    }
    server.kill();
}
