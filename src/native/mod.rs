//! The native runtime: jobs of the scientific stack in a process of their own, confined by
//! Landlock, seccomp and limits.
//!
//! The road of a job: [`NativeRuntime::job_dir`] makes its directories, [`NativeRuntime::run`] has
//! a child forked off the fork server (`launch`, `fork_server`), which puts on the walls that
//! `policy` made and runs the code, while `process` watches it. Nothing outside of `policy` names a
//! mechanism. If the walls cannot stand, the runtime is off and says why; it is never silently
//! weaker.

mod channel;
mod children;
mod control;
mod death;
mod environment;
mod error;
mod fork_server;
mod fork_server_process;
mod fork_server_slot;
pub(crate) mod helper;
mod holdings;
mod interpreter;
mod job_dir;
mod launch;
mod locks;
mod observed_imports;
mod order;
mod packets;
mod policy;
pub(crate) mod probe;
mod process;
mod run;
mod size;
mod sockets;
mod spare;
mod sys;
mod venv;

pub use self::interpreter::NativeInterpreter;
pub use self::job_dir::JobDir;
pub use self::policy::walls::WALLS;
pub(crate) use self::venv::{around, interpreter, missing, modules, packages};

use self::environment::Environment;
use self::error::{NativeError, failed};
use self::fork_server_slot::ForkServerSlot;
use self::helper::HelperConfig;
use self::policy::Policy;
use self::spare::Spares;
use crate::error::{Error, OffReason};
use crate::host::{Uses, make_private};
use crate::job::HostFolder;
use crate::proxy::{Proxy, ProxyConfig};
use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Modules that the fork server imports by default, with commas between them.
pub(crate) const PRELOAD: &str = "numpy,pandas,matplotlib.pyplot";
/// How long the fork server stays without a job by default.
pub(crate) const IDLE: Duration = Duration::from_mins(15);

/// Whether the walls stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// They do, or there is no native runtime.
    Enforced,
    /// The operator says that a container of theirs confines the whole server. Every result says
    /// so.
    Unconfined,
}

/// How to start the native runtime.
#[derive(Debug, Clone)]
pub struct NativeConfig {
    /// Whether the walls stand.
    pub confinement: Confinement,
    /// The venv with the scientific stack.
    pub venv: PathBuf,
    /// The directory that holds the package `sandbox_bootstrap`.
    pub bootstrap: PathBuf,
    /// Where job directories are made. Private; made if missing.
    pub runtime_dir: PathBuf,
    /// Folders of the host that jobs may see.
    pub mounts: Vec<HostFolder>,
    /// Modules that the fork server imports.
    pub preload: Vec<String>,
    /// BLAS and OpenMP threads of a job. More than one makes some libraries hang in a forked child.
    pub threads: u16,
    /// Children that are made before their job comes.
    pub spares: usize,
    /// How long each of them waits.
    pub spare_idle: Duration,
    /// The fork server is ended when no job ran for this long; the next one starts it again. `None`
    /// keeps it.
    pub idle: Option<Duration>,
    /// The hosts that jobs may reach; `None` has no network.
    pub network: Option<ProxyConfig>,
    /// Test switch: use at most this Landlock ABI; 0 is a kernel without Landlock.
    pub test_landlock_abi: Option<u8>,
    /// The program that has the helper's subcommand; `None` is this one.
    pub helper: Option<PathBuf>,
}

impl NativeConfig {
    /// The defaults: confined; no network; [`PRELOAD`] is imported in advance; one thread; memory
    /// is given back after [`IDLE`] without a job.
    pub fn new(venv: PathBuf, bootstrap: PathBuf, runtime_dir: PathBuf) -> Self {
        Self {
            confinement: Confinement::Enforced,
            venv,
            bootstrap,
            runtime_dir,
            mounts: Vec::new(),
            preload: PRELOAD.split(',').map(str::to_owned).collect(),
            threads: 1,
            spares: 1,
            spare_idle: spare::IDLE,
            idle: Some(IDLE),
            network: None,
            test_landlock_abi: None,
            helper: None,
        }
    }
}

