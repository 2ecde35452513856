//! Who gives way when there are more jobs than processors: see `src/host/priority.rs`.

use crate::support::http::{HttpClient, HttpServer, wait_until};
use crate::support::processes::{descendants_of, threads_of};
use serde_json::json;
use std::time::Duration;

/// The nice value of a job that gives way.
const NICE: i32 = 10;

fn begin(client: &HttpClient, code: &str) -> String {
    let answer = client.tool("run_python", json!({ "code": code, "background": true }));
    answer.meta("job").as_str().expect("a handle").to_owned()
}

fn end(client: &HttpClient, job: &str) {
    client.tool("cancel_job", json!({ "job": job }));
}

/// The nice values of the guests that run.
fn of_guests(server: &HttpServer) -> Vec<i32> {
    let threads = threads_of(server.pid()).into_iter();
    let mut values: Vec<i32> =
        threads.filter(|thread| thread.name == "guest").map(|thread| thread.nice).collect();
    values.sort_unstable();
    values
}

#[test]
fn a_job_gives_way_when_it_has_had_its_time_and_the_next_one_does_not() {
    let server = HttpServer::start(&["--native", "off", "--http-stateless"]);
    let client = server.client();
    let job = begin(&client, "while True: pass");
    wait_until(|| of_guests(&server) == [NICE]);
    end(&client, &job);
    wait_until(|| of_guests(&server).is_empty());
    let job = begin(&client, "import time\ntime.sleep(20)");
    wait_until(|| of_guests(&server).len() == 1);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(of_guests(&server), [0]);
    end(&client, &job);
}

#[test]
fn of_the_jobs_of_one_caller_the_first_goes_first() {
    let server = HttpServer::start(&["--native", "off", "--http-stateless"]);
    let client = server.client();
    let jobs = [(); 3].map(|()| begin(&client, "import time\ntime.sleep(20)"));
    wait_until(|| of_guests(&server) == [0, NICE, NICE]);
    for job in &jobs {
        end(&client, job);
    }
}

#[test]
fn a_native_job_gives_way_with_all_of_its_threads() {
    let server = HttpServer::start(&["--http-stateless"]);
    let client = server.client();
    let code = "import threading, numpy\nthreading.Thread(target=numpy.arange, args=(9,)).start()\n\
        spin = lambda: [None for _ in iter(int, 1)]\n\
        threading.Thread(target=spin, daemon=True).start()\nwhile True: pass";
    let job = begin(&client, code);
    let of_job = || {
        let threads = descendants_of(server.pid()).into_iter().flat_map(threads_of);
        threads.filter(|thread| thread.nice == NICE).count()
    };
    wait_until(|| of_job() == 2);
    end(&client, &job);
    wait_until(|| of_job() == 0);
}
