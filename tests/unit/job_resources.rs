//! Unit tests of `src/job/resources.rs`, whose child this module is.

use super::{Limits, RESOURCES};

#[test]
fn the_document_shows_the_table() {
    let limits = Limits::default();
    let rows = RESOURCES.iter().map(|row| {
        let (name, by, bound) = (row.name, row.enforcers(), (row.bound)(&limits));
        format!("| {name} | {by} | {bound} | {} | {} |\n", row.edge, row.overshoot)
    });
    let table: String = rows.collect();
    let document = include_str!("../../SECURITY.md");
    assert!(document.contains(&table), "SECURITY.md does not hold this table:\n{table}");
}
