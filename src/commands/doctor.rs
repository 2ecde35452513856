//! `doctor`: what this host can do, tried for real, and whether the native runtime may run.

use super::client_config::{self, StartCommand};
use super::{Failure, executor, with_service};
use crate::cli::{ClientApp, Config};
use crate::error::Error;
use crate::job::{Job, RuntimeKind};
use crate::native::probe::{Bounded, Finding};
use crate::native::{self, Confinement, NativeRuntime, Network, Status};
use crate::service::{Call, JobStatus, Service};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use fs_err as fs;
use rustix::io::Errno;
use serde::Serialize;
use serde_json::{Map, Value};
use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Instructions whose absence decides which wheels run; as `/proc/cpuinfo` names them.
const TELLING_FLAGS: [&str; 7] = ["ssse3", "sse4_1", "sse4_2", "popcnt", "avx", "avx2", "avx512f"];

/// The distributions that the extra `science` of the wheel brings.
const SCIENCE: &str = include_str!("../../native-python/science.txt");

#[derive(Debug, Serialize)]
struct Examination {
    version: &'static str,
    kernel: String,
    cpu: Vec<&'static str>,
    artefact: PathBuf,
    /// What Python in the guest said about itself, or why it did not.
    wasm: Result<String, NoGuest>,
    venv: Option<PathBuf>,
    /// The venv's interpreter in words.
    python: Option<String>,
    packages: Map<String, Value>,
    /// What the venv lacks of the stack that is promised.
    missing: Vec<&'static str>,
    landlock_abi: Option<u8>,
    /// `closed`, `open: <hosts>` or `refused: <why>`.
    network: String,
    probes: Vec<Finding>,
    bounds: Vec<Bounded>,
    /// `on (confined)`, `on (unconfined)` or `off: <why>`.
    native: String,
}

/// Why no job ran in the guest, as a text for the operator.
#[derive(Debug, Serialize, thiserror::Error)]
#[error("{0}")]
struct NoGuest(String);

