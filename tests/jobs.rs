//! Many jobs through one server: they share nothing.

use crate::support::Client;
use serde_json::json;
use std::collections::HashSet;

#[test]
fn every_job_draws_its_own_random_numbers() {
    let mut client = Client::start(&[]);
    let code = "import random, uuid, secrets, tempfile\n\
                print(random.random(), uuid.uuid4(), secrets.token_hex(8), tempfile.mktemp())";
    assert_eq!(different_words(&mut client, code, 100), [100; 4]);
    let code = "import numpy, random, uuid, tempfile\n\
                print(numpy.random.rand(), numpy.random.default_rng().random(), random.random(), \
                      uuid.uuid4(), tempfile.mktemp())";
    assert_eq!(different_words(&mut client, code, 10), [10; 5]);
}

/// How many different words are printed in each place by so many jobs.
fn different_words(client: &mut Client, code: &str, jobs: usize) -> Vec<usize> {
    let mut seen: Vec<HashSet<String>> = Vec::new();
    for _ in 0..jobs {
        let answer = client.run(code);
        let words: Vec<&str> = answer.ok().split_whitespace().collect();
        seen.resize_with(words.len(), HashSet::new);
        for (set, word) in seen.iter_mut().zip(words) {
            set.insert(word.to_owned());
        }
    }
    seen.iter().map(HashSet::len).collect()
}

#[test]
fn sixty_four_jobs_at_once_are_answered_each_with_its_own_output() {
    let mut client = Client::start(&[]);
    let ids: Vec<i64> = (0..64)
        .map(|n| {
            client.send_call(
                json!({ "code": format!("import time\nfor i in range(5):\n    print({n}, i); \
                    time.sleep(0.01)") }),
            )
        })
        .collect();
    for _ in &ids {
        let message = client.receive();
        let id = message["id"].as_i64().expect("an id");
        let n = ids.iter().position(|&known| known == id).expect("a known id");
        let expected: Vec<String> = (0..5).map(|i| format!("{n} {i}")).collect();
        assert_eq!(crate::support::Answer::of(&message).ok(), expected.join("\n"));
    }
}
