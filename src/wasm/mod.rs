//! The WASI runtime: `CPython` in wasmtime, a fresh instance of the same snapshot for each job.
//!
//! This module alone names wasmtime. Loaded once: engine, module, linked imports. Per job: a store
//! with its limits, an instance that is a copy-on-write view of the snapshot, and one call or the
//! calls of one session. Nothing else outlives a job.

mod artefact;
mod clock;
#[cfg(feature = "embedded")]
mod embedded;
mod engine;
mod files;
mod guest;
mod host;
mod hot_pages;
mod meter;
mod preview1;
mod stop;
mod watch;

pub use artefact::Artefact;
pub use engine::THREAD_STACK;
pub(crate) use guest::Guest;

use crate::error::Error;
use crate::host::{Uses, lock};
use crate::job::{
    HostFolder, InputFile, LimitHit, LimitKind, Limits, Packages, RunEnd, RunRecord, Usage, WORKDIR,
};
use crate::output::{Output, RunOrder};
use cap_std::fs::Dir;
use guest::{GuestState, LiveGuest};
use host::{Host, Stopped, TripAddresses, fuel_used};
use hot_pages::HotPages;
use preview1::GuestFs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use stop::Stop;
use wasmtime::{Engine, Global, Instance, InstancePre, Linker, Memory, Store, Trap};
use wasmtime_wasi::{I32Exit, p1};
use watch::Watch;

/// What a trap at the end of a stack means for the author of the job: Python's own C code does not
/// count everywhere how deep it is.
const NESTED_TOO_DEEPLY: &str = "its stack overflowed; something is nested too deeply";

/// The loaded guest.
pub struct WasmRuntime {
    engine: Engine,
    guest: InstancePre<Host>,
    trip: TripAddresses,
    mounts: files::Mounts,
    hot_pages: HotPages,
    /// Guests that no job has seen, at most so many.
    ready: Mutex<Vec<LiveGuest>>,
    spares: usize,
    /// By guests that run.
    in_use: Uses,
}

impl std::fmt::Debug for WasmRuntime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WasmRuntime").field("trip", &self.trip).finish_non_exhaustive()
    }
}

/// Compiles the guest for this machine's wasmtime and gives the path of the result.
///
/// # Errors
/// [`Error::Artefact`] if there is no snapshot or the result cannot be stored.
pub(crate) fn precompile(artefact: &Artefact) -> Result<PathBuf, Error> {
    artefact.compile_now(&engine::engine()?)
}

/// The folder of the guest that the one-file edition carries, unpacked at the first load into the
/// first of `places` that belongs to this user alone, or can be made so.
#[cfg(feature = "embedded")]
pub(crate) fn carried_guest(places: &[PathBuf]) -> Option<PathBuf> {
    Some(embedded::folder(places))
}

/// `None`: this edition carries no guest.
#[cfg(not(feature = "embedded"))]
pub(crate) fn carried_guest(_places: &[PathBuf]) -> Option<PathBuf> {
    None
}

impl WasmRuntime {
    /// Loads the guest with the operator's `packages`, of which `spares` are made before their call
    /// comes; blocks for milliseconds, or for seconds if it must be compiled first.
    ///
    /// # Errors
    /// [`Error::Artefact`] if there is no usable guest, [`Error::Engine`] if wasmtime refuses the
    /// configuration.
    pub fn load(
        artefact: &Artefact,
        packages: Option<&Packages>,
        folders: &[HostFolder],
        spares: usize,
    ) -> Result<Self, Error> {
        let engine = engine::engine()?;
        let module = artefact.load(&engine)?;
        let guest = link(&engine, &module).map_err(|e| Error::engine("link the guest", e))?;
        let mounts = files::Mounts::open(&artefact.library(), packages, folders)?;
        let no_files = mounts.job(&[], &Limits::default())?;
        let trip = trip_addresses(&engine, &guest, no_files)
            .map_err(|e| Error::engine("read the guest's signal flags", e))?;
        let (hot_pages, ready, in_use) = Default::default();
        Ok(Self { engine, guest, trip, mounts, hot_pages, ready, spares, in_use })
    }

