//! A client that speaks to the real binary over its pipes, and what tests ask of it.

pub mod answer_lines;
pub mod case;
pub mod http;
pub mod nginx;
pub mod processes;
pub mod program;

use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The program under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_mcp-python-sandbox");

/// How long a test waits for one message. Generous: the machine may be busy.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// A server process and the lines it writes.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: i64,
}

impl Client {
    /// Starts `serve` with `arguments`, without a handshake.
    pub fn spawn(arguments: &[&str]) -> Self {
        Self::spawn_with(arguments, &[])
    }

    /// The same with variables in its environment.
    pub fn spawn_with(arguments: &[&str], environment: &[(&str, &OsStr)]) -> Self {
        let mut child = Command::new(BINARY)
            .arg("serve")
            .args(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the binary starts");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, next_id: 1 }
    }

    /// Starts a server and shakes hands with it.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[])
    }

    /// The same with variables in its environment.
    pub fn start_with(arguments: &[&str], environment: &[(&str, &OsStr)]) -> Self {
        let mut client = Self::spawn_with(arguments, environment);
        let answer = client.request("initialize", initialize_params());
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// Writes one line as it is.
    pub fn raw(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(line).expect("the server reads");
        stdin.write_all(b"\n").expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.raw(
            json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().as_bytes(),
        );
    }

    /// Sends a request and gives its id.
    pub fn send(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.raw(
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
                .to_string()
                .as_bytes(),
        );
        id
    }

    /// The next message.
    pub fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server answers");
        serde_json::from_str(&line).expect("each line is one JSON message")
    }

    /// Sends a request and waits for its answer, which must be the next message.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], id, "unexpected message: {answer}");
        answer
    }

    /// Sends a call and gives its id.
    pub fn send_call(&mut self, arguments: Value) -> i64 {
        self.send("tools/call", json!({ "name": "run_python", "arguments": arguments }))
    }

    /// Calls a tool.
    pub fn tool(&mut self, name: &str, arguments: Value) -> Answer {
        Answer::of(&self.request("tools/call", json!({ "name": name, "arguments": arguments })))
    }

    /// Calls `run_python`.
    pub fn call(&mut self, arguments: Value) -> Answer {
        self.tool("run_python", arguments)
    }

    /// Calls the tool with code alone.
    pub fn run(&mut self, code: &str) -> Answer {
        self.call(json!({ "code": code }))
    }

    /// The most memory that the server has had so far, in bytes (proc(5), `VmHWM`).
    pub fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("the server is there");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = peak.and_then(|rest| rest.trim().strip_suffix(" kB")).expect("a peak");
        kibibytes.parse::<u64>().expect("a number") << 10
    }

    /// Closes the server's input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Goes away as a killed client does: nobody writes any more, nobody reads any more. Waits for
    /// the server to notice.
    pub fn vanish(&mut self) -> ExitStatus {
        self.stdin = None;
        // The thread that reads ends at the next line, and with it the pipe.
        self.lines = channel().1;
        self.wait()
    }

    /// Ends the server as a crash would.
    pub fn kill(&mut self) {
        self.child.kill().expect("the server is there");
        self.child.wait().expect("the server ends");
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the server to end by itself.
    pub fn wait(&mut self) -> ExitStatus {
        wait_for_end(&mut self.child)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a server to end by itself.
fn wait_for_end(server: &mut Child) -> ExitStatus {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = server.try_wait().expect("the server can be waited for") {
            return status;
        }
        assert!(Instant::now() < until, "the server does not end");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Parameters of a handshake.
pub fn initialize_params() -> Value {
    json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test",
        "version": "0" } })
}

/// The result of a call, in its parts.
#[derive(Debug)]
pub struct Answer {
    pub text: String,
    /// MIME type and base64 of each image.
    pub images: Vec<(String, String)>,
    pub is_error: bool,
    pub meta: Value,
}

impl Answer {
    pub fn of(message: &Value) -> Self {
        let result = &message["result"];
        let content =
            result["content"].as_array().unwrap_or_else(|| panic!("not a tool result: {message}"));
        let is = |kind: &'static str| move |part: &&Value| part["type"] == kind;
        let string = |value: &Value| value.as_str().expect("a string").to_owned();
        let texts: Vec<String> =
            content.iter().filter(is("text")).map(|part| string(&part["text"])).collect();
        assert_eq!(texts.len(), 1, "one text part: {message}");
        Self {
            text: texts[0].clone(),
            images: content
                .iter()
                .filter(is("image"))
                .map(|part| (string(&part["mimeType"]), string(&part["data"])))
                .collect(),
            is_error: result["isError"].as_bool().unwrap_or(false),
            meta: result["_meta"].clone(),
        }
    }

    /// A value of `_meta`.
    pub fn meta(&self, key: &str) -> &Value {
        &self.meta[format!("mcp-python-sandbox/{key}")]
    }

    /// Asserts that the job ran to its end, and gives its text.
    pub fn ok(&self) -> &str {
        assert!(!self.is_error, "the job failed: {}", self.text);
        &self.text
    }

    /// Asserts that the job failed, and gives its text.
    pub fn failed(&self) -> &str {
        assert!(self.is_error, "the job did not fail: {}", self.text);
        &self.text
    }
}
