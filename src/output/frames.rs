//! The marker stream: splits what a runtime wrote to stdout into text, images and reports.
//!
//! Pure and incremental: bytes go in as they arrive, in pieces of any size. A frame is
//! `[IMAGE_DATA_BEGIN:<nonce>:<id>:<more>]<base64>[IMAGE_DATA_END:<nonce>]`, or the same with
//! `JOB_REPORT`. The nonce is fresh per job, so text that merely looks like a marker stays text.
//! Frames of one id are joined, then decoded; other output may stand between them. Nothing a job
//! writes makes this panic, fail, or hold more than [`Caps`] allow.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Messages that may be unfinished at the same time; writers hold a lock, so one is usual.
const MAX_OPEN: usize = 4;
/// Decimal digits of a message id.
const MAX_ID_DIGITS: usize = 10;
/// Bytes of a report: a traceback and a few notes.
const MAX_REPORT: usize = 4 << 20;
/// Why an image is left out that cannot be decoded.
pub(crate) const BROKEN: &str = "its data was broken";

/// An image as the bootstrap handed it over.
#[derive(Debug, Clone, PartialEq, Eq)]
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

impl Caps {
    fn exceeded(self) -> String {
        format!("the images of this job exceed {} bytes", self.image_bytes)
    }
}

/// One thing found in the stream.
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
enum Kind {
    Image,
    Report,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Image => "IMAGE_DATA",
            Self::Report => "JOB_REPORT",
        }
    }
}

#[derive(Debug)]
enum State {
    Text,
    /// Inside a frame: its message, whether further frames follow, and the payload so far.
    Frame {
        kind: Kind,
        id: u64,
        more: bool,
    },
}

#[derive(Debug)]
struct Message {
    kind: Kind,
    base64: Vec<u8>,
    /// Set when the message is not worth keeping any more; its frames are still consumed.
    lost: Option<String>,
}

/// The incremental parser of one job's stdout.
#[derive(Debug)]
pub struct Parser {
    begin: [(Kind, Vec<u8>); 2],
    end: [(Kind, Vec<u8>); 2],
    caps: Caps,
    state: State,
    /// Bytes that may be the start of a marker and wait for more.
    held: Vec<u8>,
    open: BTreeMap<u64, Message>,
    taken_bytes: usize,
    taken_images: usize,
}

impl Parser {
    /// A parser for the job whose frames carry `nonce`.
    pub fn new(nonce: &str, caps: Caps) -> Self {
        let begin = |kind: Kind| (kind, format!("[{}_BEGIN:{nonce}:", kind.name()).into_bytes());
        let end = |kind: Kind| (kind, format!("[{}_END:{nonce}]", kind.name()).into_bytes());
        Self {
            begin: [begin(Kind::Image), begin(Kind::Report)],
            end: [end(Kind::Image), end(Kind::Report)],
            caps,
            state: State::Text,
            held: Vec::new(),
            open: BTreeMap::new(),
            taken_bytes: 0,
            taken_images: 0,
        }
    }

