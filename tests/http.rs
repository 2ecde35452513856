//! The server over HTTP: sessions, stateless requests, who may call, how much, and leaving without
//! losing a call.

use crate::support::http::{HttpClient, HttpServer, metric, wait_until, wait_until_running};
use crate::support::{Answer, BINARY};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use ureq::http::Method;

/// What a sleeping job prints, so that a test can see that it was not cut short.
const SLEEPER: &str = "import time\ntime.sleep(1.5)\nprint('slept')";

#[test]
fn a_session_is_opened_used_and_closed() {
    let server = HttpServer::start(&[]);
    let client = server.connect();
    assert!(client.headers.iter().any(|(name, _)| name == "mcp-session-id"));
    assert_eq!(Answer::of(&client.run(1, "print(6 * 7)").message()).ok(), "42");
    assert_eq!(client.send(Method::DELETE, "/mcp", b"").status, 204);
    assert_eq!(client.run(2, "1").status, 404);
}

#[test]
fn a_request_without_a_session_is_refused_unless_the_server_is_stateless() {
    let with_sessions = HttpServer::start(&[]);
    assert_eq!(with_sessions.client().run(1, "1").status, 400);

    let stateless = HttpServer::start(&["--http-stateless"]);
    let reply = stateless.client().run(1, "print(6 * 7)");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(Answer::of(&reply.message()).ok(), "42");
    let client = stateless.connect();
    assert!(client.headers.iter().all(|(name, _)| name != "mcp-session-id"));
    assert_eq!(Answer::of(&client.run(2, "print(43)").message()).ok(), "43");
}

#[test]
fn requests_of_2026_stand_alone() {
    let server = HttpServer::start(&[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let client = server
        .client()
        .with("mcp-protocol-version", "2026-07-28")
        .with("mcp-method", "tools/call")
        .with("mcp-name", "run_python");
    let params =
        json!({ "name": "run_python", "arguments": { "code": "print(6 * 7)" }, "_meta": meta });
    let reply = client.request(1, "tools/call", params);
    assert_eq!(Answer::of(&reply.message()).ok(), "42");
    assert_eq!(reply.header("mcp-session-id"), None);
}

#[test]
fn names_and_origins_of_strangers_are_refused() {
    let server = HttpServer::start(&[
        "--http-host",
        "python.example.org",
        "--http-origin",
        "https://chat.example.org:443",
    ]);
    let status = |header: &str, value: &str| {
        let mut client = server.client().with(header, value);
        client.headers.retain(|(name, kept)| name != header || kept == value);
        client.request(1, "initialize", crate::support::initialize_params()).status.as_u16()
    };
    for (header, value, expected) in [
        ("host", "evil.example.org", 403),
        ("host", "python.example.org", 200),
        ("host", "localhost:9", 200),
        ("origin", "https://evil.example.org", 403),
        ("origin", "null", 403),
        ("origin", "http://localhost:3080", 200),
        ("origin", "https://chat.example.org", 200),
    ] {
        assert_eq!(status(header, value), expected, "{header}: {value}");
    }
}

#[test]
fn a_token_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens");
    fs::write(&file, "# who may call\nada 0123456789abcdef\n\nfedcba9876543210\n").expect("a file");
    let server = HttpServer::start(&["--token-file", file.to_str().expect("a path")]);
    let initialize = |client: &HttpClient| {
        client.request(1, "initialize", crate::support::initialize_params()).status.as_u16()
    };
    let refused = server.client().run(1, "1");
    assert_eq!(refused.status, 401);
    assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    assert_eq!(
        refused.message(),
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": 
            "a token is needed: send `Authorization: Bearer TOKEN`" } })
    );
    for (header, status) in [
        ("Bearer 0123456789abcdef", 200),
        ("bearer fedcba9876543210", 200),
        ("Bearer 0123456789abcdee", 401),
        ("Bearer ada", 401),
        ("Basic 0123456789abcdef", 401),
        ("Bearer", 401),
    ] {
        assert_eq!(initialize(&server.client().with("authorization", header)), status, "{header}");
    }
    assert_eq!(server.client().get("/metrics").status, 401);
    assert_eq!(
        server.client().with("authorization", "Bearer fedcba9876543210").get("/metrics").status,
        200
    );
    assert_eq!(server.client().get("/healthz").status, 200);
}