/// Whether native jobs can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// They can.
    On {
        /// The Landlock ABI in force; `None` when unconfined.
        landlock_abi: Option<u8>,
    },
    /// They cannot.
    Off {
        /// Why, and what would help.
        why: OffReason,
    },
}

/// Whether jobs can reach any host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// They reach none.
    Closed,
    /// They reach these, as `--allow-host` names them.
    Open(Vec<String>),
    /// The operator opened some, and it cannot be done.
    Refused(String),
}

/// The native runtime of one server.
#[derive(Debug)]
pub struct NativeRuntime {
    config: Arc<NativeConfig>,
    state: Result<Arc<On>, OffReason>,
}

#[derive(Debug)]
struct On {
    fork_server: Arc<ForkServerSlot>,
    /// `None` when unconfined.
    policy: Option<Policy>,
    network: Result<Option<Proxy>, NativeError>,
    spares: Spares,
    /// By jobs that run.
    in_use: Uses,
}

impl NativeRuntime {
    /// Finds out whether native jobs can run here, and starts the fork server in the background.
    /// Must be called inside of a tokio runtime.
    pub fn start(config: NativeConfig) -> Self {
        let state = switch_on(&config).map(Arc::new);
        if let Ok(on) = &state {
            on.fork_server.start_in_background();
        }
        Self { config: Arc::new(config), state }
    }

    /// Whether native jobs can run. While the fork server starts for the first time, the answer is
    /// that they can.
    pub fn status(&self) -> Status {
        let off = |why| Status::Off { why };
        match &self.state {
            Err(why) => off(why.clone()),
            Ok(on) => on.fork_server.last_failure().map_or_else(
                || Status::On { landlock_abi: on.policy.as_ref().map(|policy| policy.abi) },
                off,
            ),
        }
    }

    /// Whether jobs can reach any host.
    pub fn network(&self) -> Network {
        match self.state.as_ref().map(|on| &on.network) {
            Ok(Ok(Some(_))) => open_hosts(&self.config),
            Ok(Err(why)) => Network::Refused(why.to_string()),
            Ok(Ok(None)) | Err(_) => Network::Closed,
        }
    }

    /// An interpreter that has not run yet: in a child that waits, if there is one and the job has
    /// no directory of its own; in directories of [`NativeRuntime::job_dir`].
    ///
    /// # Errors
    /// Those of [`NativeRuntime::job_dir`].
    pub fn interpreter(&self, data: Option<PathBuf>) -> Result<NativeInterpreter, Error> {
        let spare = self.state.as_ref().ok().filter(|_| data.is_none());
        if let Some((spare, dir)) = spare.and_then(|on| on.spares.take()) {
            return Ok(NativeInterpreter { process: None, spare: Some(spare), dir });
        }
        self.job_dir(data).map(NativeInterpreter::new)
    }

    /// Children that wait for their jobs.
    pub fn spares(&self) -> usize {
        self.state.as_ref().map_or(0, |on| on.spares.count())
    }

    /// Makes the directories of a job. With `data` of a session, which lies below the runtime
    /// directory too, the job works there; without, in a private directory that is gone with the
    /// returned value.
    ///
    /// # Errors
    /// They cannot be made.
    pub fn job_dir(&self, data: Option<PathBuf>) -> Result<JobDir, Error> {
        let (runtime_dir, mounts) = (&self.config.runtime_dir, &self.config.mounts);
        match JobDir::create(runtime_dir, data.clone(), mounts) {
            // Cleaners of temporary files take what looks unused. The walls of the fork server
            // leave the old directory open, not the new one of the same name, so it has to go too.
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                make_directories(&self.config).map_err(|e| Error::Native(e.into()))?;
                if let Ok(on) = &self.state {
                    on.fork_server.replace();
                }
                JobDir::create(runtime_dir, data, mounts)
            }
            made => made,
        }
    }

    /// Has the fork server import `names` of a job that ended well, as far as it is worth it.
    pub fn learn(&self, names: &[String]) {
        if let Ok(on) = &self.state
            && !names.is_empty()
        {
            on.fork_server.learn(names);
        }
    }

    /// Ends the fork server and all jobs. Also happens when the value is dropped, or the server
    /// dies.
    pub async fn shut_down(&self) {
        if let Ok(on) = &self.state {
            on.spares.drop_all();
            on.fork_server.shut_down().await;
        }
    }
}

