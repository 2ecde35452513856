//! Unit tests of `src/mcp/resources.rs`, whose child this module is.

use super::decoded;
use crate::service::address;

#[test]
fn addresses_carry_any_name_there_and_back() {
    for path in ["a.txt", "dir/with space/ä%2F?#.bin", "~x_-."] {
        let uri = address("h", path);
        assert!(uri.is_ascii());
        let back = uri.strip_prefix("sandbox://h/").and_then(decoded);
        assert_eq!(back.as_deref(), Some(path));
    }
    assert_eq!(address("h", "a b/ä"), "sandbox://h/a%20b/%C3%A4");
    assert_eq!(decoded("%zz"), None);
    assert_eq!(decoded("%f"), None);
    assert_eq!(decoded("%ff"), None);
}
