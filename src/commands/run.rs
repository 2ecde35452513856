//! `run`: one job from the shell, its streams to ours, its images to files, its exit code to ours.

use super::{Failure, executor, with_service};
use crate::answer::{Answer, AnswerImage, for_terminal};
use crate::cli::{Config, Mistake, RunArgs, RuntimeArg, seconds};
use crate::host::printable;
use crate::images::{Budget, Fitted};
use crate::job::{Job, LimitKind, RuntimeKind};
use crate::output::HeadTail;
use crate::service::{Call, JobStatus, Outcome, Share, StoppedAt};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fs_err as fs;
use serde_json::{Value, json};
use std::env;
use std::fs::DirBuilder;
use std::io::{self, IsTerminal, Read, Write};
use std::mem;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// How messages of ours begin.
const NAME: &str = env!("CARGO_PKG_NAME");
/// What opens a file as a double click would.
const VIEWER: &str = "xdg-open";
/// Bytes of output that `run` passes on; a shell has no context window to protect.
const SHOWN: usize = 128 << 20;

/// Runs the job. What the job does wrong is the exit code.
pub(super) fn run(args: &RunArgs, mut config: Config) -> Result<ExitCode, Failure> {
    config.service.limits.shown = SHOWN;
    // A shell takes pictures as they are, and reads no addresses of a server that is gone.
    let budget = mem::replace(&mut config.service.budget, Budget::UNLIMITED);
    config.service.files.bytes = Share::all(0);
    // There is no next call.
    config.service.runtimes.spares = 0;
    if let Ok(native) = &mut config.service.runtimes.native {
        native.spares = 0;
        // One job: it imports what it needs, and waits for nothing else.
        native.preload.clear();
    }
    let mut limits = config.service.limits.clone();
    if let Some(timeout) = args.timeout {
        limits.wall = seconds("--timeout", timeout)?;
    }
    let call = Call::new(job(args)?, limits);
    let executor = executor()?;
    let run = with_service(config.service, async |service| service.execute(&call).await);
    let outcome = executor.block_on(run)?;
    if args.json {
        print_json(outcome.clone(), &budget)?;
    } else {
        print_streams(&outcome, args)?;
    }
    deliver_images(args, &outcome)?;
    Ok(ExitCode::from(outcome.status.exit_code()))
}

fn job(args: &RunArgs) -> Result<Job, Failure> {
    let (name, code) = match (&args.code, args.file.as_deref()) {
        (Some(code), _) => ("-c".to_owned(), code.clone()),
        (None, Some("-")) => ("-".to_owned(), program_from_stdin()?),
        (None, None) if !io::stdin().is_terminal() => ("-".to_owned(), program_from_stdin()?),
        (None, Some(path)) => {
            let name = Path::new(path)
                .file_name()
                .map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
            (name, source(fs::read(path).map_err(Mistake::of)?, path)?)
        }
        (None, None) => {
            return Err(Mistake("give a file to run, `-` for stdin, or `-c CODE`".into()).into());
        }
    };
    let runtime = match args.runtime {
        RuntimeArg::Auto => None,
        RuntimeArg::Wasm => Some(RuntimeKind::Wasm),
        RuntimeArg::Native => Some(RuntimeKind::Native),
    };
    let argv = std::iter::once(name).chain(args.args.iter().cloned()).collect();
    Ok(Job { argv, runtime, show_value: args.json, ..Job::new(code) })
}

fn program_from_stdin() -> Result<String, Failure> {
    let mut code = Vec::new();
    io::stdin().read_to_end(&mut code)?;
    source(code, "stdin")
}

fn source(bytes: Vec<u8>, name: &str) -> Result<String, Failure> {
    String::from_utf8(bytes)
        .map_err(|error| Mistake(format!("`{name}` is not UTF-8: {}", error.utf8_error())).into())
}

