//! The guest's fuel, and an operator's packages.

use crate::support::Client;
use serde_json::{Value, json};
use std::fs;

#[test]
fn packages_of_the_operator_can_be_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("mine")).expect("a package");
    fs::write(folder.path().join("mine/__init__.py"), "answer = 42\n").expect("its file");
    let option = folder.path().to_str().expect("UTF-8").to_owned();
    let mut client = Client::start(&["--packages", &option]);
    let answer = client.run("import mine\nprint(mine.answer)");
    assert_eq!((answer.ok(), answer.meta("runtime")), ("42", &json!("wasm")));
    let refused = client.run("open('/packages/mine/x', 'w')");
    assert!(
        refused.failed().contains("OSError: [Errno 69] Read-only file system"),
        "{}",
        refused.text
    );
}

/// Fuel of one more round of a loop around `body`: what a job costs beside it cancels out.
fn fuel_of_a_round(client: &mut Client, body: &str) -> u64 {
    const ROUNDS: u64 = 1000;
    let mut used = |rounds: u64| {
        let code = format!("def work(n):\n    for i in range(n):\n        {body}\nwork({rounds})");
        let answer = client.run(&code);
        answer.ok();
        answer.meta("fuel").as_u64().expect("the fuel that it used")
    };
    // Both beyond the point where Python has specialised the loop, and with as many digits.
    (used(4 * ROUNDS) - used(2 * ROUNDS)) / (2 * ROUNDS)
}

/// A slower guest is noticed here, without a stopwatch: fuel counts the work below Python's own
/// instructions, whatever else the machine does.
#[test]
fn python_costs_no_more_instructions_than_it_did() {
    let mut client = Client::start(&[]);
    for (body, most) in FUEL_OF_A_ROUND {
        let fuel = fuel_of_a_round(&mut client, body);
        assert!(
            fuel <= most && fuel * 10 >= most * 7,
            "`{body}` takes {fuel}; noted is at most {most}"
        );
    }
}

/// Measured with the toolchain of `pins.toml`, and 5 % more.
const FUEL_OF_A_ROUND: [(&str, u64); 6] = [
    ("pass", 84),
    ("x = i + 1", 126),
    ("x = [i, i]", 252),
    ("x = str(i)", 539),
    ("x = {i: i}", 399),
    ("x = len(range(i))", 454),
];

#[test]
fn fuel_repeats_to_the_instruction() {
    let mut client = Client::start(&[]);
    let code = "import json, re\nprint(len(json.dumps([{'a': i} for i in range(100)])), \
        re.sub('a+', 'b', 'caat'))";
    let used: Vec<Value> = (0..3).map(|_| client.run(code).meta("fuel").clone()).collect();
    assert!(used[0].as_u64().is_some_and(|fuel| fuel > 0), "{used:?}");
    assert_eq!(used, vec![used[0].clone(); 3]);
}
