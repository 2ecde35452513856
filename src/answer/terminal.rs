//! What a terminal would show of a program's output, as plain text: progress bars in their final
//! state, no colours.

use std::iter::Peekable;
use std::str::Chars;

/// The text that a terminal would have been left with. `\r`, `\b` and the cursor movements of
/// ECMA-48 rewrite what they go back to, erased text is gone, colours and other sequences are
/// dropped, and so are control characters that JSON or a client could stumble over. What would have
/// been scrolled away or cleared with the whole screen stays; the result is never longer than
/// `text`.
pub fn as_terminal(text: &str) -> String {
    if !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t') {
        return text.to_owned();
    }
    let mut screen = Screen { rows: vec![Vec::new()], row: 0, column: 0 };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => screen.line_feed(),
            '\r' => screen.column = 0,
            '\u{8}' => screen.column = screen.column.saturating_sub(1),
            '\u{1b}' => escape(&mut chars, &mut screen),
            '\t' => screen.put(c),
            c if c.is_control() => {}
            c => screen.put(c),
        }
    }
    let rows: Vec<String> = screen.rows.into_iter().map(|row| row.into_iter().collect()).collect();
    rows.join("\n")
}

/// Rows of characters and the place of the next one.
struct Screen {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Screen {
    fn line(&mut self) -> &mut Vec<char> {
        &mut self.rows[self.row]
    }

    fn put(&mut self, c: char) {
        let column = self.column;
        let line = self.line();
        // Beyond the end of a row there is nothing to keep the distance from: a movement costs no
        // memory.
        let column = column.min(line.len());
        if column < line.len() {
            line[column] = c;
        } else {
            line.push(c);
        }
        self.column = column + 1;
    }

    fn line_feed(&mut self) {
        self.row += 1;
        self.column = 0;
        if self.row == self.rows.len() {
            self.rows.push(Vec::new());
        }
    }

    /// Carries out a CSI sequence that ends with `command`; `given` is its first parameter.
    fn control(&mut self, command: char, given: Option<usize>) {
        let count = given.unwrap_or(1).max(1);
        match command {
            'A' | 'F' => self.row = self.row.saturating_sub(count),
            'B' | 'E' => self.row = self.row.saturating_add(count).min(self.rows.len() - 1),
            'C' => self.column = self.column.saturating_add(count),
            'D' => self.column = self.column.saturating_sub(count),
            'G' => self.column = count - 1,
            'K' => self.erase_in_line(given.unwrap_or(0)),
            'J' if given.unwrap_or(0) == 0 => {
                self.erase_in_line(0);
                self.rows.truncate(self.row + 1);
            }
            _ => {}
        }
        if matches!(command, 'E' | 'F') {
            self.column = 0;
        }
    }

    fn erase_in_line(&mut self, part: usize) {
        let column = self.column;
        let line = self.line();
        match part {
            0 => line.truncate(column),
            1 => line.iter_mut().take(column + 1).for_each(|c| *c = ' '),
            2 => line.clear(),
            _ => {}
        }
    }
}

/// Takes an escape sequence of ECMA-48 after its `ESC`: CSI (`[ … final`), OSC (`] … BEL` or `ESC
/// \`), or one character.
fn escape(chars: &mut Peekable<Chars<'_>>, screen: &mut Screen) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            let mut parameter = String::new();
            while let Some(c) = chars.next_if(|c| matches!(c, ' '..='~')) {
                if matches!(c, '@'..='~') {
                    screen.control(
                        c,
                        parameter.split(';').next().and_then(|first| first.parse().ok()),
                    );
                    return;
                }
                parameter.push(c);
            }
        }
        Some(']') => {
            chars.next();
            while let Some(c) = chars.next() {
                if c == '\u{7}' {
                    return;
                }
                if c == '\u{1b}' {
                    chars.next_if_eq(&'\\');
                    return;
                }
            }
        }
        Some(' '..='~') => {
            chars.next();
        }
        _ => {}
    }
}
