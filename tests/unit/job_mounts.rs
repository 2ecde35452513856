//! Unit tests of `src/job/mounts.rs`, whose child this module is.

use super::{HostFolder, Ours, check};
use std::fs::create_dir_all;
use std::io::Result;
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

#[test]
fn what_the_server_stands_on_is_not_mounted() -> Result<()> {
    let top = tempfile::tempdir()?;
    let at = |name: &str| top.path().join(name);
    for name in ["jobs/sub", "venv/bin", "data"] {
        create_dir_all(at(name))?;
    }
    let ours = [
        Ours { path: at("jobs/sub"), is_secret: true },
        Ours { path: at("venv"), is_secret: false },
        Ours { path: at("not/yet/there"), is_secret: false },
    ];
    let checked = |host: PathBuf, writable| {
        check(&[HostFolder { host, guest: "/data".to_owned(), writable }], &ours).is_ok()
    };
    let found = ["", "jobs", "jobs/sub", "venv", "venv/bin", "data"]
        .map(|name| (name, checked(at(name), false), checked(at(name), true)));
    assert_eq!(
        found,
        [
            ("", false, false),
            ("jobs", false, false),
            ("jobs/sub", false, false),
            ("venv", true, false),
            ("venv/bin", true, false),
            ("data", true, true),
        ]
    );
    Ok(())
}

#[test]
fn what_may_only_be_read_does_not_lie_in_what_may_be_written() -> Result<()> {
    let top = tempfile::tempdir()?;
    let (outer, inner) = (top.path().join("outer"), top.path().join("outer/inner"));
    create_dir_all(&inner)?;
    let mounts = |pairs: [(&PathBuf, bool); 2]| {
        let folder = |(host, writable): (&PathBuf, bool)| HostFolder {
            host: host.clone(),
            guest: format!("/{writable}"),
            writable,
        };
        check(&pairs.map(folder), &[]).is_ok()
    };
    assert!(!mounts([(&outer, true), (&inner, false)]));
    assert!(!mounts([(&inner, false), (&outer, true)]));
    assert!(!mounts([(&outer, false), (&outer, true)]));
    assert!(mounts([(&outer, false), (&inner, true)]));
    assert!(mounts([(&outer, true), (&inner, true)]));
    Ok(())
}
