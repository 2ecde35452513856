//! The marker parser: whole frames, broken frames, forged frames, in pieces of any size.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_python_sandbox::testing::frames::{Caps, Event, Image, Parser};
use proptest::prelude::*;

const NONCE: &str = "0123456789abcdef0123456789abcdef";
const CAPS: Caps = Caps { image_bytes: 1 << 20, images: 3 };
const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest of a picture";

#[derive(Debug, Clone, PartialEq)]
enum Found {
    Text(Vec<u8>),
    Image(Image),
    Report(Vec<u8>),
    Lost(String),
}

/// Parses `stream` in pieces and joins neighbouring text.
fn parse(pieces: &[&[u8]], caps: Caps) -> Vec<Found> {
    let mut parser = Parser::new(NONCE, caps);
    let mut found: Vec<Found> = Vec::new();
    let mut sink = |event: Event<'_>| match event {
        Event::Text(bytes) => match found.last_mut() {
            Some(Found::Text(text)) => text.extend_from_slice(bytes),
            _ => found.push(Found::Text(bytes.to_vec())),
        },
        Event::Image(image) => found.push(Found::Image(image)),
        Event::Report(json) => found.push(Found::Report(json)),
        Event::Lost(why) => found.push(Found::Lost(why)),
    };
    for piece in pieces {
        parser.push(piece, &mut sink);
    }
    parser.finish(&mut sink);
    found
}

fn frame(kind: &str, id: u64, more: u8, payload: &str) -> String {
    format!("[{kind}_BEGIN:{NONCE}:{id}:{more}]{payload}[{kind}_END:{NONCE}]")
}

fn message(title: &str, bytes: &[u8]) -> String {
    let header = format!("{{\"mime\":\"image/png\",\"title\":\"{title}\"}}\n");
    STANDARD.encode([header.as_bytes(), bytes].concat())
}

fn text(text: &str) -> Found {
    Found::Text(text.as_bytes().to_vec())
}

fn title(found: &Found) -> &str {
    match found {
        Found::Image(image) => &image.header.title,
        Found::Text(_) | Found::Report(_) | Found::Lost(_) => panic!("no image: {found:?}"),
    }
}

#[test]
fn text_images_and_reports_come_in_order() {
    let stream = format!(
        "before\n{}between{}{}after",
        frame("IMAGE_DATA", 1, 0, &message("one", PNG)),
        frame("IMAGE_DATA", 2, 0, &message("two", PNG)),
        frame("JOB_REPORT", 3, 0, &STANDARD.encode("{\"exit\":\"ok\"}")),
    );
    let found = parse(&[stream.as_bytes()], CAPS);
    assert_eq!(found[0], text("before\n"));
    assert_eq!((title(&found[1]), &found[2]), ("one", &text("between")));
    assert_eq!(title(&found[3]), "two");
    assert_eq!(found[4..], [Found::Report(b"{\"exit\":\"ok\"}".to_vec()), text("after")]);
}

#[test]
fn frames_of_one_message_are_joined_and_other_output_may_stand_between() {
    let whole = message("joined", PNG);
    let (first, second) = whole.split_at(8);
    let stream =
        format!("{}foreign{}", frame("IMAGE_DATA", 7, 1, first), frame("IMAGE_DATA", 7, 0, second));
    let found = parse(&[stream.as_bytes()], CAPS);
    assert_eq!(found[0], text("foreign"));
    assert_eq!(title(&found[1]), "joined");
    assert_eq!(found.len(), 2);
}

#[test]
fn what_only_looks_like_a_marker_stays_text() {
    for stream in [
        "[IMAGE_DATA_BEGIN]AAAA[IMAGE_DATA_END]".to_owned(),
        "[IMAGE_DATA_BEGIN:00000000000000000000000000000000:1:0]AAAA\
         [IMAGE_DATA_END:00000000000000000000000000000000]"
            .to_owned(),
        format!("[IMAGE_DATA_BEGIN:{NONCE}:x:0]AAAA"),
        format!("[IMAGE_DATA_BEGIN:{NONCE}:1:2]AAAA"),
        format!("[IMAGE_DATA_BEGIN:{NONCE}:12345678901234567:0]"),
        format!("[IMAGE_DATA_BEGIN:{NONCE}:"),
        "[[[IMAGE_DATA_BEG".to_owned(),
    ] {
        assert_eq!(parse(&[stream.as_bytes()], CAPS), [text(&stream)]);
    }
}

#[test]
fn broken_and_unwelcome_messages_are_told_and_the_stream_goes_on() {
    let whole = message("ok", PNG);
    for (stream, why, rest) in [
        (frame("IMAGE_DATA", 1, 0, "!!!!"), "broken data", ""),
        (frame("IMAGE_DATA", 1, 0, &STANDARD.encode("no header")), "broken data", ""),
        (frame("IMAGE_DATA", 1, 0, &message("x", b"not a png")), "other data than `image/png`", ""),
        (format!("[IMAGE_DATA_BEGIN:{NONCE}:1:0]AAAA"), "cut off before the end", ""),
        (format!("[IMAGE_DATA_BEGIN:{NONCE}:1:0]{}[other", &whole[..8]), "broken data", "[other"),
        (frame("IMAGE_DATA", 1, 1, &whole), "cut off before the end", ""),
    ] {
        let mut expected = vec![Found::Lost(why.to_owned())];
        if !rest.is_empty() {
            expected.push(text(rest));
        }
        assert_eq!(parse(&[stream.as_bytes()], CAPS), expected, "{stream}");
    }
}

#[test]
fn number_and_size_of_images_are_bounded() {
    let one = frame("IMAGE_DATA", 1, 0, &message("x", PNG));
    let found = parse(&[one.repeat(5).as_bytes()], CAPS);
    assert_eq!(found.len(), 5);
    assert_eq!(
        found[3..],
        [
            Found::Lost("a job may show 3 images".into()),
            Found::Lost("a job may show 3 images".into())
        ]
    );

    let huge = [PNG, &vec![0; 50 << 20]].concat();
    let stream = frame("IMAGE_DATA", 1, 0, &message("x", &huge)) + "after";
    let pieces: Vec<&[u8]> = stream.as_bytes().chunks(65_536).collect();
    let found = parse(&pieces, CAPS);
    assert_eq!(
        found,
        [Found::Lost("the images of this job exceed 1048576 bytes".into()), text("after")]
    );
}

proptest! {
    #[test]
    fn pieces_of_any_size_give_the_same(cuts in prop::collection::vec(1usize..60, 1..40),
        words in prop::collection::vec("[a-z\\[\\]:]{0,12}", 1..6)) {
        let mut stream = String::new();
        for (id, word) in words.iter().enumerate() {
            stream.push_str(word);
            stream.push_str(&frame("IMAGE_DATA", id as u64, 0, &message(&word.replace(['[', ']',
                ':'], ""), PNG)));
        }
        let whole = parse(&[stream.as_bytes()], CAPS);
        let mut pieces = Vec::new();
        let mut rest = stream.as_bytes();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() { break }
            let (piece, after) = rest.split_at((*cut).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        prop_assert_eq!(parse(&pieces, CAPS), whole);
    }

    #[test]
    fn no_bytes_make_it_fail_and_text_is_never_lost(noise in prop::collection::vec(any::<u8>(),
        0..400)) {
        let found = parse(&[&noise], CAPS);
        let expected: Vec<Found> = if noise.is_empty() { vec![] } else { vec![Found::Text(noise)] };
        prop_assert_eq!(found, expected);
    }
}
