//! What the host keeps for one guest (output, limits, the WASI context), and how it acts on it: it
//! counts fuel and carries out the order to stop ([`tick`] and what it calls).

use super::meter;
use super::preview1::{CALL, GuestFs, HostFs};
use super::stop::{Phase, Stop};
use crate::job::{LimitHit, LimitKind, Limits, RunEnd};
use crate::output::Output;
use std::sync::Arc;
use wasmtime::{
    AsContextMut, Caller, Global, Linker, Memory, ResourceLimiter, StoreContextMut, Trap, Val,
};
use wasmtime_wasi::{WasiCtxBuilder, p1::WasiP1Ctx};

pub(super) struct Host {
    pub(super) wasi: WasiP1Ctx,
    pub(super) files: GuestFs,
    pub(super) output: Arc<Output>,
    pub(super) stop: Arc<Stop>,
    pub(super) memory: Option<Memory>,
    pub(super) meter: MemoryMeter,
    pub(super) trip: TripAddresses,
    tripped: bool,
    fuel: Fuel,
    /// Units of host calls since the last look.
    charged: u64,
    counter: Option<Global>,
}

/// The account of what a guest has used, in the units of [`meter`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Fuel {
    limit: u64,
    /// What the guest may use until it is trapped. What is beyond `limit` lets it unwind.
    total: u64,
    /// Used in the slices that are over.
    spent: u64,
    /// What the current slice began with.
    slice: i32,
}

/// Fuel beyond the limit for unwinding.
const FUEL_RESERVE: u64 = 2_000_000_000;

/// Units between two looks of the host: about a millisecond.
const SLICE: u64 = 1 << 18;

impl Fuel {
    fn new(limit: u64) -> Self {
        Self { limit, total: limit.saturating_add(FUEL_RESERVE), spent: 0, slice: 0 }
    }

    fn used(&self, left: i32) -> u64 {
        self.spent.saturating_add_signed(i64::from(self.slice) - i64::from(left))
    }

    /// Books the slice that ended with `left` units; returns the next, which ends at the limit at
    /// the latest.
    fn next(&mut self, left: i32) -> i32 {
        self.spent = self.used(left);
        let end = if self.spent < self.limit { self.limit } else { self.total };
        let slice = end.saturating_sub(self.spent).clamp(1, SLICE);
        self.slice = i32::try_from(slice).unwrap_or(i32::MAX);
        self.slice
    }
}

/// Where in the guest's memory the flags of a pending signal stand; exported by the guest
/// (`sandbox_interrupt`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TripAddresses {
    /// `_PyRuntime.signals.handlers[SIGUSR1].tripped`, an `int`.
    pub(super) handler: u32,
    /// `_PyRuntime.signals.is_tripped`, an `int`.
    pub(super) any: u32,
    /// `eval_breaker` of the main thread state, a `uintptr_t`.
    pub(super) eval_breaker: u32,
    pub(super) bit: u32,
}

/// A trap that carries the reason why the host ended the guest.
#[derive(Debug, thiserror::Error)]
#[error("the host stopped the guest: {0:?}")]
pub(super) struct Stopped(pub(super) RunEnd);

impl Host {
    /// Of a guest whose first call has not begun: under default limits, and heard by nobody.
    pub(super) fn new(files: GuestFs, trip: TripAddresses) -> Self {
        let limits = Limits::default();
        Self {
            wasi: WasiCtxBuilder::new().build_p1(),
            files,
            output: Arc::new(Output::new("", &limits)),
            stop: Arc::default(),
            memory: None,
            meter: MemoryMeter { limit: limits.memory, ..MemoryMeter::default() },
            trip,
            tripped: false,
            fuel: Fuel::new(limits.fuel),
            charged: 0,
            counter: None,
        }
    }

