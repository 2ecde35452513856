//! The road of one job: admission, routing, a run, and a rerun if it turns out to need the other runtime.

use crate::background::{Background, BackgroundConfig};
use crate::budget::Budget;
use crate::ending;
use crate::error::Error;
use crate::files;
use crate::folder::{self, Folder};
use crate::gate::Gate;
use crate::handle::Instance;
use crate::leavings::leave;
use crate::limits::Limits;
use crate::live::Live;
use crate::metrics::Metrics;
use crate::mounts::HostFolder;
use crate::native::{self, JobDir, NativeConfig, NativeRuntime, Network, Status};
use crate::outcome::{Job, Outcome, RawOutput, RunEnd, RuntimeKind};
use crate::output::Output;
use crate::packages::Packages;
use crate::request::{BootstrapOptions, Request, nonce};
use crate::route::{self, NativeState};
use crate::session::{Client, SessionConfig, Sessions};
use crate::shelf::{Leavings, Shelf, ShelfConfig};
use crate::wasm::{Artefact, Guest, WasmRun, WasmRuntime};
use fs_err as fs;
use std::sync::Arc;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

/// What a runner is made of.
#[derive(Debug, Clone)]
pub struct RunnerConfig {
    /// The guest.
    pub artefact: Artefact,
    /// Packages that the operator adds to the guest's.
    pub packages: Option<Packages>,
    /// The native runtime, or why there is none.
    pub native: Result<NativeConfig, String>,
    /// Top-level modules of the venv, also where the native runtime is off: an answer then says what they need.
    pub native_modules: Vec<String>,
    /// Limits of a job that asks for nothing else.
    pub limits: Limits,
    /// Options handed to the bootstrap.
    pub bootstrap: BootstrapOptions,
    /// What the images of one answer may weigh, and how large each may be.
    pub budget: Budget,
    /// Jobs that run at once.
    pub concurrency: usize,
    /// Jobs that may wait.
    pub queue: usize,
    /// Folders of the host that jobs see.
    pub mounts: Vec<HostFolder>,
    /// What sessions may take.
    pub sessions: SessionConfig,
    /// How long files of calls without a session can be read.
    pub shelf: ShelfConfig,
    /// What background jobs may take.
    pub background: BackgroundConfig,
    /// Whom the handles of all these name.
    pub instance: Instance,
}

/// Runs jobs. One per process; cheap to share.
#[derive(Debug)]
pub struct Runner {
    config: RunnerConfig,
    gate: Gate,
    metrics: Metrics,
    /// Loaded at the first job or by [`Runner::warm_up`]; tried again if that failed, so that a guest that is built
    /// later is found.
    wasm: OnceCell<Arc<WasmRuntime>>,
    /// Started at the first need or by [`Runner::warm_up`].
    native: OnceCell<NativeRuntime>,
    sessions: Arc<Sessions>,
    shelf: Arc<Shelf>,
    background: Background,
}

impl Runner {
    /// A runner that has loaded nothing yet.
    pub fn new(config: RunnerConfig) -> Self {
        let gate = Gate::new(config.concurrency, config.queue);
        let sessions = Sessions::new(config.sessions.clone(), config.instance.clone());
        let shelf = Arc::new(Shelf::new(config.shelf.clone(), config.instance.clone()));
        let background = Background::new(config.background, config.instance.clone());
        Self {
            config,
            gate,
            metrics: Metrics::default(),
            wasm: OnceCell::new(),
            native: OnceCell::new(),
            sessions,
            shelf,
            background,
        }
    }

    /// The sessions.
    pub fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// Files of calls without a session.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// Ends what `client` began and nobody else can find, now that it is gone. To be called on the executor.
    pub(crate) fn forget(&self, client: Client) {
        self.background.forget(client);
        self.sessions.forget(client);
        self.shelf.forget(client);
    }

    /// Who runs, and who waits.
    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The configuration.
    pub fn config(&self) -> &RunnerConfig {
        &self.config
    }

    /// Figures for Prometheus.
    pub fn metrics(&self) -> String {
        self.metrics.text(&self.gate)
    }

    /// Loads what jobs will need, so that the first one does not wait for it.
    pub async fn warm_up(&self) {
        if let Err(error) = self.wasm().await {
            tracing::warn!(%error, "the WASI runtime is not ready");
        }
        if let NativeState::Off(why) = self.native_state().await {
            tracing::info!(why, "the native runtime is off");
        }
    }

    /// Ends what runs beside this process.
    pub async fn shut_down(&self) {
        self.background.shut_down().await;
        self.sessions.shut_down().await;
        if let Some(native) = self.native.get() {
            native.shut_down().await;
        }
    }

