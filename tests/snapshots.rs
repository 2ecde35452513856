//! The whole text of the answers to typical jobs, so that a change of wording is seen: `tests/snapshots/NAME.py` is a
//! job, `NAME.snap` its answer in both runtimes. After an intended change, `INSTA_UPDATE=always` writes them anew.
//!
//! A first line `# only: wasm` or `# only: native` names the one runtime that can run a job, `# timeout: N` its time limit
//! in seconds.

use crate::support::{Answer, Client};
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

#[test]
fn typical_jobs_answer_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .expect("the jobs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 30, "only {} jobs", paths.len());
    let mut client = Client::start(&[]);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut changed = Vec::new();
    for path in paths {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let code = std::fs::read_to_string(&path).expect("the job can be read");
        let shown = shown_in_each_runtime(&mut client, &code);
        let check = || settings.bind(|| insta::assert_snapshot!(name.as_str(), shown));
        if catch_unwind(AssertUnwindSafe(check)).is_err() {
            changed.push(name);
        }
    }
    assert!(changed.is_empty(), "answers have changed: {}", changed.join(", "));
}

/// The answers of both runtimes, once if they are the same.
fn shown_in_each_runtime(client: &mut Client, code: &str) -> String {
    let runtimes = match code.lines().next() {
        Some("# only: wasm") => &["wasm"][..],
        Some("# only: native") => &["native"],
        _ => &["wasm", "native"],
    };
    let timeout = code
        .lines()
        .find_map(|line| line.strip_prefix("# timeout: ")?.parse::<u32>().ok())
        .unwrap_or(30);
    let mut answers = runtimes.iter().map(|runtime| {
        let answer = client.call(json!({ "code": code, "runtime": runtime, "timeout": timeout }));
        (*runtime, shown(&answer))
    });
    let (first, text) = answers.next().expect("a runtime");
    match answers.next() {
        None => format!("({first})\n{text}"),
        Some((_, same)) if same == text => format!("(both)\n{text}"),
        Some((second, other)) => format!("({first})\n{text}\n\n({second})\n{other}"),
    }
}

/// An answer's text and what goes with it, without what differs from run to run.
fn shown(answer: &Answer) -> String {
    let mut text = steady(&answer.text);
    if answer.is_error {
        text.push_str("\n<is an error>");
    }
    for (mime, _) in &answer.images {
        text += "\n<";
        text += mime;
        text += ">";
    }
    text
}

/// `text` with numbers of bytes, seconds and MiB, addresses and handles replaced by `N`, and without the place of the library.
fn steady(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let mut parts: Vec<String> =
            line.split(' ').map(|part| without_place(part).to_owned()).collect();
        for at in 0..parts.len() {
            let next = parts.get(at + 1).map_or("", String::as_str);
            let measured =
                next.starts_with("bytes") || (next == "of" && line.contains("limit reached"));
            if measured {
                let digits = parts[at].trim_start_matches('(');
                if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
                    parts[at] = parts[at].replace(digits, "N");
                }
            }
            if let Some(start) = parts[at].find("0x") {
                let end = parts[at][start + 2..]
                    .find(|c: char| !c.is_ascii_hexdigit())
                    .map_or(parts[at].len(), |n| start + 2 + n);
                parts[at].replace_range(start + 2..end, "N");
            }
            if let Some(start) = parts[at].find("sandbox://") {
                let handle = start + "sandbox://".len();
                let end = parts[at][handle..].find('/').map_or(parts[at].len(), |n| handle + n);
                parts[at].replace_range(handle..end, "N");
            }
        }
        words.push(parts.join(" "));
    }
    words.join("\n")
}

/// What follows the folder of Python's library in a path.
fn without_place(part: &str) -> &str {
    let start = ["/lib/python3.13/", "/lib/python313/"]
        .iter()
        .find_map(|folder| Some(part.find(folder)? + folder.len()));
    start.map_or(part, |start| &part[start..])
}
