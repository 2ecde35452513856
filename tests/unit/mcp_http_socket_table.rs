use super::*;

const ALICE: Caller = Caller::Token(1);
const BOB: Caller = Caller::Token(2);

struct Socket {
    listed: Result<Listed, NoRoom>,
    activity: Arc<Activity>,
    close: CancellationToken,
}

fn open(table: &Arc<SocketTable>, caller: Caller, busy: bool) -> Socket {
    let (activity, close) = (Activity::new(), CancellationToken::new());
    if busy {
        activity.begin();
    }
    Socket { listed: table.list(caller, &activity, &close), activity, close }
}

fn closed(sockets: &[Socket]) -> Vec<usize> {
    let gone = |(index, socket): (usize, &Socket)| socket.close.is_cancelled().then_some(index);
    sockets.iter().enumerate().filter_map(gone).collect()
}

fn later() {
    std::thread::sleep(Duration::from_millis(3));
}

#[test]
fn a_caller_beyond_its_share_loses_what_it_has_not_used_for_longest() {
    let table = SocketTable::new(10, 3);
    let mut sockets = vec![open(&table, BOB, false)];
    for _ in 0..3 {
        sockets.push(open(&table, ALICE, false));
        later();
    }
    sockets[1].activity.end();
    sockets.push(open(&table, ALICE, false));
    assert_eq!(closed(&sockets), [2]);
    for socket in &sockets[1..] {
        socket.activity.begin();
    }
    let refused = open(&table, ALICE, false);
    assert_eq!(refused.listed.err(), Some(NoRoom));
    assert_eq!(closed(&sockets), [2]);
    // One that ends makes room.
    drop(sockets.pop());
    assert!(open(&table, ALICE, false).listed.is_ok());
}

#[test]
fn when_there_are_too_many_the_caller_with_most_makes_room() {
    let table = SocketTable::new(4, 4);
    let mut sockets = vec![open(&table, BOB, false)];
    later();
    for _ in 0..3 {
        sockets.push(open(&table, ALICE, false));
    }
    sockets.push(open(&table, BOB, false));
    assert!(sockets[4].listed.is_ok());
    assert_eq!(closed(&sockets).len(), 1);
    assert!(closed(&sockets[..1]).is_empty());
}

#[test]
fn a_few_sockets_are_certain_whatever_others_hold() {
    let table = SocketTable::new(4, 20);
    let _alice: Vec<_> = (0..4).map(|_| open(&table, ALICE, true)).collect();
    let bob: Vec<_> = (0..CERTAIN).map(|_| open(&table, BOB, true)).collect();
    assert!(bob.iter().all(|socket| socket.listed.is_ok()));
    assert_eq!(open(&table, BOB, true).listed.err(), Some(NoRoom));
}
