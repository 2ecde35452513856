//! From what was typed to what holds: validated once, immutable afterwards. Nothing else reads
//! options or environment.

use crate::cli::{NativeMode, Options, Switch};
use crate::host::nonce;
use crate::images::Budget;
use crate::job::mounts::{self, HostFolder, Ours};
use crate::job::{BootstrapOptions, Instance, Packages};
use crate::native::{self, Confinement, NativeConfig};
use crate::proxy::{HostRule, ProxyConfig};
use crate::runtime::{NativeOff, RuntimesConfig};
use crate::service::{
    AccountsConfig, AdmissionConfig, FileStoreConfig, JobsConfig, ServiceConfig, SessionConfig,
    Share,
};
use crate::wasm::{self, Artefact};
use std::env;
use std::fmt::Display;
use std::path::{Path, PathBuf, absolute};
use std::time::Duration;

/// Name of our folders in caches and below a prefix.
const NAME: &str = env!("CARGO_PKG_NAME");

/// The command line, or the environment in its place, asks for what cannot be. The text is for the
/// operator: what to change.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct Mistake(pub(crate) String);

impl Mistake {
    /// The words of others about the value of an option, which they name.
    pub(crate) fn of(error: impl Display) -> Self {
        Self(error.to_string())
    }

    pub(super) fn large(option: &str) -> Self {
        Self(format!("`{option}` is too large"))
    }
}

/// What the process runs with.
#[derive(Debug, Clone)]
pub struct Config {
    /// For the service.
    pub service: ServiceConfig,
    /// Longest deadline that a call may ask for.
    pub max_wall: Duration,
    /// How long calls may run on after end of input.
    pub eof_grace: Duration,
    /// Bytes of a request.
    pub max_request: usize,
}

impl Config {
    /// Resolves the options.
    ///
    /// # Errors
    /// An option is not what it must be.
    pub fn resolve(options: &Options) -> Result<Self, Mistake> {
        let max_wall = seconds("--max-timeout", options.max_timeout)?;
        let mut limits = options.limits.0.clone()?;
        limits.wall = limits.wall.min(max_wall);
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let concurrency =
            if options.concurrency == 0 { processors * 4 } else { options.concurrency };
        let venv = venv(options);
        let packages = options.packages.as_deref().map(Packages::find).transpose();
        let packages = packages.map_err(Mistake::of)?;
        let artefact = artefact(options.artefact.as_deref());
        let mounts = mounts(options, &own_places(&venv, &artefact, packages.as_ref()))?;
        let folder = runtime_folder()?;
        let kept_bytes = options.keep_files.checked_mul(1 << 20);
        let service = ServiceConfig {
            runtimes: RuntimesConfig {
                native: native(options, &venv, network(options)?, &mounts, &folder),
                native_modules: native::modules(&venv),
                artefact,
                packages,
                bootstrap: BootstrapOptions {
                    figure_text: options.figure_text == Switch::On,
                    ..BootstrapOptions::default()
                },
                mounts,
                spares: options.spares.into(),
            },
            limits,
            budget: options.image_budget.map_or_else(Budget::default, Budget::of),
            admission: AdmissionConfig::shared(concurrency, options.queue),
            accounts: AccountsConfig::default(),
            sessions: SessionConfig {
                count: options.sessions,
                idle: seconds("--session-idle", options.session_idle)?,
                life: seconds("--session-life", options.session_life)?,
                memory: Share::all(mebibytes("--session-memory", options.session_memory)?),
                folder: folder.clone(),
            },
            jobs: JobsConfig {
                // One permit is left for calls that somebody waits for.
                count: options.background.min(concurrency.saturating_sub(1)),
                wall: seconds("--background-timeout", options.background_timeout)?,
                keep: seconds("--keep-files-for", options.keep_files_for)?,
            },
            files: FileStoreConfig {
                bytes: Share::all(kept_bytes.ok_or_else(|| Mistake::large("--keep-files"))?),
                time: seconds("--keep-files-for", options.keep_files_for)?,
                folder,
            },
            instance: Instance::default(),
        };
        let max_request = mebibytes("--limit-request", options.limit_request)?;
        Ok(Self {
            service,
            max_wall,
            eof_grace: seconds("--eof-grace", options.eof_grace)?,
            max_request: usize::try_from(max_request)
                .map_err(|_| Mistake::large("--limit-request"))?,
        })
    }
}

/// A number of seconds above 0.
pub(crate) fn seconds(option: &str, value: f64) -> Result<Duration, Mistake> {
    let duration = Duration::try_from_secs_f64(value)
        .ok()
        .filter(|duration| !duration.is_zero() && value < 1e7);
    duration.ok_or_else(|| {
        Mistake(format!("`{option}` must be a number of seconds above 0, not {value}"))
    })
}

/// A number of MiB above 0, as bytes.
pub(super) fn mebibytes(option: &str, value: u64) -> Result<u64, Mistake> {
    value
        .checked_mul(1 << 20)
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| Mistake(format!("`{option}` must be a number of MiB above 0, not {value}")))
}

/// The guest: as given, or beside an installed binary, or inside of it, or the last one that was
/// built on this machine.
fn artefact(given: Option<&Path>) -> Artefact {
    let cache = cache_folder();
    let installed = || beside_binary(&format!("share/{NAME}/guest"), "python.wasm.gz");
    let carried = || wasm::carried_guest(&unpacking_places());
    let directory = given.map(Path::to_path_buf).or_else(installed).or_else(carried);
    let directory = directory.unwrap_or_else(|| built_last("guest"));
    Artefact { directory, cache: cache.join("compiled") }
}