    /// Runs `job` within `limits` and tells what came of it. `live` shows it while it runs.
    ///
    /// # Errors
    /// Our own failures only; what the job does wrong is in the [`Outcome`].
    pub async fn run(
        &self,
        job: &Job,
        limits: &Limits,
        live: &Live,
        cancel: &CancellationToken,
    ) -> Result<Outcome, Error> {
        let result = self.admit_and_run(job, limits, live, cancel).await;
        self.count(&result);
        result
    }

    /// Jobs that nobody waits for.
    pub fn background(&self) -> &Background {
        &self.background
    }

    /// Counts how a call ended.
    pub(crate) fn count(&self, result: &Result<Outcome, Error>) {
        match result {
            Ok(outcome) => self.metrics.ended(outcome),
            Err(Error::Busy { .. }) => self.metrics.refused(),
            Err(_) => self.metrics.failed(),
        }
    }

    async fn admit_and_run(
        &self,
        job: &Job,
        limits: &Limits,
        live: &Live,
        cancel: &CancellationToken,
    ) -> Result<Outcome, Error> {
        let _place = self.gate.enter().await?;
        let (runtime, reason) = route::first(job.runtime);
        let done = |(raw, leavings), reason: &str| Outcome { leavings, ..Outcome::new(raw, reason.to_owned()) };
        if runtime == RuntimeKind::Native {
            return Ok(done(self.run_native(job, limits, live, cancel).await?, reason));
        }
        let run = self.run_wasm(job, limits, live, cancel, &self.native_so_far()).await?;
        match route::after_wasm(&run.0.report) {
            // The attempt had no effect outside of its own memory: it is dropped whole.
            Some(reroute) if run.0.end != RunEnd::Cancelled => match self.native_state().await {
                NativeState::On => {
                    let run = self.run_native(job, limits, live, cancel).await?;
                    Ok(Outcome { rerouted: reroute.had_begun, ..done(run, &reroute.reason) })
                }
                // It turned out only now that native cannot start: the code gets the exception that says so.
                off @ NativeState::Off(_) => Ok(done(self.run_wasm(job, limits, live, cancel, &off).await?, reason)),
            },
            _ => Ok(done(run, reason)),
        }
    }

    async fn run_wasm(
        &self,
        job: &Job,
        limits: &Limits,
        live: &Live,
        cancel: &CancellationToken,
        native: &NativeState,
    ) -> Result<Run, Error> {
        let wasm = self.wasm().await?;
        let nonce = nonce()?;
        let request = self.wasm_request(job, &nonce, native);
        let output = Arc::new(Output::new(&nonce, limits));
        live.show(&output);
        let shelf = Arc::clone(&self.shelf);
        let needed = wasm.has_writable_mounts();
        let last = move |run: &WasmRun, guest: Guest| {
            let copy = |folder: &Folder| guest.copy_files(&folder.open().map_err(|error| error.to_string())?);
            let leavings = leave(&shelf, &run.files, copy);
            (leavings, needed.then_some(guest))
        };
        let (run, (leavings, guest)) = wasm.run(job, request.to_json()?, limits, &output, cancel, last).await?;
        let mut raw = ending::of_guest(run, output.finish(), limits);
        if let Some(guest) = guest
            && raw.end != RunEnd::Cancelled
            && route::after_wasm(&raw.report).is_none()
        {
            raw.report.notes.extend(store_mounts(wasm, guest).await);
        }
        Ok((raw, leavings))
    }

    async fn run_native(
        &self,
        job: &Job,
        limits: &Limits,
        live: &Live,
        cancel: &CancellationToken,
    ) -> Result<Run, Error> {
        let native = self.native_or_off().await?;
        let mut dir = native.job_dir(None)?;
        folder::put(dir.data(), &job.files)?;
        dir.seal();
        let nonce = nonce()?;
        let request = self.native_request(job, &nonce, &dir);
        let output = Arc::new(Output::new(&nonce, limits));
        live.show(&output);
        let run = native.run(&dir, &request.to_json()?, limits, &output, cancel).await?;
        let captured = output.finish();
        let mut files = dir.changed_files()?;
        files::load_images(dir.data(), &mut files);
        let leavings = leave(&self.shelf, &files, |folder| {
            fs::rename(dir.data(), folder.path()).map_err(|error| error.to_string())
        });
        Ok((ending::of_native(run, captured, files, limits), leavings))
    }

