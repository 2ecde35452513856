//! Folders of the operator in both runtimes: readable, and writable only where that was said.

use crate::support::{Answer, Client};
use rustix::fs::{FlockOperation, flock};
use serde_json::json;
use std::fs;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

const RUNTIMES: [&str; 2] = ["wasm", "native"];

#[test]
fn a_mount_is_read_and_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("sub")).expect("made");
    fs::write(folder.path().join("sub/in.txt"), "given").expect("written");
    let mount = format!("{}:/data/in", folder.path().display());
    let mut client = Client::start(&["--mount", &mount]);
    let code = include_str!("programs/mount_read_only.py");
    for runtime in RUNTIMES {
        let answer = client.call(json!({ "code": code, "runtime": runtime }));
        assert_eq!(answer.ok(), "['sub'] given\nrefused\nrefused\nrefused\nrefused", "{runtime}");
        assert_eq!(answer.meta("runtime"), runtime);
    }
    assert_eq!(fs::read_to_string(folder.path().join("sub/in.txt")).expect("there"), "given");
}

#[test]
fn a_writable_mount_holds_what_jobs_wrote() {
    let folder = tempfile::tempdir().expect("a folder");
    let mount = format!("{}:/out:rw", folder.path().display());
    let mut client = Client::start(&["--mount", &mount]);
    for runtime in RUNTIMES {
        let code = format!(
            "import os\nos.makedirs('/out/{runtime}/d')\nopen('/out/{runtime}/a.txt', \
             'w').write('{runtime}')\n\
             print(sorted(os.listdir('/out/{runtime}')))"
        );
        let answer = client.call(json!({ "code": code, "runtime": runtime }));
        assert_eq!(answer.ok(), "['a.txt', 'd']", "{runtime}");
        assert_eq!(
            fs::read_to_string(folder.path().join(runtime).join("a.txt")).expect("there"),
            runtime
        );
    }
    // Each sees what the other left.
    assert_eq!(client.run("print(open('/out/native/a.txt').read())").ok(), "native");
    // An attempt that is repeated in the other runtime has no effect of its own.
    let twice =
        "open('/out/log', 'a').write('x')\n__import__('numpy')\nprint(open('/out/log').read())";
    assert!(client.run(twice).ok().starts_with("x\n"));
    assert_eq!(fs::read_to_string(folder.path().join("log")).expect("there"), "x");
}

#[test]
fn a_link_in_a_mount_leads_nowhere_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let secret = tempfile::NamedTempFile::new().expect("a file");
    fs::write(secret.path(), "secret").expect("written");
    symlink(secret.path(), folder.path().join("link")).expect("linked");
    let mount = format!("{}:/in", folder.path().display());
    let mut client = Client::start(&["--mount", &mount]);
    let code = "try:\n    print(open('/in/link').read())\nexcept OSError:\n    print('refused')";
    for runtime in RUNTIMES {
        assert_eq!(
            client.call(json!({ "code": code, "runtime": runtime })).ok(),
            "refused",
            "{runtime}"
        );
    }
}

#[test]
fn sessions_see_mounts_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let mount = format!("{}:/out:rw", folder.path().display());
    let mut client = Client::start(&["--native", "off", "--mount", &mount]);
    let answer = client.call(json!({ "code": "open('/out/a', 'w').write('1')", "session": "new" }));
    let session = answer.meta("session").clone();
    assert_eq!(fs::read_to_string(folder.path().join("a")).expect("there"), "1");
    client.call(json!({ "code": "open('/out/a', 'a').write('2')", "session": session })).ok();
    assert_eq!(fs::read_to_string(folder.path().join("a")).expect("there"), "12");
}

#[test]
fn no_link_is_left_in_a_mount() {
    let folder = tempfile::tempdir().expect("a folder");
    let mount = format!("{}:/out:rw", folder.path().display());
    let mut client = Client::start(&["--mount", &mount]);
    let code = include_str!("programs/links_in_mount.py");
    for runtime in RUNTIMES {
        client.call(json!({ "code": code, "runtime": runtime }));
        let entries = fs::read_dir(folder.path()).expect("the folder");
        let left: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left, ["file"], "{runtime}");
    }
}

#[test]
fn only_files_that_a_job_may_change_are_locked() {
    let (fixed, shared) = (tempfile::tempdir().expect("a"), tempfile::tempdir().expect("b"));
    fs::write(fixed.path().join("f"), "x").expect("written");
    fs::write(shared.path().join("f"), "x").expect("written");
    let option = |folder: &Path, guest| format!("{}:{guest}", folder.display());
    let (fixed_at, shared_at) =
        (option(fixed.path(), "/fixed"), option(shared.path(), "/shared:rw"));
    for mounts in [vec![&fixed_at], vec![&shared_at], vec![&fixed_at, &shared_at]] {
        let options: Vec<_> = mounts.iter().flat_map(|mount| ["--mount", mount]).collect();
        let mut client = Client::start(&options);
        let code = include_str!("programs/locks_in_mounts.py");
        client.send_call(json!({ "code": code, "runtime": "native", "timeout": 20 }));
        if mounts.contains(&&shared_at) {
            wait_for(|| shared.path().join("ready").exists());
            assert!(is_locked(&shared.path().join("f")), "{mounts:?}");
            assert!(!is_locked(&fixed.path().join("f")), "{mounts:?}");
            fs::remove_file(shared.path().join("ready")).expect("removed");
        } else {
            let until = Instant::now() + Duration::from_secs(2);
            while Instant::now() < until {
                assert!(!is_locked(&fixed.path().join("f")));
                sleep(Duration::from_millis(20));
            }
        }
        let said = Answer::of(&client.receive());
        assert_eq!(said.ok(), "kept\n[files written: db (8192 bytes)]");
    }
}

fn is_locked(path: &Path) -> bool {
    let file = File::options().read(true).write(true).open(path).expect("the file");
    let posix = rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive);
    flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() || posix.is_err()
}

fn wait_for(condition: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < until, "it does not come");
        sleep(Duration::from_millis(5));
    }
}