    /// A call of the guest, whose memory has `size` bytes now.
    pub(super) fn begin(
        &mut self,
        output: Arc<Output>,
        stop: Arc<Stop>,
        limits: &Limits,
        size: u64,
    ) {
        self.output = output;
        self.files.vfs.interrupt_by(Some(Arc::<Stop>::clone(&stop)));
        self.stop = stop;
        self.meter = MemoryMeter { limit: limits.memory, peak: size, refused: None };
        self.tripped = false;
        self.fuel = Fuel::new(limits.fuel);
    }
}

impl HostFs for Host {
    fn fs(&mut self) -> &mut GuestFs {
        &mut self.files
    }

    fn memory(&self) -> Option<Memory> {
        self.memory
    }

    fn charge(caller: &mut Caller<'_, Self>, units: u64) -> wasmtime::Result<()> {
        charge(caller, units)
    }

    fn stdout(&mut self, bytes: &[u8]) -> wasmtime::Result<()> {
        self.output.stdout(bytes).map_err(over_the_limit)
    }

    fn stderr(&mut self, bytes: &[u8]) -> wasmtime::Result<()> {
        self.output.stderr(bytes).map_err(over_the_limit)
    }
}

fn over_the_limit(hit: LimitHit) -> wasmtime::Error {
    Stopped(RunEnd::Limit(hit)).into()
}

/// Connects a new instance's counter with its account.
pub(super) fn begin_counting(
    mut store: impl AsContextMut<Data = Host>,
    counter: Global,
) -> wasmtime::Result<()> {
    store.as_context_mut().data_mut().counter = Some(counter);
    first_slice(store)
}

fn first_slice(mut store: impl AsContextMut<Data = Host>) -> wasmtime::Result<()> {
    let mut store = store.as_context_mut();
    if let Some(counter) = store.data().counter {
        counter.set(&mut store, Val::I32(0))?;
    }
    next_slice(&mut store).map(|_| ())
}

/// Units that the guest has used since its account began.
pub(super) fn fuel_used(mut store: impl AsContextMut<Data = Host>) -> u64 {
    let mut store = store.as_context_mut();
    let left = left(&mut store).unwrap_or_default();
    store.data().fuel.used(left)
}

/// Lets a guest that was trapped run once more for `units`, whatever it has used.
pub(super) fn grant(mut store: impl AsContextMut<Data = Host>, units: u64) -> wasmtime::Result<()> {
    let mut context = store.as_context_mut();
    let host = context.data_mut();
    // The order to stop has been carried out.
    host.stop = Arc::default();
    host.fuel = Fuel { limit: units, total: units, spent: 0, slice: 0 };
    first_slice(store)
}

fn left(store: &mut StoreContextMut<'_, Host>) -> Option<i32> {
    let counter = store.data().counter?;
    counter.get(store).i32()
}

/// Starts the next slice; returns what the guest has used so far.
fn next_slice(store: &mut StoreContextMut<'_, Host>) -> wasmtime::Result<u64> {
    let left = left(store).unwrap_or_default();
    let fuel = &mut store.data_mut().fuel;
    let (slice, used) = (fuel.next(left), fuel.spent);
    if let Some(counter) = store.data().counter {
        counter.set(store, Val::I32(slice))?;
    }
    Ok(used)
}

/// The guest has used up its slice.
fn tick(mut caller: Caller<'_, Host>) -> wasmtime::Result<()> {
    look(caller.as_context_mut())
}

/// Books units that a call of the host cost, and looks when they are as many as a slice.
pub(super) fn charge(
    mut store: impl AsContextMut<Data = Host>,
    units: u64,
) -> wasmtime::Result<()> {
    let mut store = store.as_context_mut();
    let host = store.data_mut();
    host.fuel.spent = host.fuel.spent.saturating_add(units);
    host.charged = host.charged.saturating_add(units);
    if host.charged < SLICE { Ok(()) } else { look(store) }
}

/// Checks the fuel and the order to stop.
fn look(mut store: StoreContextMut<'_, Host>) -> wasmtime::Result<()> {
    store.data_mut().charged = 0;
    let used = next_slice(&mut store)?;
    let Fuel { limit, total, .. } = store.data().fuel;
    if used >= limit {
        store.data().stop.ask(LimitHit { kind: LimitKind::Fuel, limit, used });
    }
    obey(&mut store)?;
    if used >= total { Err(Trap::OutOfFuel.into()) } else { Ok(()) }
}

