use super::*;
use std::net::Ipv4Addr;

const CERTAIN: Duration = Duration::from_millis(50);

fn address(last: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, last).into()
}

fn left(seats: &[Seat]) -> Vec<usize> {
    let gone = |(index, seat): (usize, &Seat)| seat.leave.is_cancelled().then_some(index);
    seats.iter().enumerate().filter_map(gone).collect()
}

#[tokio::test]
async fn the_longest_of_an_address_that_has_many_makes_room_for_its_next() {
    let room = WaitingRoom::new(9, 4, Duration::ZERO);
    let mut seats = vec![room.enter(address(1)).await, room.enter(address(2)).await];
    for _ in 0..3 {
        seats.push(room.enter(address(1)).await);
    }
    assert!(left(&seats).is_empty());
    // A quarter is for those who came first.
    seats.push(room.enter(address(1)).await);
    assert_eq!(left(&seats), [2]);
    seats.push(room.enter(address(1)).await);
    assert_eq!(left(&seats), [2, 3]);
}

#[tokio::test]
async fn in_a_full_room_the_address_that_has_most_makes_room() {
    let room = WaitingRoom::new(4, 4, Duration::ZERO);
    let mut seats = Vec::new();
    for last in [2, 1, 1, 1] {
        seats.push(room.enter(address(last)).await);
    }
    seats.push(room.enter(address(3)).await);
    assert_eq!(left(&seats), [1]);
    // Whoever leaves by itself gives its place back.
    seats.pop();
    seats.push(room.enter(address(3)).await);
    assert_eq!(left(&seats), [1]);
}

#[tokio::test]
async fn each_has_its_time() {
    let room = WaitingRoom::new(1, 1, CERTAIN);
    let begun = Instant::now();
    let first = room.enter(address(1)).await;
    let second = room.enter(address(2)).await;
    assert!(begun.elapsed() >= CERTAIN && first.leave.is_cancelled());
    assert!(!second.leave.is_cancelled());
}
