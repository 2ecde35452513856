//! Several servers behind one router: handles say which of them holds what they stand for.

use crate::support::BINARY;
use crate::support::http::{HttpClient, HttpServer, Reply};
use crate::support::{Answer, nginx};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// What `two` says about everything that `one` holds, whether it is there or not.
const ELSEWHERE: &str = "the server `one` holds this handle, but the call came to `two`: try \
    again, or begin anew without \
                         the handle (for the operator: calls must be sent to the server that \
                         their handle names)";
const NO_SESSION: &str = "there is no session with this handle: it has ended, had to make room \
    for others, or never was; pass \
                          `session: \"new\"` to begin one";
const NO_JOB: &str = "there is no job with this handle: it ended a while ago, or never was";

fn server(name: &str, more: &[&str]) -> HttpServer {
    HttpServer::start(&[&["--native", "off", "--instance", name], more].concat())
}

fn run(client: &HttpClient, arguments: Value) -> Answer {
    client.tool("run_python", arguments)
}

fn text<'a>(answer: &'a Answer, key: &str) -> &'a str {
    answer.meta(key).as_str().expect("a handle")
}

/// `NAME.` and 32 lower-case hexadecimal digits.
fn is_handle_of(name: &str, handle: &str) -> bool {
    let digits = handle.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
    digits.is_some_and(|digits| {
        digits.len() == 32 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    })
}

#[test]
fn a_handle_names_its_server_and_another_one_says_so() {
    let (one, two) = (server("one", &["--http-stateless"]), server("two", &["--http-stateless"]));
    let (one, two) = (one.client(), two.client());
    let begun = run(&one, json!({ "code": "x = 1\nopen('a', 'w').write('a')", "session": "new" }));
    let session = text(&begun, "session").to_owned();
    assert!(is_handle_of("one", &session), "{session}");
    let job = text(&run(&one, json!({ "code": "print(1)", "background": true })), "job").to_owned();
    assert!(is_handle_of("one", &job), "{job}");
    let uri = begun.meta("files")[0]["uri"].clone();
    assert_eq!(uri, format!("sandbox://{session}/a"));

    let again = run(&one, json!({ "code": "print(x)", "session": session }));
    assert!(again.ok().starts_with("1\n"), "{}", again.text);
    assert_eq!(one.tool("check_job", json!({ "job": job, "wait": 20 })).ok(), "1");

    // One that never was says as little as one that is there.
    let made_up = format!("one.{}", "0".repeat(32));
    for handle in [&session, &made_up] {
        assert_eq!(run(&two, json!({ "code": "1", "session": handle })).failed(), ELSEWHERE);
        assert_eq!(two.tool("reset_session", json!({ "session": handle })).failed(), ELSEWHERE);
        for name in ["check_job", "cancel_job"] {
            assert_eq!(two.tool(name, json!({ "job": handle })).failed(), ELSEWHERE);
        }
        let uri = format!("sandbox://{handle}/a");
        let error =
            two.request(8, "resources/read", json!({ "uri": uri })).message()["error"].clone();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32002), &json!(ELSEWHERE)));
    }
    // At home, and where the form is none of ours, nothing is said but that it is not there.
    for handle in [
        made_up.as_str(),
        &"0".repeat(32),
        "two",
        "<b>.00000000000000000000000000000000",
        "one.0",
        &session[4..],
    ] {
        assert_eq!(
            run(&one, json!({ "code": "1", "session": handle })).failed(),
            NO_SESSION,
            "{handle}"
        );
        assert_eq!(one.tool("check_job", json!({ "job": handle })).failed(), NO_JOB, "{handle}");
    }
}

#[test]
fn without_a_name_a_handle_is_bare() {
    let server = HttpServer::start(&["--native", "off", "--http-stateless"]);
    let handle = text(&run(&server.client(), json!({ "code": "1", "session": "new" })), "session")
        .to_owned();
    assert_eq!(handle.len(), 32);
    let foreign = format!("one.{handle}");
    assert_eq!(
        run(&server.client(), json!({ "code": "1", "session": foreign })).failed(),
        NO_SESSION
    );
    let tools = server.client().request(1, "tools/list", json!({})).body;
    assert!(!tools.contains("x-mcp-header"), "{tools}");
}

