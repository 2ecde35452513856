//! Sockets over HTTP: what each may cost, who makes room for whom, and for how long an answer waits
//! to be read.

use crate::support::Answer;
use crate::support::http::{HttpClient, HttpServer};
use serde_json::json;
use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

const TOKEN: &str = "Bearer 0123456789abcdef";

/// A server with one token, and the folder that its file is in.
fn with_token(options: &[&str]) -> (HttpServer, tempfile::TempDir) {
    start_with_token(HttpServer::start, options)
}

fn start_with_token(
    start: impl FnOnce(&[&str]) -> HttpServer,
    options: &[&str],
) -> (HttpServer, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens");
    fs::write(&file, "ada 0123456789abcdef\n").expect("a file");
    let file = file.to_str().expect("a path");
    let options = [&["--native", "off", "--token-file", file], options].concat();
    (start(&options), folder)
}

fn connect(server: &HttpServer) -> TcpStream {
    let stream = TcpStream::connect(&server.address).expect("it connects");
    stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a socket");
    stream
}

/// What still comes until the server closes the connection.
fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether the server has closed a connection on which nothing was said.
fn is_closed(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a socket");
    match (&mut &*stream).read(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

/// A call as it goes over the wire.
fn call(code: &str, headers: &str) -> Vec<u8> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "run_python", "arguments": { "code": code } } })
    .to_string();
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: \
         */*\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
    .into_bytes()
}

#[test]
fn a_refusal_for_want_of_a_credential_ends_the_connection() {
    let (server, _folder) = with_token(&["--http-stateless"]);
    let mut stream = connect(&server);
    stream.write_all(&[call("1", ""), call("2", "")].concat()).expect("it is sent");
    let answers = rest(stream);
    assert_eq!(answers.matches("HTTP/1.1 401").count(), 1, "{answers}");
    assert!(answers.contains("connection: close"), "{answers}");
    // Nor is a body waited for, of whatever length.
    let mut stream = connect(&server);
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("it is sent");
    let begun = Instant::now();
    let chunk = [b"10000\r\n".as_slice(), &vec![b'x'; 0x10000], b"\r\n"].concat();
    while begun.elapsed() < Duration::from_secs(20) && stream.write_all(&chunk).is_ok() {}
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    // With a credential both are answered.
    let authorization = format!("Authorization: {TOKEN}\r\n");
    let mut stream = connect(&server);
    let last = format!("{authorization}Connection: close\r\n");
    stream.write_all(&[call("1", &authorization), call("2", &last)].concat()).expect("it is sent");
    assert_eq!(rest(stream).matches("HTTP/1.1 200").count(), 2);
}

#[test]
fn strangers_make_room_for_each_other_and_for_everyone() {
    let start = |options: &[&str]| HttpServer::with_descriptors(1024, options);
    let (server, _folder) = start_with_token(start, &["--http-stateless"]);
    let client = server.client().with("authorization", TOKEN);
    assert_eq!(Answer::of(&client.run(1, "print(1)").message()).ok(), "1");
    // An eighth of the descriptors is for strangers.
    let crowd: Vec<TcpStream> = (0..300).map(|_| connect(&server)).collect();
    assert_eq!(server.client().get("/healthz").body, "ok\n");
    let closed = crowd.iter().filter(|stream| is_closed(stream)).count();
    assert!(closed >= 300 - 128, "only {closed} of 300 are closed");
    // On the connection that it has.
    assert_eq!(Answer::of(&client.run(1, "print(1)").message()).ok(), "1");
}

#[test]
fn a_stranger_has_seconds_to_become_known() {
    let (server, _folder) = with_token(&["--http-stateless"]);
    let begun = Instant::now();
    let mut slow = connect(&server);
    for byte in b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n" {
        if slow.write_all(&[*byte]).is_err() {
            break;
        }
        thread::sleep(Duration::from_millis(250));
    }
    assert_eq!(rest(slow), "");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn an_answer_that_nobody_reads_is_given_up() {
    let server = HttpServer::start(&["--native", "off", "--http-read-timeout", "1"]);
    let client = server.connect();
    let made = client.tool(
        "run_python",
        json!({ "code": "open('big', 'w').write('x' * 9_000_000)", "session": "new" }),
    );
    let session = made.meta("session").as_str().expect("a handle").to_owned();
    let body = json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/read",
        "params": { "uri": format!("sandbox://{session}/big") } })
    .to_string();
    let headers: Vec<String> =
        client.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let headers = headers.concat();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let ask = || {
        let mut stream = connect(&server);
        stream.write_all(request.as_bytes()).expect("it is sent");
        stream
    };
    let mut unread = ask();
    thread::sleep(Duration::from_secs(10));
    unread.set_nonblocking(true).expect("a socket");
    let mut bytes = Vec::new();
    let ended = unread.read_to_end(&mut bytes);
    let is_ended = ended.as_ref().map_or_else(|e| e.kind() != ErrorKind::WouldBlock, |_| true);
    assert!(is_ended && bytes.len() < 9_000_000, "{ended:?} after {} bytes", bytes.len());
    // A slow reader who gets on is none of these.
    let mut slow = ask();
    let mut count = 0;
    let mut piece = vec![0; 1 << 20];
    while !bytes.ends_with(b"\r\n0\r\n\r\n") {
        let read = slow.read(&mut piece).expect("it goes on");
        assert!(read > 0, "it broke off after {count} bytes");
        (count, bytes) = (count + read, piece[read.saturating_sub(7)..read].to_vec());
        thread::sleep(Duration::from_millis(20));
    }
    assert!(count > 9_000_000, "{count}");
}

#[test]
fn a_body_is_refused_by_its_declared_length() {
    let server = HttpServer::start(&["--native", "off", "--http-stateless"]);
    let mut stream = connect(&server);
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: \
                */*\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("it is sent");
    let answer = rest(stream);
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    // Otherwise it is asked for.
    let (head, body) = ("Expect: 100-continue\r\nConnection: close\r\n", call("print(7)", ""));
    let whole =
        String::from_utf8(body).expect("text").replacen("\r\n\r\n", &format!("\r\n{head}\r\n"), 1);
    let mut stream = connect(&server);
    stream.write_all(whole.as_bytes()).expect("it is sent");
    let answer = rest(stream);
    assert!(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), "{answer}");
}

#[test]
fn long_arguments_arrive_whole() {
    let text = "é".repeat(400_000);
    let arguments = json!({ "code": "print(len(open('long').read()))",
        "files": [{ "path": "long", "text": text }], "timeout": 20, "session": "new" });
    for options in [&["--native", "off"][..], &["--native", "off", "--http-stateless"]] {
        let server = HttpServer::start(options);
        let client: HttpClient = server.connect();
        let answer = client.tool("run_python", arguments.clone());
        assert_eq!(answer.ok().lines().next(), Some("400000"));
        let wrong = client.tool("run_python", json!({ "code": "1", "files": text }));
        let why =
            "`files` must be a list of objects with `path` and `text` or `base64`, not a string";
        assert_eq!(wrong.failed(), why);
    }
}
