//! A server over HTTP, and a client that speaks to it.

use super::{Answer, BINARY, PATIENCE, initialize_params, wait_for_end};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::{Method, Request, StatusCode};

/// `serve --http` on a free port of the loopback interface.
pub struct HttpServer {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub address: String,
}

/// A response, read to its end.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// One client of a server: its headers go with every request.
#[derive(Clone)]
pub struct HttpClient {
    agent: Agent,
    pub address: String,
    pub headers: Vec<(String, String)>,
}

impl HttpServer {
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_by(Command::new(BINARY), arguments)
    }

    /// A server that may open so many descriptors (prlimit(1)).
    pub fn with_descriptors(most: u32, arguments: &[&str]) -> Self {
        let mut command = Command::new("prlimit");
        command.arg(format!("--nofile={most}:{most}")).arg(BINARY);
        Self::start_by(command, arguments)
    }

    fn start_by(mut command: Command, arguments: &[&str]) -> Self {
        let mut child = command
            .args(["serve", "--http", "127.0.0.1:0"])
            .args(if arguments.contains(&"--drain-delay") {
                &[][..]
            } else {
                &["--drain-delay", "0"]
            })
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut lines = BufReader::new(child.stderr.take().expect("stderr is piped")).lines();
        let first = lines.next().expect("the server says where it listens").expect("it is text");
        let address =
            first.strip_prefix("listening at http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address =
            address.unwrap_or_else(|| panic!("not the line that was expected: {first}")).to_owned();
        thread::spawn(move || lines.map_while(Result::ok).for_each(|line| eprintln!("{line}")));
        Self { child, address }
    }

    /// A client without a session.
    pub fn client(&self) -> HttpClient {
        HttpClient::of(&self.address)
    }

    /// A client that shook hands; it has a session where the server gives them out.
    pub fn connect(&self) -> HttpClient {
        let mut client = self.client();
        client.shake_hands();
        client
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("the server is there");
    }

    /// Waits for the server to end by itself.
    pub fn wait(&mut self) -> ExitStatus {
        wait_for_end(&mut self.child)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl HttpClient {
    /// A client of whatever listens at `address`.
    pub fn of(address: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .build();
        let headers = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Self { agent: config.into(), address: address.to_owned(), headers }
    }

    /// The same with one more header.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    /// Sends a request and reads its response to the end.
    pub fn send(&self, method: Method, path: &str, body: &[u8]) -> Reply {
        let mut request =
            Request::builder().method(method).uri(format!("http://{}{path}", self.address));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let response =
            self.agent.run(request.body(body).expect("a request")).expect("the server answers");
        let (parts, body) = response.into_parts();
        let mut text = String::new();
        body.into_reader().read_to_string(&mut text).expect("the body is text");
        let header = |(name, value): (&ureq::http::HeaderName, &ureq::http::HeaderValue)| {
            (name.as_str().to_owned(), value.to_str().unwrap_or_default().to_owned())
        };
        Reply {
            status: parts.status,
            headers: parts.headers.iter().map(header).collect(),
            body: text,
        }
    }

    /// The bytes that post a message to `/mcp`.
    pub fn raw(&self, message: &Value) -> Vec<u8> {
        let body = message.to_string();
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let headers: String = headers.collect();
        let head = format!("POST /mcp HTTP/1.1\r\nhost: localhost\r\n{headers}");
        format!("{head}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, b"")
    }

    /// Posts a message to `/mcp`.
    pub fn post(&self, message: &Value) -> Reply {
        self.send(Method::POST, "/mcp", message.to_string().as_bytes())
    }

    /// Sends a request.
    pub fn request(&self, id: i64, method: &str, params: Value) -> Reply {
        self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    /// Calls the tool with code.
    pub fn run(&self, id: i64, code: &str) -> Reply {
        self.request(
            id,
            "tools/call",
            json!({ "name": "run_python", "arguments": { "code": code } }),
        )
    }

    /// Calls a tool for its answer.
    pub fn tool(&self, name: &str, arguments: Value) -> Answer {
        Answer::of(
            &self
                .request(7, "tools/call", json!({ "name": name, "arguments": arguments }))
                .message(),
        )
    }

    /// Introduces itself; takes the connection that the server gives out, if it does.
    pub fn shake_hands(&mut self) {
        let reply = self.request(0, "initialize", initialize_params());
        assert_eq!(reply.message()["result"]["protocolVersion"], "2025-06-18", "{reply:?}");
        self.headers.push(("mcp-protocol-version".into(), "2025-06-18".into()));
        if let Some(session) = reply.header("mcp-session-id") {
            self.headers.push(("mcp-session-id".into(), session.to_owned()));
        }
        let told = self.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(told.status, 202);
    }
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The messages: of a JSON body, or of the events of a stream.
    pub fn messages(&self) -> Vec<Value> {
        if self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
            let data =
                self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
            return data.filter(|data| !data.is_empty()).map(parse).collect();
        }
        vec![parse(&self.body)]
    }

    /// The last message.
    pub fn message(&self) -> Value {
        self.messages().pop().expect("a message")
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The value of a figure, without the common prefix of their names.
pub fn metric(client: &HttpClient, name: &str) -> Option<f64> {
    let body = client.get("/metrics").body;
    let line =
        body.lines().find_map(|line| line.strip_prefix("mcp_python_sandbox_")?.strip_prefix(name));
    line.and_then(|value| value.trim().parse().ok())
}

/// Waits until so many jobs run.
pub fn wait_until_running(client: &HttpClient, jobs: u32) {
    wait_until(|| metric(client, "running") == Some(f64::from(jobs)));
}

/// Waits until it is so.
pub fn wait_until(mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < until, "it does not come to pass");
        thread::sleep(Duration::from_millis(10));
    }
}
