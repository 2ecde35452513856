//! Callers over HTTP: what belongs to one does not exist for another.

use crate::support::Answer;
use crate::support::http::{HttpClient, HttpServer, Reply, metric, wait_until};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use ureq::http::Method;

const TOKENS: &str = "ada 0123456789abcdef-ada\nbob 0123456789abcdef-bob\n\
    eve 0123456789abcdef-eve operator\n";

/// A server with the tokens of `ada`, `bob`, and the operator `eve`.
struct Tenants {
    server: HttpServer,
    _folder: TempDir,
}

impl Tenants {
    fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let tokens = folder.path().join("tokens");
        std::fs::write(&tokens, TOKENS).expect("written");
        let path = tokens.to_str().expect("UTF-8");
        let server = HttpServer::start(&[&["--token-file", path], options].concat());
        Self { server, _folder: folder }
    }

    fn stranger(&self, name: &str) -> HttpClient {
        self.server.client().with("authorization", &format!("Bearer 0123456789abcdef-{name}"))
    }

    fn connect(&self, name: &str) -> HttpClient {
        let mut client = self.stranger(name);
        client.shake_hands();
        client
    }
}

fn run(client: &HttpClient, arguments: Value) -> Answer {
    client.tool("run_python", arguments)
}

/// What a reply says, without what differs between any two.
fn words(reply: &Reply) -> (u16, String, Option<String>) {
    let kind = reply.header("content-type").map(str::to_owned);
    (reply.status.as_u16(), reply.body.clone(), kind)
}

#[test]
fn the_connection_of_another_is_one_that_never_was() {
    let tenants = Tenants::start(&["--native", "off"]);
    let (ada, bob) = (tenants.connect("ada"), tenants.connect("bob"));
    let begun = run(&bob, json!({ "code": "x = 7\nopen('a', 'w').write('a')", "session": "new" }));
    let session = begun.meta("session").clone();
    let id_of = |client: &HttpClient| {
        let found = client.headers.iter().find(|(name, _)| name == "mcp-session-id");
        found.expect("a connection").1.clone()
    };
    let with_id = |name: &str, id: &str| tenants.stranger(name).with("mcp-session-id", id);
    let stolen = with_id("ada", &id_of(&bob));
    let made_up = with_id("ada", "00000000-0000-4000-8000-000000000000");
    let uri = json!({ "uri": format!("sandbox://{}/a", session.as_str().expect("a handle")) });
    let asks: [&dyn Fn(&HttpClient) -> Reply; 7] = [
        &|client| client.run(1, "print(x)"),
        &|client| client.request(2, "resources/list", json!({})),
        &|client| client.request(3, "resources/read", uri.clone()),
        &|client| client.request(4, "initialize", crate::support::initialize_params()),
        &|client| client.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })),
        &|client| client.get("/mcp"),
        &|client| client.send(Method::DELETE, "/mcp", b""),
    ];
    for (number, ask) in asks.iter().enumerate() {
        let (stolen, made_up) = (words(&ask(&stolen)), words(&ask(&made_up)));
        assert_eq!(stolen, made_up, "{number}");
        assert_eq!(stolen.0, 404, "{number}");
        assert!(
            stolen.1.contains("there is no connection with this `Mcp-Session-Id`"),
            "{stolen:?}"
        );
    }
    // With the header of a protocol that has no connections it opens nothing either.
    let newer = stolen.with("mcp-protocol-version", "2026-07-28");
    assert_eq!(newer.send(Method::DELETE, "/mcp", b"").status, 405);
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": 1 } });
    newer.with("mcp-method", "notifications/cancelled").post(&cancel);
    assert_eq!(run(&bob, json!({ "code": "print(x)", "session": session })).text[..2], *"7\n");
    assert_eq!(Answer::of(&ada.run(2, "print(2)").message()).ok(), "2");
}

type Ask<'a> = &'a dyn Fn(&HttpClient, &Value) -> String;

