//! Places for connections that have shown no credential yet. Whoever reaches a port can open them,
//! so they are few, for a short time, and apart from those of callers that are known.

use super::lock;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// The part of the places that those keep who came first. A crowd takes the others from each other,
/// and whoever was there before it stays.
const SHELTERED: usize = 4;

/// Places of a fixed number. Whoever comes when there is none takes that of the one who has waited
/// longest, but for those who came first: of its own address if that has many, otherwise of the
/// address that has most.
#[derive(Debug)]
pub(crate) struct WaitingRoom {
    pub(crate) places: usize,
    /// Places of one address.
    pub(crate) of_address: usize,
    /// Time that each has for certain. Who means it has said what it wants by then.
    pub(crate) certain: Duration,
    waiting: Mutex<Seats>,
}

#[derive(Debug, Default)]
struct Seats {
    next: u64,
    /// By the order in which they came.
    seats: BTreeMap<u64, Taken>,
}

#[derive(Debug)]
struct Taken {
    address: IpAddr,
    since: Instant,
    leave: CancellationToken,
}

/// The place of one connection; free again when dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    room: Arc<WaitingRoom>,
    number: u64,
    /// Cancelled when another takes the place: the connection must be closed.
    pub(crate) leave: CancellationToken,
}

impl WaitingRoom {
    /// A room of so many places, of which one address gets so many.
    pub(crate) fn new(places: usize, of_address: usize, certain: Duration) -> Arc<Self> {
        Arc::new(Self { places, of_address, certain, waiting: Mutex::default() })
    }

    /// A place for a connection from `address`, within [`Self::certain`].
    pub(crate) async fn enter(self: &Arc<Self>, address: IpAddr) -> Seat {
        loop {
            let due = {
                let mut waiting = lock(&self.waiting);
                let due = match self.longest(&waiting, address) {
                    None => Instant::now(),
                    Some(number) => waiting.make_leave(number, self.certain),
                };
                if due <= Instant::now() {
                    let (number, leave) = waiting.seat(address);
                    return Seat { room: Arc::clone(self), number, leave };
                }
                due
            };
            sleep_until(due).await;
        }
    }

    /// Who must leave for a connection from `address`, if somebody must.
    fn longest(&self, waiting: &Seats, address: IpAddr) -> Option<u64> {
        let mut of_address = HashMap::new();
        for taken in waiting.seats.values() {
            *of_address.entry(taken.address).or_insert(0_usize) += 1;
        }
        let own = of_address.get(&address).copied().unwrap_or_default();
        let whose = if own >= self.of_address {
            address
        } else if waiting.seats.len() >= self.places {
            of_address.into_iter().max_by_key(|(_, seats)| *seats)?.0
        } else {
            return None;
        };
        let seats = waiting.seats.iter().filter(|(_, taken)| taken.address == whose);
        let numbers: Vec<u64> = seats.map(|(number, _)| *number).collect();
        numbers.get(numbers.len() / SHELTERED).copied()
    }
}

impl Seats {
    /// Takes a place away if its time is over; gives when it is.
    fn make_leave(&mut self, number: u64, certain: Duration) -> Instant {
        let now = Instant::now();
        let due = self.seats.get(&number).map_or(now, |taken| taken.since + certain);
        if due <= now
            && let Some(taken) = self.seats.remove(&number)
        {
            taken.leave.cancel();
        }
        due
    }

    fn seat(&mut self, address: IpAddr) -> (u64, CancellationToken) {
        let (number, leave) = (self.next, CancellationToken::new());
        self.next += 1;
        let taken = Taken { address, since: Instant::now(), leave: leave.clone() };
        self.seats.insert(number, taken);
        (number, leave)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.room.waiting).seats.remove(&self.number);
    }
}

#[cfg(test)]
#[path = "../../tests/unit/host_waiting_room.rs"]
mod tests;
