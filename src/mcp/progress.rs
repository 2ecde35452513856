//! Progress of a running call for clients that ask for it: the text that is new, once a second,
//! never after the answer.
//!
//! MCP 2025-06-18 and 2026-07-28, "Progress": the value must increase, notifications should be rate
//! limited and must stop after completion.

use crate::answer::as_terminal;
use crate::output::{OutputTap, escape_invalid};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use std::pin::pin;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

/// Time between two notifications.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long the answer waits for a notification that the client does not take.
const LAST: Duration = Duration::from_millis(500);
/// Bytes of new text that one notification carries.
const MAX_MESSAGE: u64 = 1_000;

/// The client that wants reports, and the token that it gave with the request.
#[derive(Debug, Clone)]
pub(super) struct Listener {
    pub(super) peer: Peer<RoleServer>,
    pub(super) token: ProgressToken,
}

/// Waits for `job` and meanwhile reports to `listener` how far it is: seconds out of `total`, and
/// the text that is new.
pub(super) async fn while_reporting<T>(
    job: impl Future<Output = T>,
    live: &OutputTap,
    total: Duration,
    listener: Option<Listener>,
) -> T {
    let Some(listener) = listener else { return job.await };
    let mut job = pin!(job);
    let begun = Instant::now();
    let mut ticks = interval_at(begun + INTERVAL, INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut reported = 0;
    loop {
        tokio::select! {
            biased;
            done = &mut job => return done,
            _ = ticks.tick() => {}
        }
        let params =
            ProgressNotificationParam::new(listener.token.clone(), begun.elapsed().as_secs_f64())
                .with_total(total.as_secs_f64())
                .with_message(news(live, &mut reported));
        // The job goes on being polled: it reads the output of a process.
        let mut sending = pin!(listener.peer.notify_progress(params));
        tokio::select! {
            biased;
            done = &mut job => {
                // A notification that is under way must not overtake the answer; one that nobody
                // takes must not hold it.
                let _ = timeout(LAST, sending).await;
                return done;
            }
            sent = &mut sending => if sent.is_err() {
                return job.await;
            },
        }
    }
}

/// The end of what was printed since position `reported`, which moves on; a few words if that is
/// nothing.
fn news(live: &OutputTap, reported: &mut u64) -> String {
    let Some(captured) = live.so_far() else { return "waiting for a place".into() };
    let total = captured.stdout.total();
    // A rerun starts from nothing.
    let from = if *reported > total { 0 } else { *reported };
    *reported = total;
    let fresh = captured.stdout.slice(from.max(total.saturating_sub(MAX_MESSAGE)), total);
    let text = as_terminal(&escape_invalid(&fresh));
    if text.trim().is_empty() { "running".into() } else { text }
}