/// Finds out and prints; exit code 1 if the native runtime is refused.
pub(super) fn doctor(
    json: bool,
    image: Option<String>,
    mut config: Config,
) -> Result<ExitCode, Failure> {
    if let Ok(native) = &mut config.service.runtimes.native {
        // The walls are the same without the modules.
        native.preload.clear();
    }
    let executor = executor()?;
    let report =
        executor.block_on(with_service(config.service, async |service| examine(&service).await));
    if json {
        writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        let mut out = io::stdout().lock();
        print(&report, &mut out)?;
        print_hint(&launch(image)?, &mut out)?;
        writeln!(out, "\nnative: {}", report.native)?;
    }
    Ok(if report.native.starts_with("on") { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints what to paste into a client; where, on stderr, so that stdout can go into a file.
pub(super) fn show_config(client: ClientApp, image: Option<String>) -> Result<ExitCode, Failure> {
    writeln!(io::stderr(), "into {}:", client_config::place(client))?;
    write!(io::stdout(), "{}", client_config::text(client, &launch(image)?))?;
    Ok(ExitCode::SUCCESS)
}

fn launch(image: Option<String>) -> io::Result<StartCommand> {
    Ok(match image {
        Some(image) => StartCommand::Image(image),
        None => started_as(env::current_exe()?),
    })
}

/// `uvx` keeps what it runs in the archive of its cache, for as long as it likes.
fn started_as(program: PathBuf) -> StartCommand {
    let of_uvx = program.components().any(|part| part.as_os_str() == "archive-v0");
    if of_uvx { StartCommand::Uvx } else { StartCommand::Binary(program) }
}

async fn examine(service: &Service) -> Examination {
    let config = &service.runtimes.config;
    let venv = config.native.as_ref().ok().map(|native| native.venv.clone());
    let walls = walls(service).await.unwrap_or_else(|error| {
        let why = match error {
            Error::RuntimeOff(why) => why,
            error => error.into(),
        };
        Walls { abi: None, probes: Vec::new(), bounds: Vec::new(), native: format!("off: {why}") }
    });
    Examination {
        version: env!("CARGO_PKG_VERSION"),
        kernel: kernel(),
        cpu: telling_flags(),
        artefact: config.artefact.directory.clone(),
        wasm: wasm(service).await,
        python: venv.as_deref().and_then(native::interpreter),
        packages: venv.as_deref().map(native::packages).unwrap_or_default(),
        missing: venv.as_deref().map(missing).unwrap_or_default(),
        venv,
        landlock_abi: walls.abi,
        network: network(service).await,
        probes: walls.probes,
        bounds: walls.bounds,
        native: walls.native,
    }
}

/// What `native-python/science.txt` names and the venv has not.
fn missing(venv: &Path) -> Vec<&'static str> {
    let lines = SCIENCE.lines().filter(|line| !line.starts_with('#'));
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let names = lines.filter_map(|line| line.split(|c| !is_of_name(c)).next());
    native::missing(venv, names.filter(|name| !name.is_empty()))
}

async fn wasm(service: &Service) -> Result<String, NoGuest> {
    let code = "import sys\nprint('CPython', sys.version.split()[0], 'on', sys.platform)";
    let job = Job { runtime: Some(RuntimeKind::Wasm), ..Job::new(code.into()) };
    let call = Call::new(job, service.config.limits.clone());
    let outcome = service.execute(&call).await.map_err(|error| NoGuest(error.to_string()))?;
    match outcome.status {
        JobStatus::Ok => Ok(String::from_utf8_lossy(outcome.stdout.head()).trim_end().to_owned()),
        status => Err(NoGuest(format!("a trivial job ended with {status:?}"))),
    }
}

async fn network(service: &Service) -> String {
    match service.runtimes.native().await.map(NativeRuntime::network) {
        Ok(Network::Closed) | Err(_) => "closed".to_owned(),
        Ok(Network::Open(hosts)) => format!("open: {}", hosts.join(", ")),
        Ok(Network::Refused(why)) => format!("refused: {why}"),
    }
}

/// What stands between jobs and the rest.
struct Walls {
    abi: Option<u8>,
    probes: Vec<Finding>,
    bounds: Vec<Bounded>,
    native: String,
}

/// Climbs every wall from inside of a job, and every bound.
async fn walls(service: &Service) -> Result<Walls, Error> {
    let runtime = service.runtimes.native().await?;
    let abi = match runtime.status() {
        Status::On { landlock_abi } => landlock_abi,
        Status::Off { why } => return Err(Error::RuntimeOff(why)),
    };
    let probes = runtime.probe().await?;
    let bounds = runtime.climb().await?;
    let unbounded = bounds.iter().find(|bounded| !bounded.holds);
    let native = service.runtimes.config.native.as_ref();
    let unconfined = native.is_ok_and(|native| native.confinement == Confinement::Unconfined);
    let native = match (probes.iter().find(|probe| !probe.holds), unbounded) {
        _ if unconfined => "on (unconfined)".to_owned(),
        (None, Some(unbounded)) => format!(
            "off: the bound on {} did not strike as it must (struck: {})",
            unbounded.resource,
            unbounded.struck.as_deref().unwrap_or("nothing")
        ),
        (Some(fallen), _) => format!(
            "off: the wall `{}` does not hold: `{}` was not stopped as it must be",
            fallen.wall, fallen.probe
        ),
        (None, None) => "on (confined)".to_owned(),
    };
    Ok(Walls { abi, probes, bounds, native })
}

fn kernel() -> String {
    let name = rustix::system::uname();
    let parts = [name.sysname(), name.release(), name.machine()];
    parts.map(|part| part.to_string_lossy().into_owned()).join(" ")
}

fn telling_flags() -> Vec<&'static str> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    let is_there = |flag: &&str| flags.split_whitespace().any(|word| word == *flag);
    TELLING_FLAGS.into_iter().filter(is_there).collect()
}

fn print(report: &Examination, out: &mut impl Write) -> io::Result<()> {
    let mut line = |name: &str, value: &str| writeln!(out, "{name:<10} {value}");
    line("version", report.version)?;
    line("kernel", &report.kernel)?;
    line("cpu", &report.cpu.join(" "))?;
    line("guest", &report.artefact.display().to_string())?;
    match &report.wasm {
        Ok(said) => line("wasm", said)?,
        Err(why) => line("wasm", &format!("off: {why}"))?,
    }
    if let Some(venv) = &report.venv {
        line("venv", &venv.display().to_string())?;
    }
    if let Some(python) = &report.python {
        line("python", python)?;
    }
    if !report.packages.is_empty() {
        let packages = report.packages.iter();
        let named = packages.map(|(name, v)| format!("{name} {}", v.as_str().unwrap_or("?")));
        line("packages", &wrapped(named))?;
    }
    if !report.missing.is_empty() {
        line("missing", &wrapped(report.missing.iter().map(ToString::to_string)))?;
        line("", "all of these: pip install 'mcp-python-sandbox[science]' into the venv")?;
    }
    if let Some(abi) = report.landlock_abi {
        line("landlock", &format!("ABI {abi}"))?;
    }
    line("network", &report.network)?;
    print_walls(&report.probes, out)?;
    for Bounded { resource, by, struck, holds, .. } in &report.bounds {
        let state = if *holds { "bounded" } else { "UNBOUNDED" };
        let struck = struck.as_deref().unwrap_or("nothing struck");
        writeln!(out, "{state:<10} {resource}, by {by} ({struck})")?;
    }
    Ok(())
}

/// A line for each wall with what stopped the attempts at it, and one for each attempt that nothing
/// stopped.
fn print_walls(probes: &[Finding], out: &mut impl Write) -> io::Result<()> {
    let mut walls: Vec<&str> = Vec::new();
    for probe in probes {
        if !walls.contains(&probe.wall) {
            walls.push(probe.wall);
        }
    }
    for wall in walls {
        let (held, open): (Vec<&Finding>, Vec<&Finding>) =
            probes.iter().filter(|probe| probe.wall == wall).partition(|probe| probe.holds);
        let mut errors: Vec<String> =
            held.iter().filter_map(|probe| probe.errno.map(error_name)).collect();
        errors.sort();
        errors.dedup();
        if !held.is_empty() {
            let attempts = if held.len() == 1 { "attempt" } else { "attempts" };
            let (count, errors) = (held.len(), errors.join(", "));
            writeln!(out, "holds      {wall} ({count} {attempts}: {errors})")?;
        }
        for probe in open {
            let attempt = probe.probe;
            writeln!(out, "OPEN       {wall}: `{attempt}` was not stopped as it must be")?;
        }
    }
    Ok(())
}

/// The short name of what the kernel says, so that a wall fits a line; the numbers are in the JSON.
fn error_name(errno: i32) -> String {
    let known = match Errno::from_raw_os_error(errno) {
        Errno::PERM => "EPERM",
        Errno::ACCESS => "EACCES",
        Errno::NOSYS => "ENOSYS",
        Errno::XDEV => "EXDEV",
        Errno::OPNOTSUPP => "EOPNOTSUPP",
        Errno::ROFS => "EROFS",
        _ => return format!("errno {errno}"),
    };
    known.to_owned()
}

/// The items with commas between them, in lines that an ordinary terminal shows whole.
fn wrapped(items: impl Iterator<Item = String>) -> String {
    const WIDTH: usize = 88;
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if line.len() + item.len() + 2 <= WIDTH => {
                line.push_str(", ");
                line.push_str(&item);
            }
            _ => lines.push(item),
        }
    }
    lines.join(&format!(",\n{:11}", ""))
}

/// Says how to go on: what to paste into a client.
fn print_hint(launch: &StartCommand, out: &mut impl Write) -> io::Result<()> {
    let client = ClientApp::Librechat;
    writeln!(out, "\nFor LibreChat, paste into {}:\n", client_config::place(client))?;
    write!(out, "{}", client_config::text(client, launch))?;
    let others = ClientApp::value_variants().iter().filter(|other| **other != client);
    let others: Vec<_> = others.filter_map(ValueEnum::to_possible_value).collect();
    let others: Vec<_> = others.iter().map(PossibleValue::get_name).collect();
    writeln!(out, "\nFor other clients: {} doctor --config {}", launch.program(), others.join("|"))
}