/// Carries out the order to stop: sets the guest's signal flags once when asked, traps when forced.
/// Returns the phase.
pub(super) fn obey(mut store: impl AsContextMut<Data = Host>) -> wasmtime::Result<Phase> {
    let mut store = store.as_context_mut();
    let host = store.data_mut();
    let phase = host.stop.phase();
    if phase == Phase::Force {
        return Err(Stopped(host.stop.forced().unwrap_or(RunEnd::Cancelled)).into());
    }
    if phase == Phase::Ask
        && !host.tripped
        && let Some(memory) = host.memory
    {
        host.tripped = true;
        trip(memory, store)?;
    }
    Ok(phase)
}

/// Makes `CPython` believe that SIGUSR1 has arrived (`Modules/signalmodule.c`, `trip_signal`).
fn trip(memory: Memory, mut store: StoreContextMut<'_, Host>) -> wasmtime::Result<()> {
    let TripAddresses { handler, any, eval_breaker, bit } = store.data().trip;
    let mut word = [0; 4];
    memory.read(&store, eval_breaker as usize, &mut word)?;
    let raised = u32::from_le_bytes(word) | bit;
    memory.write(&mut store, handler as usize, &1u32.to_le_bytes())?;
    memory.write(&mut store, any as usize, &1u32.to_le_bytes())?;
    memory.write(&mut store, eval_breaker as usize, &raised.to_le_bytes())?;
    Ok(())
}

/// Adds the functions that the guest imports from us: `emit(ptr, len)`, bytes for the marker
/// stream, and the [`meter`]'s.
pub(super) fn add_to_linker(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    linker.func_wrap(meter::TICK.0, meter::TICK.1, tick)?;
    let emit = |mut caller: Caller<'_, Host>, ptr: u32, len: u32| {
        let bytes = guest_bytes(&caller, ptr, len)?;
        caller.data().output.stdout(bytes).map_err(over_the_limit)?;
        charge(&mut caller, CALL + u64::from(len) / 8)
    };
    linker.func_wrap("mcp_python_sandbox", "emit", emit)?;
    Ok(())
}

pub(super) fn guest_bytes<'a>(
    caller: &'a Caller<'_, Host>,
    ptr: u32,
    len: u32,
) -> wasmtime::Result<&'a [u8]> {
    let memory = known_memory(caller)?.data(caller);
    let range = memory.get(ptr as usize..(ptr as usize).saturating_add(len as usize));
    range.ok_or_else(|| wasmtime::Error::msg("the guest passed a range outside of its memory"))
}

pub(super) fn known_memory(caller: &Caller<'_, Host>) -> wasmtime::Result<Memory> {
    let memory = caller.data().memory;
    memory.ok_or_else(|| wasmtime::Error::msg("the guest's memory is not known yet"))
}

/// Bounds the guest's linear memory, and remembers what was refused: Python turns a refusal into
/// `MemoryError`.
#[derive(Debug, Default)]
pub(super) struct MemoryMeter {
    limit: u64,
    pub(super) peak: u64,
    /// Size that was refused, in bytes.
    refused: Option<u64>,
}

impl MemoryMeter {
    pub(super) fn full(&self) -> LimitHit {
        let used = self.refused.unwrap_or(self.peak);
        LimitHit { kind: LimitKind::Memory, limit: self.limit, used }
    }

    pub(super) fn hit(&self) -> Option<LimitHit> {
        self.refused.map(|_| self.full())
    }
}

impl ResourceLimiter for MemoryMeter {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let desired = desired as u64;
        let granted = desired <= self.limit;
        if granted {
            self.peak = self.peak.max(desired);
        } else {
            self.refused = Some(desired);
        }
        Ok(granted)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // The guest's table of functions is fixed when it is linked.
        Ok(desired <= 1 << 20)
    }
}
