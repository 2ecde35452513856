//! Folders of the operator in both runtimes: readable, and writable only where that was said.

use crate::support::Client;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;

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
