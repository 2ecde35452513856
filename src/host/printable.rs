//! Text of jobs and clients that we put into lines of our own: names, titles, notes, addresses, log
//! lines. Whatever it holds, it stays in its line, in its order, and can be seen.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` as it may stand within a line of ours. Line and paragraph ends, control characters
/// (Unicode `Cc`), and characters that nobody sees or that turn the order of others (most of `Cf`,
/// blank letters, tags) are written as Python's `repr` would: `\n`, `\x1b`, `\u202e`. Joiners and
/// variation selectors stay where names need them: one at a time, after a visible character that is
/// not ASCII.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// The same for text of several lines: `\n` and `\t` stay.
pub(crate) fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// [`printable`], and of a text that has more than `max` characters only the first ones, with the
/// number of the others. An escape counts as the characters that are seen.
pub(crate) fn printable_within(text: &str, max: usize) -> Cow<'_, str> {
    // No escape is shorter than what it stands for: what is beyond is never looked at.
    let beginning = text.char_indices().nth(max + 1).map_or(text, |(end, _)| &text[..end]);
    let shown = printable(beginning);
    let Some((end, _)) = shown.char_indices().nth(max) else { return shown };
    let mut kept = shown[..end].to_owned();
    let omitted = shown[end..].chars().count() + text[beginning.len()..].chars().count();
    // Writing to a string cannot fail.
    let _ = write!(kept, "... ({})", amount(omitted as u64, "more character"));
    kept.into()
}

/// How many there are of something, such as `1 byte` and `2 bytes`.
pub(crate) fn amount(count: u64, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// A line of JSON in which strings show what they hold: what [`printable`] escapes is written as
/// JSON does.
pub(crate) fn printable_json(line: &str) -> Cow<'_, str> {
    if line.chars().all(|c| !is_hidden(c)) {
        return line.into();
    }
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, ' '..='~') || stays(c);
    if text.chars().all(is_plain) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut before = Before::Nothing;
    for c in text.chars() {
        if stays(c) || !is_hidden(c) {
            shown.push(c);
            before = match c {
                '0'..='9' | '#' | '*' => Before::Key,
                _ if c.is_ascii() => Before::Nothing,
                _ => Before::Letter,
            };
        } else if is_selector(c) && matches!(before, Before::Key | Before::Letter) {
            shown.push(c);
            before = Before::Selector;
        } else if is_joiner(c) && matches!(before, Before::Letter | Before::Selector) {
            shown.push(c);
            before = Before::Nothing;
        } else {
            push_escape(&mut shown, c);
            before = Before::Nothing;
        }
    }
    shown.into()
}

/// What stands before a character, as far as that decides whether it stays.
enum Before {
    Nothing,
    /// What the emoji of a key begins with.
    Key,
    /// Visible, and not ASCII.
    Letter,
    Selector,
}

/// Whether a character can neither be seen nor stays where it is written.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' // soft hyphen
            | '\u{34f}' // combining grapheme joiner
            | '\u{61c}' // Arabic letter mark
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // blank letters of Hangul
            | '\u{17b4}' | '\u{17b5}' // inherent vowels of Khmer
            | '\u{180b}'..='\u{180f}' // Mongolian selectors and vowel separator
            | '\u{200b}'..='\u{200f}' // zero width; marks of direction
            | '\u{2028}'..='\u{202e}' // line, paragraph, embedding and override
            | '\u{2060}'..='\u{206f}' // word joiner, invisible operators, isolates
            | '\u{fe00}'..='\u{fe0f}' // variation selectors
            | '\u{feff}' // byte order mark
            | '\u{fff0}'..='\u{fffb}' // interlinear annotation
            | '\u{13430}'..='\u{1345f}' // of Egyptian hieroglyphs
            | '\u{1bca0}'..='\u{1bca3}' // of shorthand
            | '\u{1d173}'..='\u{1d17a}' // of music
            | '\u{e0000}'..='\u{e0fff}' // tags, further variation selectors
        )
}

/// Chooses between text and emoji.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Several scripts and emoji need them.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn push_escape(shown: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = match (c, u32::from(c)) {
        ('\n', _) => write!(shown, "\\n"),
        ('\r', _) => write!(shown, "\\r"),
        ('\t', _) => write!(shown, "\\t"),
        (_, code @ 0..=0xff) => write!(shown, "\\x{code:02x}"),
        (_, code @ 0x100..=0xffff) => write!(shown, "\\u{code:04x}"),
        (_, code) => write!(shown, "\\U{code:08x}"),
    };
}

#[cfg(test)]
#[path = "../../tests/unit/host_printable.rs"]
mod tests;
