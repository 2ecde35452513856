//! Both runtimes of a server behind one face: what each needs to start, and the one request that
//! the bootstrap reads in either.

mod interpreter;

pub(crate) use interpreter::{Close, Interpreter};

use crate::error::{Error, OffReason};
use crate::job::{BootstrapOptions, HostFolder, Job, Packages, Request, RuntimeKind, SessionCall};
use crate::native::{self, NativeConfig, NativeRuntime, Network, Status};
use crate::wasm::{Artefact, WasmRuntime};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::sync::OnceCell;

/// What the runtimes of a server are made of.
#[derive(Debug, Clone)]
pub struct RuntimesConfig {
    /// The guest.
    pub artefact: Artefact,
    /// Packages that the operator adds to the guest's.
    pub packages: Option<Packages>,
    /// The native runtime, or why there is none.
    pub native: Result<NativeConfig, NativeOff>,
    /// Top-level modules of the venv, also where the native runtime is off: an answer then says
    /// what they need.
    pub native_modules: Vec<String>,
    /// Options handed to the bootstrap.
    pub bootstrap: BootstrapOptions,
    /// Folders of the host that jobs see.
    pub mounts: Vec<HostFolder>,
    /// Guests that are made before their call comes.
    pub spares: usize,
}

impl RuntimesConfig {
    fn packages(&self) -> Vec<String> {
        let in_venv = self.native.iter().flat_map(|config| native::packages(&config.venv));
        let names = in_venv.map(|(name, _version)| name).chain(self.artefact.packages());
        // The two sources write `-` and capitals differently; the venv's way is the packages' own.
        let mut by_key = BTreeMap::new();
        for name in names {
            by_key.entry(name.to_lowercase().replace('_', "-")).or_insert(name);
        }
        by_key.into_values().collect()
    }
}

/// Why a server is without the native runtime.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NativeOff {
    #[error("`--native off` was given")]
    Declined,
    /// The binary came without a venv.
    #[error(
        "the one-file edition has none; name a venv with `--venv`, or install the server into one: \
         pip install 'mcp-python-sandbox[science]'"
    )]
    OneFile,
    #[error("there is no venv at `{0}`; build one with `make venv` or name one with `--venv`")]
    NoVenv(PathBuf),
}

/// Whether native jobs can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NativeState {
    On,
    /// They cannot, for this reason.
    Off(OffReason),
}

/// Both runtimes, each loaded when it is first needed.
#[derive(Debug)]
pub(crate) struct Runtimes {
    pub(crate) config: RuntimesConfig,
    /// A load that failed is tried again, so that a guest that is built later is found.
    wasm: OnceCell<Arc<WasmRuntime>>,
    native: OnceCell<NativeRuntime>,
    packages: OnceLock<Vec<String>>,
}

impl Runtimes {
    pub(crate) fn new(config: RuntimesConfig) -> Self {
        Self { config, wasm: OnceCell::new(), native: OnceCell::new(), packages: OnceLock::new() }
    }

