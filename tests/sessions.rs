//! Sessions through the real server: what lives on, what does not, and that nobody finds what is
//! another's.

use crate::support::http::{HttpClient, HttpServer};
use crate::support::{Answer, Client};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;
use tempfile::tempdir;

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
    let expected = "there is no session with this handle: it has ended, had to make room for \
        others, or never was; \
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
fn threads_of_a_native_session_stand_still_between_its_calls() {
    let mut client = Client::start(&[]);
    let code = include_str!("programs/ticking_thread.py");
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
fn over_http_a_session_outlives_its_connection_which_alone_lists_it() {
    let server = HttpServer::start(&["--native", "off"]);
    let (mine, other) = (server.connect(), server.connect());
    let session = handle(&over_http(
        &mine,
        json!({ "code": "x = 1\nopen('a', 'w').write('a')", "session": "new" }),
    ));
    assert_eq!(printed(&over_http(&mine, json!({ "code": "print(x)", "session": session }))), "1");
    let names = |client: &HttpClient| {
        let list =
            client.request(8, "resources/list", json!({})).message()["result"]["resources"].clone();
        list.as_array().map(Vec::len)
    };
    assert_eq!((names(&mine), names(&other)), (Some(1), Some(0)));
    let sleeper = "import time\ntime.sleep(1)\nprint('slept')";
    let job = over_http(&mine, json!({ "code": sleeper, "background": true }));
    let job = job.meta("job").clone();
    assert_eq!(mine.send(ureq::http::Method::DELETE, "/mcp", b"").status, 204);
    let again = server.connect();
    assert_eq!(printed(&over_http(&again, json!({ "code": "print(x)", "session": session }))), "1");
    assert_eq!(again.tool("check_job", json!({ "job": job, "wait": 20 })).ok(), "slept");
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

#[test]
fn a_session_that_cannot_move_keeps_its_variables() {
    let mut client = Client::start(&["--native", "off"]);
    let begun = client.call(json!({ "code": "x = 41", "session": "new" }));
    let session = begun.meta("session").clone();
    let asked = client.call(json!({ "code": "x", "session": session, "runtime": "native" }));
    assert_eq!(asked.failed(), "the native runtime is off: `--native off` was given");
    assert!(client.call(json!({ "code": "x + 1", "session": session })).ok().starts_with("42\n"));
}

/// The file of this name somewhere below `folder`.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find_map(|path| {
        if path.is_dir() { find(&path, name) } else { Some(path).filter(|p| p.ends_with(name)) }
    })
}

#[test]
fn a_move_that_finds_no_place_for_a_file_keeps_the_variables() {
    let (temporary, shared) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
    let mount = format!("{}:/shared", shared.path().display());
    let mut client =
        Client::start_with(&["--mount", &mount], &[("TMPDIR", temporary.path().as_os_str())]);
    let session = begin(&mut client, "kept = 42\nopen('marker', 'w').close()");
    let home = find(temporary.path(), "marker").expect("it is written when its call ends");
    let code = "import importlib, os, time\nwhile not os.path.exists('/shared/go'):\n    \
                time.sleep(0.01)\nimportlib.import_module('numpy')";
    let files = json!([{ "path": "in.txt", "text": "given" }]);
    client.send_call(json!({ "code": code, "session": session, "files": files }));
    // If the guest has not got its file by then, it is the guest that has no place for it.
    sleep(Duration::from_millis(500));
    fs::create_dir(home.with_file_name("in.txt")).expect("in its way");
    fs::write(shared.path().join("go"), "").expect("written");
    let moved = Answer::of(&client.receive());
    assert!(moved.failed().contains("in.txt"), "{}", moved.text);
    assert_eq!(printed(&go_on(&mut client, &session, "print(kept)")), "42");
}
