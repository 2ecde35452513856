//! The text of an answer while it is put together, and its final size. Whatever stands in it passes
//! here: what was printed is bounded already, and everything else is bounded and escaped here.

use crate::host::{amount, printable_lines, printable_within};

/// Characters of one line of ours; names in it are shortened before.
const MAX_LINE: usize = 6_000;
/// Longest traceback that an answer carries, in bytes; a deep recursion repeats itself.
const MAX_LINES: usize = 16 << 10;
/// Lines of one list.
const MAX_ITEMS: usize = 25;

/// Text that knows whether it stands at the start of a line.
#[derive(Debug, Default)]
pub(super) struct Text(String);

impl Text {
    /// A line of ours. Nothing in it begins another one.
    pub(super) fn line(&mut self, line: &str) {
        self.on_lines_of_its_own(&printable_within(line, MAX_LINE));
    }

    /// Lines that the job's Python wrote, such as a traceback: their beginning and their end.
    pub(super) fn lines(&mut self, lines: &str) {
        self.on_lines_of_its_own(shorten(lines).trim_end_matches('\n'));
    }

    /// A line of ours for each item, of which there are `total`; those of a long list are counted.
    pub(super) fn list<T>(&mut self, items: &[T], total: u64, line: impl Fn(&T) -> String) {
        let shown = items.len().min(MAX_ITEMS);
        for item in &items[..shown] {
            self.line(&line(item));
        }
        let more = total.saturating_sub(shown as u64);
        if more > 0 {
            self.line(&format!("[... and {more} more of these]"));
        }
    }

    /// What the job printed, as it stands.
    pub(super) fn printed(&mut self, text: &str) {
        self.0.push_str(text);
    }

    pub(super) fn finish(mut self, if_empty: &str) -> String {
        self.0.truncate(self.0.trim_end_matches('\n').len());
        if self.0.trim().is_empty() { if_empty.to_owned() } else { self.0 }
    }

    fn on_lines_of_its_own(&mut self, lines: &str) {
        if !self.0.is_empty() && !self.0.ends_with('\n') {
            self.0.push('\n');
        }
        self.0.push_str(lines);
        self.0.push('\n');
    }
}

/// Beginning and end of a text that may be megabytes long, without what moves a cursor.
pub(super) fn shorten(text: &str) -> String {
    if text.len() <= MAX_LINES {
        return printable_lines(text).into_owned();
    }
    let head = text.floor_char_boundary(MAX_LINES / 2);
    let tail = text.ceil_char_boundary(text.len() - MAX_LINES / 2);
    let [first, last] = [&text[..head], &text[tail..]].map(printable_lines);
    format!("{first}\n[... {} omitted ...]\n{last}", amount((tail - head) as u64, "byte"))
}
