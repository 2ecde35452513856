//! The WASI runtime: `CPython` in wasmtime, a fresh instance of the same snapshot for each job.
//!
//! This module alone names wasmtime. Loaded once: engine, module, linked imports. Per job: a store with its limits, an
//! instance that is a copy-on-write view of the snapshot, one call. Nothing of a job outlives it.

mod artefact;
mod clock;
#[cfg(feature = "embedded")]
mod embedded;
mod engine;
mod files;
mod host;
mod hot_pages;
mod kept;
mod meter;
mod preview1;
mod stop;

pub use artefact::Artefact;
pub use engine::THREAD_STACK;
pub use kept::{Files, Guest, Place};

use crate::error::Error;
use crate::limits::{LimitHit, LimitKind, Limits, milliseconds};
use crate::mounts::HostFolder;
use crate::outcome::{Job, OutputFile, RunEnd, Usage};
use crate::output::Output;
use crate::packages::Packages;
use crate::request::WORKDIR;
use host::{Host, Stopped, TripAddresses, fuel_used, grant};
use hot_pages::HotPages;
use preview1::GuestFs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stop::Stop;
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;
use wasmtime::{Engine, Global, Instance, InstancePre, Linker, Memory, Store, Trap, Val};
use wasmtime_wasi::{I32Exit, WasiCtxBuilder, p1};

/// How long a session's guest has to unwind when its call is withdrawn: its variables live on if it does.
const SOFT_CANCEL: Duration = Duration::from_millis(80);

/// What a trap at the end of a stack means to the one who wrote the job: Python's own C code, which does not count how deep
/// it is everywhere.
const NESTED_TOO_DEEPLY: &str = "its stack overflowed; something is nested too deeply";

/// Bytes of the text that says where a stopped guest was.
const MAX_PLACE: usize = 8 << 10;

/// The loaded guest.
pub struct WasmRuntime {
    engine: Engine,
    guest: InstancePre<Host>,
    trip: TripAddresses,
    mounts: files::Mounts,
    hot_pages: HotPages,
}

impl std::fmt::Debug for WasmRuntime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WasmRuntime").field("trip", &self.trip).finish_non_exhaustive()
    }
}

/// How a run in the guest ended.
#[derive(Debug, Clone, PartialEq)]
pub struct WasmRun {
    /// The end as the host saw it. A guest that was asked to unwind and did has returned.
    pub end: RunEnd,
    /// The limit for which the guest was asked to unwind.
    pub asked: Option<LimitHit>,
    /// The memory limit, if the guest was refused memory.
    pub refused: Option<LimitHit>,
    /// Where a guest was that was stopped before it could say so itself: its innermost Python frames.
    pub at: Option<String>,
    /// What it used.
    pub usage: Usage,
    /// Files that it left in its working directory.
    pub files: Vec<OutputFile>,
    /// Whether the guest can run again: it returned, and was not stopped for good.
    pub alive: bool,
}

/// Compiles the guest for this machine's wasmtime and gives the path of the result.
///
/// # Errors
/// [`Error::Artefact`] if there is no snapshot or the result cannot be stored.
pub fn precompile(artefact: &Artefact) -> Result<PathBuf, Error> {
    artefact.compile_now(&engine::engine()?)
}

/// The folder of the guest that this very file carries, unpacked at the first load into the first of `places` that can be
/// made this user's own.
#[cfg(feature = "embedded")]
pub fn carried_guest(places: &[PathBuf]) -> Option<PathBuf> {
    Some(embedded::folder(places))
}

/// `None`: this edition carries no guest.
#[cfg(not(feature = "embedded"))]
pub fn carried_guest(_places: &[PathBuf]) -> Option<PathBuf> {
    None
}

