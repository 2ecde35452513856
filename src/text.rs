//! Text that a job printed, kept within bounds: the beginning, the end, and the number of bytes between them.

use std::collections::VecDeque;
use std::fmt::Write as _;

/// Keeps the first and the last half of a byte stream and counts what lay between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadTail {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
}

impl HeadTail {
    /// Keeps at most `capacity` bytes in all.
    pub fn new(capacity: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), half: capacity / 2, total: 0 }
    }

    /// Appends `bytes`.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.half - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.half)..];
        let excess = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..excess);
        self.tail.extend(rest);
    }

    /// Bytes written so far, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Bytes between head and tail that were not kept.
    pub fn omitted(&self) -> u64 {
        self.total - self.head.len() as u64 - self.tail.len() as u64
    }

    /// The first bytes.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes, after [`HeadTail::omitted`] ones.
    pub fn tail(&self) -> Vec<u8> {
        self.tail.iter().copied().collect()
    }

    /// The kept bytes between two positions of the whole stream, `from <= to`.
    pub fn slice(&self, from: u64, to: u64) -> Vec<u8> {
        let head_end = self.head.len() as u64;
        let tail_start = head_end + self.omitted();
        let clamp = |position: u64, low: u64, high: u64| usize::try_from(position.clamp(low, high) - low).unwrap_or(0);
        let mut bytes = self.head[clamp(from, 0, head_end)..clamp(to, 0, head_end)].to_vec();
        let tail = clamp(from, tail_start, self.total)..clamp(to, tail_start, self.total);
        bytes.extend(self.tail.range(tail));
        bytes
    }
}

/// UTF-8 text of what a program printed: bytes that are not UTF-8 are shown as `\xNN`.
pub fn escape_invalid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// What a terminal would show: ANSI sequences removed, lines that `\r` rewrote reduced to their last state, and control
/// characters that JSON or a client could stumble over dropped.
pub fn as_terminal(text: &str) -> String {
    let plain = strip_ansi(text);
    let mut shown = String::with_capacity(plain.len());
    for line in plain.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        let body = body.strip_suffix('\r').unwrap_or(body);
        shown.extend(last_state(body).chars().filter(|&c| c == '\t' || !c.is_control()));
        shown.push_str(end);
    }
    shown
}

/// The final state of a line in which `\r` goes back to its start: later text covers earlier text from the left.
fn last_state(line: &str) -> String {
    if !line.contains('\r') {
        return line.to_owned();
    }
    let mut cells: Vec<char> = Vec::new();
    for pass in line.split('\r') {
        for (column, c) in pass.chars().enumerate() {
            if column < cells.len() { cells[column] = c } else { cells.push(c) }
        }
    }
    cells.into_iter().collect()
}

/// Removes escape sequences of ECMA-48: CSI (`ESC [ … final`), OSC (`ESC ] … BEL` or `ESC \`), and two-character ones.
fn strip_ansi(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        match chars.peek() {
            Some('[') => {
                chars.next();
                while let Some(&next) = chars.peek() {
                    if !matches!(next, ' '..='~') {
                        break;
                    }
                    chars.next();
                    if matches!(next, '@'..='~') {
                        break;
                    }
                }
            }
            Some(']') => {
                chars.next();
                while let Some(next) = chars.next() {
                    if next == '\u{7}' {
                        break;
                    }
                    if next == '\u{1b}' {
                        chars.next_if_eq(&'\\');
                        break;
                    }
                }
            }
            Some(' '..='~') => {
                chars.next();
            }
            _ => {}
        }
    }
    plain
}
