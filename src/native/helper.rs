//! The hidden subcommand `native-helper`: this binary, executed again, turns itself into the fork
//! server.
//!
//! It is a process of its own because Landlock and seccomp bind the calling thread and its
//! descendants only, and because nothing may be allocated between the fork of a threaded server and
//! its exec. Here there is one thread from the start.

use super::policy::{confine_parent, rlimits};
use super::{sys, venv};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal, setsid};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
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

/// What the server tells the helper, as JSON in its one argument. Nothing in it is secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::native) struct Order {
    pub(in crate::native) server: i32,
    pub(in crate::native) confined: bool,
    pub(in crate::native) abi_cap: Option<u8>,
    pub(in crate::native) venv: PathBuf,
    pub(in crate::native) bootstrap: PathBuf,
    /// The fork server's own home: matplotlib's font cache lives there.
    pub(in crate::native) home: PathBuf,
    /// The directory below which job directories are made.
    pub(in crate::native) root: PathBuf,
    /// Folders of the operator that jobs may see, and whether they may change them.
    pub(in crate::native) mounts: Vec<(PathBuf, bool)>,
    /// Modules that the operator wants imported in advance.
    pub(in crate::native) preload: Vec<String>,
    /// Names that jobs have imported; not all of them need be modules.
    pub(in crate::native) learned: Vec<String>,
    pub(in crate::native) threads: u16,
    /// The port that jobs may connect to, if any.
    pub(in crate::native) port: Option<u16>,
    /// Variables that this venv needs on this machine.
    pub(in crate::native) environment: BTreeMap<String, String>,
}

/// Runs the helper; `args` are those after the subcommand's name. Returns only on failure.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let why = match become_warm_parent(args.into_iter().next()) {
        Ok(never) => match never {},
        Err(why) => why,
    };
    // stderr is a pipe to the server, which logs it and gives it as the reason why native is off.
    let _ = writeln!(io::stderr(), "{why}");
    ExitCode::FAILURE
}

enum Never {}

fn become_warm_parent(order: Option<OsString>) -> Result<Never, String> {
    let order = order
        .and_then(|text| text.into_string().ok())
        .ok_or("the native helper is started by the server")?;
    let order: Order =
        serde_json::from_str(&order).map_err(|e| format!("failed to read the order: {e}"))?;
    let layout = venv::layout(&order.venv, &order.bootstrap)?;

    // 1. Die with the server. First, so that no later step can leave a process behind; then see
    //    whether it is still there.
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|e| format!("failed to set the death signal: {e}"))?;
    if getppid().is_none_or(|parent| parent.as_raw_nonzero().get() != order.server) {
        return Err("the server is gone".to_owned());
    }
    // 2. A session of its own: no terminal, and a Ctrl-C at the server's is the server's to handle.
    setsid().map_err(|e| format!("failed to start a session: {e}"))?;
    // 3. The control socket came as standard input; job code must find `/dev/null` there.
    //    Everything else is closed at exec. `/dev` is out of reach after Landlock if the policy
    //    should ever lose it.
    take_control_socket().map_err(|e| format!("failed to arrange the descriptors: {e}"))?;
    match sys::close_from_at_exec(CONTROL.cast_unsigned() + 1) {
        // Older than Landlock, so only unconfined. Ours are closed at exec one by one; a launcher's
        // may get through.
        Err(Errno::NOSYS | Errno::INVAL) if !order.confined => {}
        closed => closed.map_err(|e| format!("failed to close descriptors: {e}"))?,
    }
    // 4. The first to go when memory runs out. `/proc` is out of reach after Landlock. Where it is
    //    not mounted, the kernel chooses by size, which is a job as well.
    let _ = fs::write("/proc/self/oom_score_adj", "500");
    rlimits::of_parent()?;
    if order.confined {
        // 5. No capability survives, also if the server runs as root: they would lift limits and
        //    file permissions. Before the filter, which has no row for it.
        drop_capabilities().map_err(|e| format!("failed to drop capabilities: {e}"))?;
        // 6. Needed for Landlock and seccomp without privileges, and no set-uid program can give
        //    any back.
        set_no_new_privs(true).map_err(|e| format!("failed to set no_new_privs: {e}"))?;
        // 7. Landlock, and last seccomp: the filter does not know the calls that the steps above
        //    need.
        let roots = [order.root.as_path(), &order.home];
        confine_parent(&layout, &roots, &order.mounts, order.abi_cap, order.port)?;
    }
    Err(start_python(&order))
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
fn start_python(order: &Order) -> String {
    let python = order.venv.join("bin/python3");
    let threads = order.threads.to_string();
    let home = order.home.as_os_str();
    // -I: no PYTHON* variables, no user site, no current directory. -B: nothing here is writable
    // anyway.
    let script = order.bootstrap.join("sandbox_bootstrap/fork_server/__main__.py");
    let mut command = Command::new(&python);
    command
        .args(["-I", "-B", "-X", "utf8"])
        .arg(script)
        .args(&order.preload)
        .arg("--")
        .args(&order.learned)
        .env_clear()
        .envs([
            ("PATH", "/usr/bin:/bin"),
            ("LANG", "C.UTF-8"),
            ("USER", "sandbox"),
            ("LOGNAME", "sandbox"),
        ])
        .envs([("HOME", home), ("TMPDIR", home), ("MPLCONFIGDIR", home)])
        .envs([("MPLBACKEND", "agg"), ("TERM", "dumb")])
        // Never OPENBLAS_CORETYPE: inherited, it makes a CPU without AVX run AVX code.
        .envs(
            ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"]
                .map(|n| (n, &threads)),
        )
        // Worker processes cannot be; joblib then works serially and says nothing.
        .env("JOBLIB_MULTIPROCESSING", "0")
        .envs(&order.environment)
        .current_dir(&order.home);
    let why = command.exec();
    format!("failed to start `{}`: {why}", python.display())
}

/// The process id that the helper must find as its parent.
pub(in crate::native) fn server_pid() -> i32 {
    getpid().as_raw_nonzero().get()
}

/// The program to execute as the helper: this one, even if the file was replaced meanwhile.
///
/// # Errors
/// It cannot be found.
pub(in crate::native) fn own_program() -> Result<PathBuf, String> {
    let own = Path::new("/proc/self/exe");
    if own.exists() {
        return Ok(own.to_owned());
    }
    env::current_exe().map_err(|e| format!("failed to find our own executable: {e}"))
}
