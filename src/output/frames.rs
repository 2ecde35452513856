//! The marker stream: splits what a runtime wrote to stdout into text, images and reports.
//!
//! Pure and incremental: bytes go in as they arrive, in pieces of any size. A frame is
//! `[IMAGE_DATA_BEGIN:<nonce>:<id>:<more>]<base64>[IMAGE_DATA_END:<nonce>]`, or the same with
//! `JOB_REPORT`. The nonce is fresh per job, so text that merely looks like a marker stays text.
//! Frames of one id are joined, then decoded; other output may stand between them. Nothing a job
//! writes makes this panic, fail, or hold more than [`Caps`] allow.

use crate::host::amount;
use crate::job::resources;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Messages that may be unfinished at the same time; writers hold a lock, so one is usual.
const MAX_OPEN: usize = 4;
/// Bytes that a frame counts for beside its payload.
const FRAME: u64 = 64;
/// Decimal digits of a message id.
const MAX_ID_DIGITS: usize = 10;

/// Why an image is not in the answer, in words for the model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unshown {
    #[error("broken data")]
    Broken,
    #[error("cut off before the end")]
    CutOff,
    #[error("never finished")]
    Unfinished,
    #[error("the images of this job exceed {bytes} bytes")]
    TooManyBytes { bytes: usize },
    #[error("a job may show {}", amount(*images as u64, "image"))]
    TooMany { images: usize },
    #[error("other data than `{mime}`")]
    OtherType { mime: String },
    #[error("neither PNG nor JPEG nor GIF")]
    Format,
    #[error("{width}x{height} pixels, more than {millions} million")]
    TooLarge { width: u32, height: u32, millions: u64 },
    #[error("scaling failed")]
    NotScaled,
    #[error(
        "no room in the {} that the images of an answer have; show it in a call of its own",
        kilobytes(*budget)
    )]
    NoRoom { budget: usize },
}

impl From<std::io::Error> for Unshown {
    fn from(_: std::io::Error) -> Self {
        Self::Broken
    }
}

fn kilobytes(bytes: usize) -> String {
    if bytes < 1000 { amount(bytes as u64, "byte") } else { format!("{} kB", bytes.div_ceil(1000)) }
}

/// An image as the bootstrap handed it over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Image {
    /// What the bootstrap said about it.
    pub header: ImageHeader,
    /// The encoded image.
    pub bytes: Vec<u8>,
}

/// First line of an image message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ImageHeader {
    /// MIME type, such as `image/png`.
    pub mime: String,
    /// Title of the figure, or empty.
    pub title: String,
    /// What the picture shows, in words; may be empty.
    pub text: String,
    /// `figure`, `display` or `pil`.
    pub source: String,
    /// File below the working directory that holds the same picture.
    pub file: Option<String>,
}

/// Bounds of what the parser takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Bytes of all images together, decoded.
    pub image_bytes: usize,
    /// Number of images.
    pub images: usize,
}

/// One thing found in the stream.
// same name: what the fork server says is an event too, in another protocol
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// Plain output.
    Text(&'a [u8]),
    /// A whole image.
    Image(Image),
    /// A whole report, JSON.
    Report(Vec<u8>),
    /// A message that could not be taken, with the reason for people.
    Lost(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    Image,
    Report,
}

impl FrameKind {
    fn name(self) -> &'static str {
        match self {
            Self::Image => "IMAGE_DATA",
            Self::Report => "JOB_REPORT",
        }
    }
}

/// The beginning of a frame.
#[derive(Debug, Clone, Copy)]
struct Frame {
    kind: FrameKind,
    /// Its message.
    id: u64,
    /// Whether further frames of the message follow.
    more: bool,
}

#[derive(Debug)]
struct Message {
    kind: FrameKind,
    base64: Vec<u8>,
    /// Set when the message is not worth keeping any more; its frames are still consumed.
    lost: Option<Unshown>,
}

/// The incremental parser of one job's stdout.
#[derive(Debug)]
pub struct Parser {
    nonce: String,
    begin: [(FrameKind, String); 2],
    caps: Caps,
    /// The frame whose payload comes next; text if there is none.
    frame: Option<Frame>,
    /// Bytes that may be the start of a marker and wait for more.
    held: Vec<u8>,
    open: BTreeMap<u64, Message>,
    taken_bytes: usize,
    taken_images: usize,
    /// Bytes of all payloads, taken or not, and of the frames around them.
    frame_bytes: u64,
}

