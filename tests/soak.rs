//! Ten thousand jobs in a row leave nothing behind. Slow: `make soak` runs it and prints the
//! figures.

use crate::support::Client;
use crate::support::processes::held;
use serde_json::json;

const JOBS: usize = 10_000;
/// Every so many, one runs in a session, one in the native runtime, one writes files, one fails.
const ROUND: usize = 20;

#[test]
#[ignore = "slow"]
fn ten_thousand_jobs_leave_nothing_behind() {
    let mut client = Client::start(&["--sessions", "4", "--keep-files", "1"]);
    let session = client.call(json!({ "code": "n = 0", "session": "new" })).meta("session").clone();
    let round = |client: &mut Client, n: usize| {
        match n % ROUND {
            0 => client
                .call(json!({ "code": format!("import numpy\nprint(numpy.int64({n}))") }))
                .ok()
                .to_owned(),
            1 => client
                .call(json!({ "code": "n += 1\nprint(n)", "session": session }))
                .ok()
                .to_owned(),
            2 => client.run("open('a', 'w').write('x' * 10_000)").ok().to_owned(),
            3 => client.run("1 / 0").failed().to_owned(),
            4 => client.call(json!({ "code": "x = 1", "session": "new" })).ok().to_owned(),
            _ => {
                let answer = client.run(&format!("print({n})")).ok().to_owned();
                assert_eq!(answer, n.to_string());
                answer
            }
        };
    };
    // What is kept on purpose (sessions, files, learned modules, threads) is full after a while.
    for n in 0..JOBS / 4 {
        round(&mut client, n);
    }
    let before = held(client.pid());
    println!("after {} jobs: {before:?}", JOBS / 4);
    for n in 0..JOBS {
        round(&mut client, n);
        if n % 2_000 == 1_999 {
            println!("after {} more: {:?}", n + 1, held(client.pid()));
        }
    }
    let after = held(client.pid());
    println!("after {JOBS} more: {after:?}");
    assert!(after.private_kib < before.private_kib + (4 << 10), "{before:?} {after:?}");
    assert!(after.resident_kib < before.resident_kib + (24 << 10), "{before:?} {after:?}");
    assert!(after.descriptors <= before.descriptors + 8, "{before:?} {after:?}");
    assert!(after.processes <= before.processes + 2, "{before:?} {after:?}");
    assert!(after.files <= before.files + 16, "{before:?} {after:?}");
    client.call(json!({ "code": "print(n)", "session": session })).ok();
}
