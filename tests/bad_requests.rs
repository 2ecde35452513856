//! Requests that cannot be served: arguments that no call has, and lines that are no message.

use crate::support::{Answer, Client};
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
        (json!({ "code": "1", "timeout": "soon" }), timeout),
        (json!({ "code": "1", "timeout": "" }), timeout),
        (json!({ "code": "1", "timeout": "NaN" }), timeout),
        (json!({ "code": "1", "timeout": "inf" }), timeout),
        (json!({ "code": "1", "timeout": "41" }), timeout),
        (json!({ "code": "1", "timeout": true }), timeout),
        (
            json!({ "code": "1", "background": "yes" }),
            "`background` must be true or false, not a string",
        ),
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

/// Some models put every argument into quotes.
#[test]
fn numbers_and_booleans_may_be_texts() {
    let mut client = Client::start(&["--native", "off"]);
    let answer = client.call(json!({ "code": "while True: pass", "timeout": "0.5" }));
    assert_eq!(answer.meta("limit")["limit"], 500);
    let answer =
        client.call(json!({ "code": "print(1)", "timeout": " 5 ", "background": "False" }));
    assert_eq!(answer.ok(), "1");
    let begun = client.call(json!({ "code": "print(2)", "background": "true" }));
    let job = begun.meta("job").clone();
    assert_eq!(client.tool("check_job", json!({ "job": job, "wait": "10" })).ok(), "2");
    let wrong = client.tool("check_job", json!({ "job": job, "wait": "51" }));
    assert_eq!(wrong.failed(), "`wait` must be a number of seconds from 0 to 50");
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

/// A request whose id stands at its end, as some clients write it.
fn with_id_last(method: &str, params: &str, id: u32) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params},\"id\":{id}}}")
        .into_bytes()
}

#[test]
fn messages_of_too_many_parts_are_refused_before_they_are_built() {
    let mut client = Client::start(&["--native", "off"]);
    client.run("print('warm')").ok();
    let before = client.peak_memory();
    let lists = "[],".repeat(5_000_000);
    let files = format!(
        "{{\"name\":\"run_python\",\"arguments\":{{\"code\":\"1\",\"files\":[{lists}0]}}}}"
    );
    client.raw(&with_id_last("tools/call", &files, 41));
    let answer = client.receive();
    let why = "the message holds 5000018 values and keys, more than the 50000 that are accepted; \
               pass data as the text of a file";
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(41), &json!(-32600)));
    assert_eq!(answer["error"]["message"], why);
    let grown = client.peak_memory() - before;
    assert!(grown < 100 << 20, "15 MB of text took {} MiB", grown >> 20);
    // The same bytes as one string are no burden either.
    let text = "x\\n".repeat(5_000_000);
    let files = format!(
        "{{\"name\":\"run_python\",\"arguments\":{{\"code\":\"print(len(open('a').read()))\",\
         \"files\":[{{\"path\":\"a\",\"text\":\"{text}\"}}]}}}}"
    );
    client.raw(&with_id_last("tools/call", &files, 42));
    let answer = client.receive();
    assert_eq!(answer["id"], json!(42));
    assert_eq!(Answer::of(&answer).ok(), "10000000");
    let grown = client.peak_memory() - before;
    assert!(grown < 250 << 20, "15 MB of text took {} MiB", grown >> 20);
}

#[test]
fn what_comes_back_with_every_answer_is_short() {
    let mut client = Client::start(&["--native", "off"]);
    let long = "x".repeat(1025);
    let (id, token) = (json!(long), json!({ "_meta": { "progressToken": long } }));
    let large = json!({ "uri": "x".repeat(300_000) });
    let id_is = "`id` must be an integer, or a string of at most 1024 bytes";
    let token_has = "`params._meta.progressToken` has more than 1024 bytes";
    let there_are = "there are more than 262144 bytes besides the arguments of a tool";
    for (id, method, params, expected) in [
        (&id, "ping", json!({}), (Value::Null, -32600, id_is)),
        (&json!(5), "tools/list", token, (json!(5), -32602, token_has)),
        (&json!(6), "resources/read", large, (json!(6), -32600, there_are)),
    ] {
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        client.raw(line.to_string().as_bytes());
        let answer = client.receive();
        let (id, code, message) = expected;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
        assert_eq!(answer["error"]["message"], message);
    }
    // An error repeats the beginning of what is wrong.
    let params = json!({ "protocolVersion": 1, "capabilities": "y".repeat(100_000) });
    let answer = client.request("initialize", params);
    assert!(answer.to_string().len() < 1_500, "{answer}");
    assert_eq!(client.run("print('alive')").ok(), "alive");
}

#[test]
fn long_calls_that_are_not_answered_are_bounded() {
    let mut client = Client::start(&["--native", "off", "--concurrency", "1"]);
    let files = json!([{ "path": "a", "text": "x".repeat(15_000_000) }]);
    let code = json!({ "code": "import time; time.sleep(50)", "files": files, "timeout": 55 });
    let ids: Vec<i64> = (0..11).map(|_| client.send_call(code.clone())).collect();
    for id in &ids[8..] {
        let answer = client.receive();
        assert_eq!(answer["id"], *id);
        let why = "the server is busy: calls that are not done yet hold 128 MiB; try again when \
                   one is answered";
        assert_eq!(Answer::of(&answer).failed(), why);
    }
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}
