//! Tries the walls for real: runs the attempts of [`PROBES`] inside of a job and reports what
//! stopped each.

mod climbs;
mod table;

pub use self::climbs::Bounded;
pub use self::table::{Control, PROBES, Probe};

use super::{JobDir, NativeRuntime, Network, Status};
use crate::error::Error;
use crate::job::Limits;
use crate::native::error::NativeError;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

/// What every attempt can use; see [`table`].
const PRELUDE: &str = include_str!("prelude.py");

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub probe: &'static str,
    pub wall: &'static str,
    /// The errno that stopped it; `None` if nothing did.
    pub errno: Option<i32>,
    /// The errno that must stop it; `None` when unconfined.
    pub expected: Option<i32>,
    /// Whether it was stopped by just that.
    pub holds: bool,
}

#[derive(Debug, Deserialize)]
struct ProbeLine {
    probe: String,
    errno: Option<i32>,
}

impl NativeRuntime {
    /// Runs every probe in one job.
    ///
    /// # Errors
    /// The job could not be run, or did not get through its probes.
    pub async fn probe(&self) -> Result<Vec<Finding>, Error> {
        let outside = Outside::new(self)?;
        let limits = Limits { shown: 1 << 20, ..Limits::default() };
        let (run, said) = self.run_program(|dir| outside.program(dir), &limits).await?;
        let text = String::from_utf8_lossy(said.stdout.head()).into_owned();
        let lines: Vec<ProbeLine> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let abi = match self.status() {
            Status::On { landlock_abi } => landlock_abi,
            Status::Off { why } => return Err(Error::RuntimeOff(why)),
        };
        let networked = matches!(self.network(), Network::Open(_));
        let find = |probe: &Probe| {
            let line = lines.iter().find(|line| line.probe == probe.name).ok_or_else(|| {
                let error = said.report.error.as_ref();
                NativeError::Probe {
                    name: probe.name,
                    end: format!("{:?}", run.end),
                    traceback: error.map(|error| error.traceback.clone()).unwrap_or_default(),
                }
            })?;
            let expected = abi.map(|abi| probe.expected(abi, networked));
            let holds = abi
                .zip(line.errno)
                .is_some_and(|(abi, errno)| probe.is_stopped_by(errno, abi, networked));
            Ok(Finding { probe: probe.name, wall: probe.wall, errno: line.errno, expected, holds })
        };
        PROBES.iter().map(find).collect()
    }
}

/// The things outside that the attempts aim at. Dropping the value removes them.
struct Outside {
    jobs: PathBuf,
    /// What the attempts name in capitals.
    names: Value,
    _other: JobDir,
    _listeners: (TcpListener, UdpSocket, UnixListener, UnixListener),
}

impl Outside {
    fn new(runtime: &NativeRuntime) -> Result<Self, Error> {
        let jobs = runtime.config.runtime_dir.clone();
        let other = runtime.job_dir(None)?;
        let readable = runtime.config.bootstrap.join("sandbox_bootstrap/__init__.py");
        Self::make(jobs.clone(), other, &readable).map_err(|source| Error::Io {
            what: "lay out the targets of the probes in",
            path: jobs,
            source,
        })
    }

    fn make(jobs: PathBuf, other: JobDir, readable: &Path) -> io::Result<Self> {
        let canary = jobs.join("canary");
        let unix = jobs.join("canary-socket");
        // The other job's path is unique, and so is this.
        let abstract_name = other.tmp().display().to_string();
        fs::write(&canary, "canary")?;
        for name in ["secret", "doomed", "movable"] {
            fs::write(other.data().join(name), name)?;
        }
        fs::create_dir(other.data().join("doomed-directory"))?;
        let tcp = TcpListener::bind(("127.0.0.1", 0))?;
        let udp = UdpSocket::bind(("127.0.0.1", 0))?;
        let _ = fs::remove_file(&unix);
        let by_path = UnixListener::bind(&unix)?;
        let by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name)?)?;
        // A service may have a home that does not exist; the probe needs one that does.
        let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_dir());
        let names = json!({
            "CANARY": canary, "OTHER": other.data(), "JOBS": jobs, "UNIX": unix,
            "ABSTRACT": abstract_name, "PORT": tcp.local_addr()?.port(),
            "UDP_PORT": udp.local_addr()?.port(), "READABLE": readable,
            "REAL_HOME": home.unwrap_or_else(|| "/".into()), "SERVER": process::id(),
            "NUMBERS": numbers(),
        });
        Ok(Self { jobs, names, _other: other, _listeners: (tcp, udp, by_path, by_name) })
    }

    fn program(&self, dir: &JobDir) -> String {
        let mut names = self.names.clone();
        names["HERE"] = json!(dir.data());
        // JSON's escapes of text are Python's.
        let names = json!(names.to_string());
        let mut program = format!("import json\nglobals().update(json.loads({names}))\n{PRELUDE}");
        for probe in PROBES {
            let (name, attempt) = (json!(probe.name), json!(probe.attempt));
            let _ = writeln!(program, "attempt({name}, {attempt})");
        }
        program
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let made = ["canary", "canary-socket", "made", "made-link", "made-fifo", "moved", "hard"];
        for name in made {
            let _ = fs::remove_file(self.jobs.join(name));
        }
        let _ = fs::remove_dir(self.jobs.join("made-directory"));
    }
}

/// System call numbers that the attempts name.
fn numbers() -> Value {
    macro_rules! numbers {
        ($($name:literal $call:ident),+ $(,)?) => { json!({ $($name: libc::$call),+ }) };
    }
    numbers! {
        "openat" SYS_openat, "openat2" SYS_openat2, "linkat" SYS_linkat, "socket" SYS_socket,
        "tgkill" SYS_tgkill, "tkill" SYS_tkill, "pidfd_open" SYS_pidfd_open,
        "process_vm_readv" SYS_process_vm_readv, "process_vm_writev" SYS_process_vm_writev,
        "clone" SYS_clone, "clone3" SYS_clone3, "execve" SYS_execve, "execveat" SYS_execveat,
        "unshare" SYS_unshare, "io_uring_setup" SYS_io_uring_setup, "bpf" SYS_bpf,
        "userfaultfd" SYS_userfaultfd, "perf_event_open" SYS_perf_event_open,
        "renameat2" SYS_renameat2, "fallocate" SYS_fallocate,
        "keyctl" SYS_keyctl, "setns" SYS_setns, "seccomp" SYS_seccomp,
        "landlock_restrict_self" SYS_landlock_restrict_self,
    }
}

/// Whether unconfined attempts may rely on being root.
pub fn is_root() -> bool {
    geteuid().is_root()
}
