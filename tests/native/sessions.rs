//! Sessions whose jobs use the channel between their process and the server: whatever comes over it
//! ends that process at most, and every call is answered in its time.

use crate::support::{Answer, Client};
use serde_json::json;
use std::time::{Duration, Instant};

/// Writes to whatever descriptor is open beside the three streams.
fn spoil(bytes: &str, then: &str) -> String {
    format!(
        "import os, time\nfor fd in range(3, 256):\n    try: os.write(fd, {bytes})\n    \
         except OSError: pass\n{then}"
    )
}

struct Session {
    client: Client,
    handle: String,
}

impl Session {
    fn begin() -> Self {
        let mut client = Client::start(&[]);
        let begun = json!({ "code": "x = 42", "session": "new", "runtime": "native" });
        let answer = client.call(begun);
        answer.ok();
        let handle = answer.meta("session").as_str().expect("a handle").to_owned();
        Self { client, handle }
    }

    /// Runs `code` within 3 s, and says how long the answer took.
    fn run(&mut self, code: &str) -> (Answer, Duration) {
        let begun = Instant::now();
        let call = json!({ "code": code, "session": self.handle, "timeout": 3 });
        (self.client.call(call), begun.elapsed())
    }
}

#[test]
fn what_is_no_answer_ends_the_process_at_once_and_the_next_call_begins_anew() {
    let answers = [
        r"b'\1\0\0\0'",
        "b'D' + bytes(36)",
        "b'B' + bytes(8)",
        "b'R' + b'made up'",
        "b'L'",
        "b'x' * 60000",
        "b'D' + b'0' * 32 + bytes(4)",
    ];
    for bytes in answers {
        let mut session = Session::begin();
        let (answer, took) = session.run(&spoil(bytes, "while True: time.sleep(1)"));
        let why = "ended because it used the channel between its session's process and the server";
        assert!(answer.failed().contains(why), "{bytes}: {}", answer.text);
        assert!(took < Duration::from_millis(2500), "{bytes}: {took:?}");
        // Its request is larger than what a socket holds.
        let code = format!("#{}\nprint('x' in globals())", "x".repeat(600_000));
        assert!(session.run(&code).0.ok().starts_with("False\n"), "{bytes}");
    }
}

#[test]
fn a_channel_that_is_closed_or_never_read_ends_its_call_in_time() {
    let read = "import os\nfor fd in range(190, 256):\n  try:\n    \
                os.set_blocking(fd, False)\n    os.read(fd, 100)\n  except OSError: pass\n";
    let close = "import os\nos.closerange(3, 256)\n";
    for (code, reset) in [(read, true), (close, true), (read, false), (close, false)] {
        let mut session = Session::begin();
        let (_, took) = session.run(code);
        assert!(took < Duration::from_secs(6), "{code}: {took:?}");
        if reset {
            let handle = json!({ "session": session.handle });
            let begun = Instant::now();
            session.client.tool("reset_session", handle).ok();
            assert!(begun.elapsed() < Duration::from_secs(6));
        }
        let code = format!("#{}\nprint('here')", "x".repeat(600_000));
        let (_, took) = session.run(&code);
        assert!(took < Duration::from_secs(6), "{took:?}");
        let (answer, _) = session.run("print('here')");
        assert!(answer.ok().starts_with("here\n"), "{}", answer.text);
    }
}

#[test]
fn what_a_thread_writes_between_two_calls_ends_the_process() {
    let mut session = Session::begin();
    let write = "import os, threading, time\n\
        def write():\n    time.sleep(0.0005)\n    while True:\n        \
        for fd in range(3, 256):\n            try: os.write(fd, b'D')\n            \
        except OSError: pass\nthreading.Thread(target=write, daemon=True).start()";
    session.run(write);
    // It is noticed during a call or before the next one, as soon as the thread has its turn.
    let is_noticed = (0..20).any(|_| {
        let (answer, took) = session.run("print('x' in globals())");
        assert!(took < Duration::from_secs(6), "{took:?}");
        answer.is_error || answer.text.starts_with("False\n")
    });
    assert!(is_noticed);
    let (last, _) = session.run("print('x' in globals())");
    assert!(last.ok().starts_with("False\n"), "{}", last.text);
}

#[test]
fn a_call_that_steals_the_key_ends_itself_and_nothing_else() {
    let mut session = Session::begin();
    let forge = "import os, time\nfor fd in range(190, 256):\n    try: key = os.read(fd, 32)\n    \
                 except OSError: continue\n    if len(key) == 32:\n        \
                 os.write(fd, b'D' + key + bytes(4))\ntime.sleep(60)";
    let (_, took) = session.run(forge);
    assert!(took < Duration::from_millis(2500), "{took:?}");
    let (_, took) = session.run("print(1)");
    assert!(took < Duration::from_secs(6), "{took:?}");
    let (answer, _) = session.run("print('x' in globals())");
    assert!(answer.ok().starts_with("False\n"), "{}", answer.text);
}

#[test]
fn a_file_that_cannot_be_written_costs_no_variables() {
    let mut session = Session::begin();
    session.run("import os\nos.mkdir('f')\nos.close(os.open('g', os.O_CREAT | os.O_WRONLY, 0))");
    for name in ["f", "f/../..", "f/"] {
        let call = json!({ "code": "print(x)", "session": session.handle,
            "files": [{ "path": name, "text": "text" }] });
        let answer = session.client.call(call);
        assert!(answer.is_error, "{name}: {}", answer.text);
        assert!(session.run("print(x)").0.ok().starts_with("42\n"), "{name}");
    }
}
