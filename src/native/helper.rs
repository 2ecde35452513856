//! The hidden subcommand `native-helper`: this binary, executed again, turns itself into the fork
//! server.
//!
//! It is a process of its own because Landlock and seccomp bind the calling thread and its
//! descendants only, and because nothing may be allocated between the fork of a threaded server and
//! its exec. Here there is one thread from the start.

use super::environment::Environment;
use super::error::{NativeError, failed};
use super::policy::{confine_fork_server, rlimits};
use super::{job_paths, sys};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal, setsid};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// Name of the subcommand.
pub const SUBCOMMAND: &str = "native-helper";
/// The descriptor of the control socket in the fork server.
const CONTROL: i32 = 3;

/// What the helper does, as JSON in its one argument. Nothing in it is secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct HelperConfig {
    /// Process id.
    pub(super) server: i32,
    pub(super) confined: bool,
    pub(super) abi_cap: Option<u8>,
    pub(super) venv: PathBuf,
    pub(super) bootstrap: PathBuf,
    /// The fork server's own home: matplotlib's font cache lives there.
    pub(super) home: PathBuf,
    /// The directory below which job directories are made.
    pub(super) root: PathBuf,
    /// Folders of the operator that jobs may see, and whether they may change them.
    pub(super) mounts: Vec<(PathBuf, bool)>,
    /// Modules that the operator wants imported in advance.
    pub(super) preload: Vec<String>,
    /// Names that jobs have imported.
    pub(super) learned: Vec<String>,
    pub(super) threads: u16,
    /// The port that jobs may connect to, if any.
    pub(super) port: Option<u16>,
    /// Variables that this venv needs on this machine.
    pub(super) environment: BTreeMap<String, String>,
}

/// Runs the helper; `args` are those after the subcommand's name. Returns only on failure.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let Err(error) = become_fork_server(args.into_iter().next());
    // stderr is a pipe to the server, which logs it and gives it as the reason why native is off.
    let _ = writeln!(io::stderr(), "{error}");
    ExitCode::FAILURE
}

fn become_fork_server(config: Option<OsString>) -> Result<Infallible, NativeError> {
    let config = config.and_then(|text| text.into_string().ok()).ok_or(NativeError::NoConfig)?;
    let config: HelperConfig = serde_json::from_str(&config).map_err(failed("read the order"))?;
    let environment = Environment::find(&config.venv)?;
    let layout = environment.layout(&config.bootstrap);

    // 1. Die with the server. First, so that no later step can leave a process behind; then see
    //    whether it is still there.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed("set the death signal"))?;
    if getppid().is_none_or(|parent| parent.as_raw_nonzero().get() != config.server) {
        return Err(NativeError::ServerGone);
    }
    // 2. A session of its own: no terminal, and a Ctrl-C at the server's is the server's to handle.
    setsid().map_err(failed("start a session"))?;
    // 3. The control socket came as standard input; job code must find `/dev/null` there.
    //    Everything else is closed at exec. Before Landlock, which may not leave `/dev` open.
    take_control_socket().map_err(failed("arrange the descriptors"))?;
    match sys::close_from_at_exec(CONTROL.cast_unsigned() + 1) {
        // Older than Landlock, so only unconfined. Ours are closed at exec one by one; a launcher's
        // may get through.
        Err(Errno::NOSYS | Errno::INVAL) if !config.confined => {}
        closed => closed.map_err(failed("close descriptors"))?,
    }
    // 4. The first to go when memory runs out. Before Landlock, which closes `/proc`. Where `/proc`
    //    is not mounted, the kernel chooses by size, which is most likely a job as well.
    let _ = fs::write("/proc/self/oom_score_adj", "500");
    rlimits::of_fork_server()?;
    if config.confined {
        // 5. No capability survives, also if the server runs as root: they would lift limits and
        //    file permissions. Before the filter, which has no row for it.
        drop_capabilities().map_err(failed("drop capabilities"))?;
        // 6. Needed for Landlock and seccomp without privileges, and no set-uid program can give
        //    any back.
        set_no_new_privs(true).map_err(failed("set no_new_privs"))?;
        // 7. Landlock, and last seccomp: the filter does not know the calls that the steps above
        //    need.
        confine_fork_server(&layout, &config)?;
    }
    Err(start_python(&config, environment.python))
}

fn take_control_socket() -> Result<(), Errno> {
    let control = fcntl_dupfd_cloexec(io::stdin(), CONTROL + 1)?;
    let null = open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    sys::place_at(&null, 0)?;
    // It may be the very number that comes next.
    drop(null);
    sys::place_at(&control, CONTROL)
}

fn drop_capabilities() -> Result<(), Errno> {
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// Becomes Python with the fork server; returns the reason if it cannot.
fn start_python(config: &HelperConfig, python: PathBuf) -> NativeError {
    let threads = config.threads.to_string();
    let home = config.home.as_os_str();
    let mut command = Command::new(&python);
    command
        // -I: no PYTHON* variables, no user site, no current directory. -B: nothing here is
        // writable anyway.
        .args(["-I", "-B", "-X", "utf8"])
        .arg(config.bootstrap.join("sandbox_bootstrap/fork_server/__main__.py"))
        .arg(if config.confined { "confined" } else { "unconfined" })
        .args(&config.preload)
        .arg("--")
        .args(&config.learned)
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("TERM", "dumb")])
        .envs([("USER", "sandbox"), ("LOGNAME", "sandbox"), ("MPLBACKEND", "agg")])
        .envs([("HOME", home), ("TMPDIR", home), ("MPLCONFIGDIR", home)])
        // Never OPENBLAS_CORETYPE: inherited, it makes a CPU without AVX run AVX code.
        .envs(["OPENBLAS", "OMP", "MKL", "NUMEXPR"].map(|n| (format!("{n}_NUM_THREADS"), &threads)))
        // Worker processes are impossible; joblib then works serially and says nothing.
        .env("JOBLIB_MULTIPROCESSING", "0")
        // Its check of the processor is machine code that it writes, and the walls stop that.
        .env("POLARS_SKIP_CPU_CHECK", "1")
        .envs(&config.environment)
        .envs(job_paths(&config.bootstrap).map(|library| ("LD_PRELOAD", library)))
        .current_dir(home);
    let source = command.exec().into();
    NativeError::AtPath { what: "start", path: python, source }
}

/// The process id that the helper must find as its parent.
pub(super) fn server_pid() -> i32 {
    getpid().as_raw_nonzero().get()
}

/// The program to execute as the helper: this one, even if the file was replaced meanwhile.
pub(super) fn own_program() -> Result<PathBuf, NativeError> {
    let own = Path::new("/proc/self/exe");
    if own.exists() {
        return Ok(own.to_owned());
    }
    env::current_exe().map_err(failed("find our own executable"))
}
