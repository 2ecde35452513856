//! Clocks, sleeping and randomness of WASI preview 1: the order to stop wakes a sleeping guest, and
//! reaches one that asks for much.
//!
//! Source: `wasi_snapshot_preview1.witx` (`clock_time_get`, `poll_oneoff`) and `typenames.witx` for
//! the layouts.

use super::host::{Host, charge, guest_bytes, known_memory, obey};
use super::preview1::CALL;
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};
use wasmtime::{AsContextMut, Caller, Linker};

const MODULE: &str = "wasi_snapshot_preview1";

const ERRNO_SUCCESS: u32 = 0;
const ERRNO_INVAL: u32 = 28;

const CLOCK_REALTIME: u32 = 0;
const CLOCK_MONOTONIC: u32 = 1;

const SUBSCRIPTION_SIZE: u32 = 48;
const EVENT_SIZE: usize = 32;
const EVENT_CLOCK: u8 = 0;
const FLAG_ABSOLUTE: u32 = 1;
/// More than `CPython` ever asks for at once; bounds what a guest can make us allocate.
const MAX_SUBSCRIPTIONS: u32 = 4096;

/// Start of the monotonic clock that guests see.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Random bytes that are drawn between two looks at the order to stop.
const RANDOM_STEP: usize = 64 << 10;

/// Adds `clock_time_get`, `poll_oneoff` and `random_get` over those of wasmtime-wasi.
pub(super) fn add_to_linker(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "clock_time_get", clock_time_get)?;
    linker.func_wrap(MODULE, "poll_oneoff", poll_oneoff)?;
    linker.func_wrap(MODULE, "random_get", random_get)?;
    Ok(())
}

fn clock_time_get(
    mut caller: Caller<'_, Host>,
    id: u32,
    _precision: u64,
    out: u32,
) -> wasmtime::Result<u32> {
    charge(&mut caller, CALL)?;
    let Some(now) = now(id) else { return Ok(ERRNO_INVAL) };
    write(&mut caller, out, &now.to_le_bytes())?;
    Ok(ERRNO_SUCCESS)
}

fn now(id: u32) -> Option<u64> {
    let time = match id {
        CLOCK_REALTIME => SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default(),
        CLOCK_MONOTONIC => START.elapsed(),
        _ => return None,
    };
    Some(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

struct Subscription {
    userdata: u64,
    tag: u8,
    /// For a clock, the time left.
    left: Option<Duration>,
}

fn poll_oneoff(
    mut caller: Caller<'_, Host>,
    subscriptions: u32,
    events: u32,
    count: u32,
    stored: u32,
) -> wasmtime::Result<u32> {
    if count > MAX_SUBSCRIPTIONS {
        return Ok(ERRNO_INVAL);
    }
    charge(&mut caller, CALL + u64::from(count) * CALL)?;
    let started = Instant::now();
    let bytes = guest_bytes(&caller, subscriptions, count * SUBSCRIPTION_SIZE)?;
    let waits: Vec<Subscription> =
        bytes.chunks_exact(SUBSCRIPTION_SIZE as usize).map(parse).collect();
    // Descriptors are files and streams in memory: always ready. Only clocks are waited for.
    let shortest = waits.iter().map(|wait| wait.left.unwrap_or_default()).min();
    let Some(shortest) = shortest else { return Ok(ERRNO_INVAL) };
    if !shortest.is_zero() {
        let known = obey(caller.as_context_mut())?;
        // A time too far to be represented is never reached: the deadline ends the wait.
        let until =
            started.checked_add(shortest).unwrap_or_else(|| started + Duration::from_secs(1 << 30));
        // An order to stop ends the wait as if the time had come: CPython then looks at its signals
        // in the line that slept. `EINTR` would be right, but wasi-libc's `clock_nanosleep` makes
        // `ENOTSUP` of it.
        if caller.data().stop.sleep(until, known) {
            obey(caller.as_context_mut())?;
        }
    }
    let due = |wait: &&Subscription| wait.left.is_none_or(|left| left <= shortest);
    let mut ready = Vec::new();
    for wait in waits.iter().filter(due) {
        let mut event = [0; EVENT_SIZE];
        event[..8].copy_from_slice(&wait.userdata.to_le_bytes());
        event[10] = wait.tag;
        ready.extend_from_slice(&event);
    }
    let number = u32::try_from(ready.len() / EVENT_SIZE)?;
    write(&mut caller, events, &ready)?;
    write(&mut caller, stored, &number.to_le_bytes())?;
    Ok(ERRNO_SUCCESS)
}

fn random_get(mut caller: Caller<'_, Host>, ptr: u32, len: u32) -> wasmtime::Result<u32> {
    // All of it must be there before any of it is drawn.
    guest_bytes(&caller, ptr, len)?;
    let memory = known_memory(&caller)?;
    let (mut at, end) = (ptr as usize, ptr as usize + len as usize);
    while at < end {
        let step = at..end.min(at + RANDOM_STEP);
        at = step.end;
        charge(&mut caller, CALL + step.len() as u64)?;
        let bytes = memory.data_mut(&mut caller).get_mut(step).unwrap_or_default();
        getrandom::fill(bytes)?;
    }
    Ok(ERRNO_SUCCESS)
}

fn parse(bytes: &[u8]) -> Subscription {
    let u64_at =
        |at: usize| bytes[at..].first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk));
    let u32_at =
        |at: usize| bytes[at..].first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk));
    let (userdata, tag) = (u64_at(0), bytes[8]);
    let left = (tag == EVENT_CLOCK).then(|| {
        let (clock, timeout, flags) = (u32_at(16), u64_at(24), u32_at(40));
        let absolute = flags & FLAG_ABSOLUTE != 0;
        let base = if absolute { now(clock).unwrap_or(u64::MAX) } else { 0 };
        Duration::from_nanos(timeout.saturating_sub(base))
    });
    Subscription { userdata, tag, left }
}

fn write(caller: &mut Caller<'_, Host>, ptr: u32, bytes: &[u8]) -> wasmtime::Result<()> {
    Ok(known_memory(caller)?.write(caller, ptr as usize, bytes)?)
}
