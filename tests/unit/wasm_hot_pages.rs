//! Unit tests of `src/wasm/hot_pages.rs`, whose child this module is.

use super::{page_size, runs, written_pages};

#[test]
fn neighbours_make_one_run() {
    assert!(runs(&[]).is_empty());
    assert_eq!(runs(&[0, 1, 2, 5, 7, 8]), [0..3, 5..6, 7..9]);
}

#[test]
fn pages_that_were_written_are_told_from_those_that_were_not() {
    // Fresh memory, and writes far enough apart for the largest pages that the kernel may use.
    const FAR: usize = 16 << 20;
    let mut bytes = vec![0_u8; 4 * FAR];
    let start = bytes.as_ptr().align_offset(page_size());
    let memory = &mut bytes[start..start + 3 * FAR];
    memory[0] = 1;
    memory[2 * FAR + 1] = 1;
    let written = written_pages(memory).unwrap_or_default();
    let seen = [0, 1, 2].map(|at| written.contains(&(at * FAR / page_size())));
    assert_eq!(seen, [true, false, true]);
}
