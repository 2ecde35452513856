//! Escapes of surrogates that have no partner: legal JSON (RFC 8259 §8.2) that no Rust string can
//! hold.

/// Replaces `\uD800`-`\uDFFF` escapes that have no partner by `\uFFFD`; `None` if there are none.
pub(super) fn repair_surrogates(text: &str) -> Option<String> {
    let mut repaired = String::with_capacity(text.len());
    let mut changed = false;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        repaired.push_str(&rest[..at]);
        rest = &rest[at..];
        let low_follows =
            || matches!(rest.get(6..).and_then(unicode_escape), Some(0xdc00..=0xdfff));
        let (kept, length) = match unicode_escape(rest) {
            Some(0xd800..=0xdbff) if low_follows() => (true, 12),
            Some(0xd800..=0xdfff) => (false, 6),
            Some(_) => (true, 6),
            None => (true, rest.chars().take(2).map(char::len_utf8).sum()),
        };
        repaired.push_str(if kept { &rest[..length] } else { "\\ufffd" });
        changed |= !kept;
        rest = &rest[length..];
    }
    repaired.push_str(rest);
    changed.then_some(repaired)
}

fn unicode_escape(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    // `from_str_radix` takes a sign as well.
    let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}
