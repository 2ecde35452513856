//! Sessions through the real server: what lives on, what does not, and that nobody finds what is another's.

use crate::support::http::{HttpClient, HttpServer};
use crate::support::{Answer, Client};
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::Duration;

/// Begins a session with `code`; gives the handle.
fn begin(client: &mut Client, code: &str) -> String {
    let answer = client.call(json!({ "code": code, "session": "new" }));
    answer.ok();
    handle(&answer)
}

fn handle(answer: &Answer) -> String {
    answer.meta("session").as_str().expect("a handle").to_owned()
}

fn go_on(client: &mut Client, session: &str, code: &str) -> Answer {
    client.call(json!({ "code": code, "session": session }))
}

/// The text without the line that names the session.
fn printed(answer: &Answer) -> String {
    let lines: Vec<&str> =
        answer.text.lines().filter(|line| !line.starts_with("[session ")).collect();
    lines.join("\n")
}

fn reset(client: &mut Client, session: &str) -> Answer {
    client.tool("reset_session", json!({ "session": session }))
}

#[test]
fn variables_imports_functions_and_files_live_on() {
    let mut client = Client::start(&["--native", "off"]);
    let first = client.call(json!({
        "session": "new",
        "code": "import math\nx = [1, 2]\ndef f(n):\n    return n / 0\nopen('a.txt', 'w').write('one')\nprint(len(x))",
    }));
    let session = handle(&first);
    assert_eq!(session.len(), 32);
    assert!(session.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')), "{session}");
    let last = format!(
        "[session {session}: pass it as `session` to go on; it ends after 30 min without a call]"
    );
    assert_eq!(first.ok(), format!("2\n[files written: a.txt (3 bytes)]\n{last}"));

    let second =
        go_on(&mut client, &session, "x.append(math.floor(2.5))\nprint(x, open('a.txt').read())");
    assert_eq!(second.ok(), format!("[1, 2, 2] one\n[session {session}]"));
    assert_eq!(second.meta("session"), session.as_str());

    // A function of an earlier call is told from the code of this one, with its own source lines.
    let third = go_on(&mut client, &session, "f(1)");
    assert_eq!(
        third.failed(),
        format!(
            "Traceback (most recent call last):\n  File \"call-3.py\", line 1, in <module>\n    f(1)\n    ~^^^\n  \
             File \"call-1.py\", line 4, in f\n    return n / 0\n           ~~^~~\nZeroDivisionError: division by zero\n\
             [session {session}]"
        )
    );
    // An exception costs nothing that was there, and neither does leaving.
    assert_eq!(
        printed(&go_on(&mut client, &session, "import sys\nsys.exit(3)")),
        "[the program left with exit code 3]"
    );
    assert_eq!(printed(&go_on(&mut client, &session, "x[-1]")), "2");
    // Outside of the session there is nothing of it.
    assert_eq!(client.run("import os\nprint('x' in globals(), os.listdir())").ok(), "False []");
}

#[test]
fn only_new_and_changed_files_are_named_and_given_ones_are_there() {
    let mut client = Client::start(&["--native", "off"]);
    let first = client.call(json!({
        "session": "new", "files": [{ "path": "in/data.csv", "text": "a,b\n1,2\n" }],
        "code": "print(open('in/data.csv').read(), end='')\nopen('out.txt', 'w').write('12345')",
    }));
    let session = handle(&first);
    assert_eq!(printed(&first), "a,b\n1,2\n5\n[files written: out.txt (5 bytes)]");
    assert_eq!(printed(&go_on(&mut client, &session, "print(1)")), "1");
    let changed = go_on(
        &mut client,
        &session,
        "import os\nopen('out.txt', 'a').write('6')\nos.rename('in/data.csv', 'b.csv')",
    );
    assert_eq!(printed(&changed), "[files written: b.csv (8 bytes), out.txt (6 bytes)]");
    let given = client.call(json!({
        "session": session.as_str(), "files": [{ "path": "b.csv", "text": "new" }],
        "code": "print(open('b.csv').read(), sorted(os.listdir()))",
    }));
    assert_eq!(printed(&given), "new ['b.csv', 'in', 'out.txt']");
}

#[test]
fn handles_that_open_nothing_get_the_same_words() {
    let mut client = Client::start(&["--native", "off", "--session-idle", "0.5"]);
    let expired = begin(&mut client, "x = 1");
    let mut other = Client::start(&["--native", "off"]);
    let foreign = begin(&mut other, "x = 1");
    sleep(Duration::from_millis(700));
    let made_up =
        ["0123456789abcdef0123456789abcdef", "", "new ", "../../etc/passwd", &"f".repeat(10_000)];
    let mut words: Vec<String> = Vec::new();
    for session in made_up.into_iter().chain([expired.as_str(), foreign.as_str()]) {
        words.push(go_on(&mut client, session, "print(x)").failed().to_owned());
        words.push(reset(&mut client, session).failed().to_owned());
    }
    let expected = "there is no session with this handle: it has ended, had to make room for others, or never was; \
                    pass `session: \"new\"` to begin one";
    assert_eq!(words, vec![expected; 14]);
    assert_eq!(printed(&go_on(&mut other, &foreign, "print(x)")), "1");
}

#[test]
fn the_session_unused_longest_makes_room_and_that_is_said() {
    let mut client = Client::start(&["--native", "off", "--sessions", "2"]);
    let first = begin(&mut client, "x = 1");
    let second = begin(&mut client, "x = 2");
    assert_eq!(printed(&go_on(&mut client, &first, "print(x)")), "1");
    let third = client.call(json!({ "code": "print(3)", "session": "new" }));
    assert_eq!(printed(&third), "3\n[sessions ended to make room: 1]");
    assert!(go_on(&mut client, &second, "print(x)").failed().starts_with("there is no session"));
    assert_eq!(printed(&go_on(&mut client, &first, "print(x)")), "1");
}

#[test]
fn a_life_ends_although_it_is_used() {
    let mut client = Client::start(&["--native", "off", "--session-life", "1"]);
    let session = begin(&mut client, "x = 1");
    for _ in 0..4 {
        sleep(Duration::from_millis(300));
        go_on(&mut client, &session, "x += 1");
    }
    assert!(go_on(&mut client, &session, "print(x)").failed().starts_with("there is no session"));
}

#[test]
fn sessions_can_be_off() {
    let mut client = Client::start(&["--native", "off", "--sessions", "0"]);
    let answer = client.call(json!({ "code": "1", "session": "new" }));
    assert_eq!(answer.failed(), "sessions are off: the server was started with `--sessions 0`");
    assert_eq!(client.run("print(1)").ok(), "1");
}

#[test]
fn a_reset_session_is_empty_and_its_handle_good() {
    let mut client = Client::start(&["--native", "off"]);
    let session = begin(&mut client, "x = 1\nopen('a', 'w').write('a')");
    assert_eq!(reset(&mut client, &session).ok(), "the session is empty");
    let answer = go_on(&mut client, &session, "import os\nprint('x' in globals(), os.listdir())");
    assert!(answer.ok().starts_with("False []\n"), "{}", answer.text);
}

#[test]
fn calls_of_a_session_run_one_at_a_time_in_order() {
    let mut client = Client::start(&["--native", "off"]);
    let session = begin(&mut client, "import time\nseen = []");
    let code = |n: usize| format!("seen.append({n})\ntime.sleep(0.2)\nseen.append({n})");
    let ids: Vec<i64> = (0..8)
        .map(|n| client.send_call(json!({ "code": code(n), "session": session.as_str() })))
        .collect();
    // Meanwhile others are not held up.
    let free = client.send_call(json!({ "code": "print('free')" }));
    let mut answered: Vec<i64> =
        (0..9).map(|_| client.receive()["id"].as_i64().unwrap_or_default()).collect();
    assert_ne!(answered[8], free);
    // The jobs have an order; answers that are ready at the same moment may take the pipe in any.
    answered.sort_unstable();
    assert_eq!(answered, ids.into_iter().chain([free]).collect::<Vec<_>>());
    let expected: Vec<usize> = (0..8).flat_map(|n| [n, n]).collect();
    assert_eq!(printed(&go_on(&mut client, &session, "print(seen)")), format!("{expected:?}"));
}

#[test]
fn a_deadline_keeps_the_variables_and_a_forced_stop_says_that_it_does_not() {
    let mut client = Client::start(&["--native", "off"]);
    let session = begin(&mut client, "x = 41\nopen('kept.txt', 'w').write('k')");
    let slow = client.call(
        json!({ "code": "x += 1\nwhile True: pass", "session": session.as_str(), "timeout": 0.5 }),
    );
    assert_eq!(slow.meta("limit")["name"], "wall");
    assert_eq!(slow.meta("sessionLost"), false);
    assert_eq!(printed(&go_on(&mut client, &session, "print(x)")), "42");

    let stubborn =
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass";
    let stubborn =
        client.call(json!({ "code": stubborn, "session": session.as_str(), "timeout": 0.5 }));
    assert_eq!(stubborn.meta("limit")["name"], "wall");
    assert_eq!(stubborn.meta("sessionLost"), true);
    let lost =
        "[the session's variables are gone, because its interpreter ended; its files are kept]";
    assert!(stubborn.failed().contains(lost), "{}", stubborn.text);
    let after = go_on(&mut client, &session, "print('x' in globals(), open('kept.txt').read())");
    assert_eq!(
        printed(&after),
        "False k\n[the variables of earlier calls were gone; the session's files were there]"
    );
}

#[test]
fn a_withdrawn_call_costs_no_variables() {
    let mut client = Client::start(&["--native", "off"]);
    let session = begin(&mut client, "x = 1");
    let id =
        client.send_call(json!({ "code": "x = 2\nwhile True: pass", "session": session.as_str() }));
    sleep(Duration::from_millis(300));
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    assert_eq!(printed(&go_on(&mut client, &session, "print(x)")), "2");
}

#[test]
fn memory_refused_in_a_session_leaves_the_rest() {
    let mut client = Client::start(&["--native", "off", "--limit-memory", "128"]);
    let session = begin(&mut client, "x = 1");
    let hungry = go_on(&mut client, &session, "y = bytearray(10**9)");
    assert_eq!(hungry.meta("limit")["name"], "memory");
    assert_eq!(printed(&go_on(&mut client, &session, "print(x)")), "1");
}

#[test]
fn the_last_byte_of_a_session_can_be_written_and_no_more() {
    let mut client = Client::start(&["--native", "off", "--limit-file-bytes", "1"]);
    let session = begin(&mut client, "open('a', 'wb').write(b'x' * (1 << 19))");
    let code = "import errno\nf = open('b', 'wb', buffering=0)\nprint(f.write(b'y' * (1 << 19)))\n\
                try:\n    f.write(b'z')\nexcept OSError as error:\n    print(errno.errorcode[error.errno])";
    let answer = go_on(&mut client, &session, code);
    assert_eq!(printed(&answer), "524288\nENOSPC\n[files written: b (524288 bytes)]");
}

#[test]
fn a_session_in_the_native_runtime_lives_on_too() {
    let mut client = Client::start(&[]);
    let first = client
        .call(json!({ "session": "new", "code": "import numpy as np\na = np.arange(3)\nopen('f', 'w').write('1')" }));
    let session = handle(&first);
    assert_eq!(first.meta("runtime"), "native");
    let second = go_on(
        &mut client,
        &session,
        "print(a.sum(), open('f').read())\nopen('g', 'w').write('22')",
    );
    assert_eq!(second.meta("runtime"), "native");
    assert_eq!(printed(&second), "3 1\n2\n[files written: g (2 bytes)]");
    let slow = client.call(
        json!({ "code": "a += 1\nwhile True: pass", "session": session.as_str(), "timeout": 0.5 }),
    );
    assert_eq!(slow.meta("limit")["name"], "wall");
    assert_eq!(printed(&go_on(&mut client, &session, "print(a)")), "[1 2 3]");
    let died = go_on(&mut client, &session, "import os\nos._exit(0)");
    assert_eq!(died.meta("sessionLost"), true);
    assert!(go_on(&mut client, &session, "print(open('g').read())").ok().starts_with("22\n"));
}

#[test]
fn a_native_session_draws_and_shows_figures_call_by_call() {
    let mut client = Client::start(&[]);
    let session = begin(&mut client, "import matplotlib.pyplot as plt\nxs = [1, 2, 3]");
    for title in ["one", "two"] {
        let answer = go_on(
            &mut client,
            &session,
            &format!("plt.plot(xs)\nplt.title('{title}')\nplt.show()"),
        );
        assert_eq!(answer.images.len(), 1, "{}", answer.text);
        assert!(answer.ok().contains(&format!("\"{title}\"")), "{}", answer.text);
    }
}

const MIXED: &str = "
import math, functools, enum
from dataclasses import dataclass, field
SCALE = 3
@dataclass
class Point:
    x: int
    y: float = 0.5
    tags: list = field(default_factory=list)
    def norm(self):
        return math.hypot(self.x, self.y) * SCALE
class Colour(enum.Enum):
    RED = 1
@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def adder(k):
    return lambda n: n + k
add5 = adder(5)
shared = [1, 2]
a = {'s': shared}
b = {'s': shared, 'p': Point(3, 4.0, ['q']), 'c': Colour.RED}
gen = (i for i in range(3))
log = open('log.txt', 'w')
log.write('begun')
log.flush()
";

#[test]
fn a_session_moves_to_native_with_what_can_be_saved_and_names_the_rest() {
    let mut client = Client::start(&[]);
    let first = client.call(json!({ "session": "new", "code": MIXED }));
    assert_eq!(first.meta("runtime"), "wasm");
    let session = handle(&first);
    let moved = go_on(
        &mut client,
        &session,
        "import numpy as np\nb['s'].append(3)\nprint(a['s'], b['p'], b['p'].norm(), b['c'] is Colour.RED, fib(30), add5(1), \
         np.sum(shared), open('log.txt').read())",
    );
    assert_eq!(
        moved.ok(),
        format!(
            "[1, 2, 3] Point(x=3, y=4.0, tags=['q']) 15.0 True 832040 6 6 begun\n\
             [the session moved to the native runtime with its variables: `numpy` needs the native runtime]\n\
             [could not come along: gen (cannot pickle 'generator' object); log (cannot pickle 'TextIOWrapper' instances)]\n\
             [session {session}]"
        )
    );
    assert_eq!(moved.meta("runtime"), "native");
    assert_eq!(moved.meta("sessionMoved"), true);
    let after = go_on(&mut client, &session, "print(Point(1), np.ones(2), 'gen' in globals())");
    assert_eq!(printed(&after), "Point(x=1, y=0.5, tags=[]) [1. 1.] False");
}

#[test]
fn code_that_turns_out_to_need_native_is_run_again_over_the_names_it_found() {
    let mut client = Client::start(&[]);
    let session = begin(&mut client, "n = 1");
    let answer = go_on(
        &mut client,
        &session,
        "n += 1\nopen('once', 'a').write('x')\nnp = __import__('numpy')\nprint(n, np.ones(1), open('once').read())",
    );
    assert!(answer.ok().starts_with("2 [1.] x\n"), "{}", answer.text);
    assert!(answer.text.contains("; this code was run again from the start]"), "{}", answer.text);
}

#[test]
fn a_session_moves_when_the_caller_asks_and_never_back() {
    let mut client = Client::start(&[]);
    let session = begin(&mut client, "x = {1, 2}");
    let native = client.call(
        json!({ "code": "import sys\nprint(sys.platform, x)", "session": session.as_str(), "runtime": "native" }),
    );
    assert!(native.ok().starts_with("linux {1, 2}\n"), "{}", native.text);
    let back = client.call(json!({ "code": "1", "session": session.as_str(), "runtime": "wasm" }));
    assert!(
        back.failed().starts_with("this session runs in the native runtime and cannot go back"),
        "{}",
        back.text
    );
}

#[test]
fn threads_of_a_native_session_stand_still_between_its_calls() {
    let mut client = Client::start(&[]);
    let code = "import threading, time\ncount = 0\ndef tick():\n    global count\n    while True:\n        count += 1\n        time.sleep(0.001)\nthreading.Thread(target=tick, daemon=True).start()\ntime.sleep(0.1)\nprint(count > 0)";
    let answer = client.call(json!({ "code": code, "session": "new", "runtime": "native" }));
    let session = handle(&answer);
    assert!(answer.ok().starts_with("True\n"), "{}", answer.text);
    go_on(&mut client, &session, "before = count");
    sleep(Duration::from_millis(500));
    let after = go_on(&mut client, &session, "print(count - before < 250)");
    assert_eq!(printed(&after), "True");
}

/// Calls the tool over HTTP.
fn over_http(client: &HttpClient, arguments: Value) -> Answer {
    client.tool("run_python", arguments)
}

#[test]
fn over_http_a_session_is_of_the_connection_that_began_it() {
    let server = HttpServer::start(&["--native", "off"]);
    let (mine, other) = (server.connect(), server.connect());
    let session = handle(&over_http(
        &mine,
        json!({ "code": "x = 1\nopen('a', 'w').write('a')", "session": "new" }),
    ));
    assert_eq!(printed(&over_http(&mine, json!({ "code": "print(x)", "session": session }))), "1");
    let foreign = over_http(&other, json!({ "code": "print(x)", "session": session }));
    assert!(
        foreign.failed().starts_with("there is no session with this handle"),
        "{}",
        foreign.text
    );
    let names = |client: &HttpClient| {
        let list =
            client.request(8, "resources/list", json!({})).message()["result"]["resources"].clone();
        list.as_array().map(Vec::len)
    };
    assert_eq!((names(&mine), names(&other)), (Some(1), Some(0)));
}

#[test]
fn what_a_connection_began_ends_with_it() {
    let server = HttpServer::start(&["--native", "off", "--concurrency", "2"]);
    let running = || {
        let figures = server.client().get("/metrics").body;
        figures
            .lines()
            .find_map(|line| line.strip_prefix("mcp_python_sandbox_running "))
            .map(str::to_owned)
    };
    let until = |count: &str| {
        let begun = std::time::Instant::now();
        while running().as_deref() != Some(count) {
            assert!(begun.elapsed() < Duration::from_secs(30), "{:?} run, not {count}", running());
            sleep(Duration::from_millis(10));
        }
    };
    let client = server.connect();
    over_http(&client, json!({ "code": "while True: pass", "session": "new", "background": true }));
    until("1");
    assert_eq!(client.send(ureq::http::Method::DELETE, "/mcp", b"").status, 204);
    until("0");
}

#[test]
fn without_connections_a_session_is_of_the_token_that_began_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "ann 0123456789abcdef-ann\nbob 0123456789abcdef-bob\n")
        .expect("written");
    let tokens = tokens.to_str().expect("UTF-8");
    let server =
        HttpServer::start(&["--native", "off", "--http-stateless", "--token-file", tokens]);
    let of = |name: &str| {
        server.client().with("authorization", &format!("Bearer 0123456789abcdef-{name}"))
    };
    let (ann, ann_again, bob) = (of("ann"), of("ann"), of("bob"));
    let session = handle(&over_http(
        &ann,
        json!({ "code": "x = 1\nopen('a', 'w').write('a')", "session": "new" }),
    ));
    assert_eq!(
        printed(&over_http(&ann_again, json!({ "code": "print(x)", "session": session }))),
        "1"
    );
    let foreign = over_http(&bob, json!({ "code": "print(x)", "session": session }));
    assert!(
        foreign.failed().starts_with("there is no session with this handle"),
        "{}",
        foreign.text
    );
    // Behind a token may be many: they are told of nothing, and read what they know.
    let list = ann.request(8, "resources/list", json!({})).message()["result"]["resources"].clone();
    assert_eq!(list, json!([]));
    let uri = format!("sandbox://{session}/a");
    assert_eq!(
        ann.request(9, "resources/read", json!({ "uri": uri })).message()["result"]["contents"][0]
            ["text"],
        "a"
    );
    assert_eq!(
        bob.request(9, "resources/read", json!({ "uri": uri })).message()["error"]["code"],
        -32002
    );
}