    /// Names of the packages that jobs can import, in alphabetical order. They are read from the
    /// disk once, but anew while there is no guest: it may be built later.
    pub(crate) fn packages(&self) -> Cow<'_, [String]> {
        if self.wasm.initialized() {
            Cow::Borrowed(self.packages.get_or_init(|| self.config.packages()))
        } else {
            Cow::Owned(self.config.packages())
        }
    }

    /// Loads what jobs will need, so that the first one does not wait for it.
    pub(crate) async fn warm_up(&self) {
        match self.wasm().await.cloned() {
            Ok(wasm) => drop(tokio::task::spawn_blocking(move || wasm.prepare())),
            Err(error) => tracing::warn!(%error, "the WASI runtime is not ready"),
        }
        if let NativeState::Off(why) = self.native_state().await {
            tracing::info!(%why, "the native runtime is off");
        }
    }

    pub(crate) async fn shut_down(&self) {
        if let Some(native) = self.native.get() {
            native.shut_down().await;
        }
    }

    /// Has the native runtime have these modules ready for the next jobs.
    pub(crate) fn learn(&self, imported: &[String]) {
        if let Some(native) = self.native.get() {
            native.learn(imported);
        }
    }

    pub(crate) async fn wasm(&self) -> Result<&Arc<WasmRuntime>, Error> {
        let load = || async {
            let (artefact, packages) = (self.config.artefact.clone(), self.config.packages.clone());
            let (mounts, spares) = (self.config.mounts.clone(), self.config.spares);
            let load = move || WasmRuntime::load(&artefact, packages.as_ref(), &mounts, spares);
            let loaded = tokio::task::spawn_blocking(load).await;
            let failed = |source: tokio::task::JoinError| Error::engine("load the guest", source);
            loaded.map_err(failed)?.map(Arc::new)
        };
        self.wasm.get_or_try_init(load).await
    }

    pub(crate) async fn native(&self) -> Result<&NativeRuntime, Error> {
        let start = || async {
            let off = |off| Error::RuntimeOff(OffReason::new(off));
            let config = self.config.native.clone().map_err(off)?;
            // Its bootstrap is in the guest's folder.
            let artefact = self.config.artefact.clone();
            let ready = tokio::task::spawn_blocking(move || artefact.ready()).await;
            ready.map_err(|source| Error::engine("unpack the guest", source))??;
            Ok(NativeRuntime::start(config))
        };
        self.native.get_or_try_init(start).await
    }

    /// What is known of the native runtime without starting it.
    pub(crate) fn native_so_far(&self) -> NativeState {
        match (self.native.get().map(NativeRuntime::status), &self.config.native) {
            (Some(Status::Off { why }), _) => NativeState::Off(why),
            (None, Err(why)) => NativeState::Off(OffReason::new(why)),
            (Some(Status::On { .. }), _) | (None, Ok(_)) => NativeState::On,
        }
    }

    /// Whether native jobs can run; starts the runtime to find out.
    pub(crate) async fn native_state(&self) -> NativeState {
        match self.native().await.map(NativeRuntime::status) {
            Ok(Status::On { .. }) => NativeState::On,
            Ok(Status::Off { why }) | Err(Error::RuntimeOff(why)) => NativeState::Off(why),
            Err(error) => NativeState::Off(error.into()),
        }
    }

    /// What is known of the network without starting the native runtime.
    pub(crate) fn network(&self) -> Network {
        match (self.native.get(), &self.config.native) {
            (Some(native), _) => native.network(),
            (None, Ok(config)) => native::open_hosts(config),
            (None, Err(_)) => Network::Closed,
        }
    }

    /// Interpreters that wait for their calls.
    pub(crate) fn spares(&self) -> [(RuntimeKind, usize); 2] {
        let wasm = self.wasm.get().map_or(0, |wasm| wasm.spares());
        let native = self.native.get().map_or(0, NativeRuntime::spares);
        [(RuntimeKind::Wasm, wasm), (RuntimeKind::Native, native)]
    }

    /// Whether jobs may change any folder of the host.
    fn has_writable_mounts(&self) -> bool {
        self.config.mounts.iter().any(|mount| mount.writable)
    }

    /// The request for `job`, which is to run in `interpreter` while `native` is known of the
    /// native runtime.
    pub(crate) fn request<'a>(
        &'a self,
        job: &'a Job,
        nonce: &'a str,
        interpreter: &Interpreter,
        session: &'a SessionCall,
        native: &'a NativeState,
    ) -> Request<'a> {
        let config = &self.config;
        let mut request = Request::new(job, nonce, interpreter.runtime(), &config.bootstrap);
        match self.network() {
            Network::Closed => {}
            Network::Open(hosts) => request.network = hosts,
            Network::Refused(why) => request.network_why = why,
        }
        request.tell_session(session);
        match interpreter {
            Interpreter::Wasm(_) => {
                tell_native(&mut request, job, session, native);
                request.native_modules = &config.native_modules;
                request.packages =
                    config.packages.as_ref().map_or(&[], |packages| &packages.search);
            }
            Interpreter::Native(child) => {
                request.hostdir = Some(child.data().to_string_lossy().into_owned());
                let paths = |mount: &'a HostFolder| (mount.guest.as_str(), mount.host.as_path());
                request.mounts = config.mounts.iter().map(paths).collect();
            }
        }
        request
    }
}

/// Tells a guest what becomes of code that needs the native runtime.
fn tell_native<'a>(
    request: &mut Request<'a>,
    job: &Job,
    session: &SessionCall,
    native: &'a NativeState,
) {
    match native {
        // A caller that insists on this runtime gets an exception, not a rerun.
        NativeState::On if job.runtime == Some(RuntimeKind::Wasm) => {
            request.native_why = "the call asked for `runtime: wasm`";
        }
        NativeState::On => request.native = "on",
        NativeState::Off(why) => request.native_why = why,
    }
    let asked = job.runtime == Some(RuntimeKind::Native);
    request.migrate = asked && session.number > 0 && request.native == "on";
}
