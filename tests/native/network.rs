//! The hosts that an operator opened, and nothing beside them.

use super::harness::{Sandbox, Setup, plain};
use super::servers::{HttpServer, HttpsServer};
use crate::support::program;
use mcp_python_sandbox::proxy::{ProxyConfig, Resolver};
use mcp_python_sandbox::testing::Network;
use mcp_python_sandbox::testing::RunEnd;
use mcp_python_sandbox::testing::{LimitKind, Limits};
use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Shutdown, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const METADATA: IpAddr = IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254));
const FETCH_HOSTS: &str = include_str!("../programs/fetch_hosts.py");

/// The names of the tests. `rebinding.test` changes its mind each time it is asked.
fn resolve(host: &str) -> Vec<IpAddr> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    // Another name would be relative to the search domains of this machine.
    let Some(host) = host.strip_suffix('.') else { return Vec::new() };
    match host {
        "allowed.test" | "also.allowed.test" | "unlisted.test" => vec![LOOPBACK],
        "metadata.test" => vec![METADATA],
        "mixed.test" => vec![METADATA, LOOPBACK],
        "rebinding.test" => {
            vec![if ASKED.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
                LOOPBACK
            } else {
                METADATA
            }]
        }
        _ => Vec::new(),
    }
}

/// A sandbox with `hosts` open, among them hosts on loopback.
fn open(hosts: &[String]) -> Sandbox {
    with(ProxyConfig { test_loopback: true, ..config(hosts) })
}

fn config(hosts: &[String]) -> ProxyConfig {
    let hosts = hosts.iter().map(|host| host.parse().expect("a host")).collect();
    ProxyConfig { resolver: Resolver::Test(resolve), ..ProxyConfig::new(hosts) }
}

fn with(network: ProxyConfig) -> Sandbox {
    Sandbox::new(&Setup { network: Some(network), ..Setup::default() })
}

/// What a program prints whose first variable is a port.
#[track_caller]
fn out(sandbox: &Sandbox, code: &str, port: u16) -> String {
    sandbox.run(&program::set(code, "PORT", port)).ok()
}

/// The address of the proxy, as a job sees it.
#[track_caller]
fn proxy_url(sandbox: &Sandbox) -> String {
    sandbox.run("import os; print(os.environ['HTTP_PROXY'], end='')").ok()
}

#[test]
fn an_open_host_is_reached_by_the_usual_libraries() {
    let server = HttpServer::start();
    let sandbox =
        open(&[format!("allowed.test:{}", server.port), format!("*.allowed.test:{}", server.port)]);
    let code = include_str!("../programs/fetch_by_each_library.py");
    let expected = "\
GET /requests?a=b host=allowed.test body=
POST /post host=also.allowed.test body=xxxxx
GET /urllib host=allowed.test body=
GET /pool host=allowed.test body=
GET /urllib3 host=allowed.test body=
GET /curl host=allowed.test body=
";
    assert_eq!(out(&sandbox, code, server.port), expected);
    assert_eq!(server.connections(), 6);
}

#[test]
fn an_open_host_is_reached_over_tls() {
    let server = HttpsServer::start();
    let sandbox = open(&[format!("allowed.test:{}", server.port)]);
    let dir = sandbox.native.job_dir(None).expect("a job directory");
    let certificate =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/tls/certificate.pem");
    fs::copy(certificate, dir.data().join("ca.pem")).expect("a copy");
    let code = include_str!("../programs/fetch_over_tls.py");
    let code = program::set(code, "PORT", server.port);
    let ran = sandbox.block_on(sandbox.start_in(
        dir,
        &code,
        &Limits::default(),
        &CancellationToken::new(),
    ));
    let expected = "\
/requests of allowed.test over TLS
/urllib of allowed.test over TLS
/urllib3 of allowed.test over TLS
/curl of allowed.test over TLS
a stranger is not trusted
";
    assert_eq!(ran.ok(), expected);
}

#[test]
fn a_host_that_is_not_open_is_refused_in_words() {
    let server = HttpServer::start();
    let sandbox = open(&["allowed.test".to_owned()]);
    let code = include_str!("../programs/fetch_closed_host.py");
    let port = server.port;
    let open = "(open: allowed.test); the operator can add it with --allow-host";
    let expected = format!(
        "403 `unlisted.test:{port}` is not open to jobs {open} unlisted.test:{port}\n\
         Tunnel connection failed: 403 `unlisted.test:{port}` is not open to jobs {open} \
         unlisted.test:{port}\n\
         <urlopen error Tunnel connection failed: 403 `allowed.test:{port}` is not open to jobs \
         {open} allowed.test:{port}>\n"
    );
    assert_eq!(out(&sandbox, code, port), expected);
    assert_eq!(server.connections(), 0);
}

