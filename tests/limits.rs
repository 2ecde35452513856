//! Programs that try to take everything, in both runtimes: each ends with the right name, while
//! another call is answered in its usual time.

use crate::support::processes::resident;
use crate::support::{Answer, Client};
use serde_json::json;
use std::time::{Duration, Instant};

/// A call that waits for nobody takes milliseconds; this is far less than waiting for the bomb
/// would take.
const USUAL: Duration = Duration::from_secs(3);
const MEBIBYTE: u64 = 1 << 20;

/// How a bomb must end.
#[derive(Clone, Copy)]
enum Ends {
    /// By this limit.
    Limit(&'static str),
    /// By this exception, the text of which holds this.
    Exception(&'static str, &'static str),
}

use Ends::{Exception, Limit};

struct Bomb {
    code: &'static str,
    wasm: &'static [Ends],
    native: &'static [Ends],
}

const NO_MEMORY: &[Ends] = &[Limit("memory")];

/// Where more than one end is right, the machine's speed decides which limit is met first.
const BOMBS: &[Bomb] = &[
    Bomb { code: "x = bytearray(10**10)", wasm: &[Limit("memory")], native: NO_MEMORY },
    Bomb { code: "x = 'a' * 10**12", wasm: &[Limit("memory")], native: NO_MEMORY },
    Bomb {
        code: "x = []\nwhile True: x.append(bytes(10**6))",
        wasm: &[Limit("memory")],
        native: NO_MEMORY,
    },
    Bomb { code: "10 ** 10 ** 8", wasm: &[Limit("wall"), Limit("fuel")], native: &[Limit("wall")] },
    Bomb {
        code: "import re\nre.match('(a+)+$', 'a' * 50 + 'b')",
        wasm: &[Limit("wall"), Limit("fuel")],
        native: &[Limit("wall")],
    },
    Bomb {
        code: "for i in range(10_000_000): print('line', i)",
        wasm: &[Limit("stdout"), Limit("wall")],
        native: &[Limit("stdout"), Limit("wall")],
    },
    Bomb {
        code: "import sys\nfor _ in range(1024): sys.stderr.write('x' * (1 << 20))",
        wasm: &[Limit("stderr")],
        native: &[Limit("stderr")],
    },
    Bomb {
        code: "for i in range(10**6): open(f'f{i}', 'w').close()",
        wasm: &[Exception("OSError", "[Errno 51] No space left on device: 'f")],
        native: &[Limit("file-count")],
    },
    Bomb {
        code: "open('sparse', 'wb').truncate(5 << 30)",
        wasm: &[Exception("OSError", "File too large")],
        native: &[Exception("OSError", "File too large")],
    },
    Bomb {
        code: include_str!("programs/zip_bomb.py"),
        wasm: &[
            Exception("OSError", "File too large"),
            Exception("OSError", "No space left on device"),
            Limit("wall"),
        ],
        native: &[Exception("OSError", "File too large"), Limit("files"), Limit("wall")],
    },
    Bomb {
        code: "import json\njson.loads('[' * 10**6)",
        wasm: &[Exception("RecursionError", "maximum recursion depth exceeded")],
        native: &[Exception("RecursionError", "maximum recursion depth exceeded")],
    },
];

fn matches(answer: &Answer, ends: Ends) -> bool {
    match ends {
        Limit(name) => answer.meta("limit")["name"] == name,
        Exception(kind, text) => {
            let error = answer.meta("error");
            error["type"] == kind
                && error["message"].as_str().is_some_and(|message| message.contains(text))
        }
    }
}

/// Runs a bomb, and small calls beside it until it is over; gives its answer and the longest of the
/// small ones.
fn explode(client: &mut Client, code: &str, runtime: &str) -> (Answer, Duration) {
    let bomb = client.send_call(json!({ "code": code, "runtime": runtime, "timeout": 8 }));
    let mut slowest = Duration::ZERO;
    loop {
        let begun = Instant::now();
        let small = client.send_call(json!({ "code": "print(6 * 7)" }));
        let mut ended = None;
        loop {
            let message = client.receive();
            if message["id"] == bomb {
                ended = Some(Answer::of(&message));
            } else {
                assert_eq!(message["id"], small);
                assert_eq!(Answer::of(&message).ok(), "42");
                break;
            }
        }
        slowest = slowest.max(begun.elapsed());
        if let Some(answer) = ended {
            return (answer, slowest);
        }
    }
}

fn all_bombs(runtime: &str) {
    let mut client = Client::start(&[]);
    for bomb in BOMBS {
        let (answer, slowest) = explode(&mut client, bomb.code, runtime);
        let right = if runtime == "wasm" { bomb.wasm } else { bomb.native };
        assert!(
            right.iter().any(|ends| matches(&answer, *ends)),
            "{runtime}: {}\n{answer:?}",
            bomb.code
        );
        assert!(slowest < USUAL, "{runtime}: beside {:?} a call took {slowest:?}", bomb.code);
        assert_eq!(answer.meta("runtime"), runtime);
    }
}

#[test]
fn bombs_end_in_the_guest() {
    all_bombs("wasm");
}

#[test]
fn bombs_end_in_the_native_runtime() {
    all_bombs("native");
}

#[test]
fn sixty_four_jobs_at_once_are_all_right_and_none_starves() {
    let mut client = Client::start(&["--native", "off", "--concurrency", "64"]);
    client.run("print('warm')").ok();
    let before = resident(client.pid());
    let code =
        |n: usize| format!("total = 0\nfor i in range(300_000): total += i\nprint(total + {n})");
    let begun = Instant::now();
    let ids: Vec<i64> = (0..64).map(|n| client.send_call(json!({ "code": code(n) }))).collect();
    let mut times = Vec::new();
    for _ in 0..64 {
        let message = client.receive();
        let n = ids.iter().position(|id| message["id"] == *id).expect("one of ours");
        assert_eq!(Answer::of(&message).ok(), (299_999 * 150_000 + n).to_string());
        times.push(begun.elapsed());
    }
    times.sort();
    let (median, longest) = (times[31], times[63]);
    println!("64 at once: median {median:?}, longest {longest:?}");
    assert!(longest <= median * 3, "median {median:?}, longest {longest:?}");
    // Threads end a while after their last job, and what they freed is given back.
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let now = resident(client.pid());
        if now < before + 8 * MEBIBYTE {
            println!("resident before {} KiB, after {} KiB", before >> 10, now >> 10);
            return;
        }
        assert!(Instant::now() < until, "resident before {before}, still {now}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_request_is_taken_up_to_its_limit() {
    let mut client = Client::start(&["--native", "off", "--limit-request", "1"]);
    let line = |length: usize| {
        let message = |code: &str| {
            json!({ "jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {
                "name": "run_python", "arguments": { "code": code } } })
            .to_string()
        };
        let rest = message("").len() + "print('ran')#".len();
        let line = message(&format!("print('ran')#{}", "x".repeat(length - rest)));
        assert_eq!(line.len(), length);
        line
    };
    client.raw(line(1 << 20).as_bytes());
    let answer = client.receive();
    assert_eq!((answer["id"].clone(), Answer::of(&answer).ok()), (json!(77), "ran"));
    client.raw(line((1 << 20) + 1).as_bytes());
    let refused = client.receive();
    let why = "the message is longer than 1048576 bytes; send it in parts: the files of a \
        session stay; the operator can \
               raise `--limit-request`";
    assert_eq!(
        refused,
        json!({ "jsonrpc": "2.0", "id": 77, "error": { "code": -32600, "message": why } })
    );
    assert_eq!(client.run("print(1)").ok(), "1");
}

#[test]
fn more_than_may_run_wait_and_more_than_may_wait_are_refused_at_once() {
    let mut client = Client::start(&[
        "--native",
        "off",
        "--concurrency",
        "1",
        "--queue",
        "1",
        "--background",
        "0",
    ]);
    let code = "import time\ntime.sleep(1)\nprint('done')";
    let ids: Vec<i64> = (0..3).map(|_| client.send_call(json!({ "code": code }))).collect();
    let first = client.receive();
    let refused = ids.iter().position(|id| first["id"] == *id).expect("one of ours");
    assert_eq!(
        Answer::of(&first).failed(),
        "the server is busy: jobs that run: 1, that wait: 1; try again in a moment"
    );
    for _ in 0..2 {
        let message = client.receive();
        assert_ne!(message["id"], ids[refused]);
        assert_eq!(Answer::of(&message).ok(), "done");
    }
}
