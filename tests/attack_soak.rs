//! Attackers beside honest callers: whatever `tests/programs/attacks` does in either runtime, over
//! stdio and HTTP, honest answers are right and nothing stays behind. `make soak-attacks` takes an
//! hour (`SOAK_SECONDS`) and compares times; a short form takes 40 s.

use crate::support::http::{HttpClient, HttpServer};
use crate::support::processes::{Held, held};
use crate::support::{Answer, Client};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Calls of attackers that are open at a time, for each server.
const ATTACKERS: usize = 2;
/// What an attacker may take, in seconds.
const TIMEOUT: u64 = 3;
/// Places enough for the attackers and for us, who are one caller over stdio; files are not kept.
const OPTIONS: [&str; 4] = ["--concurrency", "4", "--keep-files", "0"];

/// The attacks, each with the runtimes that it is for.
struct Attacks {
    programs: Vec<(String, Vec<&'static str>)>,
    /// Of xorshift (Marsaglia 2003): which attack comes next need not be a secret.
    state: u64,
}

impl Attacks {
    fn read(seed: u64) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/attacks");
        let mut paths: Vec<_> = fs::read_dir(folder)
            .expect("the attacks")
            .map(|entry| entry.expect("one").path())
            .collect();
        paths.sort();
        let programs = paths.iter().map(|path| {
            let program = fs::read_to_string(path).expect("an attack");
            let is_for = |runtime: &str| program.starts_with(&format!("# {runtime}:"));
            let runtimes = match (is_for("native"), is_for("wasm")) {
                (true, _) => vec!["native"],
                (_, true) => vec!["wasm"],
                _ => vec!["native", "wasm"],
            };
            (program, runtimes)
        });
        Self { programs: programs.collect(), state: seed | 1 }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % bound as u64).expect("below a number of programs")
    }

    /// The arguments of the next call.
    fn next(&mut self) -> Value {
        let at = self.below(self.programs.len());
        let runtime_at = self.below(self.programs[at].1.len());
        let (program, runtimes) = &self.programs[at];
        json!({ "code": program, "runtime": runtimes[runtime_at], "timeout": TIMEOUT })
    }
}

/// An honest caller: fresh jobs and a session in either runtime, each with an answer that only it
/// can get.
struct Honest {
    number: u64,
    sessions: [Value; 2],
    times: BTreeMap<&'static str, Vec<Duration>>,
}

impl Honest {
    fn new(mut call: impl FnMut(Value) -> Answer) -> Self {
        let sessions = ["m = 0", "import numpy\nm = numpy.int64(0)"]
            .map(|code| call(json!({ "code": code, "session": "new" })).meta("session").clone());
        Self { number: 0, sessions, times: BTreeMap::new() }
    }

    /// The next call: its kind, its arguments, its answer.
    fn next(&mut self) -> (&'static str, Value, String) {
        let round = self.number / 4 + 1;
        let n = self.number * 7 + 3;
        self.number += 1;
        match self.number % 4 {
            1 => ("wasm", json!({ "code": format!("print({n})") }), n.to_string()),
            2 => {
                let code = format!("import numpy\nprint(numpy.int64({n}))");
                ("native", json!({ "code": code }), n.to_string())
            }
            left => {
                let (kind, session) =
                    if left == 3 { ("wasm session", 0) } else { ("native session", 1) };
                let code = "m += 1\nprint(m)";
                let arguments = json!({ "code": code, "session": self.sessions[session] });
                (kind, arguments, round.to_string())
            }
        }
    }

    fn call(&mut self, call: impl FnOnce(Value) -> Answer) {
        let (kind, arguments, expected) = self.next();
        let begun = Instant::now();
        let answer = call(arguments);
        self.times.entry(kind).or_default().push(begun.elapsed());
        // What a session says beside it stands on lines of its own.
        assert_eq!(answer.ok().lines().next(), Some(expected.as_str()), "{kind}");
    }

    /// The 99th percentile of each kind, from now on of new calls.
    fn take_p99(&mut self) -> BTreeMap<&'static str, Duration> {
        let p99 = |mut times: Vec<Duration>| {
            times.sort();
            times[(times.len() - 1) * 99 / 100]
        };
        std::mem::take(&mut self.times)
            .into_iter()
            .map(|(kind, times)| (kind, p99(times)))
            .collect()
    }
}

/// What a server was like alone, and beside attackers.
#[derive(Debug)]
struct Figures {
    attacks: usize,
    alone: BTreeMap<&'static str, Duration>,
    beside: BTreeMap<&'static str, Duration>,
    before: Held,
    after: Held,
}

impl Figures {
    /// Nothing stays of an attack: not memory, not a descriptor, process or file.
    fn assert_nothing_is_left(&self) {
        let (before, after) = (&self.before, &self.after);
        assert!(self.attacks > 0, "{self:?}");
        assert!(after.private_kib < before.private_kib + (64 << 10), "{self:?}");
        assert!(after.descriptors <= before.descriptors + 16, "{self:?}");
        assert!(after.processes <= before.processes + 2, "{self:?}");
        assert!(after.files <= before.files + 64, "{self:?}");
    }

