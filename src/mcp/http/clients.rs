//! Fairness between the clients of one server: each has its own places and its own queue.

use crate::error::Error;
use crate::gate::Gate;
use crate::lock::lock;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::OwnedSemaphorePermit;

/// Idle clients are forgotten beyond this number.
const REMEMBERED: usize = 1_024;

/// The gates of the clients, by their names.
#[derive(Debug)]
pub(super) struct Clients {
    running: usize,
    waiting: usize,
    gates: Mutex<HashMap<String, Arc<Gate>>>,
}

/// A place of one client; given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
    _gate: Arc<Gate>,
}

impl Clients {
    /// Lets each client run and queue as many calls as given.
    pub(super) fn new((running, waiting): (usize, usize)) -> Self {
        Self { running, waiting, gates: Mutex::default() }
    }

    /// Waits for a place of `client`.
    ///
    /// # Errors
    /// [`Error::Busy`] at once if its queue is full.
    pub(super) async fn enter(&self, client: &str) -> Result<Place, Error> {
        let gate = self.gate(client);
        let permit = gate.enter().await?;
        Ok(Place { _permit: permit, _gate: gate })
    }

    fn gate(&self, client: &str) -> Arc<Gate> {
        let mut gates = lock(&self.gates);
        if gates.len() >= REMEMBERED {
            gates.retain(|_, gate| Arc::strong_count(gate) > 1);
        }
        let new = || Arc::new(Gate::new(self.running, self.waiting));
        Arc::clone(gates.entry(client.to_owned()).or_insert_with(new))
    }
}
