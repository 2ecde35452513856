//! One interpreter, in either runtime: started, run once or often, and then kept or ended.

use super::Runtimes;
use crate::error::Error;
use crate::host::{PrivateDir, apart};
use crate::job::{InputFile, Limits, RunRecord, RuntimeKind};
use crate::native::NativeInterpreter;
use crate::output::{PictureOrder, Pictures, RunOrder};
use crate::wasm::Guest;
use std::any::Any;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Where the variables of a session, or of one call, are.
#[derive(Debug)]
pub(crate) enum Interpreter {
    Wasm(Box<Guest>),
    Native(Box<NativeInterpreter>),
}

#[expect(clippy::struct_excessive_bools, reason = "independent questions of one moment")]
#[derive(Debug)]
pub(crate) struct Close {
    pub(crate) keep: bool,
    /// Whether what a guest changed is to be written to the host.
    pub(crate) commit: bool,
    /// Whether nobody can wait for the permit, so that it must be free before the answer is out.
    pub(crate) await_end: bool,
    /// Whether the files of a guest belong to a session's directory, and go there.
    pub(crate) has_home: bool,
    /// Picture files that are to be read before.
    pub(crate) pictures: PictureOrder,
    /// Where to put the files of an interpreter that has no directory of its own.
    pub(crate) export: Option<Arc<PrivateDir>>,
    /// Released when the memory of an interpreter that is not kept is free again.
    pub(crate) permit: Arc<dyn Any + Send + Sync>,
}

#[derive(Debug, Default)]
pub(crate) struct Closed {
    pub(crate) kept: Option<Interpreter>,
    /// Files that could not be written to the host, each with the reason.
    pub(crate) not_written: Vec<String>,
    /// Whether the files are where [`Close::export`] wants them.
    pub(crate) exported: bool,
    pub(crate) pictures: Pictures,
}

impl Runtimes {
    /// A new interpreter of `runtime`, with the files of the caller. It works in `home`, the
    /// directory of a session, or in a place of its own that ends with it.
    pub(crate) async fn start(
        &self,
        runtime: RuntimeKind,
        home: Option<&PrivateDir>,
        given: &[InputFile],
        limits: &Limits,
    ) -> Result<Interpreter, Error> {
        match runtime {
            RuntimeKind::Wasm => {
                let directory = home.map(PrivateDir::open).transpose()?.map(Arc::new);
                let wasm = self.wasm().await?;
                // The directory is measured.
                let guest = match &directory {
                    Some(directory) => apart(|| wasm.guest(Some(directory), given, limits))?,
                    None => wasm.guest(None, given, limits)?,
                };
                Ok(Interpreter::Wasm(Box::new(guest)))
            }
            RuntimeKind::Native => {
                let data = home.map(|home| home.path().to_owned());
                let mut interpreter = self.native().await?.interpreter(data)?;
                if !given.is_empty() {
                    apart(|| interpreter.put_files(given))?;
                }
                Ok(Interpreter::Native(Box::new(interpreter)))
            }
        }
    }

    /// Runs one request in `interpreter` and gives it back. It is lost on an error, so that nothing
    /// half-done is ever used again.
    pub(crate) async fn run(
        &self,
        interpreter: Interpreter,
        order: &RunOrder<'_>,
    ) -> Result<(RunRecord, Interpreter), Error> {
        match interpreter {
            Interpreter::Wasm(guest) => {
                let (record, guest) = self.wasm().await?.run(*guest, order).await?;
                Ok((record, Interpreter::Wasm(Box::new(guest))))
            }
            Interpreter::Native(mut interpreter) => {
                let record = self.native().await?.run(&mut interpreter, order).await?;
                Ok((record, Interpreter::Native(interpreter)))
            }
        }
    }

