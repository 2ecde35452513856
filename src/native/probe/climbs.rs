//! Tries the bounds of resources for real: each with a small job within small limits, which must be
//! struck by just that bound.

use super::super::{JobDir, NativeRuntime};
use crate::error::Error;
use crate::host::nonce;
use crate::job::resources::RESOURCES;
use crate::job::{
    BootstrapOptions, Job, LimitHit, LimitKind, Limits, Request, RunEnd, RunRecord, RuntimeKind,
};
use crate::output::{Captured, Output, RunOrder};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An attempt to take more than there is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Climb {
    /// What is taken: a name in [`RESOURCES`].
    resource: &'static str,
    /// What must strike.
    bound: Struck,
    attempt: &'static str,
}

/// A bound that strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Struck {
    /// The server ends the job by this limit.
    Limit(LimitKind),
    /// The kernel refuses, and the job gets this error.
    Error(&'static str),
}

/// What came of a climb.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bounded {
    /// What was taken.
    pub resource: &'static str,
    /// Who bounds it.
    pub by: String,
    /// How much of it a job has with the default limits.
    pub bound: String,
    /// What happens at the edge.
    pub edge: &'static str,
    /// How far beyond it a job was seen to come.
    pub overshoot: &'static str,
    /// What struck; `None` if nothing did.
    pub struck: Option<String>,
    /// Whether it was what must strike.
    pub holds: bool,
}

const fn climb(resource: &'static str, bound: Struck, attempt: &'static str) -> Climb {
    Climb { resource, bound, attempt }
}

const FILES: &str = "bytes of all files, nameless ones among them";
const NO_MEMORY: Struck = Struck::Error("OSError: [Errno 12]");

/// All climbs.
#[rustfmt::skip]
pub(crate) const CLIMBS: &[Climb] = &[
    climb("private memory", Struck::Error("MemoryError"), "bytearray(1 << 27)"),
    climb("address space", NO_MEMORY,
        "import mmap\nheld = [mmap.mmap(-1, 1 << 30, 2, 1) for _ in range(100)]"),
    climb("bytes of one file", Struck::Error("OSError: [Errno 27]"),
        "open('big', 'wb').write(bytes(2 << 20))"),
    climb(FILES, Struck::Limit(LimitKind::Files),
        "for n in range(20): open(f'{n}', 'wb').write(bytes(1 << 19))\nstay()"),
    climb(FILES, Struck::Limit(LimitKind::Files),
        "import os\nfor n in range(9):\n    fd = os.open(f'{n}', os.O_CREAT | os.O_RDWR)\n    \
         os.unlink(f'{n}'); os.write(fd, bytes(1 << 19))\nstay()"),
    climb("names of files and directories", Struck::Limit(LimitKind::FileCount),
        "for n in range(60): open(f'{n}', 'wb').close()\nstay()"),
    climb("open files, pipes, sockets", Struck::Error("OSError: [Errno 24]"),
        "held = [open('x', 'w') for _ in range(100)]"),
    climb("threads", Struck::Limit(LimitKind::Threads),
        "import threading\nfor _ in range(8): threading.Thread(target=stay).start()"),
    climb("processor time", Struck::Limit(LimitKind::Cpu), "while True: pass"),
    climb("wall time", Struck::Limit(LimitKind::Wall), "stay()"),
    climb("printed bytes, of each stream", Struck::Limit(LimitKind::Stdout),
        "print('x' * (2 << 20))\nstay()"),
];

/// Small ones, which a climb reaches at once.
fn limits(bound: Struck) -> Limits {
    let wall = if bound == Struck::Limit(LimitKind::Wall) { 300 } else { 10_000 };
    Limits {
        wall: Duration::from_millis(wall),
        cpu: Duration::from_millis(500),
        memory: 64 << 20,
        stdout: 1 << 20,
        file_bytes: 1 << 20,
        files: 30,
        open_files: 32,
        threads: 4,
        ..Limits::default()
    }
}

impl NativeRuntime {
    /// Makes every climb, each in a job of its own.
    ///
    /// # Errors
    /// A job could not be run.
    pub async fn climb(&self) -> Result<Vec<Bounded>, Error> {
        let mut found = Vec::new();
        for Climb { resource, bound, attempt } in CLIMBS {
            let Some(row) = RESOURCES.iter().find(|row| row.name == *resource) else { continue };
            let program = format!("def stay(): __import__('time').sleep(20)\n{attempt}");
            let limits = limits(*bound);
            let (run, said) = self.run_program(|_| program, &limits).await?;
            let struck = run.asked.or_else(|| limit(&run)).map(|hit| Struck::Limit(hit.kind));
            let error = said.report.error.as_ref();
            let error = error.map(|error| format!("{}: {}", error.kind, error.message));
            let holds = match *bound {
                Struck::Limit(_) => struck == Some(*bound),
                Struck::Error(wanted) => {
                    error.as_ref().is_some_and(|error| error.starts_with(wanted))
                }
            };
            let struck = match struck {
                Some(Struck::Limit(kind)) => Some(format!("limit `{}`", kind.name())),
                _ => error.map(|error| error.trim_end_matches([':', ' ']).to_owned()),
            };
            found.push(Bounded {
                resource,
                by: row.enforcers(),
                bound: (row.bound)(&Limits::default()).to_string(),
                edge: row.edge,
                overshoot: row.overshoot,
                struck,
                holds,
            });
        }
        Ok(found)
    }

    /// Runs a program of ours, which may depend on where it runs, in a job of its own.
    pub(super) async fn run_program(
        &self,
        program: impl FnOnce(&JobDir) -> String,
        limits: &Limits,
    ) -> Result<(RunRecord, Captured), Error> {
        let mut interpreter = self.interpreter(None)?;
        let dir = interpreter.dir();
        let job = Job::new(program(dir));
        let nonce = nonce()?;
        let options = BootstrapOptions { figure_text: false, ..BootstrapOptions::default() };
        let mut request = Request::new(&job, &nonce, RuntimeKind::Native, &options);
        request.hostdir = Some(dir.data().to_string_lossy().into_owned());
        let (output, cancel) = (Arc::new(Output::new(&nonce, limits)), CancellationToken::new());
        let request = request.to_json()?.into();
        let spent = Duration::ZERO;
        let cancel = &cancel;
        let order = RunOrder { request, limits, output: &output, cancel, spent, keep: None };
        let run = self.run(&mut interpreter, &order).await?;
        Ok((run, output.finish()))
    }
}

fn limit(run: &RunRecord) -> Option<LimitHit> {
    match &run.end {
        RunEnd::Limit(hit) => Some(*hit),
        _ => None,
    }
}
