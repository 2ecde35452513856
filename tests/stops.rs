//! What is hard to stop, and is stopped: instructions that no compiler would write, long calls of
//! the host, and jobs that change the runtime.

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

/// A call of the host is charged for its bytes, and ends with its job's time.
#[test]
fn calls_of_the_host_end_with_their_job() {
    let mut client = Client::start(&[]);
    client.run("1");
    let writes = "import os\nfd = os.open('b', os.O_RDWR | os.O_CREAT)\nb = bytearray(63 << 20)\n";
    for code in [
        &format!(
            "{writes}from collections import deque\nfrom itertools import repeat\n\
             while True: deque(map(os.pwrite, repeat(fd), repeat(b), repeat(0)), maxlen=0)"
        ),
        &format!(
            "{writes}os.pwrite(fd, b, 0)\nfrom collections import deque\n\
             from itertools import repeat\n\
             while True: deque(map(os.pread, repeat(fd), repeat(63 << 20), repeat(0)), maxlen=0)"
        ),
        "import os\nwhile True: os.urandom(1 << 29)",
        "import os\nos.mkdir('a')\nwhile True: os.stat('a/../' * 800)",
        "import os\nfrom itertools import repeat\nfrom collections import deque\n\
         for i in range(1900): open(str(i), 'w').close()\n\
         while True: deque(map(os.listdir, repeat('.')), maxlen=0)",
    ] {
        let started = Instant::now();
        let answer = client.call(json!({ "code": code, "timeout": 1, "runtime": "wasm" }));
        assert_eq!(answer.meta("limit")["name"], "wall", "{code}: {}", answer.text);
        assert!(started.elapsed() < Duration::from_secs(6), "{code}: {:?}", started.elapsed());
    }
}

/// The attempt in the WASI runtime and the run in the native one share one time limit.
#[test]
fn a_rerun_has_the_time_that_is_left() {
    let mut client = Client::start(&[]);
    client.run("import numpy");
    let started = Instant::now();
    let code = "import time\nbegan = time.time()\nwhile time.time() - began < 4.5: pass\n\
                __import__('num' + 'py')\ntime.sleep(100)";
    let answer = client.call(json!({ "code": code, "timeout": 5 }));
    assert_eq!(answer.meta("limit")["name"], "wall", "{}", answer.text);
    assert_eq!(answer.meta("runtime"), "native");
    assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    assert!(answer.meta("limit")["used"].as_u64() >= Some(5_000));
}
