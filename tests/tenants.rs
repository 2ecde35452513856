//! Callers over HTTP: what belongs to one does not exist for another.

use crate::support::Answer;
use crate::support::http::{HttpClient, HttpServer, Reply};
use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::http::Method;

/// A server with the tokens of `ada` and `bob`.
struct Tenants {
    server: HttpServer,
    _folder: TempDir,
}

impl Tenants {
    fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let tokens = folder.path().join("tokens");
        std::fs::write(&tokens, "ada 0123456789abcdef-ada\nbob 0123456789abcdef-bob\n")
            .expect("written");
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
        assert!(stolen.1.contains("there is no connection with this `Mcp-Session-Id`"), "{stolen:?}");
    }
    // With the header of a protocol that has no connections it opens nothing either.
    let newer = stolen.with("mcp-protocol-version", "2026-07-28");
    assert_eq!(newer.send(Method::DELETE, "/mcp", b"").status, 405);
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": 1 } });
    assert_eq!(newer.post(&cancel).status, 202);
    assert_eq!(run(&bob, json!({ "code": "print(x)", "session": session })).text[..2], *"7\n");
    assert_eq!(Answer::of(&ada.run(2, "print(2)").message()).ok(), "2");
}

#[test]
fn sessions_jobs_and_files_of_another_are_unknown() {
    for options in [&["--native", "off"][..], &["--native", "off", "--http-stateless"]] {
        let tenants = Tenants::start(options);
        let (ada, bob) = (tenants.connect("ada"), tenants.connect("bob"));
        let session = run(&bob, json!({ "code": "x = 7", "session": "new" })).meta("session").clone();
        let job = run(&bob, json!({ "code": "print(8)", "background": true })).meta("job").clone();
        let files = run(&bob, json!({ "code": "open('a', 'w').write('a')" })).meta("files").clone();
        let made_up = json!("0".repeat(32));
        let asks: [&dyn Fn(&HttpClient, &Value) -> String; 4] = [
            &|client, handle| run(client, json!({ "code": "x", "session": handle })).failed().into(),
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
        assert_eq!(run(&again, json!({ "code": "print(x)", "session": session })).text[..2], *"7\n");
    }
}
