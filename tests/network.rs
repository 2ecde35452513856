//! Open and closed hosts as a client meets them: routing, words, options. What stops a job is
//! tested in `native::network`.

use crate::native::servers::HttpServer;
use crate::support::{BINARY, Client};
use serde_json::{Value, json};
use std::process::{Command, Output, Stdio};

fn run(options: &[&str], code: &str) -> Output {
    let mut command = Command::new(BINARY);
    command.args(["run", "--json"]).args(options).args(["-c", code]).stdin(Stdio::null());
    command.output().expect("the binary starts")
}

fn result(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn code_that_wants_an_open_host_runs_where_it_can_be_reached() {
    let server = HttpServer::start();
    let host = format!("localhost:{}", server.port);
    let options = ["--allow-host", "example.org", "--allow-host", &host, "--test-allow-loopback"];
    let fetch = format!(
        "print(urllib.request.urlopen('http://{host}/x', timeout=20).read().decode(), end='')"
    );
    for (code, why) in [
        (format!("import urllib.request\n{fetch}"), "`urllib.request` needs the native runtime"),
        (
            format!("urllib = __import__('urllib.request')\n{fetch}"),
            "`socket` needs the native runtime, which was noticed when the code ran",
        ),
    ] {
        let result = result(&run(&options, &code));
        assert_eq!(result["runtime"], "native", "{result}");
        assert_eq!(result["reason"], why);
        let text = result["text"].as_str().expect("a text");
        assert_eq!(text.lines().next(), Some("GET /x host=localhost body="), "{result}");
    }
    let result = result(&run(&options, "import urllib.parse\nprint(urllib.parse.quote('ä'))"));
    assert_eq!((&result["runtime"], &result["text"]), (&json!("wasm"), &json!("%C3%A4")));
}

#[test]
fn the_tool_says_which_hosts_are_open() {
    let description = |options: &[&str]| {
        let mut client = Client::start(options);
        let answer = client.request("tools/list", json!({}));
        answer["result"]["tools"][0]["description"].as_str().expect("a text").to_owned()
    };
    let closed = description(&[]);
    assert!(
        closed.contains(" There is no network, no `pip install` and no keyboard input. "),
        "{closed}"
    );
    let open = description(&["--allow-host", "example.org,*.example.net:81"]);
    let expected = " By HTTP and HTTPS these hosts can be reached, and no others: example.org, \
        *.example.net:81. There is no \
                    `pip install` and no keyboard input. ";
    assert!(open.contains(expected), "{open}");
}

#[test]
fn what_is_no_host_is_refused_at_the_start() {
    let output = run(&["--allow-host", "http://example.org/"], "1");
    let expected = "`--allow-host` takes a host name, such as `api.example.org`, `*.example.org` \
        or `example.org:8443` \
                    (international names as `xn--…`), not `http://example.org/`";
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains(expected), "{stderr}");
    assert!(!output.status.success());
}