impl WasmRuntime {
    /// Loads the guest with the operator's `packages`; blocks for milliseconds, or for seconds if it must be compiled first.
    ///
    /// # Errors
    /// [`Error::Artefact`] if there is no usable guest, [`Error::Engine`] if wasmtime refuses the configuration.
    pub fn load(artefact: &Artefact, packages: Option<&Packages>, folders: &[HostFolder]) -> Result<Self, Error> {
        let engine = engine::engine()?;
        let module = artefact.load(&engine)?;
        let failed = |what| move |source: wasmtime::Error| Error::Engine { what, source: source.into() };
        let guest = link(&engine, &module).map_err(failed("link the guest"))?;
        let mounts = files::Mounts::open(&artefact.library(), packages, folders)?;
        let no_files = mounts.job(&[], &Limits::default())?;
        let trip = trip_addresses(&engine, &guest, no_files).map_err(failed("read the guest's signal flags"))?;
        Ok(Self { engine, guest, trip, mounts, hot_pages: HotPages::default() })
    }

    /// Runs `job`: `request` is the JSON for the bootstrap. Returns when the guest is gone; `last` is what is taken from it
    /// before.
    ///
    /// # Errors
    /// [`Error::Engine`] if no instance can be made; what the job does wrong is in the [`WasmRun`].
    pub async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        job: &Job,
        request: Vec<u8>,
        limits: &Limits,
        output: &Arc<Output>,
        cancel: &CancellationToken,
        last: impl FnOnce(&WasmRun, Guest) -> T + Send + 'static,
    ) -> Result<(WasmRun, T), Error> {
        let place = Place::Fresh(Box::new(Files(self.mounts.job(&job.files, limits)?)));
        let stop = Arc::new(Stop::default());
        let guest = self.start(place, request, limits, output, &stop, |(run, guest)| {
            let taken = last(&run, guest);
            (run, taken)
        });
        let watch = Watch { limits, stop: &stop, cancel, soft: Duration::ZERO, started: Instant::now() };
        let ((run, taken), _) = watch.until_over(guest).await?;
        Ok((watch.finish(run), taken))
    }

    /// Writes what a guest changed to the host: in the operator's writable folders, and with `own` also in the working
    /// directory of its session. Gives the links that were left out because they would lead out.
    ///
    /// # Errors
    /// The first error of the host, in words. The guest's view stays as it is.
    pub fn store_files(&self, guest: &mut Guest, own: bool) -> Result<Vec<String>, String> {
        let mut skipped = Vec::new();
        for at in own.then_some(WORKDIR).into_iter().chain(self.mounts.writable().iter().map(String::as_str)) {
            let report = guest.store.data_mut().files.vfs().commit(at).map_err(|error| format!("`{at}`: {error}"))?;
            skipped.extend(report.skipped.into_iter().map(|path| format!("`{at}/{path}`, a link that leads out")));
        }
        Ok(skipped)
    }

    /// Whether jobs may change any of the operator's folders.
    pub fn has_writable_mounts(&self) -> bool {
        !self.mounts.writable().is_empty()
    }

    /// Runs one call of a session, whose guest outlives it. A call that is withdrawn may unwind for a moment before it
    /// is stopped for good.
    ///
    /// # Errors
    /// As [`WasmRuntime::run`]; the guest is then lost.
    pub async fn run_kept(
        self: &Arc<Self>,
        place: Place,
        request: Vec<u8>,
        limits: &Limits,
        output: &Arc<Output>,
        cancel: &CancellationToken,
    ) -> Result<(WasmRun, Guest), Error> {
        let stop = Arc::new(Stop::default());
        let guest = self.start(place, request, limits, output, &stop, |both| both);
        let watch = Watch { limits, stop: &stop, cancel, soft: SOFT_CANCEL, started: Instant::now() };
        let ((mut run, guest), withdrawn) = watch.until_over(guest).await?;
        if withdrawn {
            run.end = RunEnd::Cancelled;
        }
        Ok((watch.finish(run), guest))
    }

    /// Runs the guest on a thread of its own: guests share the processors as the kernel sees fit, and never delay the
    /// server's I/O. `keep` says what of the guest outlives that thread.
    fn start<T: Send + 'static>(
        self: &Arc<Self>,
        place: Place,
        request: Vec<u8>,
        limits: &Limits,
        output: &Arc<Output>,
        stop: &Arc<Stop>,
        keep: impl FnOnce((WasmRun, Guest)) -> T + Send + 'static,
    ) -> JoinHandle<T> {
        let (this, limits, output, stop) = (Arc::clone(self), limits.clone(), Arc::clone(output), Arc::clone(stop));
        tokio::task::spawn_blocking(move || keep(this.run_blocking(place, &request, &limits, output, &stop)))
    }

    fn run_blocking(
        &self,
        place: Place,
        request: &[u8],
        limits: &Limits,
        output: Arc<Output>,
        stop: &Arc<Stop>,
    ) -> (WasmRun, Guest) {
        let mut guest = match place {
            Place::Fresh(files) => Guest::new(self.store(files.0, limits, output, stop)),
            Place::Kept(mut guest) => {
                guest.begin(limits, output, stop);
                *guest
            }
        };
        let result = guest.call(&self.guest, &self.hot_pages, request);
        let used = fuel_used(&mut guest.store);
        let alive = result.is_ok();
        let (end, at) = match result {
            Ok(code) => (RunEnd::Returned(code), None),
            Err(error) => (end_of(&error, used, limits.fuel, guest.stack_overflowed()), guest.place()),
        };
        let host = guest.store.data_mut();
        // A listing that cannot be made costs the list, not the answer.
        let files = files::written(&mut host.files).unwrap_or_default();
        let usage = Usage { fuel: Some(used), peak_memory: Some(host.meter.peak), ..Usage::default() };
        let run = WasmRun { end, asked: None, refused: host.meter.hit(), at, usage, files, alive };
        (run, guest)
    }

    fn store(&self, files: GuestFs, limits: &Limits, output: Arc<Output>, stop: &Arc<Stop>) -> Store<Host> {
        let host = Host::new(wasi_context(), files, output, Arc::clone(stop), limits, self.trip);
        let mut store = Store::new(&self.engine, host);
        store.limiter(|host| &mut host.meter);
        store
    }
}

