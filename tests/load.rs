//! Many calls at once, restarts behind a load balancer, and deaths at any moment. Slow: `make soak`
//! runs them.

use crate::support::http::{HttpClient, HttpServer};
use crate::support::nginx::{Front, Running, free_port, wait_for};
use crate::support::processes::descendants_of;
use crate::support::{Answer, BINARY, Client};
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const CALLS: usize = 10_000;
const CLIENTS: usize = 32;

/// Median and 99th percentile.
fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    format!("{} calls: p50 {:?}, p99 {:?}, longest {:?}", times.len(), at(50), at(99), at(100))
}

/// Calls `client` with a program that prints `n`, and asserts that this is what it prints.
fn call(client: &HttpClient, n: usize) -> Duration {
    let begun = Instant::now();
    let id = i64::try_from(n).expect("a small number");
    let reply = client.run(id, &format!("print({n})"));
    assert_eq!(reply.status, 200, "{reply:?}");
    let message = reply.message();
    assert_eq!(message["id"], id);
    assert_eq!(Answer::of(&message).ok(), n.to_string());
    begun.elapsed()
}

#[test]
#[ignore = "slow"]
fn ten_thousand_calls_of_32_clients_over_http_are_answered_once_each() {
    for arguments in [&["--native", "off", "--http-stateless"][..], &["--native", "off"]] {
        let server = HttpServer::start(arguments);
        let next = AtomicUsize::new(0);
        let times: Vec<Duration> = thread::scope(|scope| {
            let worker = || {
                let client = server.connect();
                let mut times = Vec::new();
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= CALLS {
                        return times;
                    }
                    times.push(call(&client, n));
                }
            };
            let workers: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("no call is lost")).collect()
        });
        assert_eq!(times.len(), CALLS);
        println!("{arguments:?}: {}", percentiles(times));
    }
}

#[test]
#[ignore = "slow"]
fn ten_thousand_calls_over_one_pipe_are_answered_once_each() {
    /// Calls in flight.
    const WINDOW: usize = 64;
    let mut client = Client::start(&["--native", "off"]);
    let mut open = std::collections::HashMap::new();
    let (mut sent, mut times) = (0, Vec::new());
    while times.len() < CALLS {
        while sent < CALLS && open.len() < WINDOW {
            let id = client.send_call(json!({ "code": format!("print({sent})") }));
            open.insert(id, (sent, Instant::now()));
            sent += 1;
        }
        let message = client.receive();
        let id = message["id"].as_i64().expect("an id of ours");
        let (n, begun) = open.remove(&id).expect("a call that is open: none is answered twice");
        assert_eq!(Answer::of(&message).ok(), n.to_string());
        times.push(begun.elapsed());
    }
    println!("64 in flight over one pipe: {}", percentiles(times));
}

/// A server on a port that stays the same over its restarts.
fn backend(port: u16) -> Running {
    let address = format!("127.0.0.1:{port}");
    let arguments = [
        "serve",
        "--native",
        "off",
        "--http-stateless",
        "--http-host",
        "mcp.example.org",
        "--http",
    ];
    let server =
        Running::start(Command::new(BINARY).args(arguments).arg(&address).stderr(Stdio::null()));
    wait_for(port);
    server
}

#[test]
#[ignore = "slow; needs nginx"]
fn a_rolling_restart_behind_nginx_loses_no_call() {
    let ports = [free_port(), free_port()];
    let mut backends = ports.map(backend);
    let [first, second] = ports.map(|port| format!("127.0.0.1:{port}"));
    let mut front = Front::start([&first, &second]);

    let address = front.address.clone();
    let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let worker = |index: usize| {
            let client = HttpClient::of(&address).with("host", "mcp.example.org");
            let mut n = index * 1_000_000;
            while !stop.load(Ordering::Relaxed) {
                call(&client, n);
                n += 1;
                done.fetch_add(1, Ordering::Relaxed);
            }
        };
        let workers: Vec<_> = (0..8).map(|index| scope.spawn(move || worker(index))).collect();
        for _round in 0..2 {
            for (child, port) in backends.iter_mut().zip(ports) {
                thread::sleep(Duration::from_millis(700));
                assert_eq!(child.terminate(), Some(0));
                *child = backend(port);
            }
        }
        stop.store(true, Ordering::Relaxed);
        for worker in workers {
            worker.join().expect("no call is lost");
        }
    });
    let done = done.load(Ordering::Relaxed);
    assert!(done > 100, "{done} calls");
    println!("4 restarts behind nginx: {done} calls, none lost");
    assert_eq!(front.terminate(), Some(0));
    for mut backend in backends {
        assert_eq!(backend.terminate(), Some(0));
    }
}

fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

#[test]
#[ignore = "slow"]
fn deaths_at_any_moment_leave_nothing_behind() {
    const DEATHS: usize = 200;
    let folder = tempfile::tempdir().expect("a folder");
    let environment = [("TMPDIR", folder.path().as_os_str())];
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |below: u64| {
        // xorshift64 (Marsaglia 2003): the same deaths in each run.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    let mut counts = [0; 3];
    for _death in 0..DEATHS {
        let mut client = Client::spawn_with(&[], &environment);
        client.request("initialize", crate::support::initialize_params());
        client.notify("notifications/initialized", json!({}));
        let runtime = if draw(2) == 0 { "wasm" } else { "native" };
        let id = client
            .send_call(json!({ "code": "while True: pass", "runtime": runtime, "timeout": 3 }));
        thread::sleep(Duration::from_millis(draw(1_500)));
        let children = descendants_of(client.pid());
        let who = draw(3);
        counts[usize::try_from(who).expect("a small number")] += 1;
        match who {
            0 => client.kill(),
            1 => assert_eq!(client.vanish().code(), Some(0)),
            _ => {
                let mut children = children.clone();
                children.sort_unstable();
                if let Some(&child) =
                    children.get(usize::try_from(draw(4)).expect("a small number"))
                {
                    let pid = i32::try_from(child)
                        .ok()
                        .and_then(rustix::process::Pid::from_raw)
                        .expect("a process");
                    // It may have ended by itself meanwhile.
                    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
                }
                // The call is answered, whatever became of it, and the next one works.
                assert_eq!(client.receive()["id"], id);
                assert_eq!(client.run("print('alive')").ok(), "alive");
                client.close_input();
                assert_eq!(client.wait().code(), Some(0));
            }
        }
        let until = Instant::now() + Duration::from_secs(10);
        while let Some(pid) = children.iter().chain([&client.pid()]).find(|&&pid| is_alive(pid)) {
            assert!(Instant::now() < until, "process {pid} outlives its server");
            thread::sleep(Duration::from_millis(5));
        }
    }
    // A clean start and a clean end sweep up what the killed ones could not.
    let mut client = Client::spawn_with(&[], &environment);
    client.request("initialize", crate::support::initialize_params());
    assert_eq!(client.call(json!({ "code": "print(1)", "runtime": "native" })).ok(), "1");
    client.close_input();
    assert_eq!(client.wait().code(), Some(0));
    let left: Vec<Value> = fs::read_dir(folder.path())
        .expect("the folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned().into())
        .collect();
    assert_eq!(Value::from(left), json!([]));
    println!("{DEATHS} deaths (server, client, child: {counts:?}): no process, no file left");
}
