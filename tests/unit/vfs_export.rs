//! Unit tests of `src/vfs/export.rs`, whose child this module is.

use super::portable_target;

#[test]
fn only_links_that_stay_are_written() {
    let inside = |link: &str, target: &str| portable_target("/mnt/data", link, target);
    assert_eq!(inside("a/b/l", "../x").as_deref(), Some("../x"));
    assert_eq!(inside("a/b/l", "/mnt/data/x").as_deref(), Some("../../x"));
    assert_eq!(inside("l", "/mnt/data").as_deref(), Some("."));
    assert_eq!(inside("a/l", "../.."), None);
    assert_eq!(inside("l", ".."), None);
    assert_eq!(inside("l", "/etc/passwd"), None);
    assert_eq!(inside("l", "/mnt/database"), None);
    assert_eq!(inside("l", "x/x/../../.."), None);
    assert_eq!(inside("l", "x/.."), None);
}
