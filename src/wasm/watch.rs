//! The watch over a running guest: its deadline, and whether its call was withdrawn.

use super::Guest;
use super::stop::Stop;
use crate::error::Error;
use crate::job::{LimitHit, LimitKind, RunEnd, RunRecord, milliseconds};
use crate::output::RunOrder;
use std::time::{Duration, Instant};
use tokio::task::{JoinError, JoinHandle};

type Running = JoinHandle<(RunRecord, Guest)>;

pub(super) struct Watch<'a> {
    pub(super) order: &'a RunOrder<'a>,
    pub(super) stop: &'a Stop,
    /// How long a guest whose call is withdrawn may unwind.
    pub(super) soft: Duration,
    pub(super) started: Instant,
}

impl Drop for Watch<'_> {
    /// A run whose future was dropped must not go on without a clock.
    fn drop(&mut self) {
        self.stop.force(RunEnd::Cancelled);
    }
}

impl Watch<'_> {
    /// Waits for the guest and has it stopped when its time is over.
    pub(super) async fn until_over(&self, mut guest: Running) -> Result<(RunRecord, Guest), Error> {
        let mut withdrawn = false;
        let joined = tokio::select! {
            joined = &mut guest => joined,
            () = self.order.cancel.cancelled() => {
                withdrawn = true;
                self.withdraw(&mut guest).await
            }
            () = tokio::time::sleep(self.order.wall()) => {
                self.stop.ask(self.wall_limit());
                // The grace time lets the guest unwind and say where it was.
                let grace = self.order.limits.grace;
                let end = tokio::select! {
                    () = tokio::time::sleep(grace) => RunEnd::Limit(self.wall_limit()),
                    () = self.order.cancel.cancelled() => RunEnd::Cancelled,
                    joined = &mut guest => return self.finished(joined, false),
                };
                self.stop.force(end);
                guest.await
            }
        };
        self.finished(joined, withdrawn)
    }

    fn finished(
        &self,
        joined: Result<(RunRecord, Guest), JoinError>,
        withdrawn: bool,
    ) -> Result<(RunRecord, Guest), Error> {
        let (mut record, guest) =
            joined.map_err(|source| Error::engine("run the guest", source))?;
        if withdrawn {
            record.end = RunEnd::Cancelled;
        }
        record.asked = self.stop.asked();
        record.usage.wall = self.started.elapsed();
        Ok((record, guest))
    }

    async fn withdraw(&self, guest: &mut Running) -> Result<(RunRecord, Guest), JoinError> {
        if !self.soft.is_zero() {
            self.stop.nudge();
            if let Ok(joined) = tokio::time::timeout(self.soft, &mut *guest).await {
                return joined;
            }
        }
        self.stop.force(RunEnd::Cancelled);
        guest.await
    }

    fn wall_limit(&self) -> LimitHit {
        LimitHit {
            kind: LimitKind::Wall,
            limit: milliseconds(self.order.limits.wall),
            used: milliseconds(self.order.spent + self.started.elapsed()),
        }
    }
}
