//! An answer as the lines of a case file: `| text`, or a directive without its `#: `.

use super::Answer;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The lines of an answer to a call that asked for `runtime`, with the keys of `_meta` that
/// `expected` has.
pub fn lines(answer: &Answer, runtime: &str, expected: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let ends = ends(answer);
    if ends != "ok" {
        lines.push(format!("ends {ends}"));
    }
    let ran = answer.meta("runtime").as_str().unwrap_or_default();
    if !ran.is_empty() && ran != runtime {
        let reason = answer.meta("reason").as_str().unwrap_or_default();
        lines.push(format!("ran {ran} because {reason}"));
    }
    for rest in expected.iter().filter_map(|line| line.strip_prefix("meta ")) {
        let key = rest.split(' ').next().unwrap_or_default();
        lines.push(format!("meta {key} {}", answer.meta(key)));
    }
    if !answer.images.is_empty() {
        let sizes: Vec<String> = answer.images.iter().map(size).collect();
        lines.push(format!("images {}", sizes.join(", ")));
    }
    let text = steady(answer);
    let text = text.split('\n');
    lines.extend(text.map(|line| if line.is_empty() { "|".into() } else { format!("| {line}") }));
    lines
}

/// How the job ended, in the words of `#: ends`.
fn ends(answer: &Answer) -> String {
    let (exit, limit) = (answer.meta("exit").as_str(), answer.meta("limit"));
    assert_eq!(answer.is_error, exit != Some("ok"), "{answer:?}");
    match exit {
        Some("exception") => {
            format!("exception {}", answer.meta("error")["type"].as_str().unwrap_or_default())
        }
        Some("exit") => format!("exit {}", answer.meta("exitCode")),
        Some("limit") => {
            format!("limit {} {}", limit["name"].as_str().unwrap_or_default(), limit["limit"])
        }
        Some(other) => other.to_owned(),
        None => "refused".to_owned(),
    }
}

/// `WIDTHxHEIGHT FORMAT` of an image that is what its MIME type says.
fn size((mime, data): &(String, String)) -> String {
    let bytes = STANDARD.decode(data).expect("base64");
    let format = image::guess_format(&bytes).expect("an image");
    assert_eq!(format.to_mime_type(), mime);
    let picture = image::load_from_memory(&bytes).expect("an image");
    format!("{}x{} {}", picture.width(), picture.height(), mime.trim_start_matches("image/"))
}

/// The text of an answer with handles as `<handle>`.
fn steady(answer: &Answer) -> String {
    let mut text = answer.text.clone();
    let whole = answer.meta("wholeOutput").as_str().unwrap_or_default();
    let kept = whole.strip_prefix("sandbox://").and_then(|rest| rest.split('/').next());
    for handle in answer.meta("session").as_str().into_iter().chain(kept) {
        assert!(handle.len() == 32 && handle.bytes().all(|b| b.is_ascii_hexdigit()), "{handle}");
        text = text.replace(handle, "<handle>");
    }
    text
}

/// Whether `text` is `pattern`, in which `<n>` stands for a number and `<...>` for any part of a
/// line.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (number, part) = (pattern.find("<n>"), pattern.find("<...>"));
    let Some(at) = number.into_iter().chain(part).min() else { return pattern == text };
    let Some(rest) = text.strip_prefix(&pattern[..at]) else { return false };
    if Some(at) == number {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let digits = rest[..end].trim_end_matches('.').len();
        return digits > 0 && matches(&pattern[at + "<n>".len()..], &rest[digits..]);
    }
    let line = rest.find('\n').unwrap_or(rest.len());
    let after = &pattern[at + "<...>".len()..];
    (0..=line).any(|end| rest.is_char_boundary(end) && matches(after, &rest[end..]))
}

/// What is between the first and the last line that differ: `-` was expected, `+` came.
pub fn changes(expected: &[String], shown: &[String]) -> Vec<String> {
    let same = |(expected, shown): &(&String, &String)| matches(expected, shown);
    let start = expected.iter().zip(shown).take_while(same).count();
    let (expected, shown) = (&expected[start..], &shown[start..]);
    let end = expected.iter().rev().zip(shown.iter().rev()).take_while(same).count();
    let minus = expected[..expected.len() - end].iter().map(|line| format!("- {line}"));
    minus.chain(shown[..shown.len() - end].iter().map(|line| format!("+ {line}"))).collect()
}
