//! The hosts that an operator opened, and nothing beside them.

use super::harness::{Ran, Sandbox, Setup, plain};
use super::servers::{HttpServer, HttpsServer};
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
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const METADATA: IpAddr = IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254));

/// The names of the tests. `rebinding.test` changes its mind each time it is asked.
fn resolve(host: &str) -> Vec<IpAddr> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
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

/// What a job prints, where `PORT` stands for a number.
#[track_caller]
fn out(sandbox: &Sandbox, code: &str, port: u16) -> String {
    sandbox.run(&code.replace("PORT", &port.to_string())).ok()
}

#[test]
fn an_open_host_is_reached_by_the_usual_libraries() {
    let server = HttpServer::start();
    let sandbox =
        open(&[format!("allowed.test:{}", server.port), format!("*.allowed.test:{}", server.port)]);
    let code = "
import requests, urllib.request, urllib3
print(requests.get('http://allowed.test:PORT/requests?a=b', timeout=20).text, end='')
print(requests.post('http://also.allowed.test:PORT/post', data='x' * 5, timeout=20).text, end='')
print(urllib.request.urlopen('http://allowed.test:PORT/urllib', timeout=20).read().decode(), end='')
print(urllib3.PoolManager().request('GET', 'http://allowed.test:PORT/pool').data.decode(), end='')
print(urllib3.request('GET', 'http://allowed.test:PORT/urllib3').data.decode(), end='')
from curl_cffi import requests as curl
print(curl.get('http://allowed.test:PORT/curl', timeout=20).text, end='')
";
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
    let code = "
import requests, ssl, urllib.request, urllib3
print(requests.get('https://allowed.test:PORT/requests', verify='ca.pem', timeout=20).text, end='')
context = ssl.create_default_context(cafile='ca.pem')
print(urllib.request.urlopen('https://allowed.test:PORT/urllib', context=context, timeout=20).read().decode(), end='')
print(urllib3.PoolManager(ca_certs='ca.pem').request('GET', 'https://allowed.test:PORT/urllib3').data.decode(), end='')
from curl_cffi import requests as curl
print(curl.get('https://allowed.test:PORT/curl', verify='ca.pem', timeout=20).text, end='')
try:
    requests.get('https://allowed.test:PORT/', timeout=20)
except requests.exceptions.SSLError as error:
    print('a stranger is not trusted')
";
    let code = code.replace("PORT", &server.port.to_string());
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
    let code = "
import requests, urllib.request, urllib.error
answer = requests.get('http://unlisted.test:PORT/', timeout=20)
print(answer.status_code, answer.text, end='')
try:
    requests.get('https://unlisted.test:PORT/', timeout=20)
except requests.exceptions.ProxyError as error:
    print(str(error)[-200:])
try:
    urllib.request.urlopen('https://allowed.test:PORT/', timeout=20)
except OSError as error:
    print(error)
";
    let port = server.port;
    let open = "(open: allowed.test); the operator can add it with --allow-host";
    let expected = format!(
        "403 `unlisted.test:{port}` is not open to jobs {open} unlisted.test:{port}\n\
         Tunnel connection failed: 403 `unlisted.test:{port}` is not open to jobs {open} unlisted.test:{port}\n\
         <urlopen error Tunnel connection failed: 403 `allowed.test:{port}` is not open to jobs {open} allowed.test:{port}>\n"
    );
    let code =
        code.replace("str(error)[-200:]", "str(error)[str(error).index('Tunnel'):].rstrip(\"')\")");
    assert_eq!(out(&sandbox, &code, port), expected);
    assert_eq!(server.connections(), 0);
}

