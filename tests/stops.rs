//! Instructions that no compiler would write: the WASI runtime stops them too.

use crate::support::{Client, program};
use serde_json::json;
use std::time::{Duration, Instant};

/// Far more than a stop takes, far less than a job that is not stopped.
const SOON: Duration = Duration::from_secs(15);

const AT_RANDOM: &str = include_str!("programs/random_instructions.py");

/// Whatever random instructions do to the interpreter, its loop cannot keep the host waiting. Most
/// crash it.
#[test]
fn random_instructions_come_to_an_end() {
    let mut client = Client::start(&[]);
    let mut stopped = 0;
    for seed in 0..60 {
        let started = Instant::now();
        let code = program::set(AT_RANDOM, "SEED", seed);
        let answer = client.call(json!({ "code": code, "timeout": 0.2, "runtime": "wasm" }));
        assert!(started.elapsed() < SOON, "{seed}: {}", answer.text);
        stopped += i32::from(answer.meta("exit") == "limit");
    }
    // Loops without a way out are among them.
    assert!(stopped > 0);
    assert_eq!(client.run("print('alive')").ok(), "alive");
}