#[test]
fn an_open_address_needs_a_token_or_a_word_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens");
    let path = file.to_str().expect("a path");
    let failure = |arguments: &[&str]| {
        let output = Command::new(BINARY)
            .arg("serve")
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("it is text")
    };
    assert_eq!(
        failure(&["--http", "0.0.0.0:0"]),
        "mcp-python-sandbox: `--http 0.0.0.0:0` would let everyone who reaches it run code here: \
         give `--token-file`, or \
         `--http-open` if something before the server asks for a password\n"
    );
    for (content, why) in [
        ("", "it holds no token"),
        ("short", "the token in line 1 is shorter than 16 characters"),
        ("\na b 0123456789abcdef", "line 2 must be `NAME TOKEN` or `TOKEN`"),
        ("a 0123456789abcdef\nb 0123456789abcdef", "the token in line 2 stands there twice"),
    ] {
        fs::write(&file, content).expect("a file");
        let said = failure(&["--http", "127.0.0.1:0", "--token-file", path]);
        assert_eq!(said, format!("mcp-python-sandbox: `--token-file {path}`: {why}\n"));
    }
}

#[test]
fn what_is_no_message_gets_the_error_of_json_rpc() {
    let server = HttpServer::start(&["--http-stateless"]);
    let client = server.client();
    for (body, id, code) in [
        (&b"this is not json"[..], Value::Null, -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":31,\"method\":", json!(31), -32700),
        (b"7", Value::Null, -32600),
        (b"[]", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":5}", json!(5), -32600),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\",\"params\":{}}",
            json!(6),
            -32602,
        ),
    ] {
        let reply = client.send(Method::POST, "/mcp", body);
        assert_eq!(reply.status, 400, "{}", reply.body);
        let message = reply.message();
        assert_eq!((&message["id"], &message["error"]["code"]), (&id, &json!(code)), "{message}");
    }
    let code = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\
        \"run_python\",\"arguments\":{\"code\":\"print(len('\\ud800'))\"}}}";
    let reply = client.send(Method::POST, "/mcp", code.as_bytes());
    assert_eq!(Answer::of(&reply.message()).ok(), "1");
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let server = HttpServer::start(&["--http-stateless"]);
    let code = format!("#{}", "x".repeat(17 << 20));
    let reply = server.client().run(1, &code);
    assert_eq!(reply.status, 413);
    assert_eq!(reply.message()["error"]["code"], -32600);
}

#[test]
fn each_client_has_its_own_places() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens");
    fs::write(&file, "ada 0123456789abcdef\nbob fedcba9876543210\n").expect("a file");
    let arguments =
        ["--http-stateless", "--client-concurrency", "1", "--client-queue", "0", "--token-file"];
    let server = HttpServer::start(&[&arguments[..], &[file.to_str().expect("a path")]].concat());
    let ada = server.client().with("authorization", "Bearer 0123456789abcdef");
    let bob = server.client().with("authorization", "Bearer fedcba9876543210");
    let busy = {
        let ada = ada.clone();
        thread::spawn(move || ada.run(1, SLEEPER))
    };
    wait_until_running(&ada, 1);
    let refused = ada.run(2, "print(2)");
    assert_eq!((refused.status.as_u16(), &refused.message()["id"]), (200, &json!(2)));
    assert_eq!(
        Answer::of(&refused.message()).failed(),
        "the server is busy: jobs of this client that run: 1, that wait: 0; try again in a \
         moment"
    );
    assert_eq!(Answer::of(&bob.run(3, "print(3)").message()).ok(), "3");
    assert_eq!(Answer::of(&busy.join().expect("it ends").message()).ok(), "slept");
    assert_eq!(Answer::of(&ada.run(4, "print(4)").message()).ok(), "4");
}

