//! Unit tests of `src/vfs/content.rs`, whose child this module is.

#![expect(clippy::unwrap_used, reason = "a test that cannot write fails")]

use super::{CHUNK, Content};

#[test]
fn a_hole_costs_nothing_and_reads_as_zeros() {
    let mut content = Content::default();
    content.set_len(5 << 30);
    assert!(content.chunks.is_empty());
    content.write((5 << 30) - 1, b"x").unwrap();
    assert_eq!(content.chunks.iter().map(Vec::capacity).sum::<usize>(), CHUNK);
    let mut tail = [9; 4];
    assert_eq!(content.read((5 << 30) - 3, &mut tail), 3);
    assert_eq!(tail, [0, 0, b'x', 9]);
}

#[test]
fn what_was_cut_off_does_not_come_back() {
    let mut content = Content::default();
    content.write(0, &vec![7; 3 * CHUNK]).unwrap();
    content.set_len(CHUNK as u64 + 1);
    content.set_len(2 * CHUNK as u64);
    let mut all = vec![9; 3 * CHUNK];
    assert_eq!(content.read(0, &mut all), 2 * CHUNK);
    assert!(all[..=CHUNK].iter().all(|byte| *byte == 7));
    assert!(all[CHUNK + 1..2 * CHUNK].iter().all(|byte| *byte == 0));
}
