//! What must hold for any input of the two parsers. Shared by the fuzz targets and by
//! `tests/properties.rs`, which feed it from different generators; both bring the parsers as
//! `super::frames` and `super::wire`.

use super::frames::{Caps, Event, Parser};
use super::wire::{self, Incoming};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

const NONCE: &str = "0123456789abcdef0123456789abcdef";
const CAPS: Caps = Caps { image_bytes: 160, images: 5 };
const HEADER: &[u8] = b"{\"mime\":\"image/png\"}\n\x89PNG\r\n\x1a\n";

/// What a stream came to; neighbouring text is one piece.
#[derive(Debug, Clone, PartialEq)]
enum Found {
    Text(Vec<u8>),
    Image(Vec<u8>),
    Report(Vec<u8>),
    Lost,
}

/// Reads `script` as instructions that write a job's stream, then holds the marker parser to its
/// promises: the pieces in which the stream arrives do not matter, bounds hold, nothing is
/// invented, and what was written by the rules comes back exactly.
///
/// # Panics
/// If a promise is broken.
pub fn markers(script: &[u8]) {
    let stream = Stream::written_by(script);
    let whole = parse(&[&stream.bytes]);
    let mut pieces = Vec::new();
    let mut start = 0;
    for &cut in stream.cuts.iter().chain([&stream.bytes.len()]) {
        pieces.push(&stream.bytes[start..cut]);
        start = cut;
    }
    assert_eq!(parse(&pieces), whole, "pieces made a difference");
    let single: Vec<&[u8]> = stream.bytes.chunks(1).collect();
    assert_eq!(parse(&single), whole, "single bytes made a difference");

    let (mut text, mut images, mut image_bytes) = (0, 0, 0);
    for found in &whole {
        match found {
            Found::Text(bytes) => text += bytes.len(),
            Found::Image(bytes) => {
                images += 1;
                image_bytes += bytes.len();
            }
            Found::Report(_) | Found::Lost => {}
        }
    }
    assert!(text <= stream.bytes.len(), "text was invented");
    assert!(images <= CAPS.images && image_bytes <= CAPS.image_bytes, "a bound was crossed");
    if let Some(expected) = stream.expected {
        assert_eq!(whole, expected, "a stream by the rules came back changed");
    }
}

fn parse(pieces: &[&[u8]]) -> Vec<Found> {
    let mut parser = Parser::new(NONCE, CAPS);
    let mut found = Vec::new();
    let mut sink = |event: Event<'_>| match event {
        Event::Text(bytes) => {
            assert!(!bytes.is_empty(), "an empty text");
            add_text(&mut found, bytes);
        }
        Event::Image(image) => found.push(Found::Image(image.bytes)),
        Event::Report(json) => found.push(Found::Report(json)),
        Event::Lost(why) => {
            assert!(!why.is_empty(), "a loss without a reason");
            found.push(Found::Lost);
        }
    };
    for piece in pieces {
        parser.push(piece, &mut sink);
    }
    parser.finish(&mut sink);
    found
}

fn add_text(found: &mut Vec<Found>, bytes: &[u8]) {
    match found.last_mut() {
        Some(Found::Text(text)) => text.extend_from_slice(bytes),
        _ if bytes.is_empty() => {}
        _ => found.push(Found::Text(bytes.to_vec())),
    }
}

/// A stream, where it is cut, and what it must come to if everything in it keeps to the rules.
struct Stream {
    bytes: Vec<u8>,
    cuts: Vec<usize>,
    expected: Option<Vec<Found>>,
    id: u64,
}

impl Stream {
    fn written_by(script: &[u8]) -> Self {
        let mut stream =
            Self { bytes: Vec::new(), cuts: Vec::new(), expected: Some(Vec::new()), id: 0 };
        let mut rest = script;
        while let [operation, length, tail @ ..] = rest {
            let (argument, after) = tail.split_at(usize::from(*length % 64).min(tail.len()));
            stream.write(operation % 12, argument);
            rest = after;
        }
        stream
    }

    fn write(&mut self, operation: u8, argument: &[u8]) {
        match operation {
            0..=1 => self.text(argument),
            2 => self.cuts.push(self.bytes.len()),
            3 => self.image(argument, 1),
            4 => self.image(argument, 3),
            5 => self.report(argument),
            // From here on the rules are broken, and only the general promises are asked for.
            6 => self.broken(format!("[IMAGE_DATA_BEGIN:{NONCE}:").as_bytes()),
            7 => self.broken(
                format!("[IMAGE_DATA_BEGIN:{NONCE}:{}:{}]", self.id, argument.len() % 2).as_bytes(),
            ),
            8 => self.broken(format!("[IMAGE_DATA_END:{NONCE}]").as_bytes()),
            9 => self.broken(STANDARD.encode([HEADER, argument].concat()).as_bytes()),
            10 => {
                let marker = format!("[JOB_REPORT_BEGIN:{NONCE}:7:0]AAAA[JOB_REPORT_END:{NONCE}]");
                self.broken(&marker.as_bytes()[..(argument.len() * 3).min(marker.len())]);
            }
            _ => self.broken(argument),
        }
    }

