//! Takes what a job writes: bounds the text, and takes images and reports out of the stream.

use crate::host::lock;
use crate::job::{LimitHit, LimitKind, Limits, Report};
use crate::output::HeadTail;
use crate::output::frames::{Caps, Event, Image, Parser};
use std::sync::Mutex;

/// An image and its place in stdout.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedImage {
    /// Number of stdout bytes that the job had written before it.
    pub offset: u64,
    /// The image.
    pub image: Image,
}

/// The two output streams of one job. Shared between the runtime and whoever asks for partial
/// output.
#[derive(Debug)]
pub struct Output(Mutex<Inner>);

/// What a job wrote, in its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Captured {
    /// Printed text.
    pub stdout: HeadTail,
    /// Text on stderr.
    pub stderr: HeadTail,
    /// Images with their places in stdout.
    pub images: Vec<PlacedImage>,
    /// Images that were dropped, with the reason.
    pub lost_images: Vec<String>,
    /// What the bootstrap reported.
    pub report: Report,
    /// If stdout is shown shortened, all of it, or its first `MAX_WHOLE` bytes.
    pub whole: Option<Vec<u8>>,
}

/// Bytes of stdout that are kept beyond what is shown.
const MAX_WHOLE: usize = 4 << 20;

#[derive(Debug)]
struct Inner {
    parser: Parser,
    captured: Captured,
    /// The report as JSON, merged key by key.
    report: serde_json::Map<String, serde_json::Value>,
    stdout_limit: u64,
    stderr_limit: u64,
}

impl Output {
    /// An empty output for the job whose frames carry `nonce`.
    pub fn new(nonce: &str, limits: &Limits) -> Self {
        let caps = Caps { image_bytes: limits.image_bytes, images: limits.images };
        let captured = Captured { whole: Some(Vec::new()), ..Captured::empty(limits.shown) };
        Self(Mutex::new(Inner {
            parser: Parser::new(nonce, caps),
            captured,
            report: serde_json::Map::new(),
            stdout_limit: limits.stdout,
            stderr_limit: limits.stderr,
        }))
    }

    /// Takes bytes of stdout, frames included.
    ///
    /// # Errors
    /// The limit, once the job has printed more than [`Limits::stdout`]; the caller stops the job.
    pub fn stdout(&self, bytes: &[u8]) -> Result<(), LimitHit> {
        let inner = &mut *lock(&self.0);
        let Inner { parser, captured, report, .. } = inner;
        parser.push(bytes, &mut |event| captured.take(event, report));
        check(LimitKind::Stdout, captured.stdout.total(), inner.stdout_limit)
    }

    /// Takes bytes of stderr.
    ///
    /// # Errors
    /// The limit, once the job has written more than [`Limits::stderr`]; the caller stops the job.
    pub fn stderr(&self, bytes: &[u8]) -> Result<(), LimitHit> {
        let inner = &mut *lock(&self.0);
        inner.captured.stderr.push(bytes);
        check(LimitKind::Stderr, inner.captured.stderr.total(), inner.stderr_limit)
    }

    /// A copy of what is there so far, for progress; the whole output is not among it.
    pub fn so_far(&self) -> Captured {
        let captured = &mut lock(&self.0).captured;
        // Set aside, so that its megabytes are not copied.
        let whole = captured.whole.take();
        let copy = captured.clone();
        captured.whole = whole;
        copy
    }

    /// Ends the streams and hands over what they held.
    pub fn finish(&self) -> Captured {
        let Inner { parser, captured, report, .. } = &mut *lock(&self.0);
        parser.finish(&mut |event| captured.take(event, report));
        let mut captured = std::mem::replace(captured, Captured::empty(0));
        captured.whole = captured.whole.filter(|_| captured.stdout.omitted() > 0);
        // A report that does not fit its shape was not written by the bootstrap.
        captured.report = serde_json::from_value(std::mem::take(report).into()).unwrap_or_default();
        captured
    }
}

impl Captured {
    /// Nothing, with room for `shown` bytes of each stream.
    fn empty(shown: usize) -> Self {
        Self {
            stdout: HeadTail::new(shown),
            stderr: HeadTail::new(shown),
            images: Vec::new(),
            lost_images: Vec::new(),
            report: Report::default(),
            whole: None,
        }
    }

    fn take(&mut self, event: Event<'_>, report: &mut serde_json::Map<String, serde_json::Value>) {
        match event {
            Event::Text(bytes) => {
                self.stdout.push(bytes);
                if let Some(whole) = &mut self.whole {
                    whole.extend_from_slice(&bytes[..bytes.len().min(MAX_WHOLE - whole.len())]);
                }
            }
            Event::Image(image) => {
                self.images.push(PlacedImage { offset: self.stdout.total(), image });
            }
            Event::Lost(why) => self.lost_images.push(why),
            Event::Report(json) => {
                if let Ok(serde_json::Value::Object(keys)) = serde_json::from_slice(&json) {
                    report.extend(keys);
                }
            }
        }
    }
}

fn check(kind: LimitKind, used: u64, limit: u64) -> Result<(), LimitHit> {
    if used > limit { Err(LimitHit { kind, limit, used }) } else { Ok(()) }
}
