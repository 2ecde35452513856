//! Unit tests of `src/service/share.rs`, whose child this module is.

use super::Share;
use crate::job::Caller;

const ADA: Caller = Caller::Token(1);
const BOB: Caller = Caller::Token(2);

#[test]
fn who_holds_too_much_makes_room_and_nobody_who_holds_less_than_the_asker() {
    let share = Share { of_one: 3, of_all: 5 };
    assert_eq!(share.debtor([(ADA, 1), (BOB, 2), (ADA, 2)], ADA), None);
    assert_eq!(share.debtor([(ADA, 3), (BOB, 1), (ADA, 1)], ADA), Some(ADA));
    assert_eq!(share.debtor([(ADA, 3), (BOB, 3)], BOB), Some(BOB));
    assert_eq!(share.debtor([(ADA, 3), (BOB, 3)], ADA), Some(ADA));
    assert_eq!(share.debtor([(ADA, 3), (BOB, 1), (Caller::Process, 2)], BOB), Some(ADA));
    assert_eq!(share.debtor([], ADA), None);
}