    fn text(&mut self, argument: &[u8]) {
        // Without the nonce nothing is a marker, but the beginning of one may be held back for
        // long.
        self.bytes.extend_from_slice(argument);
        if let Some(expected) = &mut self.expected {
            add_text(expected, argument);
        }
    }

    fn image(&mut self, argument: &[u8], frames: usize) {
        let content = [&HEADER[21..], argument].concat();
        let payload = STANDARD.encode([HEADER, argument].concat());
        self.message("IMAGE_DATA", &payload, frames);
        let Some(expected) = &mut self.expected else { return };
        let taken: Vec<usize> = expected
            .iter()
            .filter_map(
                |found| if let Found::Image(bytes) = found { Some(bytes.len()) } else { None },
            )
            .collect();
        let fits = taken.len() < CAPS.images
            && taken.iter().sum::<usize>() + content.len() <= CAPS.image_bytes;
        expected.push(if fits { Found::Image(content) } else { Found::Lost });
    }

    fn report(&mut self, argument: &[u8]) {
        self.message("JOB_REPORT", &STANDARD.encode(argument), 1);
        if let Some(expected) = &mut self.expected {
            expected.push(Found::Report(argument.to_vec()));
        }
    }

    fn message(&mut self, kind: &str, payload: &str, frames: usize) {
        self.id += 1;
        let mut rest = payload;
        for left in (0..frames).rev() {
            let (chunk, after) = if left == 0 {
                (rest, "")
            } else {
                rest.split_at((rest.len() / 4 / (left + 1)) * 4)
            };
            let more = u8::from(left > 0);
            let frame =
                format!("[{kind}_BEGIN:{NONCE}:{}:{more}]{chunk}[{kind}_END:{NONCE}]", self.id);
            self.bytes.extend_from_slice(frame.as_bytes());
            rest = after;
        }
    }

    fn broken(&mut self, bytes: &[u8]) {
        self.expected = None;
        self.bytes.extend_from_slice(bytes);
    }
}

/// Takes `line` as a client's line: each request in it is answered or handed on exactly once and
/// under its own id, and what is sent back is a JSON-RPC error on one line.
///
/// # Panics
/// If a promise is broken.
pub fn line(line: &[u8]) {
    let found = wire::parse(line);
    let mut ids = Vec::new();
    for incoming in &found {
        match incoming {
            Incoming::Message(message) => {
                let message = serde_json::to_value(message).expect("a message can be written");
                if let Some(id) = message.get("id") {
                    ids.push(id.clone());
                }
            }
            Incoming::Reply(reply) => {
                check_reply(reply);
                ids.push(reply["id"].clone());
            }
        }
    }
    if line.trim_ascii().is_empty() {
        assert!(found.is_empty(), "an empty line was answered");
        return;
    }
    let trimmed = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    match serde_json::from_slice(trimmed) {
        Ok(Value::Array(batch)) if (1..=1000).contains(&batch.len()) => {
            let asked: Vec<Value> = batch.iter().filter_map(id_to_answer).collect();
            assert_eq!(ids, asked, "a batch was not answered message by message");
        }
        Ok(Value::Array(_)) => assert_eq!(ids, [Value::Null]),
        Ok(message) => {
            assert_eq!(ids, id_to_answer(&message).as_slice(), "one request, one answer");
        }
        // What is no strict JSON may have been mended, or taken for several messages.
        Err(_) => {
            let most = trimmed.iter().filter(|byte| matches!(byte, b'{' | b',')).count() + 1;
            assert!(ids.len() <= most, "more answers than messages");
        }
    }
}

/// The id under which a message is to be answered: `None` for notifications and responses, null
/// where it cannot be told.
fn id_to_answer(message: &Value) -> Option<Value> {
    let Value::Object(object) = message else { return Some(Value::Null) };
    let id = object.get("id");
    let usable = |id: &&Value| id.is_string() || id.is_i64();
    match object.get("method") {
        None if object.contains_key("result") || object.contains_key("error") => None,
        Some(Value::String(_)) if id.is_none() => None,
        _ => Some(id.filter(usable).cloned().unwrap_or(Value::Null)),
    }
}

fn check_reply(reply: &Value) {
    assert_eq!(reply["jsonrpc"], "2.0");
    let id = &reply["id"];
    assert!(id.is_null() || id.is_string() || id.is_i64(), "{reply}");
    assert!(
        [-32700, -32600, -32602].contains(&reply["error"]["code"].as_i64().unwrap_or(0)),
        "{reply}"
    );
    assert!(reply["error"]["message"].as_str().is_some_and(|message| !message.is_empty()));
    assert!(!reply.to_string().contains(['\n', '\r']), "more than one line");
}
