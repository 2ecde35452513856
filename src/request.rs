//! The request that the bootstrap reads: the same JSON for both runtimes.

use crate::budget::MAX_SIDE;
use crate::error::Error;
use crate::outcome::{Job, MAIN};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// Where the working directory appears to a job, in both runtimes.
pub const WORKDIR: &str = "/mnt/data";

/// Where a session's state waits while it moves from one runtime to the other, as jobs see the path in both.
pub const STATE_FILE: &str = "/tmp/.session";

/// What the bootstrap is told about one job. Field by field the contract with `sandbox_bootstrap.job`.
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
    pub runtime: &'static str,
    /// The working directory as the job sees it.
    pub workdir: &'static str,
    /// The real directory behind it (native runtime).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostdir: Option<String>,
    /// Folders of the host: the path that the job uses, and the real one (native runtime).
    #[serde(skip_serializing_if = "Vec::is_empty")]
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
    /// Where the state of a session waits that comes from the other runtime, as the job sees the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<&'static str>,
    /// Where a session that must leave saves its state.
    pub carry: &'static str,
    /// Whether it must leave at once, without running anything.
    #[serde(rename = "move")]
    pub leave: bool,
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
        Self { figure_text: true, max_image_side: MAX_SIDE, max_image_pixels: 16_000_000 }
    }
}

impl<'a> Request<'a> {
    /// The request for `job`; the caller fills in what its runtime needs beyond that.
    pub fn new(job: &'a Job, nonce: &'a str, runtime: &'static str, options: &'a BootstrapOptions) -> Self {
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
            restore: None,
            carry: STATE_FILE,
            leave: false,
        }
    }

    /// The JSON text.
    ///
    /// # Errors
    /// [`Error::Request`] if it cannot be written, which no field of ours allows.
    pub fn to_json(&self) -> Result<Vec<u8>, Error> {
        serde_json::to_vec(self).map_err(|source| Error::Request(format!("failed to encode the request: {source}")))
    }
}

/// 32 hexadecimal digits from the kernel's random source.
///
/// # Errors
/// [`Error::Request`] if the kernel gives no randomness.
pub fn nonce() -> Result<String, Error> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|source| Error::Request(format!("failed to draw a nonce: {source}")))?;
    Ok(hex(&bytes))
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
