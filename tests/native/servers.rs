//! Servers on loopback, for jobs that may reach them and for jobs that may not.

use super::harness::venv;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// An HTTP server that answers each request with a line that says what it got. Ends with the test's
/// process.
pub(crate) struct HttpServer {
    pub(crate) port: u16,
    connections: Arc<AtomicUsize>,
}

impl HttpServer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || answer(client));
            }
        });
        Self { port, connections }
    }

    /// How many connections it has had.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// `/stall` gets no answer; everything else gets `METHOD PATH host=… body=…`.
fn answer(client: TcpStream) -> Option<()> {
    let mut lines = BufReader::new(client);
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        (lines.read_until(b'\n', &mut head).ok()? > 0).then_some(())?;
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let header = |name: &str| {
        let mut fields = head.lines().filter_map(|line| line.split_once(": "));
        fields
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map_or("", |(_, value)| value)
            .to_owned()
    };
    let request = head.lines().next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let mut body = vec![0; header("Content-Length").parse().unwrap_or(0)];
    lines.read_exact(&mut body).ok()?;
    let mut client = lines.into_inner();
    if request.ends_with("/stall") {
        // Until the other side ends it.
        client.read_to_end(&mut Vec::new()).ok()?;
        return None;
    }
    let secrets = if header("Proxy-Authorization").is_empty() { "" } else { " credential!" };
    let host = header("Host");
    let host = host.split(':').next().unwrap_or_default();
    let text = format!("{request} host={host} body={}{secrets}\n", String::from_utf8_lossy(&body));
    write!(
        client,
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    )
    .ok()
}

/// An HTTPS server with the certificate of `tls/`.
pub(super) struct HttpsServer {
    pub(super) port: u16,
    process: Child,
}

impl HttpsServer {
    pub(super) fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/tls");
        let mut command = Command::new(venv().join("bin/python3"));
        command.arg("-I").arg(folder.join("server.py")).arg(&folder).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the server starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("its port");
        Self { port: line.trim().parse().expect("a number"), process }
    }
}

impl Drop for HttpsServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
