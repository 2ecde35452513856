//! Requests that cannot be served: arguments that no call has, and lines that are no message.

use crate::support::Client;
use serde_json::{Value, json};

#[test]
fn wrong_arguments_are_tool_errors_that_say_what_to_do() {
    let mut client = Client::start(&["--max-timeout", "40"]);
    let timeout = "`timeout` must be a number of seconds above 0 and up to 40; \
                   with `background: true` up to 600";
    for (arguments, text) in [
        (json!({}), "`code` is missing: pass the Python source to run"),
        (json!({ "code": 7 }), "`code` must be a string of Python source, not a number"),
        (json!({ "code": null }), "`code` is missing: pass the Python source to run"),
        (
            json!({ "code": "x = 1\ny = '\u{0}'" }),
            "`code` holds a NUL character in line 2: Python source cannot, write `\\0` in a \
             string instead",
        ),
        (
            json!({ "code": "1", "timeuot": 3 }),
            "unknown argument `timeuot`: `run_python` takes `code`, `timeout`, `session`, \
             `background`, `on_timeout`, `runtime`, `files` and `show_files`",
        ),
        (json!({ "code": "1", "timeout": "3" }), timeout),
        (json!({ "code": "1", "timeout": 0 }), timeout),
        (json!({ "code": "1", "timeout": -1 }), timeout),
        (json!({ "code": "1", "timeout": 1e300 }), timeout),
        (json!({ "code": "1", "timeout": 41 }), timeout),
        (json!({ "code": "1", "runtime": "gpu" }), "`runtime` must be `auto`, `wasm` or `native`"),
        (
            json!({ "code": "1", "files": {} }),
            "`files` must be a list of objects with `path` and `text` or `base64`, not an object",
        ),
        (
            json!({ "code": "1", "files": [{ "path": "../x", "text": "" }] }),
            "`files[0]`: `path` \"../x\" leaves the working directory; give a path relative to \
             the working directory",
        ),
        (
            json!({ "code": "1", "files": [{ "path": "/etc/x", "text": "" }] }),
            "`files[0]`: `path` \"/etc/x\" is absolute; give a path relative to the working \
             directory",
        ),
        (
            json!({ "code": "1", "files": [{ "path": "x", "text": "", "base64": "" }] }),
            "`files[0]`: give either `text` or `base64`, as a string",
        ),
        (
            json!({ "code": "1", "files": [{ "path": "x", "text": "", "mode": 1 }] }),
            "`files[0]`: unknown key `mode`",
        ),
    ] {
        assert_eq!(client.call(arguments).failed(), text);
    }
    assert_eq!(client.run("print('alive')").ok(), "alive");
}

#[test]
fn broken_requests_get_the_error_of_json_rpc() {
    let mut client = Client::start(&[]);
    for (line, id, code) in [
        (&b"this is not json"[..], Value::Null, -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":31,\"method\":", json!(31), -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":[",
            json!("x"),
            -32700,
        ),
        (b"\xff\xfe\x00", Value::Null, -32700),
        (b"7", Value::Null, -32600),
        (b"[]", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":32}", json!(32), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":33,\"method\":5}", json!(33), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":5}", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":[7]}", Value::Null, -32600),
        (b"{\"id\":34,\"method\":\"ping\"}", json!(34), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":35,\"method\":\"tools/call\"}", json!(35), -32602),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":36,\"method\":\"tools/call\",\"params\":{\"name\":7}}",
            json!(36),
            -32602,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":37,\"method\":\"tools/call\",\"params\":\
               {\"name\":\"run_python\",\"arguments\":[1]}}",
            json!(37),
            -32602,
        ),
        (
            br#"{"jsonrpc":"2.0","id":38,"method":"tools/call","params":{"name":"nope"}}"#,
            json!(38),
            -32602,
        ),
        (b"{\"jsonrpc\":\"2.0\",\"id\":40,\"method\":\"initialize\"}", json!(40), -32602),
        (b"{\"jsonrpc\":\"2.0\",\"id\":39,\"method\":\"made/up\"}", json!(39), -32601),
    ] {
        client.raw(line);
        let answer = client.receive();
        let line = String::from_utf8_lossy(line);
        assert_eq!(answer["id"], id, "{line}");
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    assert_eq!(client.run("print('alive')").ok(), "alive");
}