fn wasi_context() -> p1::WasiP1Ctx {
    WasiCtxBuilder::new().build_p1()
}

fn link(engine: &Engine, module: &wasmtime::Module) -> wasmtime::Result<InstancePre<Host>> {
    let mut linker: Linker<Host> = Linker::new(engine);
    p1::add_to_linker_sync(&mut linker, |host| &mut host.wasi)?;
    preview1::add_to_linker(&mut linker)?;
    clock::add_to_linker(&mut linker)?;
    host::add_to_linker(&mut linker)?;
    linker.instantiate_pre(module)
}

/// Asks the guest once where its signal flags stand; they are part of the snapshot and the same in each instance.
fn trip_addresses(engine: &Engine, guest: &InstancePre<Host>, files: GuestFs) -> wasmtime::Result<TripAddresses> {
    let limits = Limits::default();
    let output = Arc::new(Output::new("", &limits));
    let host = Host::new(wasi_context(), files, output, Arc::default(), &limits, TripAddresses::default());
    let mut store = Store::new(engine, host);
    let instance = guest.instantiate(&mut store)?;
    let at = address(instance, &mut store, "sandbox_interrupt")?;
    let memory = memory(&instance, &mut store)?;
    let mut words = [0; 16];
    memory.read(&store, at as usize, &mut words)?;
    let word = |index: usize| u32::from_le_bytes([words[index], words[index + 1], words[index + 2], words[index + 3]]);
    Ok(TripAddresses { handler: word(0), any: word(4), eval_breaker: word(8), bit: word(12) })
}

fn memory(instance: &Instance, store: &mut Store<Host>) -> wasmtime::Result<Memory> {
    instance.get_memory(store, "memory").ok_or_else(|| wasmtime::Error::msg("the guest exports no memory"))
}

