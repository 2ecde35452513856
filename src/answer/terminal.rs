//! What a terminal would show of a program's output, as plain text: progress bars in their final
//! state, no colours. And what of it a real terminal may get: [`for_terminal`].
//!
//! `vte` reads the escape sequences. The screen is ours: `vt100` has a fixed width and forgets what
//! scrolls away, here a row is as long as it was printed, and every row is kept.

use crate::output::escape_invalid;
use std::collections::HashMap;
use std::fmt::Write as _;
use vte::{Params, Parser, Perform};

/// The text that a terminal would have been left with. `\r`, `\b` and the cursor movements of
/// ECMA-48 rewrite what they go back to, erased text is gone, colours and other sequences are
/// dropped, and so are control characters that JSON or a client could stumble over. What would have
/// been scrolled away or cleared with the whole screen stays. The result is never longer than
/// `text`, and the time is linear in it.
pub fn as_terminal(text: &str) -> String {
    if !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t') {
        return text.to_owned();
    }
    let mut screen = Screen { rows: vec![Vec::new()], ..Screen::default() };
    Parser::new().advance(&mut screen, text.as_bytes());
    screen.text()
}

/// Rows of characters and the position of the next one.
#[derive(Default)]
struct Screen {
    /// Each character with the number of erasures before it was written.
    rows: Vec<Vec<(char, u32)>>,
    row: usize,
    column: usize,
    /// Erasures of the beginning of a row, so far.
    erasures: u32,
    /// Those of each row: the column that ends it, and its number. Only the newest that reaches a
    /// column counts, so the columns fall. Blanks are written once, in [`Self::text`]: a long row
    /// can be erased again and again.
    erased: HashMap<usize, Vec<(usize, u32)>>,
}

impl Screen {
    fn line(&mut self) -> &mut Vec<(char, u32)> {
        &mut self.rows[self.row]
    }

    fn line_feed(&mut self) {
        self.row += 1;
        self.column = 0;
        if self.row == self.rows.len() {
            self.rows.push(Vec::new());
        }
    }

    fn erase_in_line(&mut self, part: u16) {
        let column = self.column;
        match part {
            0 => self.line().truncate(column),
            1 => {
                self.erasures += 1;
                let row = self.erased.entry(self.row).or_default();
                while row.pop_if(|(end, _)| *end <= column + 1).is_some() {}
                row.push((column + 1, self.erasures));
            }
            2 => self.line().clear(),
            _ => {}
        }
    }

    fn text(mut self) -> String {
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            let mut erased = self.erased.remove(&index).unwrap_or_default();
            for (column, &(c, written)) in row.iter().enumerate() {
                while erased.pop_if(|(end, _)| *end <= column).is_some() {}
                let blank = erased.last().is_some_and(|&(_, number)| number > written);
                text.push(if blank { ' ' } else { c });
            }
        }
        text
    }
}

impl Perform for Screen {
    fn print(&mut self, c: char) {
        if c.is_control() && c != '\t' {
            return;
        }
        let cell = (c, self.erasures);
        // Beyond the end of a row there is nothing to keep the distance from: a movement costs no
        // memory.
        let column = self.column.min(self.line().len());
        match self.line().get_mut(column) {
            Some(old) => *old = cell,
            None => self.line().push(cell),
        }
        self.column = column + 1;
    }

    fn execute(&mut self, control: u8) {
        match control {
            b'\n' => self.line_feed(),
            b'\r' => self.column = 0,
            b'\t' => self.print('\t'),
            0x08 => self.column = self.column.saturating_sub(1),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, _: &[u8], _: bool, command: char) {
        let given = params.iter().next().and_then(|first| first.first()).copied().unwrap_or(0);
        let count = usize::from(given.max(1));
        match command {
            'A' | 'F' => self.row = self.row.saturating_sub(count),
            'B' | 'E' => self.row = self.row.saturating_add(count).min(self.rows.len() - 1),
            'C' => self.column = self.column.saturating_add(count),
            'D' => self.column = self.column.saturating_sub(count),
            'G' => self.column = count - 1,
            'K' => self.erase_in_line(given),
            'J' if given == 0 => {
                self.erase_in_line(0);
                self.rows.truncate(self.row + 1);
            }
            _ => {}
        }
        if matches!(command, 'E' | 'F') {
            self.column = 0;
        }
    }
}

/// What of a program's output a real terminal may get: text, `\r`, `\b`, colours, and what stays in
/// the line (ECMA-48 `SGR`, `EL`, `CUF`, `CUB`, `CHA`). Everything else could write to the
/// clipboard, make the terminal type an answer, or paint over what others wrote.
pub fn for_terminal(output: &[u8]) -> String {
    let text = escape_invalid(output);
    if !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t') {
        return text;
    }
    let mut passed = Passed::default();
    Parser::new().advance(&mut passed, text.as_bytes());
    if passed.styled {
        passed.text.push_str("\x1b[0m");
    }
    passed.text
}

#[derive(Default)]
struct Passed {
    text: String,
    /// Whether colours may be set.
    styled: bool,
}

impl Perform for Passed {
    fn print(&mut self, c: char) {
        if !c.is_control() {
            self.text.push(c);
        }
    }

    fn execute(&mut self, control: u8) {
        if matches!(control, b'\n' | b'\r' | b'\t' | 0x08) {
            self.text.push(char::from(control));
        }
    }

    fn csi_dispatch(&mut self, params: &Params, middle: &[u8], ignore: bool, command: char) {
        if ignore || !middle.is_empty() || !matches!(command, 'm' | 'K' | 'C' | 'D' | 'G') {
            return;
        }
        self.styled |= command == 'm';
        let number = |numbers: &[u16]| {
            let numbers: Vec<String> = numbers.iter().map(u16::to_string).collect();
            numbers.join(":")
        };
        let params: Vec<String> = params.iter().map(number).collect();
        // Writing to a string cannot fail.
        let _ = write!(self.text, "\x1b[{}{command}", params.join(";"));
    }
}
