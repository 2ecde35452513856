//! Python files that run on both runtimes and carry their expectation.
//!
//! Lines `# | text` at the end of a file are the whole text of the answer; `# fails` says that it is an error. A first line
//! `# only: wasm` or `# only: native` names the one runtime that can run it. The file itself, comments included, is the
//! code that is sent, so that line numbers in tracebacks are those of the file.

use crate::support::Client;
use serde_json::json;
use std::path::Path;

struct Case {
    name: String,
    code: String,
    expected: String,
    fails: bool,
    runtimes: Vec<&'static str>,
}

impl Case {
    fn read(path: &Path) -> Self {
        let code = std::fs::read_to_string(path).expect("the case can be read");
        let expected: Vec<&str> =
            code.lines().filter_map(|line| line.strip_prefix("# |")).collect();
        assert!(!expected.is_empty(), "{} expects nothing", path.display());
        let expected: Vec<&str> =
            expected.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        let runtimes = match code.lines().next() {
            Some("# only: wasm") => vec!["wasm"],
            Some("# only: native") => vec!["native"],
            _ => vec!["wasm", "native"],
        };
        Self {
            name: path.file_stem().expect("a file").to_string_lossy().into_owned(),
            expected: expected.join("\n"),
            fails: code.lines().any(|line| line == "# fails"),
            runtimes,
            code,
        }
    }
}

#[test]
fn every_case_gives_its_text_in_each_runtime() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 10, "only {} cases", paths.len());
    let mut client = Client::start(&[]);
    let mut wrong = Vec::new();
    for case in paths.iter().map(|path| Case::read(path)) {
        for runtime in &case.runtimes {
            let answer = client.call(json!({ "code": case.code, "runtime": runtime }));
            if answer.text != case.expected || answer.is_error != case.fails {
                wrong.push(format!(
                    "{} in {runtime}:\n{}\n--- expected:\n{}\n",
                    case.name, answer.text, case.expected
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