    /// A guest that has not run yet. `directory` is the working directory of its session: what it
    /// holds now counts against the limits, and changes reach it by [`WasmRuntime::commit`] only.
    /// Without one, the working directory is empty, and in memory alone.
    ///
    /// # Errors
    /// The directory cannot be read, or `given` does not fit into it.
    pub fn guest(
        &self,
        directory: Option<&Arc<Dir>>,
        given: &[InputFile],
        limits: &Limits,
    ) -> Result<Guest, Error> {
        Ok(Guest(GuestState::Fresh(match directory {
            Some(directory) => self.mounts.session(directory, given, limits)?,
            None => self.mounts.job(given, limits)?,
        })))
    }

    /// Runs one request in `guest`, on a thread of its own: guests share the processors as the
    /// kernel sees fit, and never delay the server's I/O. One that is to be kept may unwind for a
    /// moment when its call is withdrawn, before it is stopped for good.
    ///
    /// # Errors
    /// [`Error::Engine`] if the thread panicked; what the job does wrong is in the [`RunRecord`].
    pub async fn run(
        self: &Arc<Self>,
        guest: Guest,
        order: &RunOrder<'_>,
    ) -> Result<(RunRecord, Guest), Error> {
        let stop = Arc::new(Stop::default());
        let soft = order.keep.map_or(Duration::ZERO, |_| RunOrder::SOFT_CANCEL);
        let (this, request) = (Arc::clone(self), Arc::clone(&order.request));
        let (job_limits, output) = (order.limits.clone(), Arc::clone(order.output));
        let job_stop = Arc::clone(&stop);
        let running = tokio::task::spawn_blocking(move || {
            let _use = this.in_use.begin();
            this.run_blocking(guest, &request, &job_limits, output, &job_stop)
        });
        let watch = Watch { order, stop: &stop, soft, started: Instant::now() };
        watch.until_over(running).await
    }

    /// Writes what a guest changed to the host: to the operator's writable folders, and if it has a
    /// home to its working directory. Returns what was not written, each with the reason: links
    /// that would lead out, and the first error of the host.
    pub(crate) fn commit(&self, guest: &mut Guest, has_home: bool) -> Vec<String> {
        let mut not_written = Vec::new();
        let folders = self.mounts.writable.iter().map(String::as_str);
        for at in has_home.then_some(WORKDIR).into_iter().chain(folders) {
            match guest.files().vfs.commit(at) {
                Ok(report) => {
                    let named = |path| format!("`{at}/{path}`, a link that leads out");
                    not_written.extend(report.skipped.iter().map(named));
                }
                Err(error) => {
                    not_written.push(format!("`{at}`: {error}"));
                    break;
                }
            }
        }
        not_written
    }

    /// Guests that wait for their jobs.
    pub(crate) fn spares(&self) -> usize {
        lock(&self.ready).len()
    }

    /// Makes a guest for the next job while none runs, unless enough wait already: its instance,
    /// and the pages that every job writes to. Blocks for less than a millisecond.
    pub(crate) fn prepare(&self) {
        if self.spares() >= self.spares || !self.in_use.is_idle() {
            return;
        }
        let Ok(files) = self.mounts.job(&[], &Limits::default()) else { return };
        let mut guest = LiveGuest::new(self.store(files));
        match guest.instantiate(&self.guest, &self.hot_pages) {
            // Others may have made some meanwhile.
            Ok(_) => {
                let mut ready = lock(&self.ready);
                if ready.len() < self.spares {
                    ready.push(guest);
                }
            }
            Err(error) => tracing::debug!(%error, "no guest could be made ahead"),
        }
    }

    /// What a guest with these files runs in: one that was made ahead if its memory is within the
    /// limit, else one whose instance is made when it runs.
    fn body(&self, files: GuestFs, limits: &Limits) -> LiveGuest {
        let spare = lock(&self.ready).pop();
        match spare.filter(|spare| spare.memory() <= limits.memory) {
            Some(mut spare) => {
                spare.store.data_mut().files = files;
                spare
            }
            None => LiveGuest::new(self.store(files)),
        }
    }

    fn store(&self, files: GuestFs) -> Store<Host> {
        let mut store = Store::new(&self.engine, Host::new(files, self.trip));
        store.limiter(|host| &mut host.meter);
        store
    }

