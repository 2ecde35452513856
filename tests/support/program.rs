//! Programs of tests that stand in `tests/programs`.

use std::fmt::Display;

/// `program` with `value` for `name`, in the place of its line `name = 0`.
pub fn set(program: &str, name: &str, value: impl Display) -> String {
    let line = format!("{name} = 0\n");
    assert!(program.contains(&line), "the program has no line `{name} = 0`");
    program.replacen(&line, &format!("{name} = {value}\n"), 1)
}