    /// Brings what a call changed to where it belongs, and keeps the interpreter or ends it.
    pub(crate) async fn close(
        &self,
        interpreter: Interpreter,
        close: Close,
    ) -> Result<Closed, Error> {
        let Close { keep, commit, has_home, export, pictures, permit, await_end } = close;
        let until = tokio::time::Instant::from_std(pictures.until);
        let wasm = self.wasm.get().cloned();
        let is_native = interpreter.runtime() == RuntimeKind::Native;
        let has_result =
            has_home || export.is_some() || !pictures.is_empty() || self.has_writable_mounts();
        let (sender, closed) = oneshot::channel();
        // Unmapping a guest's memory takes a while, as do disks.
        tokio::task::spawn_blocking(move || {
            let mut interpreter = interpreter;
            let pictures = pictures.read(&mut |path, max| match &mut interpreter {
                Interpreter::Wasm(guest) => guest.read_start(path, max),
                Interpreter::Native(native) => native.read_start(path, max),
            });
            let (not_written, exported) = match &mut interpreter {
                Interpreter::Wasm(guest) => (
                    wasm.as_ref()
                        .filter(|_| commit)
                        .map(|wasm| wasm.commit(guest, has_home))
                        .unwrap_or_default(),
                    export.is_some_and(|dir| guest.export(&dir)),
                ),
                Interpreter::Native(native) => {
                    (Vec::new(), export.is_some_and(|dir| native.export(&dir)))
                }
            };
            let (kept, ended) =
                if keep { (Some(interpreter), None) } else { (None, Some(interpreter)) };
            let closed = Closed { kept, not_written, exported, pictures };
            let end = move || drop((ended, permit));
            // Who hung up has got another answer.
            if await_end {
                end();
                let _ = sender.send(closed);
            } else {
                let _ = sender.send(closed);
                end();
            }
            if let Some(wasm) = wasm {
                wasm.prepare();
            }
        });
        if !(is_native || has_result || await_end) {
            // Nothing comes of it that the answer would have to wait for.
            return Ok(Closed::default());
        }
        match tokio::time::timeout_at(until, closed).await {
            Ok(closed) => closed.map_err(|source| Error::engine("close the interpreter", source)),
            // It goes on by itself; a disk may be slow.
            Err(_) => Ok(Closed {
                not_written: vec!["it took too long to write the files".to_owned()],
                ..Closed::default()
            }),
        }
    }
}

impl Interpreter {
    pub(crate) fn runtime(&self) -> RuntimeKind {
        match self {
            Self::Wasm(_) => RuntimeKind::Wasm,
            Self::Native(_) => RuntimeKind::Native,
        }
    }

    /// Puts files into the working directory, before a call.
    pub(crate) fn put_files(&mut self, given: &[InputFile]) -> Result<(), Error> {
        match self {
            Self::Wasm(guest) => guest.put_files(given),
            Self::Native(_) if given.is_empty() => Ok(()),
            Self::Native(interpreter) => apart(|| interpreter.put_files(given)),
        }
    }

    /// Gives what a guest saved of its variables when its code asked for the native runtime, and
    /// ends it. Its files are dropped with it, as those of any attempt that is repeated.
    pub(crate) async fn into_saved_state(self, limits: &Limits) -> Option<Vec<u8>> {
        let Self::Wasm(mut guest) = self else { return None };
        let limit = usize::try_from(limits.file_bytes).unwrap_or(usize::MAX);
        tokio::task::spawn_blocking(move || guest.saved_state(limit)).await.ok().flatten()
    }

    /// Lets a native interpreter restore what a guest saved.
    pub(crate) fn restore(&mut self, state: &[u8]) -> Result<(), Error> {
        match self {
            Self::Wasm(_) => Ok(()),
            Self::Native(interpreter) => apart(|| interpreter.restore(state)),
        }
    }

    /// Bytes of memory that it holds between two calls.
    pub(crate) fn memory(&self) -> u64 {
        match self {
            Self::Wasm(guest) => guest.memory(),
            Self::Native(interpreter) => interpreter.memory(),
        }
    }

    /// Ends it. Returns once its process is gone.
    pub(crate) async fn end(self) {
        match self {
            // Unmapping its memory takes a while.
            Self::Wasm(guest) => drop(tokio::task::spawn_blocking(move || drop(guest)).await),
            Self::Native(interpreter) => interpreter.end().await,
        }
    }
}