#[test]
fn sessions_jobs_and_files_of_another_are_unknown() {
    for options in [&["--native", "off"][..], &["--native", "off", "--http-stateless"]] {
        let tenants = Tenants::start(options);
        let (ada, bob) = (tenants.connect("ada"), tenants.connect("bob"));
        let session =
            run(&bob, json!({ "code": "x = 7", "session": "new" })).meta("session").clone();
        let job = run(&bob, json!({ "code": "print(8)", "background": true })).meta("job").clone();
        let files = run(&bob, json!({ "code": "open('a', 'w').write('a')" })).meta("files").clone();
        let made_up = json!("0".repeat(32));
        let asks: [Ask<'_>; 4] = [
            &|client, handle| {
                run(client, json!({ "code": "x", "session": handle })).failed().into()
            },
            &|client, handle| {
                client.tool("reset_session", json!({ "session": handle })).failed().into()
            },
            &|client, handle| client.tool("check_job", json!({ "job": handle })).failed().into(),
            &|client, handle| client.tool("cancel_job", json!({ "job": handle })).failed().into(),
        ];
        for (ask, handle) in asks.iter().zip([&session, &session, &job, &job]) {
            assert_eq!(ask(&ada, handle), ask(&ada, &made_up));
        }
        let uri = files[0]["uri"].clone();
        let read = |client: &HttpClient| client.request(9, "resources/read", json!({ "uri": uri }));
        assert_eq!(
            read(&ada).message()["error"]["message"],
            format!("there is no resource `{}`", uri.as_str().expect("an address"))
        );
        assert_eq!(read(&bob).message()["result"]["contents"][0]["text"], "a");
        let again = tenants.connect("bob");
        assert_eq!(again.tool("check_job", json!({ "job": job, "wait": 20 })).ok(), "8");
        assert_eq!(
            run(&again, json!({ "code": "print(x)", "session": session })).text[..2],
            *"7\n"
        );
    }
}

/// The figure `name` of `/metrics`.
fn figure(client: &HttpClient, name: &str) -> String {
    metric(client, name).unwrap_or_default().to_string()
}

#[test]
fn each_sees_its_own_figures_and_the_operator_those_of_all() {
    let tenants = Tenants::start(&["--native", "off", "--http-stateless"]);
    let (ada, bob, eve) = (tenants.connect("ada"), tenants.connect("bob"), tenants.connect("eve"));
    run(&bob, json!({ "code": "1/0" }));
    run(&bob, json!({ "code": "1" }));
    run(&ada, json!({ "code": "2" }));
    let failed = "jobs_total{runtime=\"wasm\",end=\"exception\"}";
    let done = "jobs_total{runtime=\"wasm\",end=\"ok\"}";
    let seen = |client| format!("{} {}", figure(client, failed), figure(client, done));
    let seen = [seen(&ada), seen(&bob), seen(&eve)];
    assert_eq!(seen, ["0 1", "1 1", "1 2"]);
    assert!(!ada.get("/metrics").body.contains("exception"));
    // Without tokens, whoever is on this machine is the operator.
    let open = HttpServer::start(&["--native", "off", "--http-stateless"]);
    run(&open.client(), json!({ "code": "1" }));
    assert_eq!(figure(&open.client(), done), "1");
}

#[test]
fn what_makes_room_is_ones_own() {
    let tenants = Tenants::start(&[
        "--native",
        "off",
        "--http-stateless",
        "--sessions",
        "2",
        "--background",
        "1",
        "--keep-files",
        "4",
    ]);
    let (ada, bob) = (tenants.connect("ada"), tenants.connect("bob"));
    let keep = json!({ "code": "open('a', 'wb').write(b'a' * 900_000)" });
    let file = |client| run(client, keep.clone()).meta("files")[0]["uri"].clone();
    let begin = |client| run(client, json!({ "code": "x = 7", "session": "new" }));
    let theirs = begin(&bob).meta("session").clone();
    let kept = file(&bob);
    let sleeper = json!({ "code": "import time\ntime.sleep(30)", "background": true });
    let job = run(&bob, sleeper.clone()).meta("job").clone();
    let first = begin(&ada).meta("session").clone();
    for _ in 0..4 {
        begin(&ada);
        file(&ada);
        run(&ada, sleeper.clone());
    }
    let seventh = |client: &HttpClient, handle: &Value| {
        run(client, json!({ "code": "print(x)", "session": handle })).text.starts_with("7\n")
    };
    assert_eq!((seventh(&bob, &theirs), seventh(&ada, &first)), (true, false));
    let read = bob.request(9, "resources/read", json!({ "uri": kept })).message();
    assert_eq!(read["result"]["contents"][0]["text"].as_str().map(str::len), Some(900_000));
    let second = run(&ada, sleeper);
    assert!(second.failed().starts_with("1 background jobs run already"), "{}", second.text);
    let state = bob.tool("check_job", json!({ "job": job }));
    assert_eq!(state.meta("status"), "running");
}

