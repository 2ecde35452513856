//! The watch over a running guest: the clock, and whether somebody still waits for it.

use super::Guest;
use super::stop::Stop;
use crate::error::Error;
use crate::job::{LimitHit, LimitKind, Limits, RunEnd, RunRecord, milliseconds};
use std::time::{Duration, Instant};
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

/// A guest that runs on its thread.
type Running = JoinHandle<(RunRecord, Guest)>;

/// The watch over a running guest: the clock, and whether it is still wanted.
pub(super) struct Watch<'a> {
    pub(super) limits: &'a Limits,
    pub(super) stop: &'a Stop,
    pub(super) cancel: &'a CancellationToken,
    /// How long a guest whose call is withdrawn may unwind.
    pub(super) soft: Duration,
    pub(super) started: Instant,
}

impl Watch<'_> {
    /// Waits for the guest and has it stopped when its time is over.
    pub(super) async fn until_over(&self, mut guest: Running) -> Result<(RunRecord, Guest), Error> {
        let mut withdrawn = false;
        let joined = tokio::select! {
            joined = &mut guest => joined,
            () = self.cancel.cancelled() => {
                withdrawn = true;
                self.withdraw(&mut guest).await
            }
            () = tokio::time::sleep(self.limits.wall) => {
                self.stop.ask(self.wall_limit());
                tokio::select! {
                    joined = &mut guest => joined,
                    () = tokio::time::sleep(self.limits.grace) => {
                        self.stop.force(RunEnd::Limit(self.wall_limit()));
                        guest.await
                    }
                    () = self.cancel.cancelled() => {
                        self.stop.force(RunEnd::Cancelled);
                        guest.await
                    }
                }
            }
        };
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
            limit: milliseconds(self.limits.wall),
            used: milliseconds(self.started.elapsed()),
        }
    }
}