#[test]
fn addresses_that_are_not_public_are_refused_after_resolution() {
    let server = HttpServer::start();
    let port = server.port;
    let hosts = [
        "allowed.test",
        "metadata.test",
        "mixed.test",
        "127.0.0.1",
        "169.254.169.254",
        "nowhere.test",
    ];
    let hosts: Vec<String> = hosts.iter().map(|host| format!("{host}:{port}")).collect();
    let sandbox = with(config(&hosts));
    let code = "
import requests
for host in ('allowed.test', 'metadata.test', 'mixed.test', '127.0.0.1', '169.254.169.254', 'nowhere.test'):
    answer = requests.get(f'http://{host}:PORT/', timeout=20)
    print(answer.status_code, answer.text, end='')
";
    let no_public_address = |host: &str| {
        format!("403 `{host}` has no address in the public network, and others are never opened\n")
    };
    let expected = ["allowed.test", "metadata.test", "mixed.test", "127.0.0.1", "169.254.169.254"]
        .map(no_public_address)
        .concat();
    assert_eq!(out(&sandbox, code, port), format!("{expected}502 `nowhere.test` has no address\n"));
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_name_that_changes_its_mind_gets_nowhere() {
    let server = HttpServer::start();
    let port = server.port;
    let sandbox = open(&[format!("rebinding.test:{port}"), format!("mixed.test:{port}")]);
    // Looked up once for each connection: what was looked at is what is connected to.
    let code = "
import requests
for host in ('rebinding.test', 'rebinding.test', 'rebinding.test', 'mixed.test'):
    answer = requests.get(f'http://{host}:PORT/', timeout=20)
    print(answer.status_code, answer.text, end='')
";
    let expected = "\
200 GET / host=rebinding.test body=
403 `rebinding.test` has no address in the public network, and others are never opened
200 GET / host=rebinding.test body=
200 GET / host=mixed.test body=
";
    assert_eq!(out(&sandbox, code, port), expected);
    assert_eq!(server.connections(), 3);
}

/// What a job's sockets can do, each with its errno.
const ATTEMPTS: &str = r"
import errno, os, socket, struct
proxy = int(os.environ['HTTP_PROXY'].rpartition(':')[2])

def attempt(name, action):
    try:
        print(name, action())
    except OSError as error:
        print(name, errno.errorcode.get(error.errno, error))

def tcp():
    client = socket.socket()
    client.settimeout(1)
    return client

def connected():
    client = tcp()
    client.connect(('127.0.0.1', proxy))
    client.sendall(b'GET http://allowed.test/ HTTP/1.1\r\n\r\n')
    return client.recv(12)

attempt('the proxy', connected)
attempt('another port', lambda: tcp().connect(('127.0.0.1', PORT)))
attempt('the same port elsewhere', lambda: tcp().connect(('192.0.2.1', proxy)))
def after_disconnect():
    client = tcp()
    client.connect(('127.0.0.1', proxy))
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.connect(client.fileno(), bytes(16), 16):
        raise OSError(ctypes.get_errno(), 'disconnect')
    client.connect(('192.0.2.1', proxy))
attempt('the same port elsewhere, after a disconnect', after_disconnect)
attempt('past connect', lambda: tcp().sendto(b'x', socket.MSG_FASTOPEN, ('127.0.0.1', PORT)))
attempt('past connect by message', lambda: tcp().sendmsg([b'x'], [], socket.MSG_FASTOPEN, ('127.0.0.1', PORT)))
attempt('a late connect', lambda: tcp().setsockopt(socket.IPPROTO_TCP, 30, 1))
attempt('another device', lambda: tcp().setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b'eth0'))
attempt('bind', lambda: tcp().bind(('0.0.0.0', 0)))
attempt('listen', lambda: tcp().listen())
attempt('UDP', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
attempt('IPv6', lambda: socket.socket(socket.AF_INET6))
attempt('Unix', lambda: socket.socket(socket.AF_UNIX))
attempt('raw', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt('MPTCP', lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262))
attempt('SCTP', lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132))
attempt('netlink', lambda: socket.socket(16, socket.SOCK_RAW))
attempt('bound to', lambda: (tcp().getsockname()[0], tcp().getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16)))
try:
    socket.getaddrinfo('allowed.test', 80)
except socket.gaierror as error:
    print('DNS', error.strerror)