    /// Takes the next bytes and hands what they complete to `sink`, in order.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        let joined;
        let mut rest = if self.held.is_empty() {
            bytes
        } else {
            let mut held = std::mem::take(&mut self.held);
            held.extend_from_slice(bytes);
            joined = held;
            &joined
        };
        while !rest.is_empty() {
            let used = match self.state {
                State::Text => self.text(rest, sink),
                State::Frame { kind, id, more } => self.frame(rest, kind, id, more, sink),
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
        if matches!(self.state, State::Text) && !self.held.is_empty() {
            sink(Event::Text(&self.held));
        }
        self.held.clear();
        self.state = State::Text;
        for message in std::mem::take(&mut self.open).into_values() {
            if message.kind == Kind::Image {
                sink(Event::Lost(message.lost.unwrap_or_else(|| "it was cut off".to_owned())));
            }
        }
    }

    /// Consumes text up to the next frame; `None` if the rest may be the start of a marker.
    fn text(&mut self, bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) -> Option<usize> {
        let mut at = 0;
        while let Some(step) = bytes[at..].iter().position(|&b| b == b'[') {
            let start = at + step;
            match self.begin_marker(&bytes[start..]) {
                Match::Whole { kind, id, more, length } => {
                    emit_text(&bytes[..start], sink);
                    self.open_frame(kind, id, sink);
                    self.state = State::Frame { kind, id, more };
                    return Some(start + length);
                }
                Match::Partial => {
                    emit_text(&bytes[..start], sink);
                    return if start == 0 { None } else { Some(start) };
                }
                Match::Not => at = start + 1,
            }
        }
        emit_text(bytes, sink);
        Some(bytes.len())
    }

    fn begin_marker(&self, bytes: &[u8]) -> Match {
        for (kind, prefix) in &self.begin {
            if bytes.len() <= prefix.len() {
                if prefix.starts_with(bytes) {
                    return Match::Partial;
                }
            } else if let Some(rest) = bytes.strip_prefix(prefix.as_slice()) {
                let window = &rest[..rest.len().min(MAX_ID_DIGITS + 3)];
                let Some(close) = window.iter().position(|&b| b == b']') else {
                    return if window.len() < MAX_ID_DIGITS + 3 {
                        Match::Partial
                    } else {
                        Match::Not
                    };
                };
                return match numbers(&window[..close]) {
                    Some((id, more)) => {
                        Match::Whole { kind: *kind, id, more, length: prefix.len() + close + 1 }
                    }
                    None => Match::Not,
                };
            }
        }
        Match::Not
    }

    fn open_frame(&mut self, kind: Kind, id: u64, sink: &mut impl FnMut(Event<'_>)) {
        if !self.open.contains_key(&id)
            && self.open.len() >= MAX_OPEN
            && let Some((_, message)) = self.open.pop_first()
            && message.kind == Kind::Image
        {
            sink(Event::Lost("it was never finished".to_owned()));
        }
        self.open.entry(id).or_insert_with(|| Message { kind, base64: Vec::new(), lost: None });
    }

    /// Consumes payload up to the frame's end marker; `None` if more bytes are needed to tell.
    fn frame(
        &mut self,
        bytes: &[u8],
        kind: Kind,
        id: u64,
        more: bool,
        sink: &mut impl FnMut(Event<'_>),
    ) -> Option<usize> {
        let length = bytes.iter().position(|&b| b == b'[').unwrap_or(bytes.len());
        if length > 0 {
            self.payload(id, &bytes[..length]);
            return Some(length);
        }
        let end =
            self.end.iter().find(|(of, _)| *of == kind).map_or(&[][..], |(_, end)| end.as_slice());
        if bytes.len() < end.len() && end.starts_with(bytes) {
            return None;
        }
        self.state = State::Text;
        let used = if bytes.starts_with(end) {
            end.len()
        } else {
            // A frame is written in one piece; anything else is a forgery or a broken write. The
            // bytes go on as text.
            if let Some(message) = self.open.get_mut(&id) {
                message.lost.get_or_insert_with(|| BROKEN.to_owned());
            }
            0
        };
        if used == 0 || !more {
            self.close_message(id, sink);
        }
        Some(used)
    }

    fn payload(&mut self, id: u64, bytes: &[u8]) {
        let room = match self.open.get(&id).map(|message| message.kind) {
            Some(Kind::Image) => {
                self.caps.image_bytes.saturating_sub(self.taken_bytes) + MAX_REPORT / 64
            }
            Some(Kind::Report) => MAX_REPORT,
            None => return,
        };
        let Some(message) = self.open.get_mut(&id) else { return };
        if message.lost.is_some() {
            return;
        }
        if message.base64.len() + bytes.len() > room / 3 * 4 + 4 {
            message.base64 = Vec::new();
            message.lost = Some(self.caps.exceeded());
        } else {
            message.base64.extend_from_slice(bytes);
        }
    }

    fn close_message(&mut self, id: u64, sink: &mut impl FnMut(Event<'_>)) {
        let Some(message) = self.open.remove(&id) else { return };
        let decoded = match message.lost {
            Some(why) => Err(why),
            None => STANDARD.decode(&message.base64).map_err(|_| BROKEN.to_owned()),
        };
        let result = decoded.and_then(|bytes| match message.kind {
            Kind::Report => Ok(Event::Report(bytes)),
            Kind::Image => self.take_image(&bytes).map(Event::Image),
        });
        match result {
            Ok(event) => sink(event),
            Err(why) if message.kind == Kind::Image => sink(Event::Lost(why)),
            Err(_) => {}
        }
    }

    fn take_image(&mut self, message: &[u8]) -> Result<Image, String> {
        if self.taken_images >= self.caps.images {
            return Err(format!("a job may show {} images", self.caps.images));
        }
        let newline = message.iter().position(|&b| b == b'\n').ok_or(BROKEN)?;
        let header: ImageHeader =
            serde_json::from_slice(&message[..newline]).map_err(|_| BROKEN.to_owned())?;
        let bytes = message[newline + 1..].to_vec();
        if sniff(&bytes) != Some(header.mime.as_str()) {
            return Err(format!(
                "its data is not `{}`",
                header.mime.chars().take(40).collect::<String>()
            ));
        }
        if self.taken_bytes + bytes.len() > self.caps.image_bytes {
            return Err(self.caps.exceeded());
        }
        self.taken_images += 1;
        self.taken_bytes += bytes.len();
        Ok(Image { header, bytes })
    }
}

enum Match {
    Whole { kind: Kind, id: u64, more: bool, length: usize },
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
