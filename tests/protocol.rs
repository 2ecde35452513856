//! What clients send, right and wrong: every request gets exactly one answer, and the server lives
//! on.

use crate::support::{Answer, Client, initialize_params};
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

#[test]
fn initialize_echoes_each_version_that_it_knows() {
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = Client::spawn(&[]);
        let mut params = initialize_params();
        params["protocolVersion"] = asked.into();
        let answer = client.request("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], given);
        assert_eq!(answer["result"]["serverInfo"]["name"], "mcp-python-sandbox");
        client.close_input();
        assert_eq!(client.wait().code(), Some(0));
    }
}

#[test]
fn stateless_requests_of_2026_are_served() {
    let mut client = Client::spawn(&[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discovered = client.request("server/discover", json!({ "_meta": meta }));
    assert_eq!(discovered["result"]["resultType"], "complete");
    let params =
        json!({ "name": "run_python", "arguments": { "code": "print(6 * 7)" }, "_meta": meta });
    let answer = client.request("tools/call", params);
    assert_eq!(Answer::of(&answer).ok(), "42");
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(
        answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "mcp-python-sandbox"
    );
}

#[test]
fn input_that_ends_before_a_request_is_a_clean_end() {
    let mut client = Client::spawn(&[]);
    client.close_input();
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn the_tool_has_a_strict_schema() {
    let mut client = Client::start(&["--max-timeout", "40"]);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(tools.as_array().map(Vec::len), Some(4));
    let tool = &tools[0];
    assert_eq!(tool["name"], "run_python");
    assert_eq!(tool["inputSchema"]["type"], "object");
    assert_eq!(tool["inputSchema"]["additionalProperties"], false);
    assert_eq!(tool["inputSchema"]["required"], json!(["code"]));
    assert_eq!(tool["inputSchema"]["properties"]["timeout"]["maximum"], 600);
    assert_eq!(tool["outputSchema"], Value::Null);
    assert_eq!(tool["annotations"]["openWorldHint"], false);
    let words = tool["description"].as_str().map(|text| text.split_whitespace().count());
    assert!(words.is_some_and(|words| words <= 150), "{words:?} words");
}

#[test]
fn lines_that_need_no_answer_get_none() {
    let mut client = Client::start(&[]);
    for line in [
        &b""[..],
        b"   ",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/made/up\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\
          \"params\":{\"requestId\":999}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}",
    ] {
        client.raw(line);
    }
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn a_byte_order_mark_and_crlf_are_taken() {
    let mut client = Client::start(&[]);
    client.raw(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":70,\"method\":\"ping\"}\r");
    assert_eq!(client.receive()["id"], 70);
}

#[test]
fn a_batch_is_answered_message_by_message() {
    let mut client = Client::start(&[]);
    client.raw(
        b"[{\"jsonrpc\":\"2.0\",\"id\":80,\"method\":\"ping\"},\
          {\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"ping\"},5]",
    );
    let mut answers = [client.receive(), client.receive(), client.receive()];
    answers.sort_by_key(|answer| answer["id"].to_string());
    assert_eq!(answers[0]["id"], "b");
    assert_eq!(answers[1]["id"], 80);
    assert_eq!(answers[2]["error"]["code"], -32600);
}

#[test]
fn messages_that_stand_on_one_line_are_answered_each() {
    let mut client = Client::start(&[]);
    client.raw(
        b"{\"jsonrpc\":\"2.0\",\"id\":81,\"method\":\"ping\"}\r \
            {\"jsonrpc\":\"2.0\",\"id\":82,\"method\":\"ping\"}",
    );
    let mut ids = [client.receive()["id"].clone(), client.receive()["id"].clone()];
    ids.sort_by_key(Value::to_string);
    assert_eq!(ids, [json!(81), json!(82)]);
}

#[test]
fn null_stands_for_parameters_that_are_not_there() {
    let mut client = Client::start(&[]);
    assert_eq!(client.request("ping", Value::Null)["result"], json!({}));
    assert_eq!(
        client.call(Value::Null).failed(),
        "`code` is missing: pass the Python source to run"
    );
}

#[test]
fn lone_surrogates_become_replacement_characters() {
    let mut client = Client::start(&[]);
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":90,\"method\":\"tools/call\",\"params\":{\"name\":\
        \"run_python\",\"arguments\":{\"code\":\
        \"print(ascii('a\\ud83cb\\udf00c\\ud83c\\udf00d'))\"}}}";
    client.raw(line);
    assert_eq!(Answer::of(&client.receive()).ok(), r"'a\ufffdb\ufffdc\U0001f300d'");
}

#[test]
fn a_long_program_is_taken_and_a_longer_line_is_refused_with_its_id() {
    let mut client = Client::start(&[]);
    let code = format!("#{}\nprint('big ok')", "x".repeat(6_000_000));
    assert_eq!(client.run(&code).ok(), "big ok");
    let id = client.send_call(json!({ "code": format!("#{}", "x".repeat(17 << 20)) }));
    let answer = client.receive();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(id), &json!(-32600)));
    let refused = client.call(json!({ "code": format!("#{}", "x".repeat(11 << 20)) }));
    assert_eq!(
        refused.failed(),
        "`code` has 11534337 bytes, more than the 10485760 that are accepted; put data into `files`"
    );
    assert_eq!(client.run("print('alive')").ok(), "alive");
}

#[test]
fn an_id_in_use_is_refused_and_free_again_afterwards() {
    let mut client = Client::start(&[]);
    let call = |code: &str| {
        json!({ "jsonrpc": "2.0", "id": 5000, "method": "tools/call",
                "params": { "name": "run_python", "arguments": { "code": code } } })
        .to_string()
    };
    client.raw(call("import time; time.sleep(1); print('first')").as_bytes());
    client.raw(call("print('second')").as_bytes());
    let refused = client.receive();
    assert_eq!(refused["error"]["message"], "the id is in use by a call that is not answered yet");
    assert_eq!(Answer::of(&client.receive()).ok(), "first");
    client.raw(call("print('third')").as_bytes());
    assert_eq!(Answer::of(&client.receive()).ok(), "third");
}

#[test]
fn calls_that_were_piped_in_before_the_end_are_answered() {
    let mut client = Client::start(&[]);
    let ids: Vec<i64> = (0..8)
        .map(|n| {
            client.send_call(json!({ "code": format!("import time; time.sleep(0.5); print({n})") }))
        })
        .collect();
    client.close_input();
    let mut answered: Vec<i64> =
        ids.iter().map(|_| client.receive()["id"].as_i64().expect("an id")).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn a_call_that_outlives_the_grace_is_stopped_and_answered() {
    let mut client = Client::start(&["--eof-grace", "0.5"]);
    client.send_call(json!({ "code": "print('so far')\nwhile True: pass" }));
    client.close_input();
    let answer = Answer::of(&client.receive());
    assert_eq!(answer.failed(), "so far\n[the call was cancelled]");
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn a_cancelled_call_gets_no_answer_and_leaves_the_server_free() {
    let mut client = Client::start(&["--concurrency", "1"]);
    let id = client.send_call(json!({ "code": "while True: pass" }));
    std::thread::sleep(Duration::from_millis(300));
    client.notify("notifications/cancelled", json!({ "requestId": id, "reason": "user" }));
    // With one place, this runs only once the cancelled job has left it.
    assert_eq!(client.run("print('next')").ok(), "next");
}

#[test]
fn ping_is_answered_while_jobs_keep_both_processors_busy() {
    let mut client = Client::start(&[]);
    let busy: Vec<i64> = (0..4)
        .map(|_| client.send_call(json!({ "code": "while True: pass", "timeout": 2 })))
        .collect();
    let ping = client.request("ping", json!({}));
    assert_eq!(ping["result"], json!({}));
    for _ in &busy {
        assert!(Answer::of(&client.receive()).is_error);
    }
}

#[test]
fn sigterm_answers_what_runs_and_ends() {
    for on_timeout in ["stop", "background"] {
        let mut client = Client::start(&[]);
        client.send_call(
            json!({ "code": "print('so far')\nwhile True: pass", "on_timeout": on_timeout }),
        );
        std::thread::sleep(Duration::from_millis(500));
        let pid = rustix::process::Pid::from_raw(i32::try_from(client.pid()).expect("a pid"))
            .expect("a pid");
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)
            .expect("the server is there");
        assert_eq!(
            Answer::of(&client.receive()).failed(),
            "so far\n[the call was cancelled]",
            "{on_timeout}"
        );
        assert_eq!(client.wait().code(), Some(143), "{on_timeout}");
    }
}

#[test]
fn what_a_killed_server_left_is_removed_by_the_next_one() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = |client: &Client| {
        let start = format!("mcp-python-sandbox-{}-", client.pid());
        let mut entries = fs::read_dir(temporary.path()).expect("the folder").flatten();
        let ours = entries.find(|entry| entry.file_name().to_string_lossy().starts_with(&start));
        ours.expect("a folder of its own").path()
    };
    let start = || {
        let mut client = Client::spawn_with(&[], &[("TMPDIR", temporary.path().as_os_str())]);
        client.request("initialize", initialize_params());
        client.notify("notifications/initialized", json!({}));
        client
    };
    let mut killed = start();
    assert_eq!(killed.run("import numpy\nprint(numpy.ones(2).sum())").ok(), "2.0");
    let (mut lives, left) = (start(), folder(&killed));
    assert_eq!(lives.run("import numpy\nprint(numpy.ones(3).sum())").ok(), "3.0");
    let kept = folder(&lives);
    killed.kill();
    assert!(left.is_dir());
    // A folder of a process that cannot be seen from here, as of another container.
    let unseen = temporary.path().join("mcp-python-sandbox-4194303-0123456789abcdef");
    fs::create_dir(&unseen).expect("made");
    let lock = fs::File::open(&unseen).expect("opened");
    flock(&lock, FlockOperation::LockExclusive).expect("locked");
    let mut next = start();
    assert_eq!(next.run("import numpy\nprint('next')").ok(), "next");
    assert!(!left.exists());
    assert!(kept.is_dir() && unseen.is_dir());
    assert_eq!(lives.run("import numpy\nprint(numpy.ones(4).sum())").ok(), "4.0");
    lives.close_input();
    assert_eq!(lives.wait().code(), Some(0));
    fs::remove_dir(&unseen).expect("removed");
    next.close_input();
    assert_eq!(next.wait().code(), Some(0));
    assert_eq!(fs::read_dir(temporary.path()).expect("the folder").count(), 0);
}

#[test]
fn progress_is_told_to_those_who_ask_and_never_after_the_answer() {
    let mut client = Client::start(&[]);
    let code =
        "import time\nfor i in range(3):\n    print('step', i, flush=True)\n    time.sleep(0.8)";
    let params = json!({ "name": "run_python", "arguments": { "code": code }, "_meta": {
        "progressToken": 7 } });
    let id = client.send("tools/call", params);
    let (mut told, mut last) = (String::new(), 0.0);
    let answer = loop {
        let message = client.receive();
        if message["id"] == id {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress");
        let params = &message["params"];
        assert_eq!(params["progressToken"], 7);
        assert_eq!(params["total"], 30.0);
        let progress = params["progress"].as_f64().expect("a number");
        assert!(progress > last, "{progress} after {last}");
        last = progress;
        told.push_str(params["message"].as_str().expect("a text"));
    };
    assert_eq!(Answer::of(&answer).ok(), "step 0\nstep 1\nstep 2");
    assert!(last >= 1.0 && "step 0\nstep 1\nstep 2\n".starts_with(&told), "{last}: {told}");
    // The next message is the answer to the next request, not a late notification.
    assert_eq!(client.run("print('next')").ok(), "next");
    // Nobody asked: nothing is told.
    assert_eq!(client.run("import time; time.sleep(1.3); print('quiet')").ok(), "quiet");
}

#[test]
fn progress_after_the_end_of_input_does_not_hold_the_answer() {
    let mut client = Client::start(&[]);
    let arguments = json!({ "code": "import time; time.sleep(2.2); print('done')" });
    let params =
        json!({ "name": "run_python", "arguments": arguments, "_meta": { "progressToken": "t" } });
    let id = client.send("tools/call", params);
    client.close_input();
    let answer = loop {
        let message = client.receive();
        if message["id"] == id {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress");
    };
    assert_eq!(Answer::of(&answer).ok(), "done");
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn an_id_used_again_after_a_cancellation_gets_its_own_answer() {
    let mut client = Client::start(&["--concurrency", "1"]);
    let call = |code: &str| {
        let params = json!({ "name": "run_python", "arguments": { "code": code } });
        json!({ "jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": params })
            .to_string()
            .into_bytes()
    };
    client.raw(&call("print('first')\nwhile True: pass"));
    std::thread::sleep(Duration::from_millis(300));
    for again in ["second", "third"] {
        client.notify("notifications/cancelled", json!({ "requestId": "same" }));
        client.raw(&call(&format!("import time\nprint('{again}')\ntime.sleep(0.5)")));
    }
    let answer = client.receive();
    assert_eq!((&answer["id"], Answer::of(&answer).ok()), (&json!("same"), "third"));
    // One that is not cancelled is in use.
    client.raw(&call("import time\ntime.sleep(0.5)"));
    client.raw(&call("1"));
    assert_eq!(client.receive()["error"]["code"], -32600);
    assert_eq!(Answer::of(&client.receive()).text, "[no output]");
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}