impl Parser {
    /// A parser for the job whose frames carry `nonce`.
    pub fn new(nonce: &str, caps: Caps) -> Self {
        let kinds = [FrameKind::Image, FrameKind::Report];
        Self {
            nonce: nonce.to_owned(),
            begin: kinds.map(|kind| (kind, format!("[{}_BEGIN:{nonce}:", kind.name()))),
            caps,
            frame: None,
            held: Vec::new(),
            open: BTreeMap::new(),
            taken_bytes: 0,
            taken_images: 0,
            frame_bytes: 0,
        }
    }

    /// Bytes of all frames so far, whatever became of them.
    pub fn frame_bytes(&self) -> u64 {
        self.frame_bytes
    }

    /// Takes the next bytes and hands what they complete to `sink`, in order.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        let mut held = std::mem::take(&mut self.held);
        let mut rest = if held.is_empty() {
            bytes
        } else {
            held.extend_from_slice(bytes);
            &held
        };
        while !rest.is_empty() {
            let used = match self.frame {
                None => self.text(rest, sink),
                Some(frame) => self.frame(rest, frame, sink),
            };
            let Some(used) = used else {
                self.held.extend_from_slice(rest);
                return;
            };
            rest = &rest[used..];
        }
    }

    /// Ends the stream: what waited for more is text, what was begun is lost.
    pub fn finish(&mut self, sink: &mut impl FnMut(Event<'_>)) {
        let held = std::mem::take(&mut self.held);
        if self.frame.take().is_none() {
            emit_text(&held, sink);
        }
        for message in std::mem::take(&mut self.open).into_values() {
            if message.kind == FrameKind::Image {
                sink(Event::Lost(message.lost.unwrap_or(Unshown::CutOff).to_string()));
            }
        }
    }

    /// Consumes text up to the next frame; `None` if the rest may be the start of a marker.
    fn text(&mut self, bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) -> Option<usize> {
        let mut at = 0;
        while let Some(step) = bytes[at..].iter().position(|&b| b == b'[') {
            let start = at + step;
            match self.begin_marker(&bytes[start..]) {
                Match::Whole { frame, length } => {
                    emit_text(&bytes[..start], sink);
                    self.open_frame(frame, sink);
                    return Some(start + length);
                }
                Match::Partial => {
                    emit_text(&bytes[..start], sink);
                    return Some(start).filter(|&used| used > 0);
                }
                Match::Not => at = start + 1,
            }
        }
        emit_text(bytes, sink);
        Some(bytes.len())
    }

    fn begin_marker(&self, bytes: &[u8]) -> Match {
        /// Of the identifier, a colon, a digit and the bracket.
        const WINDOW: usize = MAX_ID_DIGITS + 3;
        for (kind, prefix) in &self.begin {
            if prefix.as_bytes().starts_with(bytes) {
                return Match::Partial;
            }
            let Some(rest) = bytes.strip_prefix(prefix.as_bytes()) else { continue };
            let window = &rest[..rest.len().min(WINDOW)];
            return match window.iter().position(|&b| b == b']') {
                Some(close) => match numbers(&window[..close]) {
                    Some((id, more)) => {
                        let length = prefix.len() + close + 1;
                        Match::Whole { frame: Frame { kind: *kind, id, more }, length }
                    }
                    None => Match::Not,
                },
                None if window.len() < WINDOW => Match::Partial,
                None => Match::Not,
            };
        }
        Match::Not
    }

    fn open_frame(&mut self, frame: Frame, sink: &mut impl FnMut(Event<'_>)) {
        let Frame { kind, id, .. } = frame;
        self.frame_bytes += FRAME;
        if !self.open.contains_key(&id)
            && self.open.len() >= MAX_OPEN
            && let Some((_, message)) = self.open.pop_first()
            && message.kind == FrameKind::Image
        {
            sink(Event::Lost(Unshown::Unfinished.to_string()));
        }
        self.open.entry(id).or_insert_with(|| Message { kind, base64: Vec::new(), lost: None });
        self.frame = Some(frame);
    }

    /// Consumes payload up to the frame's end marker; `None` if more bytes are needed to tell.
    fn frame(
        &mut self,
        bytes: &[u8],
        Frame { kind, id, more }: Frame,
        sink: &mut impl FnMut(Event<'_>),
    ) -> Option<usize> {
        let length = bytes.iter().position(|&b| b == b'[').unwrap_or(bytes.len());
        if length > 0 {
            self.payload(id, &bytes[..length]);
            return Some(length);
        }
        let end = format!("[{}_END:{}]", kind.name(), self.nonce).into_bytes();
        if bytes.len() < end.len() && end.starts_with(bytes) {
            return None;
        }
        self.frame = None;
        let used = if bytes.starts_with(&end) { end.len() } else { 0 };
        // A frame is written in one piece; anything else is a forgery or a broken write. The bytes
        // go on as text.
        if used == 0
            && let Some(message) = self.open.get_mut(&id)
        {
            message.lost.get_or_insert(Unshown::Broken);
        }
        if used == 0 || !more {
            self.close_message(id, sink);
        }
        Some(used)
    }

    fn payload(&mut self, id: u64, bytes: &[u8]) {
        self.frame_bytes += bytes.len() as u64;
        let Some(message) = self.open.get_mut(&id).filter(|message| message.lost.is_none()) else {
            return;
        };
        let room = match message.kind {
            // With room for the line before the image.
            FrameKind::Image => {
                self.caps.image_bytes.saturating_sub(self.taken_bytes) + resources::REPORT / 64
            }
            FrameKind::Report => resources::REPORT,
        };
        if message.base64.len() + bytes.len() > room / 3 * 4 + 4 {
            message.base64 = Vec::new();
            message.lost = Some(Unshown::TooManyBytes { bytes: self.caps.image_bytes });
        } else {
            message.base64.extend_from_slice(bytes);
        }
    }

    fn close_message(&mut self, id: u64, sink: &mut impl FnMut(Event<'_>)) {
        let Some(message) = self.open.remove(&id) else { return };
        let decoded = match message.lost {
            Some(why) => Err(why),
            None => STANDARD.decode(&message.base64).map_err(|_| Unshown::Broken),
        };
        match (message.kind, decoded) {
            (FrameKind::Report, Ok(report)) => sink(Event::Report(report)),
            (FrameKind::Report, Err(_)) => {}
            (FrameKind::Image, decoded) => {
                match decoded.and_then(|bytes| self.take_image(&bytes)) {
                    Ok(image) => sink(Event::Image(image)),
                    Err(why) => sink(Event::Lost(why.to_string())),
                }
            }
        }
    }

    fn take_image(&mut self, message: &[u8]) -> Result<Image, Unshown> {
        let Caps { images, image_bytes } = self.caps;
        if self.taken_images >= images {
            return Err(Unshown::TooMany { images });
        }
        let newline = message.iter().position(|&b| b == b'\n').ok_or(Unshown::Broken)?;
        let header = serde_json::from_slice::<ImageHeader>(&message[..newline]);
        let header = header.map_err(|_| Unshown::Broken)?;
        let bytes = message[newline + 1..].to_vec();
        if sniff(&bytes) != Some(header.mime.as_str()) {
            return Err(Unshown::OtherType { mime: header.mime.chars().take(40).collect() });
        }
        if self.taken_bytes + bytes.len() > image_bytes {
            return Err(Unshown::TooManyBytes { bytes: image_bytes });
        }
        self.taken_images += 1;
        self.taken_bytes += bytes.len();
        Ok(Image { header, bytes })
    }
}

enum Match {
    Whole { frame: Frame, length: usize },
    Partial,
    Not,
}

fn emit_text(bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) {
    if !bytes.is_empty() {
        sink(Event::Text(bytes));
    }
}

/// `<id>:<more>` of a begin marker.
fn numbers(bytes: &[u8]) -> Option<(u64, bool)> {
    let (id, more) = std::str::from_utf8(bytes).ok()?.split_once(':')?;
    let all_digits =
        !id.is_empty() && id.len() <= MAX_ID_DIGITS && id.bytes().all(|b| b.is_ascii_digit());
    let more = match more {
        "0" => false,
        "1" => true,
        _ => return None,
    };
    all_digits.then(|| id.parse().ok()).flatten().map(|id| (id, more))
}

/// MIME type by magic bytes: PNG (ISO 15948 §5.2), JPEG (SOI and a marker), `GIF87a` and `GIF89a`.
pub fn sniff(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        _ => None,
    }
}
