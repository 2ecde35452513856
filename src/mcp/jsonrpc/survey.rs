//! What a text of JSON would cost, and whose answer it waits for: one pass over its bytes, before
//! any memory is taken for it.

use serde_json::Value;

/// What one pass over a text found. In a text that is not JSON it means as much as the text does.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Values and keys: each costs some 70 bytes when it is built, however short its text.
    pub(super) parts: usize,
    /// The member `id` of the outermost object, if it is of a form that an id may have.
    pub(super) id: Option<Value>,
}

/// Counts what is in `text`, and looks for the id of the message in it.
pub(super) fn survey(text: &[u8]) -> Survey {
    let mut found = Survey::default();
    let (mut at, mut depth, mut in_word) = (0, 0_usize, false);
    while let Some(byte) = text.get(at) {
        let mut next = at + 1;
        let delimits = matches!(byte, b'"' | b'{' | b'[' | b'}' | b']' | b',' | b':')
            || byte.is_ascii_whitespace();
        match byte {
            b'"' => {
                next = end_of_string(text, at);
                found.parts += 1;
                if depth == 1 && &text[at..next] == b"\"id\"" {
                    found.id = found.id.or_else(|| scalar_after_colon(&text[next..]));
                }
            }
            b'{' | b'[' => (depth, found.parts) = (depth + 1, found.parts + 1),
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ if delimits || in_word => {}
            // A number, `true`, `false` or `null` begins.
            _ => found.parts += 1,
        }
        in_word = !delimits;
        at = next;
    }
    found
}

/// Where the string ends that begins at `start`; the end of the text if it does not.
fn end_of_string(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(length) = text[at..].iter().position(|byte| matches!(byte, b'"' | b'\\')) {
        at += length + 1;
        if text[at - 1] == b'"' {
            return at;
        }
        // Whatever is escaped ends no string.
        at = (at + 1).min(text.len());
    }
    text.len()
}

fn scalar_after_colon(rest: &[u8]) -> Option<Value> {
    let value = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = if value.first() == Some(&b'"') {
        end_of_string(value, 0)
    } else {
        // A number that the text ends with may have lost digits.
        value.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'-')?
    };
    serde_json::from_slice(value.get(..end.min(super::MAX_ID + 2))?).ok().filter(super::is_id)
}
