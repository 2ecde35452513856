//! Text that a job printed, kept within bounds: the beginning, the end, and the number of bytes
//! between them.

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

    /// Bytes that are kept.
    pub(crate) fn kept(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Bytes between head and tail that were not kept.
    pub fn omitted(&self) -> u64 {
        self.total - self.head.len() as u64 - self.tail.len() as u64
    }

    /// Characters kept, if it is UTF-8.
    pub fn characters(&self) -> usize {
        // All but the bytes that continue a character.
        self.head.iter().chain(&self.tail).filter(|&&byte| byte & 0xc0 != 0x80).count()
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
        let clamp = |position: u64, low: u64, high: u64| {
            usize::try_from(position.clamp(low, high) - low).unwrap_or(0)
        };
        let mut bytes = self.head[clamp(from, 0, head_end)..clamp(to, 0, head_end)].to_vec();
        let tail = clamp(from, tail_start, self.total)..clamp(to, tail_start, self.total);
        bytes.extend(self.tail.range(tail));
        bytes
    }
}

/// The first ones of a list that a job can make as long as it likes, and the number of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstFew {
    kept: Vec<String>,
    total: u64,
}

impl FirstFew {
    /// Items that are kept.
    const MAX: usize = 10;

    /// Takes an item, or counts it.
    pub(crate) fn push(&mut self, item: String) {
        if self.kept.len() < Self::MAX {
            self.kept.push(item);
        }
        self.total += 1;
    }

    /// Takes the items of another list.
    pub(crate) fn extend(&mut self, other: Self) {
        let counted = other.total - other.kept.len() as u64;
        other.kept.into_iter().for_each(|item| self.push(item));
        self.total += counted;
    }

    /// Those that were kept.
    pub fn kept(&self) -> &[String] {
        &self.kept
    }

    /// Number of all.
    pub fn total(&self) -> u64 {
        self.total
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
