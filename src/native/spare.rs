//! A child that is forked and confined before its job comes, so that no job waits for that.
//!
//! It has seen nothing of any job, waits on its channel without using a processor, and is used once
//! or thrown away. Its directories are part of its walls, so a call whose directory is a session's
//! gets a child of its own.

use super::channel::Said;
use super::fork_server::ForkServer;
use super::launch::{Child, Launch};
use super::policy::rlimits;
use super::sockets::Sockets;
use super::{JobDir, NativeConfig, On, size};
use crate::host::{apart, lock};
use crate::job::Limits;
use crate::proxy::Pass;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::{sleep, timeout};

/// Bytes that must be available on the machine: what a child holds while it waits is some ten
/// mebibytes, which others may need more.
const AVAILABLE: u64 = 256 << 20;
/// How long a child waits by default: calls that come together come within a second, and between
/// the others nothing is to stay.
pub(super) const IDLE: Duration = Duration::from_secs(2);
/// How long it may take to be ready.
const PATIENCE: Duration = Duration::from_secs(5);

/// A child that waits for its first request.
#[derive(Debug)]
pub(super) struct SpareChild {
    child: Child,
    /// Its credential for the proxy, if hosts are open.
    pass: Option<Pass>,
    /// Its process limits were made of them.
    limits: Limits,
}

/// The children that wait, each in its directories.
#[derive(Debug, Default)]
pub(super) struct Spares {
    ready: Mutex<Vec<(Instant, SpareChild, JobDir)>>,
    /// Held by who makes one: the fork server makes one child after the other.
    making: AsyncMutex<()>,
}

impl Spares {
    /// A child that waits, if its directories are still there: cleaners of temporary files take
    /// what looks unused.
    pub(super) fn take(&self) -> Option<(SpareChild, JobDir)> {
        let (_, child, dir) = lock(&self.ready).pop()?;
        dir.is_there().then_some((child, dir))
    }

    pub(super) fn count(&self) -> usize {
        lock(&self.ready).len()
    }

    pub(super) fn drop_all(&self) {
        lock(&self.ready).clear();
    }
}

impl SpareChild {
    /// The child with its credential, if it lives and is what `server` would fork under `limits`.
    pub(super) fn fit(
        mut self,
        server: &Arc<ForkServer>,
        limits: &Limits,
    ) -> Option<(Child, Option<Pass>)> {
        let fits = self.child.job.is_of(server)
            && rlimits::are_same(&self.limits, limits)
            && self.child.is_alive();
        fits.then(|| {
            self.child.job.employ();
            (self.child, self.pass)
        })
    }
}

impl On {
    /// Makes children for the next jobs, and ends those for which none came in time.
    pub(super) async fn prepare(&self, config: &NativeConfig, limits: &Limits) {
        self.make_spares(config, limits).await;
        sleep(config.spare_idle).await;
        let is_late = |(since, ..): &mut (Instant, _, _)| since.elapsed() >= config.spare_idle;
        let late: Vec<_> = lock(&self.spares.ready).extract_if(.., is_late).collect();
        drop(late);
    }

    /// Makes children until enough wait, while no job runs, unless somebody does so already or
    /// memory is short. A failure costs the next job time, and nothing else.
    async fn make_spares(&self, config: &NativeConfig, limits: &Limits) {
        let Ok(_alone) = self.spares.making.try_lock() else { return };
        while self.spares.count() < config.spares
            && self.in_use.is_idle()
            && size::available().is_some_and(|available| available >= AVAILABLE)
        {
            let made = apart(|| JobDir::create(&config.runtime_dir, None, &config.mounts));
            let Ok(dir) = made else { return };
            let child = timeout(PATIENCE, self.spare_child(&dir, limits.clone())).await;
            let Ok(Some(child)) = child else { return };
            lock(&self.spares.ready).push((Instant::now(), child, dir));
        }
    }

    async fn spare_child(&self, dir: &JobDir, limits: Limits) -> Option<SpareChild> {
        let server = self.fork_server.get().await.ok()?;
        let launch = Launch { dir, limits: &limits, keep: false, is_spare: true };
        let (mut child, pass) = self.launch(&server, launch).await.ok()??;
        loop {
            match child.channel.as_mut()?.next().await {
                Said::Listener(listener) => {
                    child.sockets = Some(Sockets::serve(listener, dir.locks()).ok()?);
                }
                Said::Waits => return Some(SpareChild { child, pass, limits }),
                _ => return None,
            }
        }
    }
}
