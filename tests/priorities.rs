//! Who gives way when there are more jobs than processors: see `src/host/priority.rs`.

use crate::support::http::{HttpClient, HttpServer, wait_until};
use crate::support::processes::{descendants_of, nice_values};
use serde_json::json;

/// The nice value of a job that gives way.
const NICE: i32 = 10;

fn begin(client: &HttpClient, code: &str) -> String {
    let answer = client.tool("run_python", json!({ "code": code, "background": true }));
    answer.meta("job").as_str().expect("a handle").to_owned()
}

fn end(client: &HttpClient, job: &str) {
    client.tool("cancel_job", json!({ "job": job }));
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
        let values = descendants_of(server.pid()).into_iter().flat_map(nice_values);
        values.filter(|nice| *nice == NICE).count()
    };
    wait_until(|| of_job() == 2);
    end(&client, &job);
    wait_until(|| of_job() == 0);
}