/// The hosts that are open to jobs; by default none.
fn network(options: &Options) -> Result<Option<ProxyConfig>, Mistake> {
    let hosts = options.allow_host.iter().filter(|host| !host.is_empty());
    let hosts = hosts.map(|host| host.parse::<HostRule>().map_err(Mistake::of));
    let hosts = hosts.collect::<Result<Vec<_>, _>>()?;
    let open =
        ProxyConfig { test_loopback: options.test_allow_loopback, ..ProxyConfig::new(hosts) };
    Ok((!open.hosts.is_empty()).then_some(open))
}

/// The native runtime as asked for, or why there is none.
fn native(
    options: &Options,
    venv: &Path,
    network: Option<ProxyConfig>,
    mounts: &[HostFolder],
    folder: &Path,
) -> Result<NativeConfig, NativeOff> {
    let confinement = match options.native {
        NativeMode::Off => return Err(NativeOff::Declined),
        NativeMode::On => Confinement::Enforced,
        NativeMode::Unconfined => Confinement::Unconfined,
    };
    if !venv.join("bin/python").exists() {
        let is_alone = cfg!(feature = "embedded") && options.venv.is_none();
        return Err(if is_alone { NativeOff::OneFile } else { NativeOff::NoVenv(venv.into()) });
    }
    let bootstrap = artefact(options.artefact.as_deref()).directory.join("bootstrap");
    Ok(NativeConfig {
        confinement,
        preload: preload(options, venv),
        threads: options.threads,
        spares: options.spares.into(),
        idle: (options.native_idle > 0).then(|| Duration::from_secs(options.native_idle)),
        network,
        test_landlock_abi: options.test_landlock_abi,
        mounts: mounts.to_vec(),
        ..NativeConfig::new(venv.to_path_buf(), bootstrap, folder.to_path_buf())
    })
}

/// The venv: as given, or beside an installed binary, or the one that the binary was installed into
/// by `pip` or the like, or the last one that was built on this machine.
fn venv(options: &Options) -> PathBuf {
    let installed = || beside_binary("venv", "bin/python");
    let around = || native::around(&env::current_exe().ok()?);
    // The fork server works elsewhere.
    let given =
        options.venv.as_ref().map(|given| absolute(given).unwrap_or_else(|_| given.clone()));
    given.or_else(installed).or_else(around).unwrap_or_else(|| built_last("venv"))
}

/// The modules to import in advance. Of the default ones, a venv may lack some.
fn preload(options: &Options, venv: &Path) -> Vec<String> {
    let asked = options.preload.iter().filter(|module| !module.is_empty()).cloned();
    if !options.preload.iter().map(String::as_str).eq(native::PRELOAD.split(',')) {
        return asked.collect();
    }
    let there = native::modules(venv);
    let top = |module: &str| module.split('.').next().unwrap_or_default().to_owned();
    asked.filter(|module| there.contains(&top(module))).collect()
}

/// Where job directories are made: private to this process, so that several servers do not meet.
/// In another container, one may have the same process id.
fn runtime_folder() -> Result<PathBuf, Mistake> {
    let nonce = nonce().map_err(Mistake::of)?;
    Ok(env::temp_dir().join(format!("{NAME}-{}-{}", std::process::id(), &nonce[..16])))
}

/// The operator's folders for jobs. None may hold what the server itself stands on.
fn mounts(options: &Options, ours: &[Ours]) -> Result<Vec<HostFolder>, Mistake> {
    let mounts = options.mounts.iter().map(|text| HostFolder::parse(text));
    let mounts: Vec<_> = mounts.collect::<Result<_, _>>().map_err(Mistake::of)?;
    mounts::check(&mounts, ours).map_err(Mistake::of)?;
    Ok(mounts)
}

/// The server's own places.
fn own_places(venv: &Path, artefact: &Artefact, packages: Option<&Packages>) -> Vec<Ours> {
    let code = [Some(artefact.directory.as_path()), Some(&artefact.cache), Some(venv)];
    let binary = env::current_exe().ok();
    let packages = packages.map(|packages| packages.folder.as_path());
    let code = code.into_iter().chain([binary.as_deref(), packages]).flatten();
    let code = code.map(|path| Ours { path: path.to_owned(), is_secret: false });
    code.chain([Ours { path: env::temp_dir(), is_secret: true }]).collect()
}

/// A folder of an installed copy, if `probe` in it is there: `PREFIX/bin/mcp-python-sandbox` and
/// `PREFIX/<folder>`.
fn beside_binary(folder: &str, probe: &str) -> Option<PathBuf> {
    let folder = env::current_exe().ok()?.parent()?.parent()?.join(folder);
    folder.join(probe).exists().then_some(folder)
}

/// What the build scripts made last of this `kind`. A build may put another one in its place while
/// we run, and one job must not see both.
fn built_last(kind: &str) -> PathBuf {
    let link = cache_folder().join(kind).join("current");
    link.canonicalize().unwrap_or(link)
}

/// `$XDG_CACHE_HOME` or `~/.cache`, and ours in it.
fn cache_folder() -> PathBuf {
    user_cache().unwrap_or_else(env::temp_dir).join(NAME)
}

fn user_cache() -> Option<PathBuf> {
    let absolute =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
}

/// Where the one-file edition may unpack its guest. In a folder that all can write, the name is
/// this user's.
fn unpacking_places() -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let temporary = env::temp_dir().join(format!("{NAME}-guest-{user}"));
    let cache = user_cache().map(|cache| cache.join(NAME).join("carried"));
    cache.into_iter().chain([temporary]).collect()
}
