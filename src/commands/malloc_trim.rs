//! Memory of jobs, given back to the kernel after a burst, and when nothing has run for a while:
//! the allocator keeps what many threads freed.
#![cfg_attr(
    target_env = "gnu",
    expect(
        unsafe_code,
        reason = "a call of the C library without a safe wrapper; the block names why it is sound"
    )
)]

use crate::service::Service;
use std::sync::Weak;
use std::time::Duration;
use tokio::time::sleep;

/// How often it is asked what runs.
const INTERVAL: Duration = Duration::from_secs(2);
/// So many jobs at once are a burst; what fewer leave is used again by the next that comes soon.
const BURST: usize = 8;

/// Gives memory back whenever jobs are over, for as long as there is a service.
pub(crate) async fn after_jobs(service: Weak<Service>) {
    let mut is_used = false;
    loop {
        sleep(INTERVAL).await;
        let Some(service) = service.upgrade() else { return };
        let (running, peak) = (service.admission.running(), service.admission.take_peak());
        is_used |= peak > 0;
        if running == 0 && is_used && (peak == 0 || peak >= BURST) {
            is_used = false;
            let _ = tokio::task::spawn_blocking(give_back).await;
        }
    }
}

#[cfg(target_env = "gnu")]
fn give_back() {
    // SAFETY: it touches only what is free, under the allocator's own locks.
    unsafe { libc::malloc_trim(0) };
}

/// Other C libraries keep little.
#[cfg(not(target_env = "gnu"))]
fn give_back() {}
