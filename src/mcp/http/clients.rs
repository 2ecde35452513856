//! Fairness between the clients of one server: each has its own permits and its own queue.

use crate::error::Error;
use crate::host::lock;
use crate::job::Caller;
use crate::service::{Admission, Permit};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Idle clients are forgotten beyond this number.
const REMEMBERED: usize = 1_024;

#[derive(Debug)]
pub(super) struct Clients {
    running: usize,
    waiting: usize,
    admissions: Mutex<HashMap<Caller, Arc<Admission>>>,
}

#[derive(Debug)]
pub(super) struct ClientPermit {
    _permit: Permit,
    _admission: Arc<Admission>,
}

impl Clients {
    pub(super) fn new((running, waiting): (usize, usize)) -> Self {
        Self { running, waiting, admissions: Mutex::default() }
    }

    /// Waits for a permit of `caller`; [`Error::Busy`] at once if its queue is full.
    pub(super) async fn enter(&self, caller: Caller) -> Result<ClientPermit, Error> {
        let admission = self.admission(caller);
        let permit = admission.enter().await?;
        Ok(ClientPermit { _permit: permit, _admission: admission })
    }

    fn admission(&self, caller: Caller) -> Arc<Admission> {
        let mut admissions = lock(&self.admissions);
        if admissions.len() >= REMEMBERED {
            admissions.retain(|_, admission| Arc::strong_count(admission) > 1);
        }
        let new = || Arc::new(Admission::new(self.running, self.waiting));
        Arc::clone(admissions.entry(caller).or_insert_with(new))
    }
}