#[test]
fn addresses_that_are_not_public_are_refused_after_resolution() {
    let server = HttpServer::start();
    let port = server.port;
    let names = [
        "allowed.test",
        "metadata.test",
        "mixed.test",
        "127.0.0.1",
        "169.254.169.254",
        "nowhere.test",
    ];
    let hosts: Vec<String> = names.iter().map(|host| format!("{host}:{port}")).collect();
    let sandbox = with(config(&hosts));
    let code = program::set(FETCH_HOSTS, "HOSTS", format!("{names:?}"));
    let no_public_address = |host: &str| {
        format!("403 `{host}` has no address in the public network, and others are never opened\n")
    };
    let expected: String = names[..5].iter().map(|host| no_public_address(host)).collect();
    let expected = expected + "502 `nowhere.test` has no address\n";
    assert_eq!(out(&sandbox, &code, port), expected);
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_name_that_changes_its_mind_gets_nowhere() {
    let server = HttpServer::start();
    let port = server.port;
    let sandbox = open(&[format!("rebinding.test:{port}"), format!("mixed.test:{port}")]);
    // Looked up once for each connection: what was looked at is what is connected to.
    let hosts = ["rebinding.test", "rebinding.test", "rebinding.test", "mixed.test"];
    let code = program::set(FETCH_HOSTS, "HOSTS", format!("{hosts:?}"));
    let expected = "\
200 GET / host=rebinding.test body=
403 `rebinding.test` has no address in the public network, and others are never opened
200 GET / host=rebinding.test body=
200 GET / host=mixed.test body=
";
    assert_eq!(out(&sandbox, &code, port), expected);
    assert_eq!(server.connections(), 3);
}

#[test]
fn there_is_no_way_past_the_proxy() {
    let server = HttpServer::start();
    let sandbox = open(&[format!("allowed.test:{}", server.port)]);
    let expected = format!(
        "the proxy b'HTTP/1.1 407'\n\
         another port EACCES\n\
         the same port elsewhere timed out\n\
         the same port elsewhere, after a disconnect timed out\n\
         past connect EPERM\n\
         past connect by message EPERM\n\
         a late connect EPERM\n\
         another device EPERM\n\
         bind EPERM\n\
         listen EPERM\n\
         UDP EPERM\n\
         IPv6 EPERM\n\
         Unix EPERM\n\
         raw EPERM\n\
         MPTCP EPERM\n\
         SCTP EPERM\n\
         netlink EPERM\n\
         bound to ('127.0.0.1', b'lo\\x00')\n\
         DNS no address for 'allowed.test': jobs reach these hosts only: allowed.test:{port} \
         (through the proxy in \
         HTTPS_PROXY); the operator can add one with `--allow-host`\n",
        port = server.port
    );
    let code = include_str!("../programs/socket_attempts.py");
    assert_eq!(out(&sandbox, code, server.port), expected);
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_credential_holds_for_its_job_alone() {
    let server = HttpServer::start();
    let port = server.port;
    let sandbox = open(&[format!("allowed.test:{port}")]);
    let url = proxy_url(&sandbox);
    let (_, password) = url
        .trim_start_matches("http://job:")
        .rsplit_once('@')
        .map(|(p, a)| (a, p))
        .expect("an address");
    assert_eq!(password.len(), 32, "{url}");
    let code = include_str!("../programs/fetch_with_credentials.py");
    let code = program::set(code, "STRANGER", format!("{url:?}"));
    let expected = "407 this proxy serves running jobs of one server, each with its own \
        credential\n407\n200\n";
    assert_eq!(out(&sandbox, &code, port), expected);
    assert_eq!(server.connections(), 1);
    // Somebody else on this machine.
    let proxy: u16 = url.rsplit(':').next().expect("a port").parse().expect("a number");
    let answer = ask(proxy, format!("GET http://allowed.test:{port}/ HTTP/1.1\r\n\r\n").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 407 "), "{answer}");
}

/// What the proxy answers to these bytes.
fn ask(proxy: u16, bytes: &[u8]) -> String {
    let mut client = TcpStream::connect(("127.0.0.1", proxy)).expect("the proxy listens");
    // It may have answered before it read all.
    let _ = client.write_all(bytes);
    let _ = client.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = client.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn heads_are_bounded() {
    let sandbox = open(&["allowed.test".to_owned()]);
    let url = proxy_url(&sandbox);
    let proxy: u16 = url.rsplit(':').next().expect("a port").parse().expect("a number");
    let endless =
        [b"GET http://allowed.test/ HTTP/1.1\r\nA: ".as_slice(), &vec![b'x'; 64 << 10]].concat();
    assert!(ask(proxy, &endless).starts_with("HTTP/1.1 431 "));
    assert!(ask(proxy, b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n").starts_with("HTTP/1.1 400 "));
    assert!(ask(proxy, b"GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
    assert_eq!(ask(proxy, b"GET http://allowed.test/ HTTP/1.1\r\n"), "");
}

#[test]
fn connections_of_a_job_are_bounded_and_end_with_it() {
    let server = HttpServer::start();
    let sandbox = open(&[format!("allowed.test:{}", server.port)]);
    let code = program::set(include_str!("../programs/open_tunnels.py"), "PORT", server.port);
    let limits = Limits { wall: Duration::from_secs(8), ..Limits::default() };
    let ran = sandbox.run_within(&code, &limits);
    let asked = ran.result.as_ref().expect("it ran").asked.expect("it was asked to unwind");
    assert_eq!(asked.kind, LimitKind::Wall);
    assert_eq!(ran.stdout(), "{b'HTTP/1.1 200': 32, b'HTTP/1.1 503': 3}\n");
    assert_eq!(server.connections(), 32);
    // The next job has a number of its own.
    let url = format!("http://allowed.test:{}/", server.port);
    let code = format!("import requests; print(requests.get('{url}').status_code)");
    assert_eq!(sandbox.run(&code).ok(), "200\n");
}

#[test]
fn who_shows_no_credential_keeps_nobody_out() {
    let server = HttpServer::start();
    let sandbox = open(&[format!("allowed.test:{}", server.port)]);
    let url = proxy_url(&sandbox);
    let proxy: u16 = url.rsplit(':').next().expect("a port").parse().expect("a number");
    let silent = || TcpStream::connect(("127.0.0.1", proxy)).expect("the proxy listens");
    let mut crowd: Vec<TcpStream> = (0..400).map(|_| silent()).collect();
    // A place is kept for seconds, and not by those who are many.
    crowd[0].set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
    assert_eq!(crowd[0].read(&mut [0]).expect("it is closed"), 0);
    let code = format!(
        "import requests; print(requests.get('http://allowed.test:{}/').status_code)",
        server.port
    );
    assert_eq!(sandbox.run(&code).ok(), "200\n");
    let began = Instant::now();
    assert_eq!(crowd[399].read(&mut [0]).expect("it is closed"), 0);
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
}

#[test]
fn many_threads_and_an_event_loop_get_their_sockets() {
    let server = HttpServer::start();
    let sandbox = open(&[format!("allowed.test:{}", server.port)]);
    let code = include_str!("../programs/fetch_in_threads.py");
    assert_eq!(out(&sandbox, code, server.port), "True\nHTTP/1.1 407\n");
    assert_eq!(server.connections(), 40);
}

#[test]
fn a_job_that_waits_for_a_host_unwinds_at_its_deadline() {
    let server = HttpServer::start();
    let sandbox = open(&[format!("allowed.test:{}", server.port)]);
    let code =
        format!("import requests\nrequests.get('http://allowed.test:{}/stall')", server.port);
    let limits = Limits {
        wall: Duration::from_secs(4),
        grace: Duration::from_millis(500),
        ..Limits::default()
    };
    let ran = sandbox.run_within(&code, &limits);
    assert!(matches!(ran.end(), RunEnd::Returned(124)), "{ran:?}");
    assert!(ran.took < Duration::from_secs(10), "{:?}", ran.took);
}

#[test]
fn the_variables_of_the_proxy_are_all_that_is_added() {
    let code = "import os\nfor name in sorted(os.environ): print(name)";
    let before: Vec<String> = plain().run(code).ok().lines().map(str::to_owned).collect();
    let sandbox = open(&["allowed.test".to_owned()]);
    let after = sandbox.run(code).ok();
    let added: Vec<&str> =
        after.lines().filter(|name| !before.iter().any(|other| other == name)).collect();
    assert_eq!(
        added,
        ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "http_proxy", "https_proxy"]
    );
}

#[test]
fn without_an_open_host_the_network_is_closed() {
    assert_eq!(plain().native.network(), Network::Closed);
}

#[test]
fn a_kernel_without_ports_refuses_the_option_by_name_and_runs_jobs() {
    let network = Some(config(&["allowed.test".to_owned()]));
    for abi in [1, 3] {
        let sandbox =
            Sandbox::new(&Setup { abi: Some(abi), network: network.clone(), ..Setup::default() });
        let why = format!(
            "`--allow-host` needs Landlock ABI 4 (Linux 6.7 or newer), and here it is {abi}"
        );
        assert_eq!(sandbox.native.network(), Network::Refused(why));
        assert_eq!(sandbox.run("import os; print('HTTP_PROXY' in os.environ)").ok(), "False\n");
    }
    let sandbox = Sandbox::new(&Setup { unconfined: true, network, ..Setup::default() });
    let why = "`--allow-host` needs walls, and `--native unconfined` has none".to_owned();
    assert_eq!(sandbox.native.network(), Network::Refused(why));
}

#[test]
fn the_proxy_is_gone_with_its_server() {
    let sandbox = open(&["allowed.test".to_owned()]);
    let url = proxy_url(&sandbox);
    let proxy: u16 = url.rsplit(':').next().expect("a port").parse().expect("a number");
    assert!(TcpStream::connect(("127.0.0.1", proxy)).is_ok());
    drop(sandbox);
    thread::sleep(Duration::from_millis(200));
    assert_eq!(
        TcpStream::connect(("127.0.0.1", proxy)).expect_err("nobody listens").kind(),
        ErrorKind::ConnectionRefused
    );
}
