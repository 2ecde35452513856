//! The place of the fork server: starts it, starts it again when it has died, replaces it by one
//! that knows more, ends it when nobody needs it.

use super::fork_server::ForkServer;
use super::helper;
use super::observed_imports::ObservedImports;
use super::watch;
use crate::host::lock;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// After a start that failed, the next attempt waits so long: a cause that stays costs little.
const PAUSE: Duration = Duration::from_secs(5);
/// How long names are collected before a parent is started for them.
const COLLECTING: Duration = Duration::from_millis(300);
/// How often a parent that was replaced is asked whether its last job has ended.
const RETIREMENT: Duration = Duration::from_millis(100);

/// Holds at most one fork server that takes jobs.
#[derive(Debug)]
pub(in crate::native) struct ForkServerSlot {
    program: PathBuf,
    order: helper::Order,
    patience: Duration,
    idle: Option<Duration>,
    /// Locked while one starts, so that all jobs wait for the same.
    current: Arc<AsyncMutex<Option<Arc<ForkServer>>>>,
    failure: Mutex<Option<(Instant, String)>>,
    used: Mutex<Instant>,
    learned: Mutex<ObservedImports>,
    /// Locked while a better parent starts: one at a time is enough.
    improving: AsyncMutex<()>,
    closed: CancellationToken,
}

impl ForkServerSlot {
    /// An empty place. `patience` is how long a parent may take to start, `idle` how long it stays
    /// without a job.
    pub(in crate::native) fn new(
        program: PathBuf,
        order: helper::Order,
        patience: Duration,
        idle: Option<Duration>,
    ) -> Arc<Self> {
        Arc::new(Self {
            program,
            order,
            patience,
            idle,
            current: Arc::default(),
            failure: Mutex::default(),
            used: Mutex::new(Instant::now()),
            learned: Mutex::default(),
            improving: AsyncMutex::default(),
            closed: CancellationToken::new(),
        })
    }

    /// Starts the parent without waiting for it.
    pub(in crate::native) fn start_in_background(self: &Arc<Self>) {
        tokio::spawn(Arc::clone(self).start_if_none());
    }

    /// The fork server, started if there is none.
    ///
    /// # Errors
    /// Why it does not start.
    pub(in crate::native) async fn get(self: &Arc<Self>) -> Result<Arc<ForkServer>, String> {
        *lock(&self.used) = Instant::now();
        // In a task of its own: a job that is withdrawn while it waits does not undo the start for
        // the others.
        let started = tokio::spawn(Arc::clone(self).start_if_none());
        started.await.unwrap_or_else(|e| Err(format!("the start of the fork server failed: {e}")))
    }

    /// Why the last start failed, if it did. Some time after, asking starts another attempt.
    pub(in crate::native) fn last_failure(self: &Arc<Self>) -> Option<String> {
        let (when, why) = lock(&self.failure).clone()?;
        if when.elapsed() >= PAUSE {
            self.start_in_background();
        }
        Some(why)
    }

    /// Lets the next fork server import `names` too, and starts it if they are news.
    pub(in crate::native) fn learn(self: &Arc<Self>, names: Vec<String>) {
        if lock(&self.learned).add(names) {
            tokio::spawn(Arc::clone(self).improve());
        }
    }

    /// Ends the parent, and with it jobs whose directories are gone; another one starts.
    pub(in crate::native) fn replace(&self) {
        // Where one is starting just now, the first job on it will fail and say so.
        if let Ok(place) = self.current.try_lock()
            && let Some(warm) = place.as_ref()
        {
            warm.kill();
        }
    }

    /// Ends the parent and its jobs, for good.
    pub(in crate::native) async fn shut_down(&self) {
        self.closed.cancel();
        let warm = self.current.lock().await.take();
        if let Some(warm) = warm {
            warm.end().await;
        }
    }

    async fn start_if_none(self: Arc<Self>) -> Result<Arc<ForkServer>, String> {
        let mut place = Arc::clone(&self.current).lock_owned().await;
        if let Some(warm) = place.as_ref().filter(|warm| !warm.is_gone()) {
            return Ok(Arc::clone(warm));
        }
        if let Some((_, why)) =
            lock(&self.failure).clone().filter(|(when, _)| when.elapsed() < PAUSE)
        {
            return Err(why);
        }
        let learned = lock(&self.learned).names();
        let mut started = self.start(learned.clone()).await;
        if started.is_err() && !learned.is_empty() {
            lock(&self.learned).refuse(&learned);
            started = self.start(Vec::new()).await;
        }
        match started {
            Ok(warm) => {
                *lock(&self.failure) = None;
                Ok(self.take_over(&mut place, warm))
            }
            Err(why) => {
                if !self.closed.is_cancelled() {
                    tracing::error!("the native runtime is off: {why}");
                }
                *lock(&self.failure) = Some((Instant::now(), why.clone()));
                Err(why)
            }
        }
    }

