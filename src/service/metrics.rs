//! Figures of a server for Prometheus (`OpenMetrics` 1.0 text): how many jobs, how long, how they
//! ended. No code, no output. A caller is told its own: those of others say when they work.

use super::{Admission, Outcome};
use crate::error::Error;
use crate::host::lock;
use crate::job::Caller;
use crate::runtime::Runtimes;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Metric, Registry, Unit};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

const PREFIX: &str = "mcp_python_sandbox";

type ByRuntime = [(&'static str, &'static str); 1];
type ByEnd = [(&'static str, &'static str); 2];

/// Callers whose figures are kept; beyond them, those of the one that was silent longest go.
const CALLERS: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Metrics {
    all: Figures,
    of: Mutex<HashMap<Caller, (Instant, Arc<Figures>)>>,
}

#[derive(Debug)]
struct Figures {
    registry: Registry,
    ended: Family<ByEnd, Counter>,
    seconds: Family<ByRuntime, Histogram>,
    fuel: Counter,
    refused: Counter,
    failed: Counter,
    running: Gauge,
    waiting: Gauge,
    places: Gauge,
    spares: Family<ByRuntime, Gauge>,
}

impl Default for Figures {
    fn default() -> Self {
        // 1 ms to 131 s.
        let histogram = || Histogram::new(exponential_buckets(0.001, 2.0, 18));
        let seconds = Family::new_with_constructor(histogram as fn() -> Histogram);
        let wall = "Wall time of jobs, without the time in the queue";
        let mut registry = Registry::with_prefix(PREFIX);
        let all = &mut registry;
        let ended = add(all, "jobs", "Jobs that ended, by runtime and end");
        all.register_with_unit("job_wall", wall, Unit::Seconds, seconds.clone());
        Self {
            ended,
            seconds,
            fuel: add(all, "fuel", "Instructions of jobs in the WASI runtime"),
            refused: add(all, "refused", "Calls refused because the queue was full"),
            failed: add(all, "failures", "Calls that the server could not run"),
            running: add(all, "running", "Jobs that run now"),
            waiting: add(all, "waiting", "Jobs that wait for a place now"),
            places: add(all, "places", "Jobs that may run at once"),
            spares: add(all, "spares", "Interpreters that wait for their calls now"),
            registry,
        }
    }
}

/// A new figure of `registry`.
fn add<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

impl Metrics {
    pub(super) fn count(&self, caller: Caller, result: &Result<Outcome, Error>) {
        self.all.count(result);
        // The one caller of a process is all.
        if caller != Caller::Process {
            self.own(caller).count(result);
        }
    }

    /// The text that Prometheus reads, of `caller` or of all, with what `admission` and `runtimes`
    /// count now.
    pub(super) fn text(
        &self,
        admission: &Admission,
        runtimes: &Runtimes,
        caller: Option<Caller>,
    ) -> String {
        let places = admission.places();
        match caller {
            None => {
                for (runtime, count) in runtimes.spares() {
                    let spares = self.all.spares.get_or_create(&[("runtime", runtime.name())]);
                    spares.set(i64::try_from(count).unwrap_or(i64::MAX));
                }
                self.all.text((admission.running(), admission.waiting()), places)
            }
            Some(caller) => self.own(caller).text(admission.of(caller), places),
        }
    }

    fn own(&self, caller: Caller) -> Arc<Figures> {
        let mut own = lock(&self.of);
        if own.len() >= CALLERS && !own.contains_key(&caller) {
            let silent = own.iter().min_by_key(|(_, (used, _))| *used).map(|(other, _)| *other);
            silent.map(|silent| own.remove(&silent));
        }
        let (used, figures) = own.entry(caller).or_insert_with(|| (Instant::now(), Arc::default()));
        *used = Instant::now();
        Arc::clone(figures)
    }
}

impl Figures {
    fn count(&self, result: &Result<Outcome, Error>) {
        match result {
            Ok(outcome) => self.ended(outcome),
            Err(Error::Withdrawn) => {}
            Err(Error::Busy { .. } | Error::ClientBusy { .. }) => drop(self.refused.inc()),
            Err(_) => drop(self.failed.inc()),
        }
    }

    fn ended(&self, outcome: &Outcome) {
        let (runtime, usage) = (outcome.runtime.name(), &outcome.usage);
        let end = outcome.status.name();
        self.ended.get_or_create(&[("runtime", runtime), ("end", end)]).inc();
        self.seconds.get_or_create(&[("runtime", runtime)]).observe(usage.wall.as_secs_f64());
        self.fuel.inc_by(usage.fuel.unwrap_or(0));
    }

    fn text(&self, (running, waiting): (usize, usize), places: usize) -> String {
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        self.running.set(count(running));
        self.waiting.set(count(waiting));
        self.places.set(count(places));
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
