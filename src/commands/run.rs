//! `run`: one job from the shell, its streams to ours, its images to files, its exit code to ours.

use super::{executor, with_runner};
use crate::answer::Answer;
use crate::budget::Budget;
use crate::cli::{RunArgs, RuntimeArg};
use crate::config::Config;
use crate::live::Live;
use crate::outcome::{Job, Outcome, RuntimeKind};
use crate::verdict::Verdict;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fs_err as fs;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Bytes of output that `run` passes on; a shell has no context window to protect.
const SHOWN: usize = 128 << 20;

/// Runs the job.
///
/// # Errors
/// Our own failures; the job's are its exit code.
pub(super) fn run(args: &RunArgs, mut config: Config) -> Result<ExitCode, Failure> {
    config.runner.limits.shown = SHOWN;
    if let Ok(native) = &mut config.runner.native {
        // One job: it imports what it needs, and waits for nothing else.
        native.preload.clear();
    }
    let mut limits = config.runner.limits.clone();
    if let Some(timeout) = args.timeout {
        limits.wall =
            Duration::try_from_secs_f64(timeout).map_err(|_| "`--timeout` must be a number of seconds above 0")?;
    }
    let job = job(args)?;
    let budget = config.runner.budget;
    let executor = executor()?;
    let (live, never) = (Live::default(), CancellationToken::new());
    let run = with_runner(config.runner, async |runner| runner.run(&job, &limits, &live, &never).await);
    let outcome = executor.block_on(run)?;
    if let Some(folder) = &args.images {
        save_images(&outcome, folder)?;
    }
    if args.json {
        print_json(&outcome, &budget)?;
    } else {
        print_streams(&outcome)?;
    }
    Ok(ExitCode::from(Verdict::of(&outcome.raw).exit_code()))
}

fn job(args: &RunArgs) -> Result<Job, Failure> {
    let (name, code) = match (&args.code, args.file.as_deref()) {
        (Some(code), _) => ("-c".to_owned(), code.clone()),
        (None, Some("-")) => {
            let mut code = Vec::new();
            io::stdin().read_to_end(&mut code)?;
            ("-".to_owned(), source(code, "stdin")?)
        }
        (None, Some(path)) => {
            let name =
                Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
            (name, source(fs::read(path)?, path)?)
        }
        (None, None) => return Err("give a file to run, `-` for stdin, or `-c CODE`".into()),
    };
    let runtime = match args.runtime {
        RuntimeArg::Auto => None,
        RuntimeArg::Wasm => Some(RuntimeKind::Wasm),
        RuntimeArg::Native => Some(RuntimeKind::Native),
    };
    let argv = std::iter::once(name).chain(args.args.iter().cloned()).collect();
    Ok(Job { code, argv, files: Vec::new(), runtime, show_value: args.json })
}

fn source(bytes: Vec<u8>, name: &str) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| format!("`{name}` is not UTF-8: {}", error.utf8_error()).into())
}

fn save_images(outcome: &Outcome, folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)?;
    for (index, placed) in outcome.raw.images.iter().enumerate() {
        let ending = placed.image.header.mime.strip_prefix("image/").unwrap_or("bin");
        fs::write(folder.join(format!("image-{}.{ending}", index + 1)), &placed.image.bytes)?;
    }
    Ok(())
}

fn print_streams(outcome: &Outcome) -> Result<(), Failure> {
    let raw = &outcome.raw;
    let mut stdout = io::stdout().lock();
    stdout.write_all(raw.stdout.head())?;
    stdout.write_all(&raw.stdout.tail())?;
    stdout.flush()?;
    let mut stderr = io::stderr().lock();
    stderr.write_all(raw.stderr.head())?;
    stderr.write_all(&raw.stderr.tail())?;
    match Verdict::of(raw) {
        Verdict::Ok | Verdict::Exit(_) => {}
        Verdict::Exception(error) => stderr.write_all(error.traceback.as_bytes())?,
        Verdict::Limit(hit) => {
            if let Some(at) = &raw.report.at {
                writeln!(stderr, "{}", at.trim_end())?;
            }
            writeln!(stderr, "{}: {hit}; {}", env!("CARGO_PKG_NAME"), hit.kind.advice())?;
        }
        Verdict::Crashed(how) => writeln!(stderr, "{}: the Python process crashed: {how}", env!("CARGO_PKG_NAME"))?,
        Verdict::Cancelled => writeln!(stderr, "{}: cancelled", env!("CARGO_PKG_NAME"))?,
    }
    Ok(())
}

fn print_json(outcome: &Outcome, budget: &Budget) -> Result<(), Failure> {
    let answer = Answer::of(outcome, budget);
    let images: Vec<Value> = answer
        .images
        .iter()
        .map(|image| json!({ "mimeType": image.mime, "data": STANDARD.encode(&image.bytes) }))
        .collect();
    let mut result = answer.data;
    result.insert("text".into(), answer.text.into());
    result.insert("images".into(), images.into());
    writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&result)?)?;
    Ok(())
}