    /// Starts a parent that has imported what jobs have imported since, beside the present one, and
    /// puts it in its place.
    async fn improve(self: Arc<Self>) {
        let _one_at_a_time = self.improving.lock().await;
        // Children that come together often import together.
        sleep(COLLECTING).await;
        let learned = lock(&self.learned).names();
        if self.current.lock().await.as_ref().is_none_or(|warm| warm.learned() == learned) {
            return;
        }
        match self.start(learned.clone()).await {
            Ok(warm) => {
                let mut place = Arc::clone(&self.current).lock_owned().await;
                // The memory may have been given back meanwhile, and with it what was learned.
                match place.take() {
                    Some(old) if !self.closed.is_cancelled() => {
                        tokio::spawn(retire(old));
                        self.take_over(&mut place, warm);
                    }
                    other => *place = other,
                }
            }
            Err(why) => {
                tracing::warn!("jobs go on importing {learned:?} by themselves: {why}");
                lock(&self.learned).refuse(&learned);
            }
        }
    }

    async fn start(&self, learned: Vec<String>) -> Result<Arc<ForkServer>, String> {
        let before = Instant::now();
        let order = helper::Order { learned, ..self.order.clone() };
        let warm = tokio::select! {
            warm = ForkServer::start(self.program.clone(), &order, self.patience) => warm?,
            () = self.closed.cancelled() => return Err("the server is leaving".to_owned()),
        };
        let threads = watch::size(warm.pid()).map_or(0, |size| size.threads);
        if self.order.threads == 1 && threads != 1 {
            // A fork copies one thread, and what the others held stays locked in the child for
            // ever.
            return Err(format!(
                "the fork server has {threads} threads after its imports; shorten `--preload`"
            ));
        }
        let ms = before.elapsed().as_millis();
        tracing::info!(ms, pid = warm.pid(), learned = ?order.learned, "the fork server is ready");
        for why in warm.missing() {
            tracing::warn!("the fork server could not import a module in advance: {why}");
        }
        Ok(warm)
    }

    fn take_over(
        self: &Arc<Self>,
        place: &mut OwnedMutexGuard<Option<Arc<ForkServer>>>,
        warm: Arc<ForkServer>,
    ) -> Arc<ForkServer> {
        **place = Some(Arc::clone(&warm));
        tokio::spawn(look_after(Arc::downgrade(self), Arc::downgrade(&warm), self.idle));
        warm
    }
}

impl Drop for ForkServerSlot {
    fn drop(&mut self) {
        self.closed.cancel();
        if let Ok(place) = self.current.try_lock()
            && let Some(warm) = place.as_ref()
        {
            warm.kill();
        }
    }
}

/// Starts the next parent when this one dies, and ends this one when it is idle for too long.
async fn look_after(slot: Weak<ForkServerSlot>, warm: Weak<ForkServer>, idle: Option<Duration>) {
    loop {
        let Some(current) = warm.upgrade() else { return };
        let pause = idle.map_or(Duration::from_mins(1), |idle| idle / 4);
        let died = tokio::select! {
            () = current.until_gone() => true,
            () = sleep(pause) => false,
        };
        let Some(slot) = slot.upgrade() else { return };
        let mut place = slot.current.lock().await;
        // Whoever ends or replaces it on purpose takes it out of its place first.
        if place.as_ref().is_none_or(|warm| !Arc::ptr_eq(warm, &current)) {
            return;
        }
        if died {
            place.take();
            tracing::warn!("the fork server died; starting another");
            slot.start_in_background();
            return;
        }
        if current.running() > 0 {
            *lock(&slot.used) = Instant::now();
        }
        let unused = lock(&slot.used).elapsed();
        if idle.is_some_and(|idle| unused >= idle) {
            tracing::info!(
                seconds = unused.as_secs(),
                "no native job for a while; giving memory back"
            );
            place.take();
            lock(&slot.learned).forget();
            current.kill();
            return;
        }
    }
}

/// Ends a parent that takes no jobs any more, once those it has are over.
async fn retire(warm: Arc<ForkServer>) {
    while warm.running() > 0 && !warm.is_gone() {
        sleep(RETIREMENT).await;
    }
    warm.kill();
}
