//! Unit tests of `src/job/mounts.rs`, whose child this module is.

use super::HostFolder;
use std::path::PathBuf;

#[test]
fn a_mount_is_read_only_unless_it_says_otherwise() {
    let folder = |guest: &str, writable| {
        let (host, guest) = (PathBuf::from("/"), guest.to_owned());
        HostFolder { host, guest, writable }
    };
    assert_eq!(HostFolder::parse("/:/data"), Ok(folder("/data", false)));
    assert_eq!(HostFolder::parse("/:/data:ro"), Ok(folder("/data", false)));
    assert_eq!(HostFolder::parse("/:/srv/in put:rw"), Ok(folder("/srv/in put", true)));
    assert_eq!(HostFolder::parse("/:/mnt/input"), Ok(folder("/mnt/input", false)));
}

#[test]
fn places_that_are_taken_or_none_are_refused() {
    let bad = "/ /:data /:/a/../b /:/a//b /:/ /:/tmp /:/mnt /:/mnt/data/x /:/lib/x /nowhere:/d";
    for bad in bad.split(' ') {
        assert!(HostFolder::parse(bad).is_err(), "{bad}");
    }
}
