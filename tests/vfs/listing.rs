//! Listings in pieces, while names come and go.

use super::{DATA, Job, READ, data};
use mcp_python_sandbox::vfs::{FileKind, NodeId, Quota, Vfs};
use std::collections::BTreeSet;
use std::fs;

/// All names, fetched a few at a time as a guest with a small buffer does; `between` is called
/// after each piece.
fn in_pieces(
    vfs: &mut Vfs,
    directory: NodeId,
    size: usize,
    mut between: impl FnMut(&mut Vfs, &[String]),
) -> Vec<String> {
    let (mut names, mut cookie) = (Vec::new(), 0);
    loop {
        let mut piece = Vec::new();
        vfs.read_dir(directory, cookie, |entry| {
            cookie = entry.next;
            piece.push(entry.name.to_owned());
            piece.len() < size
        })
        .unwrap();
        if piece.is_empty() {
            return names;
        }
        between(vfs, &piece);
        names.extend(piece);
    }
}

#[test]
fn ten_thousand_entries_of_both_layers_come_once_each() {
    let mut job = Job::over(Quota::default(), |host| {
        for index in 0..5_000 {
            fs::write(host.join(format!("below{index}")), "").unwrap();
        }
    });
    for index in 0..5_000 {
        job.write(&format!("here{index}"), b"").unwrap();
    }
    for index in (0..5_000).step_by(5) {
        job.vfs.remove_file(job.vfs.root(), &data(&format!("below{index}"))).unwrap();
        job.write(&format!("below{index}"), b"again").unwrap();
    }
    let directory = job.open("", READ).unwrap();
    let names = in_pieces(&mut job.vfs, directory.node(), 7, |_, _| ());
    assert_eq!(names.len(), 10_002);
    assert_eq!(names[..2], [".", ".."]);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 10_002);
    job.vfs.close(directory);
}

#[test]
fn removing_while_listing_skips_nothing() {
    let mut job = Job::over(Quota::default(), |host| {
        for index in 0..500 {
            fs::write(host.join(format!("below{index}")), "").unwrap();
        }
    });
    for index in 0..500 {
        job.write(&format!("here{index}"), b"").unwrap();
    }
    let directory = job.open("", READ).unwrap();
    let mut removed = 0;
    in_pieces(&mut job.vfs, directory.node(), 13, |vfs, piece| {
        for name in piece.iter().filter(|name| !name.starts_with('.')) {
            vfs.remove_file(vfs.root(), &data(name)).unwrap();
            removed += 1;
        }
    });
    assert_eq!(removed, 1_000);
    assert_eq!(in_pieces(&mut job.vfs, directory.node(), 13, |_, _| ()), [".", ".."]);
    job.vfs.close(directory);
    job.vfs.commit(DATA).unwrap();
    assert_eq!(fs::read_dir(job.host.path()).unwrap().count(), 0);
}

#[test]
fn inodes_stay_the_same_from_listing_to_commit() {
    let mut job = Job::over(Quota::default(), |host| fs::write(host.join("f"), "x").unwrap());
    let inode = |job: &mut Job| {
        let listed = super::tree::list(&mut job.vfs, DATA);
        let (_, inode, kind) = listed.into_iter().find(|(name, _, _)| name == "f").unwrap();
        assert_eq!(kind, FileKind::File);
        inode
    };
    let first = inode(&mut job);
    assert_ne!(first, 0);
    job.read("f").unwrap();
    assert_eq!(inode(&mut job), first);
    job.write("f", b"changed").unwrap();
    assert_eq!(inode(&mut job), first);
    job.vfs.commit(DATA).unwrap();
    assert_eq!(inode(&mut job), first);
}
