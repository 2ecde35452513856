//! `doctor`: what this host can do, tried for real, and whether the native runtime may run.

use super::client_config::{self, Launch};
use super::{Failure, executor, with_service};
use crate::cli::Client;
use crate::cli::Config;
use crate::error::{Error, OffReason};
use crate::job::{Job, RuntimeKind};
use crate::native::probe::Finding;
use crate::native::{self, Confinement, NativeRuntime, Network, Status};
use crate::service::{Call, JobStatus, Service};
use clap::ValueEnum;
use fs_err as fs;
use rustix::io::Errno;
use serde::Serialize;
use serde_json::{Map, Value};
use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Instructions whose absence decides which wheels run; as `/proc/cpuinfo` names them.
const TELLING_FLAGS: [&str; 7] = ["ssse3", "sse4_1", "sse4_2", "popcnt", "avx", "avx2", "avx512f"];

/// Everything that was found out.
#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    kernel: String,
    cpu: Vec<&'static str>,
    artefact: PathBuf,
    /// What Python in the guest said about itself, or why it did not.
    wasm: Result<String, String>,
    venv: Option<PathBuf>,
    packages: Map<String, Value>,
    landlock_abi: Option<u8>,
    /// `closed`, `open: <hosts>` or `refused: <why>`.
    network: String,
    probes: Vec<Finding>,
    /// `on (confined)`, `on (unconfined)` or `off: <why>`.
    native: String,
}

/// Finds out and prints; exit code 1 if the native runtime is refused.
///
/// # Errors
/// What kept the examination from being made.
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
///
/// # Errors
/// Our own path is unknown, or nobody reads.
pub(super) fn show_config(client: Client, image: Option<String>) -> Result<ExitCode, Failure> {
    writeln!(io::stderr(), "into {}:", client_config::place(client))?;
    write!(io::stdout(), "{}", client_config::text(client, &launch(image)?))?;
    Ok(ExitCode::SUCCESS)
}

fn launch(image: Option<String>) -> io::Result<Launch> {
    Ok(match image {
        Some(image) => Launch::Image(image),
        None => Launch::Binary(env::current_exe()?),
    })
}

async fn examine(service: &Service) -> Report {
    let config = service.runtimes().config();
    let venv = config.native.as_ref().ok().map(|native| native.venv.clone());
    let (landlock_abi, probes, native) = walls(service).await;
    Report {
        version: env!("CARGO_PKG_VERSION"),
        kernel: kernel(),
        cpu: telling_flags(),
        artefact: config.artefact.directory.clone(),
        wasm: wasm(service).await,
        packages: venv.as_deref().map(native::packages).unwrap_or_default(),
        venv,
        landlock_abi,
        network: network(service).await,
        probes,
        native,
    }
}

/// Runs a job in the guest.
async fn wasm(service: &Service) -> Result<String, String> {
    let code = "import sys\nprint('CPython', sys.version.split()[0], 'on', sys.platform)";
    let job = Job { runtime: Some(RuntimeKind::Wasm), ..Job::new(code.into()) };
    let call = Call::new(job, service.config().limits.clone());
    let outcome = service.execute(&call).await.map_err(|error| error.to_string())?;
    match outcome.status {
        JobStatus::Ok => Ok(String::from_utf8_lossy(outcome.stdout.head()).trim_end().to_owned()),
        status => Err(format!("a trivial job ended with {status:?}")),
    }
}

async fn network(service: &Service) -> String {
    match service.runtimes().native().await.map(NativeRuntime::network) {
        Ok(Network::Closed) | Err(_) => "closed".to_owned(),
        Ok(Network::Open(hosts)) => format!("open: {}", hosts.join(", ")),
        Ok(Network::Refused(why)) => format!("refused: {why}"),
    }
}

/// Climbs every wall from inside of a job.
async fn walls(service: &Service) -> (Option<u8>, Vec<Finding>, String) {
    let off = |why: OffReason| (None, Vec::new(), format!("off: {why}"));
    let runtime = match service.runtimes().native().await {
        Ok(runtime) => runtime,
        Err(Error::RuntimeOff(why)) => return off(why),
        Err(error) => return off(error.into()),
    };
    let abi = match runtime.status() {
        Status::On { landlock_abi } => landlock_abi,
        Status::Off { why } => return off(why),
    };
    let probes = match runtime.probe().await {
        Ok(probes) => probes,
        Err(error) => return off(error.into()),
    };
    let unconfined = service
        .runtimes()
        .config()
        .native
        .as_ref()
        .is_ok_and(|native| native.confinement == Confinement::Unconfined);
    let status = match probes.iter().find(|probe| !probe.holds) {
        _ if unconfined => "on (unconfined)".to_owned(),
        Some(fallen) => {
            format!(
                "off: the wall `{}` does not hold: `{}` was not stopped as it must be",
                fallen.wall, fallen.probe
            )
        }
        None => "on (confined)".to_owned(),
    };
    (abi, probes, status)
}

fn kernel() -> String {
    let name = rustix::system::uname();
    format!(
        "{} {} {}",
        name.sysname().to_string_lossy(),
        name.release().to_string_lossy(),
        name.machine().to_string_lossy()
    )
}

fn telling_flags() -> Vec<&'static str> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    TELLING_FLAGS
        .into_iter()
        .filter(|flag| flags.split_whitespace().any(|word| word == *flag))
        .collect()
}

fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
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
    let packages: Vec<String> = report
        .packages
        .iter()
        .map(|(name, version)| format!("{name} {}", version.as_str().unwrap_or("?")))
        .collect();
    if !packages.is_empty() {
        line("packages", &wrapped(&packages))?;
    }
    if let Some(abi) = report.landlock_abi {
        line("landlock", &format!("ABI {abi}"))?;
    }
    line("network", &report.network)?;
    print_walls(&report.probes, out)
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
            writeln!(
                out,
                "{:<10} {wall} ({} {attempts}: {})",
                "holds",
                held.len(),
                errors.join(", ")
            )?;
        }
        for probe in open {
            writeln!(
                out,
                "{:<10} {wall}: `{}` was not stopped as it must be",
                "OPEN", probe.probe
            )?;
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
fn wrapped(items: &[String]) -> String {
    const WIDTH: usize = 88;
    let mut lines = vec![String::new()];
    for item in items {
        let line = lines.last().map_or(0, String::len);
        if line > 0 && line + item.len() + 2 > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push_str(", ");
            }
            line.push_str(item);
        }
    }
    lines.join(&format!(",\n{:11}", ""))
}

/// The end of the examination is the beginning of the use.
fn print_hint(launch: &Launch, out: &mut impl Write) -> io::Result<()> {
    let client = Client::Librechat;
    writeln!(out, "\nFor LibreChat, paste into {}:\n", client_config::place(client))?;
    write!(out, "{}", client_config::text(client, launch))?;
    let others: Vec<String> = Client::value_variants()
        .iter()
        .filter_map(|client| Some(client.to_possible_value()?.get_name().to_owned()))
        .filter(|name| name != "librechat")
        .collect();
    writeln!(out, "\nFor other clients: {} doctor --config {}", launch.program(), others.join("|"))
}