#[test]
fn a_connection_names_its_server_too() {
    let (one, two) = (server("one", &[]), server("two", &[]));
    let mine = one.connect();
    let id = mine
        .headers
        .iter()
        .find(|(name, _)| name == "mcp-session-id")
        .expect("a connection")
        .1
        .clone();
    assert!(id.starts_with("one."), "{id}");
    assert_eq!(Answer::of(&mine.run(1, "print(1)").message()).ok(), "1");
    let mut astray = mine.clone();
    astray.address.clone_from(&two.address);
    let refused = astray.run(2, "print(2)");
    assert_eq!(refused.status, 404);
    assert_eq!(
        refused.message()["error"]["message"],
        "the server `one` holds this connection, but the request came to `two`: send \
         `initialize` again (for the operator: \
         requests must be sent to the server that `Mcp-Session-Id` names)"
    );
    assert_eq!(mine.send(ureq::http::Method::DELETE, "/mcp", b"").status, 204);
    assert_eq!(mine.run(3, "1").status, 404);
}

#[test]
fn newer_clients_are_told_to_repeat_handles_in_headers() {
    let one = server("one", &["--http-stateless"]);
    let listed = one.client().request(1, "tools/list", json!({})).message();
    let headers: Vec<(&str, &Value)> = listed["result"]["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .flat_map(|tool| {
            ["session", "job"].map(|name| {
                (
                    tool["name"].as_str().unwrap_or_default(),
                    &tool["inputSchema"]["properties"][name]["x-mcp-header"],
                )
            })
        })
        .filter(|(_, header)| !header.is_null())
        .collect();
    let (session, job) = (json!("Session"), json!("Job"));
    assert_eq!(
        headers,
        [
            ("run_python", &session),
            ("reset_session", &session),
            ("check_job", &job),
            ("cancel_job", &job)
        ]
    );
    assert_eq!(call_of_2026(&one.client(), Some("new"), Some("new")).status, 200);
    // A router and we must not read two things.
    for header in [None, Some("other")] {
        let refused = call_of_2026(&one.client(), Some("new"), header);
        assert_eq!(
            (refused.status.as_u16(), &refused.message()["error"]["code"]),
            (400, &json!(-32020))
        );
    }
    assert_eq!(call_of_2026(&one.client(), None, None).status, 200);
}

/// A call as clients of 2026-07-28 make it.
fn call_of_2026(client: &HttpClient, session: Option<&str>, header: Option<&str>) -> Reply {
    let mut client = client
        .with("mcp-protocol-version", "2026-07-28")
        .with("mcp-method", "tools/call")
        .with("mcp-name", "run_python");
    if let Some(header) = header {
        client = client.with("mcp-param-session", header);
    }
    let mut arguments = json!({ "code": "print(1)" });
    if let Some(session) = session {
        arguments["session"] = session.into();
    }
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    client.request(
        1,
        "tools/call",
        json!({ "name": "run_python", "arguments": arguments, "_meta": meta }),
    )
}

#[test]
fn a_name_of_another_form_is_refused() {
    for name in ["", "One", "a.b", "-a", "a-", "a b", "a/b", &"x".repeat(64)] {
        let output = Command::new(BINARY)
            .args(["serve", "--http", "127.0.0.1:0", &format!("--instance={name}")])
            .stdin(Stdio::null())
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{name}");
        let said = String::from_utf8(output.stderr).expect("it is text");
        let why = "a name has 1 to 63 characters out of a-z, 0-9 and -, and neither begins nor \
            ends with -";
        assert!(said.contains(why) || name.is_empty(), "{said}");
    }
}

#[test]
#[ignore = "needs nginx"]
fn the_shipped_nginx_sends_calls_home() {
    let host = "mcp.example.org";
    let servers = ["one", "two"].map(|name| server(name, &["--http-host", host]));
    let front = nginx::Front::start([&servers[0].address, &servers[1].address]);
    let client = || HttpClient::of(&front.address).with("host", host);
    let mut homes = std::collections::HashSet::new();
    for _client in 0..8 {
        // An older client: its connection is at home where `initialize` went.
        let mut older = client();
        older.shake_hands();
        let session =
            text(&run(&older, json!({ "code": "x = 41", "session": "new" })), "session").to_owned();
        homes.insert(session.split('.').next().expect("a name").to_owned());
        for _call in 0..4 {
            let answer = run(&older, json!({ "code": "x += 1\nprint(x)", "session": session }));
            assert!(!answer.is_error, "{}", answer.text);
        }
        // A newer one: each call says where it belongs.
        let begun = call_of_2026(&client(), Some("new"), Some("new")).message();
        let session = text(&Answer::of(&begun), "session").to_owned();
        homes.insert(session.split('.').next().expect("a name").to_owned());
        for _call in 0..4 {
            let answer =
                Answer::of(&call_of_2026(&client(), Some(&session), Some(&session)).message());
            assert!(!answer.is_error, "{}", answer.text);
        }
    }
    assert_eq!(homes.len(), 2, "{homes:?}");
}