    /// The request for a guest that knows this of the native runtime.
    pub(crate) fn wasm_request<'a>(&'a self, job: &'a Job, nonce: &'a str, native: &'a NativeState) -> Request<'a> {
        let mut request = Request::new(job, nonce, RuntimeKind::Wasm.name(), &self.config.bootstrap);
        match native {
            // A caller that insists on this runtime gets an exception, not a rerun.
            NativeState::On if job.runtime == Some(RuntimeKind::Wasm) => {
                request.native_why = "the call asked for `runtime: wasm`";
            }
            NativeState::On => request.native = "on",
            NativeState::Off(why) => request.native_why = why,
        }
        request.native_modules = &self.config.native_modules;
        request.packages = self.config.packages.as_ref().map_or(&[], |packages| &packages.search);
        tell_network(&mut request, self.network());
        request
    }

    /// The request for a native job in `dir`.
    pub(crate) fn native_request<'a>(&'a self, job: &'a Job, nonce: &'a str, dir: &JobDir) -> Request<'a> {
        let mut request = Request::new(job, nonce, RuntimeKind::Native.name(), &self.config.bootstrap);
        request.hostdir = Some(dir.data().to_string_lossy().into_owned());
        tell_network(&mut request, self.network());
        request.mounts = self.config.mounts.iter().map(|mount| (mount.guest.as_str(), mount.host.as_path())).collect();
        request
    }

    /// The WASI runtime, loaded if it was not.
    ///
    /// # Errors
    /// The guest is missing or unusable; the next job tries again.
    pub(crate) async fn wasm(&self) -> Result<&Arc<WasmRuntime>, Error> {
        let load = || async {
            let (artefact, packages) = (self.config.artefact.clone(), self.config.packages.clone());
            let mounts = self.config.mounts.clone();
            let load = move || WasmRuntime::load(&artefact, packages.as_ref(), &mounts);
            let loaded = tokio::task::spawn_blocking(load).await;
            loaded.map_err(|source| Error::Engine { what: "load the guest", source: source.into() })?.map(Arc::new)
        };
        self.wasm.get_or_try_init(load).await
    }

    /// The native runtime, started if it was not; an error says why there is none.
    ///
    /// # Errors
    /// Why it was not asked for, or cannot be.
    pub async fn native(&self) -> Result<&NativeRuntime, String> {
        let start = || async { self.config.native.clone().map(NativeRuntime::start) };
        self.native.get_or_try_init(start).await
    }

    /// The native runtime for a job that cannot do without it.
    ///
    /// # Errors
    /// [`Error::RuntimeOff`] with the reason.
    pub(crate) async fn native_or_off(&self) -> Result<&NativeRuntime, Error> {
        self.native().await.map_err(Error::RuntimeOff)
    }

    /// What is known of the native runtime without starting it.
    pub(crate) fn native_so_far(&self) -> NativeState {
        match (self.native.get().map(NativeRuntime::status), &self.config.native) {
            (Some(Status::Off { why }), _) => NativeState::Off(why),
            (None, Err(why)) => NativeState::Off(why.clone()),
            (Some(Status::On { .. }), _) | (None, Ok(_)) => NativeState::On,
        }
    }

    /// What is known of the network without starting the native runtime.
    pub fn network(&self) -> Network {
        match (self.native.get(), &self.config.native) {
            (Some(native), _) => native.network(),
            (None, Ok(config)) => native::open_hosts(config),
            (None, Err(_)) => Network::Closed,
        }
    }

    /// Whether native jobs can run; starts the runtime to find out.
    pub(crate) async fn native_state(&self) -> NativeState {
        match self.native().await.map(NativeRuntime::status) {
            Ok(Status::On { .. }) => NativeState::On,
            Ok(Status::Off { why }) | Err(why) => NativeState::Off(why),
        }
    }
}

fn tell_network(request: &mut Request<'_>, network: Network) {
    match network {
        Network::Closed => {}
        Network::Open(hosts) => request.network = hosts,
        Network::Refused(why) => request.network_why = why,
    }
}

/// Writes what a job changed in the operator's folders; gives what could not be written, as notes.
async fn store_mounts(wasm: &Arc<WasmRuntime>, mut guest: Guest) -> Vec<String> {
    let wasm = Arc::clone(wasm);
    let stored = tokio::task::spawn_blocking(move || wasm.store_files(&mut guest, false)).await;
    let stored = stored.unwrap_or_else(|error| Err(error.to_string()));
    let told = |what: String| format!("not written: {what}");
    stored.map_or_else(|why| vec![told(why)], |skipped| skipped.into_iter().map(told).collect())
}

/// A run, and the files that it left.
type Run = (RawOutput, Option<Leavings>);
