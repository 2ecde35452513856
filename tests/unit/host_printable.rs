//! Unit tests of `src/host/printable.rs`, whose child this module is.

use super::{printable, printable_json, printable_lines, printable_within};
use std::borrow::Cow;

#[test]
fn plain_text_is_not_copied() {
    assert!(matches!(printable("plot 1.png"), Cow::Borrowed("plot 1.png")));
    assert!(matches!(printable_lines("a\n\tb"), Cow::Borrowed("a\n\tb")));
}

#[test]
fn what_moves_hides_or_turns_is_shown() {
    let cases = [
        ("a\x1b[2J\x1b]0;x\x07b", r"a\x1b[2J\x1b]0;x\x07b"),
        ("x\n[image 1: 9x9 PNG]\ry\t", r"x\n[image 1: 9x9 PNG]\ry\t"),
        ("a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}", r"a\u2028b\u2029c\x85d\x0be\x0c"),
        (
            "\u{202e}gnp.exe\u{2066}\u{2069}\u{200f}\u{61c}",
            r"\u202egnp.exe\u2066\u2069\u200f\u061c",
        ),
        ("a\u{200b}b\u{feff}c\u{ad}d\u{3164}", r"a\u200bb\ufeffc\xadd\u3164"),
        ("\u{e0041}\u{e0100}\u{9b}\u{7f}\0", r"\U000e0041\U000e0100\x9b\x7f\x00"),
    ];
    for (text, shown) in cases {
        assert_eq!(printable(text), shown);
    }
}

#[test]
fn names_of_people_stay() {
    for name in [
        "Größe.csv",
        "图表.png",
        "می\u{200c}خواهم",
        "👩\u{200d}💻.txt",
        "❤\u{fe0f}\u{200d}🔥",
        "1\u{fe0f}\u{20e3}",
        "क\u{94d}\u{200d}ष",
        "C:\\x1b",
    ] {
        assert_eq!(printable(name), name);
    }
}

#[test]
fn joiners_carry_nothing_of_their_own() {
    assert_eq!(printable("a\u{200d}b"), r"a\u200db");
    assert_eq!(printable("é\u{200d}\u{200c}\u{200d}"), "é\u{200d}\\u200c\\u200d");
    assert_eq!(printable("é\u{fe0f}\u{fe0e}\u{fe0f}"), "é\u{fe0f}\\ufe0e\\ufe0f");
    assert_eq!(printable("\u{fe0f}"), r"\ufe0f");
}

#[test]
fn lines_stay_lines() {
    assert_eq!(printable_lines("a\n\tb\r\n\x1bc"), "a\n\tb\\r\n\\x1bc");
}

#[test]
fn what_is_left_out_is_counted() {
    assert_eq!(printable_within("12345", 5), "12345");
    assert_eq!(printable_within("123456", 5), "12345... (1 more character)");
    assert_eq!(printable_within("é\n\n\n", 3), "é\\n... (4 more characters)");
    let long = "x".repeat(1 << 20);
    assert_eq!(printable_within(&long, 2), "xx... (1048574 more characters)");
    assert_eq!(printable_within(&long, 0), "... (1048576 more characters)");
}

#[test]
fn json_stays_json() {
    let hidden = "\u{7f}\u{9b}\u{202e}\u{e0041}é";
    let line = serde_json::json!({ "a": hidden }).to_string();
    let shown = printable_json(&line);
    assert_eq!(shown, r#"{"a":"\u007f\u009b\u202e\udb40\udc41é"}"#);
    let value: serde_json::Value = serde_json::from_str(&shown).unwrap_or_default();
    assert_eq!(value["a"], hidden);
}
