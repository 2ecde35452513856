//! `run` and the other commands from a shell.

use crate::support::BINARY;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str]) -> Output {
    Command::new(BINARY).args(arguments).stdin(Stdio::null()).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn run_passes_streams_and_exit_code_on() {
    let output = run(&["run", "-c", "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(3)"]);
    assert_eq!((text(&output.stdout), text(&output.stderr), output.status.code()), ("out\n", "err\n", Some(3)));
    let output = run(&["run", "-c", "1 / 0"]);
    assert_eq!(text(&output.stdout), "");
    assert_eq!(
        text(&output.stderr),
        "Traceback (most recent call last):\n  File \"-c\", line 1, in <module>\n    1 / 0\n    ~~^~~\nZeroDivisionError: division by zero\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn run_takes_a_file_with_arguments_and_a_program_from_stdin() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("job.py");
    std::fs::write(&file, "import sys\nprint(sys.argv)\n").expect("written");
    let output = run(&["run", file.to_str().expect("UTF-8"), "--", "a", "-b"]);
    assert_eq!(text(&output.stdout), "['job.py', 'a', '-b']\n");

    let mut child = Command::new(BINARY)
        .args(["run", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("piped").write_all(b"print('from stdin')").expect("written");
    assert_eq!(text(&child.wait_with_output().expect("ends").stdout), "from stdin\n");
}

#[test]
fn run_prints_the_whole_result_as_json() {
    let output = run(&["run", "--json", "-c", "print('x')\n6 * 7"]);
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["text"], "x\n42");
    assert_eq!(result["runtime"], "wasm");
    assert_eq!(result["exit"], "ok");
    assert!(result["fuel"].as_u64().is_some_and(|fuel| fuel > 100_000), "{result}");
}

#[test]
fn mistakes_are_told_with_the_option_to_change() {
    for (arguments, expected) in [
        (&["run", "-c", "1", "--artefact", "/nonexistent"][..], "no usable Python guest at `/nonexistent`"),
        (&["run", "/nonexistent.py"][..], "/nonexistent.py"),
        (&["run", "-c", "1", "--limit-wall=-1"][..], "`--limit-wall` must be a number of seconds above 0, not -1"),
        (&["run", "-c", "1", "--log", "a=b=c"][..], "`--log a=b=c` is no log filter"),
    ] {
        let output = run(arguments);
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
        assert!(!output.status.success(), "{arguments:?}");
        assert_eq!(text(&output.stdout), "");
    }
}

#[test]
fn doctor_says_what_holds_and_fails_where_native_is_off() {
    let output = run(&["doctor"]);
    let said = text(&output.stdout);
    assert!(said.contains("wasm       CPython 3.13.5 on wasi\n"), "{said}");
    assert!(said.contains("\nholds      "), "{said}");
    assert!(!said.contains("\nOPEN"), "{said}");
    assert!(said.ends_with("native:    on (confined)\n"), "{said}");
    assert_eq!(output.status.code(), Some(0));

    let output = run(&["doctor", "--json", "--test-landlock-abi", "0"]);
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(said["native"].as_str().is_some_and(|native| native.starts_with("off: ")), "{said}");
    assert_eq!(said["wasm"]["Ok"], "CPython 3.13.5 on wasi");
    assert_eq!(output.status.code(), Some(1));
}
