//! Background jobs: a handle at once, news on request, the result when it is there.

use crate::support::{Answer, Client};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Far more than an answer takes that does not wait for a job.
const SOON: Duration = Duration::from_secs(15);

fn begin(client: &mut Client, arguments: Value) -> String {
    let mut arguments = arguments;
    arguments["background"] = true.into();
    let answer = client.call(arguments);
    answer.ok();
    answer.meta("job").as_str().expect("a handle").to_owned()
}

/// Asks until the job is over.
fn result(client: &mut Client, job: &str) -> Answer {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        let answer = client.tool("check_job", json!({ "job": job, "wait": 5 }));
        if answer.meta("status") == "done" {
            return answer;
        }
        assert!(Instant::now() < until, "the job does not end: {}", answer.text);
    }
}

#[test]
fn a_job_in_the_background_tells_its_progress_and_its_result() {
    let mut client = Client::start(&["--native", "off"]);
    let job = begin(&mut client, json!({ "code": include_str!("programs/two_seconds.py") }));
    assert_eq!(client.run("print(1)").ok(), "1");
    let started = Instant::now();
    let mut seen = client.tool("check_job", json!({ "job": job.as_str() }));
    while seen.meta("status") == "running" && !seen.text.starts_with("begun\n") {
        assert!(started.elapsed() < SOON, "{}", seen.text);
        seen = client.tool("check_job", json!({ "job": job.as_str() }));
    }
    assert!(seen.ok().starts_with("begun\n[the job runs for "), "{}", seen.text);
    let done = result(&mut client, &job);
    assert_eq!(done.ok(), "begun\ndone");
    assert_eq!(done.meta("exit"), "ok");
    assert_eq!(done.meta("job"), job.as_str());
}

#[test]
fn a_job_that_is_cancelled_answers_with_what_it_has() {
    let mut client = Client::start(&["--native", "off"]);
    let job =
        begin(&mut client, json!({ "code": "print('so far', flush=True)\nwhile True: pass" }));
    let started = Instant::now();
    while !client.tool("check_job", json!({ "job": job.as_str() })).text.starts_with("so far") {
        assert!(started.elapsed() < SOON);
    }
    let before = Instant::now();
    let answer = client.tool("cancel_job", json!({ "job": job.as_str() }));
    assert!(before.elapsed() < SOON);
    assert_eq!(answer.failed(), "so far\n[the call was cancelled]");
    assert_eq!(answer.meta("exit"), "cancelled");
}

