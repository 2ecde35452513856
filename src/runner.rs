//! The road of one job: admission, routing, a run, and a rerun if it turns out to need the other runtime.

use crate::budget::Budget;
use crate::error::Error;
use crate::files;
use crate::gate::Gate;
use crate::limits::{LimitHit, Limits};
use crate::live::Live;
use crate::metrics::Metrics;
use crate::native::{self, JobDir, NativeConfig, NativeRuntime, Network, Status};
use crate::outcome::{InputFile, Job, Outcome, OutputFile, RawOutput, ReportedExit, RunEnd, RuntimeKind, Usage};
use crate::output::{Captured, Output};
use crate::packages::Packages;
use crate::request::{BootstrapOptions, Request, nonce};
use crate::route::{self, NativeState};
use crate::wasm::{Artefact, WasmRuntime};
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
}

impl Runner {
    /// A runner that has loaded nothing yet.
    pub fn new(config: RunnerConfig) -> Self {
        let gate = Gate::new(config.concurrency, config.queue);
        Self { config, gate, metrics: Metrics::default(), wasm: OnceCell::new(), native: OnceCell::new() }
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
        match &result {
            Ok(outcome) => self.metrics.ended(outcome),
            Err(Error::Busy { .. }) => self.metrics.refused(),
            Err(_) => self.metrics.failed(),
        }
        result
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
        if runtime == RuntimeKind::Native {
            let raw = self.run_native(job, limits, live, cancel).await?;
            return Ok(Outcome { raw, reason: reason.into(), rerouted: false });
        }
        let raw = self.run_wasm(job, limits, live, cancel, &self.native_so_far()).await?;
        let done = |raw| Ok(Outcome { raw, reason: reason.into(), rerouted: false });
        match route::after_wasm(&raw.report) {
            // The attempt had no effect outside of its own memory: it is dropped whole.
            Some(reroute) if raw.end != RunEnd::Cancelled => match self.native_state().await {
                NativeState::On => {
                    let raw = self.run_native(job, limits, live, cancel).await?;
                    Ok(Outcome { raw, reason: reroute.reason, rerouted: reroute.had_begun })
                }
                // It turned out only now that native cannot start: the code gets the exception that says so.
                off @ NativeState::Off(_) => done(self.run_wasm(job, limits, live, cancel, &off).await?),
            },
            _ => done(raw),
        }
    }

    async fn run_wasm(
        &self,
        job: &Job,
        limits: &Limits,
        live: &Live,
        cancel: &CancellationToken,
        native: &NativeState,
    ) -> Result<RawOutput, Error> {
        let wasm = self.wasm().await?;
        let nonce = nonce()?;
        let mut request = Request::new(job, &nonce, RuntimeKind::Wasm.name(), &self.config.bootstrap);
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
        let output = Arc::new(Output::new(&nonce, limits));
        live.show(&output);
        let run = wasm.run(job, request.to_json()?, limits, &output, cancel).await?;
        let mut captured = output.finish();
        captured.report.at = captured.report.at.or(run.at);
        let end = end_after_report(run.end, run.asked, run.refused, &captured);
        Ok(assemble(RuntimeKind::Wasm, end, captured, run.usage, run.files, true))
    }

    async fn run_native(
        &self,
        job: &Job,
        limits: &Limits,
        live: &Live,
        cancel: &CancellationToken,
    ) -> Result<RawOutput, Error> {
        let native =
            self.native().await.map_err(|why| Error::RuntimeOff(format!("the native runtime is off: {why}")))?;
        let mut dir = native.job_dir(None)?;
        put_files(&dir, &job.files)?;
        dir.seal();
        let nonce = nonce()?;
        let mut request = Request::new(job, &nonce, RuntimeKind::Native.name(), &self.config.bootstrap);
        request.hostdir = Some(dir.data().to_string_lossy().into_owned());
        tell_network(&mut request, native.network());
        let output = Arc::new(Output::new(&nonce, limits));
        live.show(&output);
        let run = native.run(&dir, &request.to_json()?, limits, &output, cancel).await?;
        let captured = output.finish();
        let end = end_after_report(run.end, run.asked, None, &captured);
        let mut files = dir.changed_files()?;
        files::load_images(dir.data(), &mut files);
        Ok(assemble(RuntimeKind::Native, end, captured, run.usage, files, run.confined))
    }

    async fn wasm(&self) -> Result<&Arc<WasmRuntime>, Error> {
        let load = || async {
            let (artefact, packages) = (self.config.artefact.clone(), self.config.packages.clone());
            let loaded = tokio::task::spawn_blocking(move || WasmRuntime::load(&artefact, packages.as_ref())).await;
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

    /// What is known of the native runtime without starting it.
    fn native_so_far(&self) -> NativeState {
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
    async fn native_state(&self) -> NativeState {
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

/// What the host saw and what the bootstrap said, in one: a job that unwound when it was asked to ended by that limit,
/// and one that died of a `MemoryError` after memory was refused ended by that one.
fn end_after_report(end: RunEnd, asked: Option<LimitHit>, refused: Option<LimitHit>, captured: &Captured) -> RunEnd {
    let report = &captured.report;
    match (asked, refused) {
        (Some(hit), _) if report.exit == Some(ReportedExit::Deadline) => RunEnd::Limit(hit),
        (_, Some(hit)) if report.error.as_ref().is_some_and(|error| error.kind == "MemoryError") => RunEnd::Limit(hit),
        _ => end,
    }
}

fn put_files(dir: &JobDir, files: &[InputFile]) -> Result<(), Error> {
    for file in files {
        let path = dir.data().join(&file.path);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, &file.content));
        written.map_err(|source| Error::Io { what: "write the given file", path: file.path.clone().into(), source })?;
    }
    Ok(())
}

fn assemble(
    runtime: RuntimeKind,
    end: RunEnd,
    captured: Captured,
    usage: Usage,
    files: Vec<OutputFile>,
    confined: bool,
) -> RawOutput {
    let Captured { stdout, stderr, images, lost_images, report } = captured;
    RawOutput { runtime, end, stdout, images, lost_images, stderr, report, usage, files, confined }
}