/// Saves or opens the images as asked; says that there are some if nobody asked.
fn deliver_images(args: &RunArgs, outcome: &Outcome) -> Result<(), Failure> {
    let images = shown_images(outcome);
    let count = images.len();
    for image in &outcome.images {
        if let (Some(_), Fitted::Dropped { why, .. }) = (image.offset, &image.fitted) {
            writeln!(io::stderr(), "{NAME}: an image was left out: {}", printable(why))?;
        }
    }
    if count == 0 {
        return Ok(());
    }
    let mut stderr = io::stderr().lock();
    let folder = match &args.images {
        Some(folder) => folder.clone(),
        None if args.open => {
            let folder = env::temp_dir().join(format!("{NAME}-images-{}", std::process::id()));
            // Ours alone, and not one that somebody has put there for us.
            DirBuilder::new().mode(0o700).create(&folder)?;
            folder
        }
        // All of them are in the JSON.
        None if args.json => return Ok(()),
        None => {
            let were = if count == 1 { "image was" } else { "images were" };
            let help = "`--images DIR` saves, `--open` opens what a job shows";
            writeln!(stderr, "{NAME}: {count} {were} shown; {help}")?;
            return Ok(());
        }
    };
    for path in save_images(&images, &folder)? {
        writeln!(stderr, "{NAME}: saved {}", path.display())?;
        if args.open {
            open(&path)?;
        }
    }
    Ok(())
}

fn shown_images(outcome: &Outcome) -> Vec<(&'static str, &[u8])> {
    let shown = outcome.images.iter().filter(|image| image.offset.is_some());
    let kept = shown.filter_map(|image| match &image.fitted {
        Fitted::Kept { mime, bytes, .. } => Some((*mime, bytes.as_slice())),
        Fitted::Dropped { .. } => None,
    });
    kept.collect()
}

fn save_images(images: &[(&str, &[u8])], folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(folder)?;
    let save = |(index, (mime, bytes)): (usize, &(&str, &[u8]))| {
        let ending = mime.strip_prefix("image/").unwrap_or("bin");
        let path = folder.join(format!("image-{}.{ending}", index + 1));
        fs::write(&path, bytes)?;
        Ok(path)
    };
    images.iter().enumerate().map(save).collect()
}

/// Hands a picture to the desktop, and does not wait for the viewer.
fn open(path: &Path) -> Result<(), Failure> {
    let mut viewer = Command::new(VIEWER);
    viewer.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let failed = |error| {
        format!("failed to start `{VIEWER}` ({error}); the picture is `{}`", path.display())
    };
    viewer.spawn().map_err(failed)?;
    Ok(())
}

fn print_streams(outcome: &Outcome, args: &RunArgs) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    pass_on(&mut stdout, &outcome.stdout)?;
    stdout.flush()?;
    let mut stderr = io::stderr().lock();
    pass_on(&mut stderr, &outcome.stderr)?;
    match &outcome.status {
        JobStatus::Ok | JobStatus::Exit(_) => {}
        JobStatus::Exception(error) => pass_on_text(&mut stderr, &error.traceback)?,
        JobStatus::Limit(hit) => {
            if let StoppedAt::Frames(frames) = &outcome.stopped_at {
                pass_on_text(&mut stderr, &format!("{}\n", frames.trim_end()))?;
            }
            // Who types this is the operator.
            let option = match hit.kind {
                LimitKind::Wall if args.timeout.is_some() => "--timeout",
                kind => kind.option(),
            };
            writeln!(stderr, "{NAME}: {hit}; `{option}` sets it")?;
        }
        JobStatus::Crashed(how) => {
            writeln!(stderr, "{NAME}: the Python process crashed: {}", printable(how))?;
        }
        JobStatus::Cancelled => writeln!(stderr, "{NAME}: cancelled")?,
    }
    Ok(())
}

/// Writes what the job wrote: as it is to a file or a pipe, without what could do harm to a
/// terminal.
fn pass_on(stream: &mut (impl Write + IsTerminal), output: &HeadTail) -> io::Result<()> {
    if stream.is_terminal() {
        let bytes = output.slice(0, output.total());
        return stream.write_all(for_terminal(&bytes).as_bytes());
    }
    stream.write_all(output.head())?;
    stream.write_all(&output.tail())
}

fn pass_on_text(stream: &mut (impl Write + IsTerminal), text: &str) -> io::Result<()> {
    let mut output = HeadTail::new(2 * text.len());
    output.push(text.as_bytes());
    pass_on(stream, &output)
}

fn print_json(mut outcome: Outcome, budget: &Budget) -> Result<(), Failure> {
    let characters = Answer::of(&outcome).text.chars().count();
    outcome.fit_images(&budget.beside(characters));
    let answer = Answer::of(&outcome);
    let image = |AnswerImage { mime, bytes }: &AnswerImage| {
        let data = STANDARD.encode(bytes);
        json!({ "mimeType": mime, "data": data })
    };
    let images: Vec<Value> = answer.images.iter().map(image).collect();
    let mut result = answer.data;
    result.insert("text".into(), answer.text.into());
    result.insert("images".into(), images.into());
    writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&result)?)?;
    Ok(())
}
