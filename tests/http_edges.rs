//! HTTP from clients that are slow, odd, broken, or in a browser: each request gets one right
//! answer, and none holds on.

use crate::support::Answer;
use crate::support::http::{HttpClient, HttpServer, Reply, wait_until_running};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};
use ureq::http::Method;

/// Sends bytes over a connection of its own; gives all that comes back until the server closes it.
fn raw(server: &HttpServer, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(&server.address).expect("it connects");
    stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a socket");
    stream.write_all(bytes).expect("it is sent");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("the server answers and closes the connection");
    reply
}

/// A POST with these headers besides the usual ones, and this body.
fn post(headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \
         application/json\r\nAccept: \
         application/json, text/event-stream\r\n{headers}\r\n{body}"
    )
    .into_bytes()
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn status(reply: &str) -> &str {
    reply.split_whitespace().nth(1).unwrap_or_default()
}

fn error(reply: &Reply) -> (u16, i64, String) {
    let error = &reply.message()["error"];
    let (code, message) = (error["code"].as_i64(), error["message"].as_str());
    (reply.status.as_u16(), code.unwrap_or_default(), message.unwrap_or_default().to_owned())
}

#[test]
fn half_a_request_does_not_hold_a_connection() {
    let server =
        HttpServer::start(&["--native", "off", "--http-stateless", "--http-read-timeout", "0.5"]);
    let begun = Instant::now();
    assert_eq!(raw(&server, b""), "");
    assert_eq!(raw(&server, b"POST /mcp HTTP/1.1\r\nHos"), "");
    let half = raw(&server, &post("Content-Length: 400\r\n", &PING[..20]));
    assert_eq!(status(&half), "408", "{half}");
    assert!(half.contains("\"message\":\"the body did not come within 0.5 s\""), "{half}");
    assert!(begun.elapsed() < Duration::from_secs(30));
    // A job that takes longer than that is none of these.
    let reply = server.client().run(1, "import time\ntime.sleep(1.2)\nprint('slept')");
    assert_eq!(Answer::of(&reply.message()).ok(), "slept");
}

#[test]
fn bodies_that_break_off_or_never_end_are_told_from_long_ones() {
    let server = HttpServer::start(&["--native", "off", "--http-stateless"]);
    let chunked = |chunks: &str| post("Transfer-Encoding: chunked\r\n", chunks);
    let whole = raw(&server, &chunked(&format!("{:x}\r\n{PING}\r\n0\r\n\r\n", PING.len())));
    assert_eq!(status(&whole), "200", "{whole}");
    let broken = raw(&server, &chunked(&format!("{:x}\r\n{PING}\r\nno length\r\n", PING.len())));
    assert_eq!(status(&broken), "400", "{broken}");
    assert!(broken.contains("\"message\":\"the body broke off\""), "{broken}");
    let id = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"ping\",\"params\":\"{}",
        "x".repeat(16 << 20)
    );
    let reply = server.client().send(Method::POST, "/mcp", id.as_bytes());
    assert_eq!((reply.status.as_u16(), &reply.message()["id"]), (413, &json!(77)));
}

