//! The commands, one file each, and what they share: logging, and the threads that everything runs
//! on.

mod client_config;
mod doctor;
mod malloc_trim;
mod run;
mod serve;
mod serve_http;
mod shell_help;

use crate::cli::{Cli, Command, Config, Mistake, Options};
use crate::host::{FolderLock, printable, printable_json, remove_leftovers};
use crate::native;
use crate::service::{Service, ServiceConfig};
use crate::wasm;
use fs_err as fs;
use std::borrow::Cow;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::EnvFilter;

/// What kept a command from being carried out.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Exit code after SIGTERM, as a shell would report it.
const TERMINATED: u8 = 128 + 15;
/// Time that a stopping server has to answer what it stops.
const LEAVE: Duration = Duration::from_secs(2);

/// Carries out a parsed command line.
///
/// # Errors
/// A text for people; a [`Mistake`] where they can help it.
pub fn execute(cli: Cli) -> Result<ExitCode, Box<dyn std::error::Error + Send + Sync>> {
    // Only if a command asks for it: one that needs nothing of this machine must not fail because
    // something is wrong with the machine.
    let config = || prepare(&cli.options);
    match cli.command.unwrap_or_default() {
        Command::Serve(args) => serve::serve(&args, config()?),
        Command::Run(args) => run::run(&args, config()?),
        Command::Doctor { config: Some(client), image, .. } => doctor::show_config(client, image),
        Command::Doctor { json, config: None, image } => doctor::doctor(json, image, config()?),
        Command::Precompile => {
            let path = wasm::precompile(&config()?.service.runtimes.artefact)?;
            writeln!(io::stdout(), "{}", path.display())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Completions { shell } => Ok(shell_help::completions(shell)),
        Command::Man { out } => shell_help::man(out.as_deref()),
    }
}

/// Logging, a process that others cannot look into, and a configuration that holds.
fn prepare(options: &Options) -> Result<Config, Failure> {
    start_logging(options)?;
    if let Err(error) = native::close_own_process() {
        tracing::warn!(%error, "this process could not be closed to others of the same user");
    }
    Ok(Config::resolve(options)?)
}

/// Logs go to stderr; stdout belongs to the protocol or to the job.
fn start_logging(options: &Options) -> Result<(), Failure> {
    // rmcp logs ids of connections, which open them; only who names it gets to see them.
    let quiet = if options.log.contains("rmcp") { "" } else { "rmcp=off," };
    let filter = EnvFilter::try_new(format!("{quiet}{}", options.log))
        .map_err(|error| Mistake(format!("`--log {}` is no log filter: {error}", options.log)))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter);
    if options.log_json {
        log.json().with_writer(|| LogLine { escape: printable_json }).try_init()
    } else {
        log.with_writer(|| LogLine { escape: printable }).try_init()
    }
}

/// One line of the log for each event, whatever clients and jobs wrote into its fields.
struct LogLine {
    escape: fn(&str) -> Cow<'_, str>,
}

impl Write for LogLine {
    /// Takes a whole event: `tracing-subscriber` writes each with one call.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = (self.escape)(text.strip_suffix('\n').unwrap_or(&text));
        io::stderr().write_all(format!("{line}\n").as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A service for as long as `body` runs; afterwards nothing of it is left: no process, no folder.
async fn with_service<T>(config: ServiceConfig, body: impl AsyncFnOnce(Arc<Service>) -> T) -> T {
    let folder = config.sessions.folder.clone();
    // Without it, another server may take the folder for one that was left behind.
    let lock = FolderLock::hold(&folder).inspect_err(|error| {
        tracing::warn!(folder = %folder.display(), %error, "there is no folder for native jobs");
    });
    let ours = folder.clone();
    // Beside the rest: a `/tmp` with many files takes a while to read.
    tokio::task::spawn_blocking(move || remove_leftovers(&ours));
    let service = Arc::new(Service::new(config));
    tokio::spawn(malloc_trim::after_jobs(Arc::downgrade(&service)));
    let result = body(Arc::clone(&service)).await;
    service.shut_down().await;
    let _ = fs::remove_dir_all(folder);
    drop(lock);
    result
}

/// Runs a server until `serve` returns. Whatever still runs then has a moment to end.
fn serve_with(
    config: ServiceConfig,
    serve: impl AsyncFnOnce(Arc<Service>) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    let executor = executor()?;
    let code = executor.block_on(with_service(config, serve));
    executor.shutdown_timeout(LEAVE);
    code
}

/// The executor. Guests run on its blocking threads, which therefore have the stack that a guest
/// needs.
fn executor() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(wasm::THREAD_STACK)
        .enable_all()
        .build()
}
