//! A real nginx with the configuration that is shipped, and processes that do not outlive their
//! test.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A process that does not outlive the test.
pub struct Running(Child);

impl Running {
    pub fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).spawn().expect("the program is installed"))
    }

    /// Asks it to end, and waits until it has.
    pub fn terminate(&mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.0);
        // It may have ended by itself.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        self.0.wait().expect("it ends").code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.0.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.terminate();
        }
    }
}

/// nginx before two servers.
pub struct Front {
    nginx: Running,
    /// `127.0.0.1:PORT`.
    pub address: String,
    _folder: TempDir,
}

impl Front {
    /// The configuration that is shipped, with the addresses of a test.
    pub fn start(backends: [&str; 2]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let port = free_port();
        let address = format!("127.0.0.1:{port}");
        let server = include_str!("../../deploy/nginx/mcp-python-sandbox.conf")
            .replace("127.0.0.1:8001", backends[0])
            .replace("127.0.0.1:8002", backends[1])
            .replace("127.0.0.1:8080", &address);
        let root = folder.path().display();
        let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {root}/{kind};\n"))
            .concat();
        let config = format!(
            "daemon off; pid {root}/pid; error_log {root}/error.log;\nevents {{}}\nhttp {{ \
             access_log off;\n{paths}{server} }}\n"
        );
        fs::write(folder.path().join("nginx.conf"), config).expect("a file");
        let nginx =
            Running::start(Command::new("nginx").arg("-c").arg(folder.path().join("nginx.conf")));
        wait_for(port);
        Self { nginx, address, _folder: folder }
    }

    /// Asks nginx to end, and waits until it has.
    pub fn terminate(&mut self) -> Option<i32> {
        self.nginx.terminate()
    }
}

pub fn wait_for(port: u16) {
    let until = Instant::now() + Duration::from_mins(1);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "nobody listens at port {port}");
        thread::sleep(Duration::from_millis(10));
    }
}

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
        .port()
}