    /// An honest caller waits at most twice as long, or as long as the kernel lets a process wait
    /// for a processor that others use.
    fn assert_fair(&self) {
        const TURN: Duration = Duration::from_millis(40);
        for (kind, alone) in &self.alone {
            let beside = self.beside[kind];
            assert!(beside < *alone * 2 + TURN, "{kind}: {self:?}");
        }
    }
}

/// Waits until what attackers left has been taken away, and the memory of their jobs given back.
fn settled(pid: u32) -> Held {
    thread::sleep(Duration::from_secs(6));
    held(pid)
}

fn over_stdio(seconds: u64, mut attacks: Attacks) -> Figures {
    let mut client = Client::start(&OPTIONS);
    let mut honest = Honest::new(|arguments| client.call(arguments));
    let quarter = Duration::from_secs(seconds) / 4;
    let begun = Instant::now();
    while begun.elapsed() < quarter {
        honest.call(|arguments| client.call(arguments));
    }
    let (alone, before) = (honest.take_p99(), settled(client.pid()));
    let begun = Instant::now();
    let (mut open, mut ended) = (Vec::new(), 0);
    while begun.elapsed() < quarter * 3 {
        while open.len() < ATTACKERS {
            open.push(client.send_call(attacks.next()));
        }
        honest.call(|arguments| {
            let id = client.send_call(arguments);
            loop {
                let message = client.receive();
                if message["id"] == id {
                    return Answer::of(&message);
                }
                open.retain(|attack| message["id"] != *attack);
                ended += 1;
            }
        });
    }
    while !open.is_empty() {
        let message = client.receive();
        open.retain(|attack| message["id"] != *attack);
        ended += 1;
    }
    let beside = honest.take_p99();
    Figures { attacks: ended, alone, beside, before, after: settled(client.pid()) }
}

fn over_http(seconds: u64, attacks: &mut Attacks) -> Figures {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = folder.path().join("tokens");
    let (alice, bob) = ("alice-0123456789abcdef", "bob-0123456789abcdef0");
    fs::write(&tokens, format!("alice {alice}\nbob {bob}\n")).expect("a file of tokens");
    let tokens = tokens.to_str().expect("UTF-8");
    let server = HttpServer::start(&[&OPTIONS[..], &["--token-file", tokens]].concat());
    let client = |token: &str| {
        let mut client = server.client().with("authorization", &format!("Bearer {token}"));
        client.shake_hands();
        client
    };
    let (alice, bob) = (client(alice), client(bob));
    let run = |client: &HttpClient, arguments| client.tool("run_python", arguments);
    let mut honest = Honest::new(|arguments| run(&bob, arguments));
    let quarter = Duration::from_secs(seconds) / 4;
    let begun = Instant::now();
    while begun.elapsed() < quarter {
        honest.call(|arguments| run(&bob, arguments));
    }
    let (alone, before) = (honest.take_p99(), settled(server.pid()));
    let begun = Instant::now();
    let next = std::sync::Mutex::new(attacks);
    let ended = thread::scope(|scope| {
        let attacker = |number: i64| {
            let (alice, next) = (&alice, &next);
            scope.spawn(move || {
                let mut ended = 0;
                while begun.elapsed() < quarter * 3 {
                    let arguments = next.lock().expect("no attacker panics").next();
                    let parameters = json!({ "name": "run_python", "arguments": arguments });
                    alice.request(number, "tools/call", parameters).message();
                    ended += 1;
                }
                ended
            })
        };
        let attackers: Vec<_> = (1..).take(ATTACKERS).map(attacker).collect();
        while begun.elapsed() < quarter * 3 {
            honest.call(|arguments| run(&bob, arguments));
        }
        attackers.into_iter().map(|attacker| attacker.join().expect("it is answered")).sum()
    });
    let beside = honest.take_p99();
    Figures { attacks: ended, alone, beside, before, after: settled(server.pid()) }
}

fn soak(seconds: u64) -> [Figures; 2] {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs();
    let seed = std::env::var("SOAK_SEED").map_or(now, |seed| seed.parse().expect("a number"));
    println!("SOAK_SEED={seed}");
    let figures = [
        over_stdio(seconds / 2, Attacks::read(seed)),
        over_http(seconds / 2, &mut Attacks::read(seed)),
    ];
    for (name, figures) in ["stdio", "http"].iter().zip(&figures) {
        println!("{name}: {figures:#?}");
        figures.assert_nothing_is_left();
    }
    figures
}

#[test]
fn attackers_leave_nothing_behind_and_spoil_no_answer() {
    soak(40);
}

#[test]
#[ignore = "slow"]
fn an_hour_of_attackers_is_fair_to_others() {
    let seconds = std::env::var("SOAK_SECONDS").map_or(3600, |text| text.parse().expect("seconds"));
    for figures in soak(seconds) {
        figures.assert_fair();
    }
}