#[test]
fn a_print_waits_for_no_long_job_of_another() {
    let tenants = Tenants::start(&["--native", "off", "--http-stateless", "--concurrency", "2"]);
    let (ada, bob) = (tenants.connect("ada"), tenants.connect("bob"));
    let long = json!({ "code": "import time\ntime.sleep(20)", "timeout": 20 });
    let running: Vec<_> = (0..6)
        .map(|_| {
            let (ada, long) = (ada.clone(), long.clone());
            thread::spawn(move || run(&ada, long))
        })
        .collect();
    wait_until(|| figure(&ada, "running") == "2" && figure(&ada, "waiting") == "4");
    let begun = Instant::now();
    for _ in 0..5 {
        assert_eq!(run(&bob, json!({ "code": "print(1)" })).ok(), "1");
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    drop(running);
}

#[test]
fn a_waiting_call_whose_client_hung_up_never_runs() {
    for options in [&["--http-stateless"][..], &[]] {
        let all = [&["--native", "off", "--concurrency", "1"], options].concat();
        let tenants = Tenants::start(&all);
        let ada = tenants.connect("ada");
        let long = json!({ "code": "import time\ntime.sleep(3)\nprint('slept')" });
        let running = {
            let ada = ada.clone();
            thread::spawn(move || run(&ada, long))
        };
        wait_until(|| figure(&ada, "running") == "1");
        let call = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call",
            "params": { "name": "run_python", "arguments": { "code": "1" } } });
        for id in 0..5 {
            let mut call = call.clone();
            call["id"] = json!(100 + id);
            let mut stream = TcpStream::connect(&tenants.server.address).expect("it connects");
            stream.write_all(&ada.raw(&call)).expect("it is sent");
            wait_until(|| figure(&ada, "waiting") == "1");
            drop(stream);
            wait_until(|| figure(&ada, "waiting") == "0");
        }
        assert_eq!(running.join().expect("it ends").ok(), "slept");
        assert_eq!(figure(&ada, "jobs_total{runtime=\"wasm\",end=\"ok\"}"), "1");
    }
}

#[test]
fn who_waits_for_a_job_takes_no_place() {
    let tenants = Tenants::start(&[
        "--native",
        "off",
        "--http-stateless",
        "--client-concurrency",
        "2",
        "--client-queue",
        "0",
    ]);
    let ada = tenants.connect("ada");
    let sleeper =
        json!({ "code": "import time\ntime.sleep(4)\nprint('slept')", "background": true });
    let job = run(&ada, sleeper).meta("job").clone();
    let waiting: Vec<_> = (0..8)
        .map(|_| {
            let (ada, job) = (ada.clone(), job.clone());
            thread::spawn(move || ada.tool("check_job", json!({ "job": job, "wait": 50 })))
        })
        .collect();
    wait_until(|| figure(&ada, "running") == "1");
    assert_eq!(run(&ada, json!({ "code": "print(1)" })).ok(), "1");
    for waiting in waiting {
        assert_eq!(waiting.join().expect("it ends").ok(), "slept");
    }
}

#[test]
fn a_burst_over_one_connection_is_answered() {
    let tenants = Tenants::start(&["--native", "off"]);
    let ada = tenants.connect("ada");
    let calls: Vec<_> = (0..200)
        .map(|id| {
            let ada = ada.clone();
            thread::spawn(move || ada.run(1_000 + id, &format!("print({id})")))
        })
        .collect();
    for (id, call) in calls.into_iter().enumerate() {
        let reply = call.join().expect("it ends");
        assert_eq!(reply.status, 200);
        assert_eq!(Answer::of(&reply.message()).ok(), id.to_string());
    }
}
