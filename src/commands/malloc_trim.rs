//! Memory of a burst of jobs, given back to the kernel: the allocator keeps what many threads
//! freed.
#![cfg_attr(
    target_env = "gnu",
    expect(
        unsafe_code,
        reason = "a call of the C library without a safe wrapper; the block names why it is sound"
    )
)]

use crate::service::{Admission, Service};
use std::sync::Weak;
use std::time::Duration;
use tokio::time::sleep;

/// How often it is asked whether a burst is over.
const INTERVAL: Duration = Duration::from_secs(2);
/// So many jobs at once are a burst; what fewer leave is used again by the next.
const BURST: usize = 8;

/// Gives memory back after each burst, for as long as there is a service.
pub(crate) async fn after_bursts(service: Weak<Service>) {
    loop {
        sleep(INTERVAL).await;
        let Some(service) = service.upgrade() else { return };
        if is_over(&service.admission) {
            let _ = tokio::task::spawn_blocking(give_back).await;
        }
    }
}

fn is_over(admission: &Admission) -> bool {
    admission.running() == 0 && admission.take_peak() >= BURST
}

#[cfg(target_env = "gnu")]
fn give_back() {
    // SAFETY: it touches only what is free, under the allocator's own locks.
    unsafe { libc::malloc_trim(0) };
}

/// Other C libraries keep little.
#[cfg(not(target_env = "gnu"))]
fn give_back() {}