";

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
         DNS no address for 'allowed.test': jobs reach these hosts only: allowed.test:{port} (through the proxy in \
         HTTPS_PROXY); the operator can add one with `--allow-host`\n",
        port = server.port
    );
    assert_eq!(out(&sandbox, ATTEMPTS, server.port), expected);
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_credential_holds_for_its_job_alone() {
    let server = HttpServer::start();
    let port = server.port;
    let sandbox = open(&[format!("allowed.test:{port}")]);
    let url = out(&sandbox, "import os; print(os.environ['HTTP_PROXY'])", 0);
    let url = url.trim();
    let (_, password) = url
        .trim_start_matches("http://job:")
        .rsplit_once('@')
        .map(|(p, a)| (a, p))
        .expect("an address");
    assert_eq!(password.len(), 32, "{url}");
    let code = format!(
        "
import requests
url = 'http://allowed.test:PORT/'
answer = requests.get(url, proxies={{'http': {url:?}}}, timeout=20)
print(answer.status_code, answer.text, end='')
print(requests.get(url, proxies={{'http': {url:?}.replace('job:', 'x')}}, timeout=20).status_code)
print(requests.get(url, timeout=20).status_code)
"
    );
    let expected = "407 this proxy serves running jobs of one server, each with its own credential\n407\n200\n";
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
    let url = out(&sandbox, "import os; print(os.environ['HTTP_PROXY'])", 0);
    let proxy: u16 = url.trim().rsplit(':').next().expect("a port").parse().expect("a number");
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
    let code = r"
import base64, os, socket, time, urllib.parse
proxy = urllib.parse.urlsplit(os.environ['HTTP_PROXY'])
credential = base64.b64encode(f'job:{proxy.password}'.encode()).decode()
head = f'CONNECT allowed.test:PORT HTTP/1.1\r\nProxy-Authorization: Basic {credential}\r\n\r\n'.encode()
kept = []
answers = {}
for _ in range(35):
    client = socket.create_connection((proxy.hostname, proxy.port))
    client.sendall(head)
    answer = client.recv(12)
    answers[answer] = answers.get(answer, 0) + 1
    kept.append(client)
print(answers)
open('begun', 'w').close()
time.sleep(60)
";
    let limits = Limits { wall: Duration::from_secs(8), ..Limits::default() };
    let ran = sandbox.run_within(&code.replace("PORT", &server.port.to_string()), &limits);
    let asked = ran.result.as_ref().expect("it ran").asked.expect("it was asked to unwind");
    assert_eq!(asked.kind, LimitKind::Wall);
    assert_eq!(ran.stdout(), "{b'HTTP/1.1 200': 32, b'HTTP/1.1 503': 3}\n");
    assert_eq!(server.connections(), 32);
    // The next job has a number of its own.
    assert_eq!(
        out(
            &sandbox,
            "import requests; print(requests.get('http://allowed.test:PORT/').status_code)",
            server.port
        ),
        "200\n"
    );
}

#[test]
fn many_threads_and_an_event_loop_get_their_sockets() {
    let server = HttpServer::start();
    let sandbox = open(&[format!("allowed.test:{}", server.port)]);
    let code = "
import asyncio, os, requests, urllib.parse
from concurrent.futures import ThreadPoolExecutor
fetch = lambda number: requests.get(f'http://allowed.test:PORT/{number}', timeout=20).text
with ThreadPoolExecutor(8) as pool:
    texts = list(pool.map(fetch, range(40)))
print(texts == [f'GET /{number} host=allowed.test body=\\n' for number in range(40)])
proxy = urllib.parse.urlsplit(os.environ['HTTP_PROXY'])
async def main():
    reader, writer = await asyncio.open_connection(proxy.hostname, proxy.port)
    writer.write(b'CONNECT allowed.test:PORT HTTP/1.1\\r\\n\\r\\n')
    print((await reader.read(12)).decode())
    writer.close()
asyncio.run(main())
";
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
    let code = "
import os
for name in sorted(os.environ): print(name)
";
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
fn without_an_open_host_there_is_no_socket_at_all() {
    let code = "
import socket, requests
for attempt in (socket.socket, lambda: socket.create_connection(('127.0.0.1', 80))):
    try:
        attempt()
    except OSError as error:
        print(error)
try:
    socket.getaddrinfo('example.org', 80)
except socket.gaierror as error:
    print(error.strerror)
requests.get('http://example.org/')
";
    let ran: Ran = plain().run(code);
    let sentence = "jobs have no network; the operator can open a host with `--allow-host`";
    assert_eq!(
        ran.stdout(),
        format!(
            "[Errno 1] Operation not permitted\n[Errno 1] Operation not permitted\nno address for 'example.org': {sentence}\n"
        )
    );
    let error = ran.captured.report.error.as_ref().expect("an exception");
    assert_eq!(error.kind, "requests.exceptions.ConnectionError");
    assert!(error.message.contains(sentence), "{}", error.message);
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
        assert_eq!(out(&sandbox, "import os; print('HTTP_PROXY' in os.environ)", 0), "False\n");
    }
    let sandbox = Sandbox::new(&Setup { unconfined: true, network, ..Setup::default() });
    let why = "`--allow-host` needs walls, and `--native unconfined` has none".to_owned();
    assert_eq!(sandbox.native.network(), Network::Refused(why));
}

#[test]
fn the_proxy_is_gone_with_its_server() {
    let sandbox = open(&["allowed.test".to_owned()]);
    let url = out(&sandbox, "import os; print(os.environ['HTTP_PROXY'])", 0);
    let proxy: u16 = url.trim().rsplit(':').next().expect("a port").parse().expect("a number");
    assert!(TcpStream::connect(("127.0.0.1", proxy)).is_ok());
    drop(sandbox);
    thread::sleep(Duration::from_millis(200));
    assert_eq!(
        TcpStream::connect(("127.0.0.1", proxy)).expect_err("nobody listens").kind(),
        ErrorKind::ConnectionRefused
    );
}
