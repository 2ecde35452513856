//! Bounded text and what a terminal would have shown.

use mcp_python_sandbox::testing::{HeadTail, escape_invalid};
use mcp_python_sandbox::testing::{as_terminal, for_terminal};
use proptest::prelude::*;
use std::time::{Duration, Instant};

#[test]
fn head_and_tail_are_kept_and_the_middle_is_counted() {
    let mut text = HeadTail::new(8);
    text.push(b"0123456789");
    text.push(b"ab");
    assert_eq!(
        (text.head(), text.tail().as_slice(), text.omitted(), text.total()),
        (&b"0123"[..], &b"89ab"[..], 4, 12)
    );
    assert_eq!(text.slice(2, 9), b"238");
    assert_eq!(text.slice(5, 7), b"");
}

#[test]
fn a_terminal_shows_the_last_state() {
    for (printed, shown) in [
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("abc\rX", "Xbc"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("\u{1b}[1;31mred\u{1b}[0m text", "red text"),
        ("\u{1b}]0;title\u{7}body", "body"),
        ("\u{1b}]8;;http://x\u{1b}\\link", "link"),
        ("a\u{1b}[", "a"),
        ("a\u{1b}", "a"),
        ("bell\u{7} tab\tnul\u{0}", "bell tab\tnul"),
        ("a long line\r\u{1b}[Kshort", "short"),
        ("abc\u{8}\u{8}X", "aXc"),
        ("12/20 ====\u{8}\u{8}\u{8}\u{8}done\n", "12/20 done\n"),
        ("first\nsecond\n\u{1b}[2Aone\u{1b}[K\n\u{1b}[2Ktwo\n", "one\ntwo\n"),
        ("one\ntwo\nthree\u{1b}[1F\u{1b}[Jend", "one\nend"),
        ("abc\u{1b}[1Gx\u{1b}[9999999999Cy\u{1b}[2D!", "xb!y"),
        ("kept\n\u{1b}[2J\u{1b}[Hnew", "kept\nnew"),
        ("abcdef\u{1b}[3D\u{1b}[1KX", "   Xef"),
        ("abcdef\u{1b}[1K\u{1b}[4D\u{1b}[1Kx\u{1b}[2K!", "!"),
        ("\u{1b}(Bplain", "plain"),
    ] {
        assert_eq!(as_terminal(printed), shown, "{printed:?}");
    }
}

#[test]
fn a_row_that_is_erased_often_takes_linear_time() {
    let printed = format!("{}{}", "x".repeat(1_800_000), "\u{1b}[1K".repeat(450_000));
    let started = Instant::now();
    assert!(as_terminal(&printed).bytes().all(|byte| byte == b' '));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_real_terminal_gets_colours_and_nothing_that_acts() {
    for (printed, passed) in [
        ("plain \u{202e}text\n", "plain \u{202e}text\n"),
        ("\u{1b}[1;31mred\u{1b}[0m", "\u{1b}[1;31mred\u{1b}[0m\u{1b}[0m"),
        ("\u{1b}[38:2::9:9:9mx", "\u{1b}[38:2:0:9:9:9mx\u{1b}[0m"),
        ("10%\r\u{1b}[K20%\u{8}!", "10%\r\u{1b}[0K20%\u{8}!"),
        ("\u{1b}]52;c;Zm9v\u{7}clip", "clip"),
        ("\u{1b}]0;title\u{1b}\\body\u{7}", "body"),
        ("a\u{1b}[6n\u{1b}[c\u{1b}[?1049h\u{1b}[2J\u{1b}[H\u{1b}[5A\u{1b}[>4;2mb", "ab"),
        ("a\u{1b}P+q544e\u{1b}\\b\u{1b}c\u{9b}6nc\u{90}d", "ab6ncd"),
        ("\u{1b}]52;c;never ended", ""),
    ] {
        assert_eq!(for_terminal(printed.as_bytes()), passed, "{printed:?}");
    }
    assert_eq!(for_terminal(b"\x9b6n\xff"), "\\x9b6n\\xff");
}

#[test]
fn bytes_that_are_no_text_are_shown_escaped() {
    assert_eq!(escape_invalid(b"a\xff\xc3\xa9\xed\xa0\xbd"), "a\\xffé\\xed\\xa0\\xbd");
}

proptest! {
    #[test]
    fn any_cut_keeps_the_same_head_tail_and_count(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
        capacity in 0usize..64,
    ) {
        let whole: Vec<u8> = pieces.concat();
        let mut text = HeadTail::new(capacity);
        for piece in &pieces {
            text.push(piece);
        }
        let half = capacity / 2;
        let head = &whole[..half.min(whole.len())];
        let tail = &whole[head.len()..];
        let tail = &tail[tail.len().saturating_sub(half)..];
        prop_assert_eq!(text.head(), head);
        prop_assert_eq!(text.tail(), tail);
        prop_assert_eq!(text.omitted(), (whole.len() - head.len() - tail.len()) as u64);
        prop_assert_eq!(text.slice(0, whole.len() as u64), [head, tail].concat());
    }

    #[test]
    fn terminal_text_holds_no_control_characters(printed in any::<String>()) {
        prop_assert!(as_terminal(&printed).chars().all(|c| c == '\n' || c ==
            '\t' || !c.is_control()));
    }

    #[test]
    fn terminal_text_is_never_longer_than_what_was_printed(
        printed in "([a-z\\n\\r\\x08]|\\x1b\\[[0-9]{0,4}[A-GJKm]){0,40}",
    ) {
        prop_assert!(as_terminal(&printed).len() <= printed.len());
    }
}
