//! Why native jobs cannot run here, or why one of them did not. The texts reach users.

use crate::error::{Error, OffReason};
use rustix::io::Errno;
use std::path::PathBuf;
use tokio::task::JoinError;

/// What a library or the kernel said.
pub(super) type Cause = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, thiserror::Error)]
pub(super) enum NativeError {
    #[error("failed to {what}: {source}")]
    Step { what: &'static str, source: Cause },
    #[error("failed to {what} `{}`: {source}", path.display())]
    AtPath { what: &'static str, path: PathBuf, source: Cause },

    // The machine.
    #[error("Landlock is switched off on this kernel; boot with `lsm=landlock,…` to switch it on")]
    LandlockIsOff,
    #[error("this kernel has no Landlock; Linux 5.13 or newer has")]
    NoLandlock,
    #[error(
        "the kernel does not let us use Landlock ({0}); \
         a container's seccomp profile may be in the way"
    )]
    LandlockRefused(#[source] Errno),
    #[error("the kernel gave no Landlock ruleset")]
    NoRuleset,
    #[error("at Landlock ABI {abi} nothing would keep a job from this: {wall}")]
    Unguarded { abi: u8, wall: &'static str },
    #[error(
        "`--allow-host` needs Landlock ABI {needed} (Linux 6.7 or newer), and here it is {found}"
    )]
    NoNetworkRules { needed: u8, found: u8 },
    #[error("`--allow-host` needs walls, and `--native unconfined` has none")]
    NoWalls,
    #[error("seccomp row `{name}` ({reason}): {source}")]
    SeccompRow { name: &'static str, reason: &'static str, source: Cause },

    // The installation.
    #[error(
        "no Python at `{}` ({source}); build it with `make venv` or point `--venv` at one",
        path.display()
    )]
    NoPython { path: PathBuf, source: std::io::Error },
    #[error("`{}` is not a venv ({source})", path.display())]
    NotAVenv { path: PathBuf, source: std::io::Error },
    #[error("`{}` is not a venv: there is no `lib/python3.*` in it", .0.display())]
    NoLibrary(PathBuf),
    #[error("`{}` has no `lib/python3.{minor}/site-packages`: it was made for another Python; \
             make it anew", path.display())]
    NoSites { path: PathBuf, minor: u32 },
    #[error("`{}` has no standard library: no `lib/{name}` above it", interpreter.display())]
    NoStandardLibrary { interpreter: PathBuf, name: String },
    #[error(
        "native jobs run on CPython 3.11 to 3.14, and `{}` is 3.{found}; name a venv of one of \
         these with `--venv`",
        interpreter.display()
    )]
    Version { interpreter: PathBuf, found: String },
    #[error("failed to open `{}`, which native jobs need ({reason}): {source}", path.display())]
    Needed { path: PathBuf, reason: &'static str, source: Errno },
    #[error("found none of the usual places for {0}")]
    NoPlace(&'static str),

    // The fork server.
    #[error("the native helper is started by the server")]
    NoConfig,
    #[error("the server is gone")]
    ServerGone,
    #[error("the thread of the fork server ended")]
    OwnerGone,
    #[error(
        "the fork server in `{}` speaks version {theirs} and this program version {ours}; \
         build both anew",
        bootstrap.display()
    )]
    Protocol { bootstrap: PathBuf, theirs: i32, ours: i32 },
    #[error("the fork server ended before it was ready: {0}")]
    EndedEarly(String),
    #[error("the fork server did not get over the import of `{name}`: {source}")]
    Learning { name: String, source: Box<NativeError> },
    #[error("the fork server was not ready after {0} s")]
    NotReady(u64),
    #[error("the fork server has {0} threads after its imports; shorten `--preload`")]
    Threads(u64),
    #[error("the server is leaving")]
    Leaving,
    #[error("the start of the fork server failed: {0}")]
    StartPanicked(#[from] JoinError),

    // One job.
    /// The child did not run the job, and says why.
    #[error("{0}")]
    Refused(String),
    #[error("its process ended before its code began ({0})")]
    EndedUnbegun(String),
    #[error("its process was not ready after {0} s")]
    ChildNotReady(u64),
    #[error("its order could not be handed over: {0}")]
    NotHandedOver(#[source] std::io::Error),
    #[error("no sockets for it: {0}")]
    NoSockets(#[source] std::io::Error),
    #[error("the process that it was forked from was killed; run it again")]
    ForkServerDied,
    #[error("the process that the session was forked from was killed")]
    SessionForkServerDied,
    #[error("the session's process has died since its last call")]
    SessionDied,
    #[error(
        "the session's process wrote to the server between two calls, which only a job can have \
         done; it was ended, and the session's variables with it"
    )]
    SessionSpoke,
    #[error("probe `{name}` did not report ({end}) {traceback}")]
    Probe { name: &'static str, end: String, traceback: String },
}

impl From<NativeError> for Error {
    fn from(error: NativeError) -> Self {
        Self::Native(error.into())
    }
}

impl From<NativeError> for OffReason {
    fn from(error: NativeError) -> Self {
        Self::new(error)
    }
}

/// For `map_err`: a [`NativeError::Step`].
pub(super) fn failed<E: Into<Cause>>(what: &'static str) -> impl FnOnce(E) -> NativeError {
    move |source| NativeError::Step { what, source: source.into() }
}