#[test]
fn a_leaving_server_answers_what_it_accepted() {
    let mut server = HttpServer::start(&["--http-stateless", "--drain-delay", "1"]);
    let client = server.client();
    let running = {
        let client = client.clone();
        thread::spawn(move || client.run(1, SLEEPER))
    };
    wait_until_running(&client, 1);
    server.signal(Signal::TERM);
    wait_until(|| client.get("/readyz").body == "leaving\n");
    let refused = client.run(2, "2");
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(Answer::of(&running.join().expect("it ends").message()).ok(), "slept");
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn a_job_that_outlives_the_grace_is_stopped_and_answered() {
    let mut server = HttpServer::start(&["--http-stateless", "--eof-grace", "0.3"]);
    let client = server.client();
    let running = {
        let client = client.clone();
        thread::spawn(move || {
            client.run(1, "print('begun', flush=True)\nimport time\ntime.sleep(25)")
        })
    };
    wait_until_running(&client, 1);
    server.signal(Signal::TERM);
    assert_eq!(
        Answer::of(&running.join().expect("it ends").message()).failed(),
        "begun\n[the call was cancelled]"
    );
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn the_job_of_a_client_that_left_is_stopped() {
    let server = HttpServer::start(&["--http-stateless"]);
    let client = server.client();
    let mut leaving = std::net::TcpStream::connect(&server.address).expect("it connects");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "run_python", "arguments": { "code": "while True: pass" } } })
    .to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: \
         application/json, \
         text/event-stream\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    std::io::Write::write_all(&mut leaving, format!("{head}{body}").as_bytes()).expect("it writes");
    wait_until_running(&client, 1);
    drop(leaving);
    wait_until_running(&client, 0);
    assert!(metric(&client, "jobs_total{runtime=\"wasm\",end=\"cancelled\"}") == Some(1.0));
}

#[test]
fn a_cancelled_call_of_a_session_is_stopped() {
    let server = HttpServer::start(&[]);
    let client = server.connect();
    let running = {
        let client = client.clone();
        thread::spawn(move || client.run(11, "while True: pass"))
    };
    wait_until_running(&client, 1);
    let params = json!({ "requestId": 11, "reason": "no longer needed" });
    let told = client
        .post(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    assert_eq!(told.status, 202);
    wait_until_running(&client, 0);
    drop(running);
    assert_eq!(Answer::of(&client.run(12, "print(12)").message()).ok(), "12");
}

#[test]
fn progress_comes_before_the_answer() {
    let server = HttpServer::start(&["--http-stateless"]);
    let code =
        "import time\nfor i in range(3):\n    print('step', i, flush=True)\n    time.sleep(0.8)";
    let params = json!({ "name": "run_python", "arguments": { "code": code }, "_meta": {
        "progressToken": "t" } });
    let reply = server.client().request(1, "tools/call", params);
    let mut messages = reply.messages();
    let answer = messages.pop().expect("an answer");
    assert_eq!(Answer::of(&answer).ok(), "step 0\nstep 1\nstep 2");
    assert!(!messages.is_empty());
    assert!(messages.iter().all(|message| message["method"] == "notifications/progress"));
    let told: String =
        messages.iter().filter_map(|message| message["params"]["message"].as_str()).collect();
    assert!("step 0\nstep 1\nstep 2\n".starts_with(&told), "{told}");
}

#[test]
fn readiness_and_figures_are_told() {
    let server = HttpServer::start(&["--native", "off", "--http-stateless", "--concurrency", "3"]);
    let client = server.client();
    assert_eq!(client.get("/healthz").body, "ok\n");
    wait_until(|| client.get("/readyz").body == "ready\n");
    client.run(1, "print(1)");
    client.run(2, "1 / 0");
    assert_eq!(metric(&client, "jobs_total{runtime=\"wasm\",end=\"ok\"}"), Some(1.0));
    assert_eq!(metric(&client, "jobs_total{runtime=\"wasm\",end=\"exception\"}"), Some(1.0));
    assert_eq!(metric(&client, "job_wall_seconds_count{runtime=\"wasm\"}"), Some(2.0));
    assert_eq!(metric(&client, "places"), Some(3.0));
    assert_eq!(metric(&client, "running"), Some(0.0));
    wait_until(|| metric(&client, "spares{runtime=\"wasm\"}") == Some(1.0));
    assert_eq!(metric(&client, "spares{runtime=\"native\"}"), Some(0.0));
    assert!(metric(&client, "fuel_total").is_some_and(|fuel| fuel > 1e5));
}