    fn run_blocking(
        &self,
        guest: Guest,
        request: &[u8],
        limits: &Limits,
        output: Arc<Output>,
        stop: &Arc<Stop>,
    ) -> (RunRecord, Guest) {
        let mut guest = guest.begin(limits, output, stop, |files| self.body(files, limits));
        let result = guest.call(&self.guest, &self.hot_pages, request);
        let used = fuel_used(&mut guest.store);
        let alive = result.is_ok();
        let (end, at) = match result {
            Ok(code) => (RunEnd::Returned(code), None),
            Err(error) => (end_of(&error, used, limits.fuel, guest.stack_overflowed()), guest.at()),
        };
        let host = guest.store.data_mut();
        // What follows is the server's own work.
        host.files.vfs.interrupt_by(None);
        // A listing that cannot be made costs the list, not the answer.
        let files = files::written(&host.files).unwrap_or_default();
        let usage =
            Usage { fuel: Some(used), peak_memory: Some(host.meter.peak), ..Usage::default() };
        let refused = host.meter.hit();
        let record =
            RunRecord { end, asked: None, refused, at, usage, files, confined: true, alive };
        (record, Guest(GuestState::Live(guest)))
    }
}

fn link(engine: &Engine, module: &wasmtime::Module) -> wasmtime::Result<InstancePre<Host>> {
    let mut linker: Linker<Host> = Linker::new(engine);
    p1::add_to_linker_sync(&mut linker, |host| &mut host.wasi)?;
    preview1::add_to_linker(&mut linker)?;
    clock::add_to_linker(&mut linker)?;
    host::add_to_linker(&mut linker)?;
    linker.instantiate_pre(module)
}

/// Asks the guest once for the addresses of its signal flags, which are the same in each instance
/// of the snapshot.
fn trip_addresses(
    engine: &Engine,
    guest: &InstancePre<Host>,
    files: GuestFs,
) -> wasmtime::Result<TripAddresses> {
    let mut store = Store::new(engine, Host::new(files, TripAddresses::default()));
    let instance = guest.instantiate(&mut store)?;
    let at = address(instance, &mut store, "sandbox_interrupt")?;
    let memory = memory(&instance, &mut store)?;
    let mut words = [0; 16];
    memory.read(&store, at as usize, &mut words)?;
    let [handler, any, eval_breaker, bit] = [0, 4, 8, 12]
        .map(|at| words[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word)));
    Ok(TripAddresses { handler, any, eval_breaker, bit })
}

fn memory(instance: &Instance, store: &mut Store<Host>) -> wasmtime::Result<Memory> {
    instance
        .get_memory(store, "memory")
        .ok_or_else(|| wasmtime::Error::msg("the guest exports no memory"))
}

/// One of the globals that the [`meter`] exports.
fn global(instance: &Instance, store: &mut Store<Host>, name: &str) -> wasmtime::Result<Global> {
    instance
        .get_global(store, name)
        .ok_or_else(|| wasmtime::Error::msg(format!("the guest exports no `{name}`")))
}

/// Calls one of the guest's functions that return an address.
fn address(instance: Instance, store: &mut Store<Host>, function: &str) -> wasmtime::Result<u32> {
    instance.get_typed_func::<(), u32>(&mut *store, function)?.call(&mut *store, ())
}

fn end_of(error: &wasmtime::Error, used: u64, limit: u64, stack_overflowed: bool) -> RunEnd {
    if let Some(Stopped(end)) = error.downcast_ref() {
        return end.clone();
    }
    if let Some(I32Exit(code)) = error.downcast_ref() {
        return RunEnd::Returned(*code);
    }
    RunEnd::Crashed(match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => {
            return RunEnd::Limit(LimitHit { kind: LimitKind::Fuel, limit, used });
        }
        Some(Trap::StackOverflow) => NESTED_TOO_DEEPLY.to_owned(),
        Some(Trap::MemoryOutOfBounds) if stack_overflowed => NESTED_TOO_DEEPLY.to_owned(),
        Some(trap) => format!("the guest trapped: {trap}"),
        None => format!("the guest failed: {error:#}"),
    })
}
