//! The process of a fork server: started and waited for by a thread of its own.
//!
//! The death signal fires when the *thread* that started a child ends. That thread is the only one
//! that reaps it, so its pid never means anyone else while we use it.

use super::error::{NativeError, failed};
use crate::host::lock;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use std::io::{self, Read as _};
use std::process::{Child, ChildStderr, Command};
use std::sync::{Arc, Mutex};
use std::thread;
use tokio::sync::oneshot;

/// What the fork server writes to stderr before it is ready is the reason why native is off; this
/// much of it is kept.
const MAX_REASON: u64 = 4 << 10;

/// The operating system's process, and whether its pid still means it.
#[derive(Debug)]
pub(super) struct ServerProcess {
    pid: Pid,
    reaped: Mutex<bool>,
}

impl ServerProcess {
    /// Its id, for looking at its size.
    pub(super) fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Kills it, and by their death signals all of its children.
    pub(super) fn kill(&self) {
        let reaped = lock(&self.reaped);
        if !*reaped {
            // A process that is ending already is as good as killed.
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }

    pub(super) fn is_reaped(&self) -> bool {
        *lock(&self.reaped)
    }
}

/// Starts `command` in a thread that lives as long as the process does. Also returns what the
/// process wrote to stderr, complete once it has ended.
pub(super) async fn spawn_owned(
    command: Command,
) -> Result<(Arc<ServerProcess>, oneshot::Receiver<String>), NativeError> {
    let (started, start) = oneshot::channel();
    let (ended, reason) = oneshot::channel();
    thread::Builder::new()
        .name("fork-server".to_owned())
        .spawn(move || own(command, started, ended))
        .map_err(failed("start a thread"))?;
    let process = start.await.map_err(|_| NativeError::OwnerGone)??;
    Ok((process, reason))
}

fn own(
    mut command: Command,
    started: oneshot::Sender<Result<Arc<ServerProcess>, NativeError>>,
    ended: oneshot::Sender<String>,
) {
    let spawned = command.spawn().map_err(failed("start the native helper"));
    // Our copies of the child's descriptors, its end of the control socket among them.
    drop(command);
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            let _ = started.send(Err(error));
            return;
        }
    };
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
    let process = Arc::new(ServerProcess { pid, reaped: Mutex::new(false) });
    // If nobody waits for the answer, the starter was cancelled.
    if started.send(Ok(Arc::clone(&process))).is_err() {
        let _ = child.kill();
    }
    let said = child.stderr.take().map(listen).unwrap_or_default();
    let status = reap(&mut child, &process);
    let _ = ended.send(if said.is_empty() { status } else { said });
}

/// Reads the fork server's stderr until it ends, logs it, and keeps the beginning.
fn listen(mut stderr: ChildStderr) -> String {
    let mut kept = Vec::new();
    let _ = stderr.by_ref().take(MAX_REASON).read_to_end(&mut kept);
    let _ = io::copy(&mut stderr, &mut io::sink());
    let text = String::from_utf8_lossy(&kept).trim().to_owned();
    if !text.is_empty() {
        tracing::warn!("the fork server says: {text}");
    }
    text
}

/// Waits without reaping first, so that [`ServerProcess::kill`] can never hit a pid that was given
/// to someone else. Returns how it ended, in words.
fn reap(child: &mut Child, process: &ServerProcess) -> String {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(Errno::INTR) = waitid(WaitId::Pid(process.pid), options) {}
    let mut reaped = lock(&process.reaped);
    *reaped = true;
    child.wait().map_or_else(|e| e.to_string(), |status| status.to_string())
}