/// Closes our entries in `/proc` to other processes of the same user, a job among them, and forbids
/// core files.
///
/// # Errors
/// The kernel's.
pub fn close_own_process() -> io::Result<()> {
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

fn switch_on(config: &NativeConfig) -> Result<On, OffReason> {
    let layout = Environment::find(&config.venv)?.layout(&config.bootstrap);
    let home = make_directories(config)?;
    let network = open_network(config);
    if let Err(why) = &network {
        tracing::warn!("jobs have no network: {why}");
    }
    let port = network.as_ref().ok().and_then(Option::as_ref).map(Proxy::port);
    let mounts: Vec<_> =
        config.mounts.iter().map(|mount| (mount.host.clone(), mount.writable)).collect();
    let policy = match config.confinement {
        Confinement::Unconfined => None,
        Confinement::Enforced => {
            Some(Policy::new(&layout, config.test_landlock_abi, port, &mounts)?)
        }
    };
    let helper = HelperConfig {
        server: helper::server_pid(),
        confined: policy.is_some(),
        abi_cap: config.test_landlock_abi,
        venv: config.venv.clone(),
        bootstrap: config.bootstrap.clone(),
        home,
        root: config.runtime_dir.clone(),
        mounts,
        preload: config.preload.clone(),
        learned: Vec::new(),
        threads: config.threads,
        port,
        environment: venv::manifest(&config.venv).environment,
    };
    let program = config.helper.clone().map_or_else(helper::own_program, Ok)?;
    let fork_server = ForkServerSlot::new(program, helper, config.idle);
    Ok(On { fork_server, policy, network, spares: Spares::default(), in_use: Uses::default() })
}

/// Starts the proxy, if hosts were opened and jobs can be kept from everything else.
fn open_network(config: &NativeConfig) -> Result<Option<Proxy>, NativeError> {
    let Some(network) = &config.network else { return Ok(None) };
    match config.confinement {
        Confinement::Unconfined => return Err(NativeError::NoWalls),
        Confinement::Enforced => policy::network_at(config.test_landlock_abi)?,
    }
    let proxy = Proxy::start(network.clone());
    proxy.map(Some).map_err(failed("start the proxy for `--allow-host`"))
}

pub(crate) fn open_hosts(config: &NativeConfig) -> Network {
    match &config.network {
        Some(network) => Network::Open(network.hosts.iter().map(ToString::to_string).collect()),
        None => Network::Closed,
    }
}

/// Makes the runtime directory and the fork server's home in it, which is returned.
fn make_directories(config: &NativeConfig) -> Result<PathBuf, Error> {
    let home = config.runtime_dir.join("fork-server");
    make_private(&config.runtime_dir)?;
    make_private(&home)?;
    Ok(home)
}

/// The library that translates paths for C code, where the bootstrap has it and it can be loaded.
/// The loader takes blanks and colons for ends of names.
fn job_paths(bootstrap: &Path) -> Option<PathBuf> {
    let library = bootstrap.join("job_paths.so");
    let is_name = library.to_str().is_some_and(|name| !name.contains([' ', ':', '\t', '\n']));
    let is_code =
        || statvfs(&library).is_ok_and(|mount| !mount.f_flag.contains(StatVfsMountFlags::NOEXEC));
    (is_name && is_code()).then_some(library)
}
