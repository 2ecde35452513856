//! Background jobs: a handle at once, news on request, the result when it is there.

use crate::support::{Answer, Client};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Far more than an answer takes that does not wait for a job.
const SOON: Duration = Duration::from_secs(15);

fn tool(client: &mut Client, name: &str, arguments: Value) -> Answer {
    Answer::of(&client.request("tools/call", json!({ "name": name, "arguments": arguments })))
}

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
        let answer = tool(client, "check_job", json!({ "job": job, "wait": 5 }));
        if answer.meta("status") == "done" {
            return answer;
        }
        assert!(Instant::now() < until, "the job does not end: {}", answer.text);
    }
}

#[test]
fn a_job_in_the_background_tells_its_progress_and_its_result() {
    let mut client = Client::start(&["--native", "off"]);
    let code = "import time\nprint('begun')\nwhile not time.sleep(0.05):\n    if time.monotonic() - start > 2: break\nprint('done')";
    let job = begin(&mut client, json!({ "code": format!("import time\nstart = time.monotonic()\n{code}") }));
    assert_eq!(client.run("print(1)").ok(), "1");
    let started = Instant::now();
    let mut seen = tool(&mut client, "check_job", json!({ "job": job.as_str() }));
    while seen.meta("status") == "running" && !seen.text.starts_with("begun\n") {
        assert!(started.elapsed() < SOON, "{}", seen.text);
        seen = tool(&mut client, "check_job", json!({ "job": job.as_str() }));
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
    let job = begin(&mut client, json!({ "code": "print('so far', flush=True)\nwhile True: pass" }));
    let started = Instant::now();
    while !tool(&mut client, "check_job", json!({ "job": job.as_str() })).text.starts_with("so far") {
        assert!(started.elapsed() < SOON);
    }
    let before = Instant::now();
    let answer = tool(&mut client, "cancel_job", json!({ "job": job.as_str() }));
    assert!(before.elapsed() < SOON);
    assert_eq!(answer.failed(), "so far\n[the call was cancelled]");
    assert_eq!(answer.meta("exit"), "cancelled");
}

#[test]
fn images_of_a_background_job_come_once() {
    let mut client = Client::start(&[]);
    let job = begin(&mut client, json!({ "code": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()" }));
    assert_eq!(result(&mut client, &job).images.len(), 1);
    let again = tool(&mut client, "check_job", json!({ "job": job.as_str() }));
    assert_eq!(again.images.len(), 0);
    assert!(again.text.ends_with("[the images came with an earlier answer]"), "{}", again.text);
}

#[test]
fn the_number_is_bounded_and_so_is_the_time() {
    let mut client = Client::start(&["--native", "off", "--background", "1", "--background-timeout", "1"]);
    let job = begin(&mut client, json!({ "code": "while True: pass" }));
    let refused = client.call(json!({ "code": "1", "background": true }));
    let words = "1 background jobs run already; wait for one with `check_job` or end it with `cancel_job`";
    assert_eq!(refused.failed(), words);
    let done = result(&mut client, &job);
    assert_eq!(done.meta("limit")["name"], "wall");
    let longer = client.call(json!({ "code": "1", "background": true, "timeout": 2 }));
    assert_eq!(longer.failed(), "`timeout` must be a number of seconds above 0 and up to 1");
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
            let answer = tool(&mut client, name, json!({ "job": job }));
            assert_eq!(answer.failed(), "there is no job with this handle: it ended a while ago, or never was");
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