#[test]
fn images_of_a_background_job_come_once() {
    let mut client = Client::start(&[]);
    let job = begin(
        &mut client,
        json!({ "code": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()" }),
    );
    assert_eq!(result(&mut client, &job).images.len(), 1);
    let again = client.tool("check_job", json!({ "job": job.as_str() }));
    assert_eq!(again.images.len(), 0);
    assert!(again.text.ends_with("[the images came with an earlier answer]"), "{}", again.text);
}

#[test]
fn the_number_is_bounded_and_so_is_the_time() {
    let mut client =
        Client::start(&["--native", "off", "--background", "1", "--background-timeout", "1"]);
    let job = begin(&mut client, json!({ "code": "while True: pass" }));
    let refused = client.call(json!({ "code": "1", "background": true }));
    let words =
        "1 background jobs run already; wait for one with `check_job` or end it with `cancel_job`";
    assert_eq!(refused.failed(), words);
    let done = result(&mut client, &job);
    assert_eq!(done.meta("limit")["name"], "wall");
    let longer = client.call(json!({ "code": "1", "background": true, "timeout": 2 }));
    assert_eq!(longer.failed(), "`timeout` must be a number of seconds above 0 and up to 1");
    let foreground = client.call(json!({ "code": "1", "timeout": 56 }));
    let words = "`timeout` must be a number of seconds above 0 and up to 55; with `background: \
        true` up to 1";
    assert_eq!(foreground.failed(), words);
    begin(&mut client, json!({ "code": "1" }));
}

#[test]
fn a_background_job_can_run_in_a_session() {
    let mut client = Client::start(&["--native", "off"]);
    let job = begin(&mut client, json!({ "code": "x = 20", "session": "new" }));
    let session = result(&mut client, &job).meta("session").clone();
    let answer = client.call(json!({ "code": "print(x + 1)", "session": session }));
    assert!(answer.ok().starts_with("21\n"), "{}", answer.text);
}

#[test]
fn handles_of_others_mean_nothing() {
    let mut client = Client::start(&["--native", "off"]);
    let mut other = Client::start(&["--native", "off"]);
    let foreign = begin(&mut other, json!({ "code": "1" }));
    for job in [foreign.as_str(), "0123456789abcdef0123456789abcdef"] {
        for name in ["check_job", "cancel_job"] {
            let answer = client.tool(name, json!({ "job": job }));
            assert_eq!(
                answer.failed(),
                "there is no job with this handle: it ended a while ago, or never was"
            );
        }
    }
}

#[test]
fn tools_that_are_off_are_not_offered() {
    let mut client = Client::start(&["--native", "off", "--background", "0", "--sessions", "0"]);
    let names = |client: &mut Client| -> Vec<Value> {
        let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
        tools.as_array().expect("tools").iter().map(|tool| tool["name"].clone()).collect()
    };
    assert_eq!(names(&mut client), ["run_python"]);
    let mut client = Client::start(&["--native", "off"]);
    assert_eq!(names(&mut client), ["run_python", "reset_session", "check_job", "cancel_job"]);
}

/// Code that prints, waits for `seconds`, and prints again.
fn slow(seconds: f64) -> String {
    format!("import time\nprint('begun', flush=True)\ntime.sleep({seconds})\nprint('done')")
}

#[test]
fn a_call_can_leave_its_job_running_at_its_time_limit() {
    let mut client = Client::start(&["--native", "off"]);
    // In time: an answer as any other, and no job is left.
    let answer =
        client.call(json!({ "code": "print(1)", "on_timeout": "background", "timeout": 30 }));
    assert_eq!(answer.ok(), "1");
    assert_eq!(*answer.meta("job"), Value::Null);
    let late = client.call(json!({ "code": slow(4.0), "on_timeout": "background", "timeout": 1 }));
    let job = late.meta("job").as_str().expect("a handle").to_owned();
    assert!(late.ok().starts_with("begun\n[the job runs for 1."), "{}", late.text);
    assert!(
        late.text.ends_with(&format!(
            "\n[it goes on in the background as job {job}: `check_job` tells how it is]"
        )),
        "{}",
        late.text
    );
    assert_eq!(late.meta("status"), "running");
    let done = result(&mut client, &job);
    assert_eq!(done.ok(), "begun\ndone");
}

#[test]
fn a_job_that_may_go_on_ends_with_its_call_when_that_is_cancelled() {
    let mut client = Client::start(&["--native", "off", "--background", "1"]);
    let id = client.send_call(json!({ "code": "while True: pass", "on_timeout": "background" }));
    std::thread::sleep(Duration::from_millis(300));
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    // Its place is free again, so it is not running any more.
    let until = Instant::now() + SOON;
    loop {
        let answer = client.call(json!({ "code": "print(1)", "background": true }));
        if !answer.is_error {
            break;
        }
        assert!(Instant::now() < until, "{}", answer.text);
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn calls_of_one_session_run_in_order_whether_somebody_waits_or_not() {
    let mut client = Client::start(&["--native", "off"]);
    let session =
        client.call(json!({ "code": "seen = []", "session": "new" })).meta("session").clone();
    for round in 0..20 {
        let arguments =
            |n: usize| json!({ "code": format!("seen.append({n})"), "session": session });
        let ids: Vec<i64> = (0..6)
            .map(|n| {
                let mut arguments = arguments(n);
                match n % 3 {
                    0 => arguments["background"] = true.into(),
                    1 => arguments["on_timeout"] = "background".into(),
                    _ => {}
                }
                client.send_call(arguments)
            })
            .collect();
        for _ in &ids {
            let message = client.receive();
            assert!(ids.iter().any(|id| message["id"] == *id));
        }
        let seen = client.call(json!({ "code": "print(seen)\nseen.clear()", "session": session }));
        assert!(seen.ok().starts_with("[0, 1, 2, 3, 4, 5]\n"), "round {round}: {}", seen.text);
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let mut client = Client::start(&["--native", "off"]);
    let both = client.call(json!({ "code": "1", "background": true, "on_timeout": "background" }));
    let words = "`background` and `on_timeout: background` exclude each other: the one does not \
        wait at all";
    assert_eq!(both.failed(), words);
    for wrong in [json!("later"), json!(true)] {
        let answer = client.call(json!({ "code": "1", "on_timeout": wrong }));
        assert_eq!(answer.failed(), "`on_timeout` must be `stop` or `background`");
    }
}