#[test]
fn heads_of_any_size_and_form_get_an_answer() {
    let server = HttpServer::start(&["--native", "off", "--http-stateless"]);
    let length = format!("Content-Length: {}\r\n", PING.len());
    let large = |bytes: usize| post(&format!("{length}X-Large: {}\r\n", "x".repeat(bytes)), PING);
    let many = "X-Many: x\r\n".repeat(200);
    for (request, expected) in [
        (post(&length, PING), "200"),
        (large(31 << 10), "200"),
        (large(64 << 10), "431"),
        (post(&format!("{length}{many}"), PING), "431"),
        (post(&format!("{length}Content-Length: 3\r\n"), PING), "400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(), "400"),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_vec(), "200"),
        (b"HEAD /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_vec(), "405"),
        (b"BREW /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_vec(), "405"),
    ] {
        let reply = raw(&server, &request);
        assert_eq!(status(&reply), expected, "{reply}");
    }
}

#[test]
fn types_and_paths_are_taken_as_they_are_meant() {
    let server = HttpServer::start(&["--native", "off", "--http-stateless"]);
    let with = |name: &str, value: Option<&str>| {
        let mut client = server.client();
        client.headers.retain(|(kept, _)| kept != name);
        value.map_or_else(|| client.clone(), |value| client.with(name, value))
    };
    for (name, value, expected) in [
        ("accept", None, 200),
        ("accept", Some("*/*"), 200),
        ("accept", Some("application/json"), 406),
        ("accept", Some("text/html"), 406),
        ("content-type", None, 415),
        ("content-type", Some("text/plain"), 415),
        ("content-type", Some("application/json; charset=utf-8"), 200),
        ("content-type", Some("APPLICATION/JSON"), 200),
    ] {
        assert_eq!(with(name, value).run(1, "1").status, expected, "{name}: {value:?}");
    }
    for (path, expected) in [
        ("/mcp", 200),
        ("/mcp/", 200),
        ("/mcp?key=1", 200),
        ("/mcp/x", 404),
        ("/", 404),
        ("/sse", 404),
    ] {
        let reply = server.client().send(Method::POST, path, PING.as_bytes());
        assert_eq!(reply.status, expected, "{path}");
        assert!(
            expected == 200 || reply.body == "there is nothing here; MCP is at `/mcp`\n",
            "{path}: {}",
            reply.body
        );
    }
}

#[test]
fn parameters_that_do_not_fit_are_told_from_unknown_methods() {
    let server = HttpServer::start(&["--native", "off", "--http-stateless"]);
    let client = server.client();
    let wrong = |method: &str, params: Value| error(&client.request(1, method, params));
    let unfit = |why: &str| (400, -32602, format!("the parameters do not fit: {why}"));
    assert_eq!(wrong("prompts/get", json!({})), unfit("missing field `name`"));
    assert_eq!(
        wrong("resources/read", json!({ "uri": 7 })),
        unfit("invalid type: integer `7`, expected a string")
    );
    assert_eq!(wrong("completion/complete", json!({})), unfit("missing field `ref`"));
    let meta = json!({ "name": "run_python", "arguments": { "code": "1" }, "_meta": "x" });
    assert_eq!(
        wrong("tools/call", meta),
        (400, -32602, "`params._meta` must be an object".to_owned())
    );
    assert_eq!(
        wrong("no/such", json!({})),
        (200, -32601, "there is no method `no/such`".to_owned())
    );
}

#[test]
fn an_id_that_is_in_use_is_refused_on_its_connection_alone() {
    let server = HttpServer::start(&["--native", "off"]);
    let (mine, other) = (server.connect(), server.connect());
    let running = {
        let client = mine.clone();
        thread::spawn(move || client.run(7, "import time\ntime.sleep(1.5)\nprint('first')"))
    };
    wait_until_running(&server.client(), 1);
    let refused = mine.request(7, "ping", json!({}));
    let message = refused.message();
    assert_eq!(
        (refused.status.as_u16(), &message["id"], &message["error"]["code"]),
        (400, &json!(7), &json!(-32600))
    );
    assert_eq!(message["error"]["message"], "the id is in use by a call that is not answered yet");
    let text = json!({ "jsonrpc": "2.0", "id": "7", "method": "ping" });
    assert_eq!(mine.post(&text).message()["result"], json!({}));
    assert_eq!(Answer::of(&other.run(7, "print('other')").message()).ok(), "other");
    assert_eq!(Answer::of(&running.join().expect("it ends").message()).ok(), "first");
    assert_eq!(Answer::of(&mine.run(7, "print('again')").message()).ok(), "again");
}

#[test]
fn an_answer_whose_connection_broke_can_be_fetched() {
    let server = HttpServer::start(&["--native", "off"]);
    let client = server.connect();
    let session = client
        .headers
        .iter()
        .find(|(name, _)| name == "mcp-session-id")
        .expect("a connection")
        .1
        .clone();
    let call = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call",
        "params": { "name": "run_python", "arguments": {
            "code": "import time\ntime.sleep(1.5)\nprint('kept')" } } })
    .to_string();
    let request =
        post(&format!("Mcp-Session-Id: {session}\r\nContent-Length: {}\r\n", call.len()), &call);
    let mut stream = TcpStream::connect(&server.address).expect("it connects");
    stream.write_all(&request).expect("it is sent");
    let mut head = String::new();
    while !head.contains("retry:") {
        let mut bytes = [0; 1024];
        let count = stream.read(&mut bytes).expect("events");
        assert!(count > 0, "{head}");
        head.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    drop(stream);
    let id = head.lines().find_map(|line| line.strip_prefix("id:")).expect("an event").trim();
    let resumed = client.with("last-event-id", id).get("/mcp");
    assert_eq!(resumed.status, 200);
    assert_eq!(Answer::of(&resumed.message()).ok(), "kept");
    // What is nobody's event gives a stream that ends.
    for stranger in ["zzz", "0/999"] {
        let reply = client.with("last-event-id", stranger).get("/mcp");
        assert_eq!((reply.status.as_u16(), reply.body.as_str()), (200, ""));
    }
}

#[test]
fn a_connection_that_is_not_there_cannot_be_closed_or_used() {
    let server = HttpServer::start(&["--native", "off"]);
    let client = server.connect();
    assert_eq!(client.send(Method::DELETE, "/mcp", b"").status, 204);
    let stranger = server.client().with("mcp-session-id", "nosuch");
    for client in [&client, &stranger] {
        let again = client.send(Method::DELETE, "/mcp", b"");
        assert_eq!(
            error(&again),
            (404, -32000, "there is no connection with this `Mcp-Session-Id`".to_owned())
        );
        assert_eq!(client.run(1, "1").status, 404);
        assert_eq!(client.get("/mcp").status, 404);
    }
    assert_eq!(server.client().send(Method::DELETE, "/mcp", b"").status, 400);
}

#[test]
fn pages_that_may_call_may_ask_and_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens");
    fs::write(&file, "\u{feff}ada 0123456789abcdef\r\n").expect("a file");
    let file = file.to_str().expect("a path");
    let server = HttpServer::start(&[
        "--native",
        "off",
        "--token-file",
        file,
        "--http-origin",
        "https://chat.example.org:443",
    ]);
    let from = |origin: &str| server.client().with("origin", origin);
    let asked = |origin: &str| {
        let client = from(origin).with("access-control-request-method", "POST");
        client.send(Method::OPTIONS, "/mcp", b"")
    };
    for origin in ["http://localhost:6274", "https://chat.example.org"] {
        let reply = asked(origin);
        assert_eq!(reply.status, 204);
        assert_eq!(reply.header("access-control-allow-origin"), Some(origin));
        assert_eq!(reply.header("access-control-allow-methods"), Some("GET, POST, DELETE"));
        let sent = reply.header("access-control-allow-headers").unwrap_or_default();
        for name in [
            "authorization",
            "content-type",
            "mcp-protocol-version",
            "mcp-session-id",
            "mcp-param-session",
        ] {
            assert!(sent.split(", ").any(|allowed| allowed == name), "{name}: {sent}");
        }
        assert_eq!(reply.header("vary"), Some("origin"));
        let refused = from(origin).run(1, "1");
        assert_eq!(
            (refused.status.as_u16(), refused.header("access-control-allow-origin")),
            (401, Some(origin))
        );
        let begun = from(origin).with("authorization", "Bearer 0123456789abcdef").request(
            1,
            "initialize",
            crate::support::initialize_params(),
        );
        assert_eq!(begun.status, 200);
        assert_eq!(begun.header("access-control-allow-origin"), Some(origin));
        assert!(
            begun
                .header("access-control-expose-headers")
                .is_some_and(|names| names.contains("mcp-session-id"))
        );
    }
    for origin in ["https://evil.example.org", "null"] {
        let reply = asked(origin);
        assert_eq!(
            (reply.status.as_u16(), reply.header("access-control-allow-origin")),
            (401, None)
        );
        let call = from(origin).with("authorization", "Bearer 0123456789abcdef").run(1, "1");
        assert_eq!((call.status.as_u16(), call.header("access-control-allow-origin")), (403, None));
    }
    let plain = server.client().with("authorization", "Bearer 0123456789abcdef");
    assert_eq!(
        plain.request(1, "initialize", crate::support::initialize_params()).header("vary"),
        None
    );
}

#[test]
fn a_token_may_be_rotated_and_blanks_around_it_do_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens");
    fs::write(&file, "ada 0123456789abcdef\r\nada fedcba9876543210\r\n\r\n").expect("a file");
    let file = file.to_str().expect("a path");
    let server = HttpServer::start(&["--native", "off", "--http-stateless", "--token-file", file]);
    let call = |client: &HttpClient, arguments: Value| client.tool("run_python", arguments);
    let old = server.client().with("authorization", "Bearer 0123456789abcdef");
    let new = server.client().with("authorization", "Bearer   fedcba9876543210 ");
    let session = call(&old, json!({ "code": "x = 7", "session": "new" })).meta("session").clone();
    assert!(call(&new, json!({ "code": "print(x)", "session": session })).ok().starts_with("7\n"));
}
