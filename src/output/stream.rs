//! Takes what a job writes: bounds the text, and takes images and reports out of the stream.

use crate::host::{apart, lock};
use crate::job::{LimitHit, LimitKind, Limits, Report, resources};
use crate::output::frames::{Caps, Event, Image, Parser};
use crate::output::{FirstFew, HeadTail};
use std::sync::Mutex;

/// An image and its place in stdout.
#[derive(Debug, Clone, Default, PartialEq)]
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
    pub lost_images: FirstFew,
    /// What the bootstrap reported.
    pub report: Report,
    /// If stdout is shown shortened, all of it, or its first `resources::WHOLE` bytes.
    pub whole: Option<Vec<u8>>,
}

/// Bytes that are taken between two looks at the limit.
const STEP: usize = 1 << 20;
/// Bytes of frames from which on decoding takes longer than others of the same thread should wait.
const LONG: u64 = 256 << 10;

#[derive(Debug)]
struct Inner {
    parser: Parser,
    captured: Captured,
    /// Bytes of reports that were read.
    reports: u64,
    stdout_limit: u64,
    stderr_limit: u64,
    frames_limit: u64,
}

impl Output {
    /// An empty output for the job whose frames carry `nonce`.
    pub fn new(nonce: &str, limits: &Limits) -> Self {
        let caps = Caps { image_bytes: limits.image_bytes, images: limits.images };
        let captured = Captured { whole: Some(Vec::new()), ..Captured::empty(limits.shown) };
        Self(Mutex::new(Inner {
            parser: Parser::new(nonce, caps),
            captured,
            reports: 0,
            stdout_limit: limits.stdout,
            stderr_limit: limits.stderr,
            frames_limit: resources::frames(limits),
        }))
    }

    /// Takes bytes of stdout, frames included.
    ///
    /// # Errors
    /// The limit, once the job has printed more than [`Limits::stdout`], or sent far more frames
    /// than are taken; the caller stops the job.
    pub fn stdout(&self, bytes: &[u8]) -> Result<(), LimitHit> {
        let inner = &mut *lock(&self.0);
        let Inner { parser, captured, reports, .. } = inner;
        for step in bytes.chunks(STEP) {
            let is_long = parser.frame_bytes() > LONG;
            let mut push = || parser.push(step, &mut |event| captured.take(event, reports));
            if is_long {
                apart(push);
            } else {
                push();
            }
            LimitKind::Stdout.check(inner.stdout_limit, captured.stdout.total())?;
            LimitKind::Stdout.check(inner.frames_limit, parser.frame_bytes())?;
            LimitKind::Stdout.check(resources::REPORTS as u64, *reports)?;
        }
        Ok(())
    }

    /// Takes bytes of stderr.
    ///
    /// # Errors
    /// The limit, once the job has written more than [`Limits::stderr`]; the caller stops the job.
    pub fn stderr(&self, bytes: &[u8]) -> Result<(), LimitHit> {
        let inner = &mut *lock(&self.0);
        inner.captured.stderr.push(bytes);
        LimitKind::Stderr.check(inner.stderr_limit, inner.captured.stderr.total())
    }

    /// A copy of what is there so far, for progress; the whole output is not among it, and of the
    /// images only their number and places.
    pub fn so_far(&self) -> Captured {
        let Captured { stdout, stderr, images, lost_images, .. } = &lock(&self.0).captured;
        // Megabytes are not copied.
        let images = images
            .iter()
            .map(|image| PlacedImage { offset: image.offset, ..PlacedImage::default() });
        Captured {
            stdout: stdout.clone(),
            stderr: stderr.clone(),
            images: images.collect(),
            lost_images: lost_images.clone(),
            ..Captured::empty(0)
        }
    }

    /// Ends the streams and hands over what they held.
    pub fn finish(&self) -> Captured {
        let Inner { parser, captured, reports, .. } = &mut *lock(&self.0);
        parser.finish(&mut |event| captured.take(event, reports));
        let mut captured = std::mem::replace(captured, Captured::empty(0));
        captured.whole = captured.whole.filter(|_| captured.stdout.omitted() > 0);
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
            lost_images: FirstFew::default(),
            report: Report::default(),
            whole: None,
        }
    }

    fn take(&mut self, event: Event<'_>, reports: &mut u64) {
        match event {
            Event::Text(bytes) => {
                self.stdout.push(bytes);
                if let Some(whole) = &mut self.whole {
                    whole.extend_from_slice(
                        &bytes[..bytes.len().min(resources::WHOLE - whole.len())],
                    );
                }
            }
            Event::Image(image) => {
                self.images.push(PlacedImage { offset: self.stdout.total(), image });
            }
            Event::Lost(why) => self.lost_images.push(why),
            Event::Report(json) => {
                *reports += json.len() as u64;
                // One that does not fit its shape was not written by the bootstrap.
                if *reports <= resources::REPORTS as u64
                    && let Ok(later) = serde_json::from_slice(&json)
                {
                    self.report.replace_by(later);
                }
            }
        }
    }
}
