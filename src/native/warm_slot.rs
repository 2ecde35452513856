//! The place of the warm parent: starts it, starts it again when it has died, ends it when nobody needs it.

use super::helper;
use super::warm::{Warm, lock};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::sleep;

/// After a start that failed, the next attempt waits so long: a cause that stays costs little.
const PAUSE: Duration = Duration::from_secs(5);

/// Holds at most one warm parent.
#[derive(Debug)]
pub(in crate::native) struct WarmSlot {
    program: PathBuf,
    order: helper::Order,
    patience: Duration,
    idle: Option<Duration>,
    /// Locked while one starts, so that all jobs wait for the same.
    current: AsyncMutex<Option<Arc<Warm>>>,
    failure: Mutex<Option<(Instant, String)>>,
    used: Mutex<Instant>,
}

impl WarmSlot {
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
            current: AsyncMutex::default(),
            failure: Mutex::default(),
            used: Mutex::new(Instant::now()),
        })
    }

    /// Starts the parent without waiting for it.
    pub(in crate::native) fn start_in_background(self: &Arc<Self>) {
        let slot = Arc::clone(self);
        tokio::spawn(async move { slot.get().await.map(drop) });
    }

    /// The warm parent, started if there is none.
    ///
    /// # Errors
    /// Why it does not start.
    pub(in crate::native) async fn get(self: &Arc<Self>) -> Result<Arc<Warm>, String> {
        let mut current = self.current.lock().await;
        *lock(&self.used) = Instant::now();
        if let Some(warm) = current.as_ref().filter(|warm| !warm.is_gone()) {
            return Ok(Arc::clone(warm));
        }
        // The lock is held by the copy that nobody cancels: a job that is withdrawn does not undo the start for the others.
        if let Some((when, why)) = lock(&self.failure).clone().filter(|(when, _)| when.elapsed() < PAUSE) {
            tracing::debug!("not starting the warm parent again {} ms after it failed", when.elapsed().as_millis());
            return Err(why);
        }
        let before = Instant::now();
        match Warm::start(self.program.clone(), &self.order, self.patience).await {
            Ok(warm) => {
                tracing::info!(ms = before.elapsed().as_millis(), pid = warm.pid(), "the warm parent is ready");
                for why in warm.missing() {
                    tracing::warn!("the warm parent could not import a module in advance: {why}");
                }
                *lock(&self.failure) = None;
                *current = Some(Arc::clone(&warm));
                self.look_after(&warm);
                Ok(warm)
            }
            Err(why) => {
                tracing::error!("the native runtime is off: {why}");
                *lock(&self.failure) = Some((Instant::now(), why.clone()));
                Err(why)
            }
        }
    }

    /// Why the last start failed, if it did.
    pub(in crate::native) fn last_failure(&self) -> Option<String> {
        lock(&self.failure).as_ref().map(|(_, why)| why.clone())
    }

    /// Ends the parent and its jobs.
    pub(in crate::native) async fn shut_down(&self) {
        let warm = self.current.lock().await.take();
        if let Some(warm) = warm {
            warm.kill();
            warm.until_gone().await;
        }
    }

    fn look_after(self: &Arc<Self>, warm: &Arc<Warm>) {
        tokio::spawn(look_after(Arc::downgrade(self), Arc::downgrade(warm), self.idle));
    }
}

impl Drop for WarmSlot {
    fn drop(&mut self) {
        if let Some(warm) = self.current.get_mut() {
            warm.kill();
        }
    }
}

/// Starts the next parent when this one dies, and ends this one when it is idle for too long.
async fn look_after(slot: Weak<WarmSlot>, warm: Weak<Warm>, idle: Option<Duration>) {
    loop {
        let Some(current) = warm.upgrade() else { return };
        let pause = idle.map_or(Duration::from_secs(60), |idle| idle / 4);
        let died = tokio::select! {
            () = current.until_gone() => true,
            () = sleep(pause) => false,
        };
        let Some(slot) = slot.upgrade() else { return };
        let mut place = slot.current.lock().await;
        if died {
            // Whoever ended it on purpose has taken it out of its place first.
            if place.as_ref().is_some_and(|warm| Arc::ptr_eq(warm, &current)) {
                place.take();
                tracing::warn!("the warm parent died; starting another");
                slot.start_in_background();
            }
            return;
        }
        if current.running() > 0 {
            *lock(&slot.used) = Instant::now();
        }
        let unused = lock(&slot.used).elapsed();
        if idle.is_some_and(|idle| unused >= idle) {
            tracing::info!(seconds = unused.as_secs(), "no native job for a while; giving memory back");
            place.take();
            current.kill();
            return;
        }
    }
}