/// One of the globals that the [`meter`] exports.
fn global(instance: &Instance, store: &mut Store<Host>, name: &str) -> wasmtime::Result<Global> {
    instance.get_global(store, name).ok_or_else(|| wasmtime::Error::msg(format!("the guest exports no `{name}`")))
}

/// The innermost Python frames of a guest that was trapped, as text; it only reads its memory for that.
fn place(instance: Instance, stack: Global, store: &mut Store<Host>) -> Option<String> {
    const FUEL: u64 = 100_000_000;
    grant(&mut *store, FUEL).ok()?;
    let top = address(instance, store, "sandbox_where_stack").ok()?;
    stack.set(&mut *store, Val::I32(top.cast_signed())).ok()?;
    let at = address(instance, store, "sandbox_where").ok()?;
    let bytes = memory(&instance, store).ok()?.data(&*store).get(at as usize..)?;
    let text = bytes.split(|&byte| byte == 0).next()?;
    let text = String::from_utf8_lossy(&text[..text.len().min(MAX_PLACE)]).into_owned();
    (!text.is_empty()).then_some(text)
}

/// What one of the guest's functions returns that give an address.
fn address(instance: Instance, store: &mut Store<Host>, function: &str) -> wasmtime::Result<u32> {
    instance.get_typed_func::<(), u32>(&mut *store, function)?.call(&mut *store, ())
}

/// What a trap means.
fn end_of(error: &wasmtime::Error, fuel_used: u64, fuel_limit: u64, stack_overflowed: bool) -> RunEnd {
    if let Some(Stopped(end)) = error.downcast_ref() {
        return end.clone();
    }
    if let Some(I32Exit(code)) = error.downcast_ref() {
        return RunEnd::Returned(*code);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => RunEnd::Limit(LimitHit { kind: LimitKind::Fuel, limit: fuel_limit, used: fuel_used }),
        Some(Trap::StackOverflow) => RunEnd::Crashed(NESTED_TOO_DEEPLY.into()),
        Some(Trap::MemoryOutOfBounds) if stack_overflowed => RunEnd::Crashed(NESTED_TOO_DEEPLY.into()),
        Some(trap) => RunEnd::Crashed(format!("the guest trapped: {trap}")),
        None => RunEnd::Crashed(format!("the guest failed: {error:#}")),
    }
}

/// The watch over a running guest: the clock, and whether it is still wanted.
struct Watch<'a> {
    limits: &'a Limits,
    stop: &'a Stop,
    cancel: &'a CancellationToken,
    /// How long a guest whose call is withdrawn may unwind.
    soft: Duration,
    started: Instant,
}

impl Watch<'_> {
    /// Waits for the guest and has it stopped when its time is over. True if the call was withdrawn.
    async fn until_over<T>(&self, mut guest: JoinHandle<T>) -> Result<(T, bool), Error> {
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
        let value = joined.map_err(|source| Error::Engine { what: "run the guest", source: source.into() })?;
        Ok((value, withdrawn))
    }

    async fn withdraw<T>(&self, guest: &mut JoinHandle<T>) -> Result<T, JoinError> {
        if !self.soft.is_zero() {
            self.stop.nudge();
            if let Ok(joined) = tokio::time::timeout(self.soft, &mut *guest).await {
                return joined;
            }
        }
        self.stop.force(RunEnd::Cancelled);
        guest.await
    }

    fn finish(&self, run: WasmRun) -> WasmRun {
        WasmRun { asked: self.stop.asked(), usage: Usage { wall: self.started.elapsed(), ..run.usage }, ..run }
    }

    fn wall_limit(&self) -> LimitHit {
        LimitHit {
            kind: LimitKind::Wall,
            limit: milliseconds(self.limits.wall),
            used: milliseconds(self.started.elapsed()),
        }
    }
}
