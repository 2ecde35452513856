//! Python programs that carry what they must answer: `tests/cases`, whose README describes them.
//!
//! `UPDATE_CASES=1` writes what is answered into the files.

use crate::support::Client;
use crate::support::answer_lines::matches;
use crate::support::case::Case;
use std::env::var_os;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

macro_rules! folders {
    ($($folder:ident,)+) => {
        $(
            #[test]
            fn $folder() {
                check(stringify!($folder));
            }
        )+

        /// A folder without a test would prove nothing.
        #[test]
        fn every_folder_has_a_test() {
            let mut folders = entries(&cases());
            folders.retain(|path| path.is_dir());
            folders.sort();
            assert_eq!(folders, [$(cases().join(stringify!($folder))),+]);
        }
    };
}

folders! {
    errors,
    figures,
    files,
    hints,
    interpreter,
    limits,
    native,
    packages,
    routing,
    session,
    standard_library,
    text,
    workers,
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of cases");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// Runs the cases of a folder; those with the same options share a server.
fn check(folder: &str) {
    let mut cases: Vec<(PathBuf, Case)> = entries(&cases().join(folder))
        .into_iter()
        .map(|path| match Case::read(&path) {
            Ok(case) => (path, case),
            Err(why) => panic!("{}: {why}", path.display()),
        })
        .collect();
    cases.sort_by(|(path, case), (other_path, other)| {
        (&case.options, path).cmp(&(&other.options, other_path))
    });
    let mut server: Option<(&[String], Client)> = None;
    let mut wrong = Vec::new();
    for (path, case) in &cases {
        let (_, client) = match server.take() {
            Some((options, client)) if options == case.options => server.insert((options, client)),
            _ => {
                let options: Vec<&str> = case.options.iter().map(String::as_str).collect();
                server.insert((&case.options, Client::start(&options)))
            }
        };
        let run = || {
            if var_os("UPDATE_CASES").is_some() {
                case.update(client);
                Vec::new()
            } else {
                case.run(client)
            }
        };
        if let Ok(differences) = catch_unwind(AssertUnwindSafe(run)) {
            wrong.extend(differences);
        } else {
            wrong.push(format!("{}: no answer to look at, see above\n", path.display()));
            server = None;
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_no_case_is_refused() {
    for (text, why) in [
        ("#: imgaes 2", "unknown directive: #: imgaes 2"),
        ("#:images 2", "misspelt directive: #:images 2"),
        ("#| text", "misspelt directive: #| text"),
        ("#  | text", "misspelt directive: #  | text"),
        ("# --- calls", "misspelt directive: # --- calls"),
        ("#: runtime wsam", "wrong value: #: runtime wsam"),
        ("#: session new", "wrong value: #: session new"),
        ("# --- call\n#: session", "not in the first call: #: session"),
        ("#: runtime wasm\n#: in native\n# | 1", "the case does not run in `native`"),
        ("# | 1\nprint(1)", "nothing but the next call may follow what is expected: print(1)"),
        ("# | 1\n#: session", "nothing but the next call may follow what is expected: #: session"),
        (
            "#: arguments 1",
            "#: arguments 1: invalid type: integer `1`, expected a map at line 1 column 1",
        ),
    ] {
        assert_eq!(Case::parse(text).expect_err(text), why);
    }
}

#[test]
fn a_wrong_answer_is_shown_line_by_line() {
    let text = "#: runtime wasm\nprint('a\\nb\\nc')\n#: images 1x1 png\n\
                # | a\n# | d\n# | c\n# --- call\n7\n";
    let differences =
        Case::parse(text).expect("a case").run(&mut Client::start(&["--native", "off"]));
    let expected = [
        " in wasm, call 1:\n- images 1x1 png\n- | a\n- | d\n+ | a\n+ | b\n",
        " in wasm, call 2:\n+ | 7\n",
    ];
    assert_eq!(differences, expected);
}

#[test]
fn placeholders_stand_for_a_number_or_a_part_of_a_line() {
    for (pattern, text, expected) in [
        ("a <n> b", "a 1.5 b", true),
        ("a <n> b", "a x b", false),
        ("a <n> b", "a  b", false),
        ("<n> of <n>.", "10 of 2.", true),
        ("<n>", "10 ", false),
        ("a", "ab", false),
        ("a <...> d\ne", "a b c d\ne", true),
        ("<...>\n<n>", "é\n1", true),
        ("a <...> d", "a b\nc d", false),
        ("a <...>", "a b\nc", false),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
    }
}
