//! The request that the bootstrap reads: the same JSON for both runtimes.

use super::{Job, MAIN, RuntimeKind};
use crate::error::Error;
use serde::Serialize;
use std::path::Path;

/// Where the working directory appears to a job, in both runtimes.
pub(crate) const WORKDIR: &str = "/mnt/data";

/// Where a session's state waits while it moves from one runtime to the other, as jobs see the path
/// in both.
pub(crate) const STATE_FILE: &str = "/tmp/.session";

/// Pixels of an image's longer side beyond which models scale it down themselves.
pub(crate) const MAX_IMAGE_SIDE: u32 = 1568;

/// What the bootstrap is told about one job. The other side is
/// `sandbox_bootstrap/host/request.py`; `tests/contract.rs` compares the two field for field.
#[derive(Debug, Serialize)]
pub struct Request<'a> {
    /// Python source.
    pub code: &'a str,
    /// File name that tracebacks show.
    pub filename: &'a str,
    /// `sys.argv`.
    pub argv: &'a [String],
    /// Nonce of the frames.
    pub nonce: &'a str,
    /// `wasm` or `native`.
    pub runtime: RuntimeKind,
    /// The working directory as the job sees it.
    pub workdir: &'static str,
    /// The real directory behind it (native runtime).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostdir: Option<String>,
    /// Folders of the host: the path that the job uses, and the real one (native runtime).
    pub mounts: Vec<(&'a str, &'a Path)>,
    /// Whether the value of a last expression is shown.
    pub show_value: bool,
    /// Options of the operator.
    #[serde(flatten)]
    pub options: &'a BootstrapOptions,
    /// Top-level modules that only the native runtime has (WASI runtime).
    pub native_modules: &'a [String],
    /// The operator's packages, to be searched last (WASI runtime).
    pub packages: &'a [String],
    /// `on` or `off`: whether a job can be rerun natively.
    pub native: &'static str,
    /// Why native is off.
    pub native_why: &'a str,
    /// Hosts that native jobs can reach, as the operator named them.
    pub network: Vec<String>,
    /// Why there are none although the operator named some.
    pub network_why: String,
    /// The number of the call in its session, from 1; 0 without one.
    pub session: u32,
    /// File for the state of a session that migrates to the other runtime, as the job sees the
    /// path.
    pub state_file: &'static str,
    /// Whether the session's state comes from there (native runtime).
    pub restore: bool,
    /// Whether the session migrates at once, without running anything (WASI runtime).
    pub migrate: bool,
}

/// A call's place in its session.
#[derive(Debug, Default)]
pub(crate) struct SessionCall {
    /// Its number, from 1; 0 for a call without a session.
    pub(crate) number: u32,
    /// The file that tracebacks name: it tells functions of earlier calls from those of this one.
    pub(crate) file_name: String,
    /// Whether it restores variables that the other runtime saved.
    pub(crate) restore: bool,
}

impl SessionCall {
    /// The call with this number.
    pub(crate) fn new(number: u32) -> Self {
        Self { number, file_name: format!("call-{number}.py"), restore: false }
    }
}

/// The operator's choices that concern the guest side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BootstrapOptions {
    /// Whether figures come with a text that says what they show.
    pub figure_text: bool,
    /// Longest side of an image, in pixels.
    pub max_image_side: u32,
    /// Pixels of an image before it is scaled.
    pub max_image_pixels: u32,
}

impl Default for BootstrapOptions {
    fn default() -> Self {
        Self { figure_text: true, max_image_side: MAX_IMAGE_SIDE, max_image_pixels: 16_000_000 }
    }
}

impl<'a> Request<'a> {
    /// The request for `job`; the caller fills in what its runtime needs beyond that.
    pub fn new(
        job: &'a Job,
        nonce: &'a str,
        runtime: RuntimeKind,
        options: &'a BootstrapOptions,
    ) -> Self {
        Self {
            code: &job.code,
            filename: job.argv.first().map_or(MAIN, String::as_str),
            argv: &job.argv,
            nonce,
            runtime,
            workdir: WORKDIR,
            hostdir: None,
            mounts: Vec::new(),
            show_value: job.show_value,
            options,
            native_modules: &[],
            packages: &[],
            native: "off",
            native_why: "",
            network: Vec::new(),
            network_why: String::new(),
            session: 0,
            state_file: STATE_FILE,
            restore: false,
            migrate: false,
        }
    }

    /// Says which call of its session this is.
    pub(crate) fn tell_session(&mut self, call: &'a SessionCall) {
        if call.number > 0 {
            self.session = call.number;
            self.filename = &call.file_name;
            self.restore = call.restore;
        }
    }

    /// The JSON text.
    ///
    /// # Errors
    /// It cannot be encoded, which no field of ours allows.
    pub fn to_json(&self) -> Result<Vec<u8>, Error> {
        serde_json::to_vec(self).map_err(|source| Error::engine("encode the request", source))
    }
}
