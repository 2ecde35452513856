//! What a job leaves behind: nothing until the commit, all of it after, and nothing outside of its
//! directory.

use super::tree::{Thing, of_host};
use super::{DATA, Job, READ, UPDATE, data, directory};
use mcp_python_sandbox::vfs::{Change, ChangeKind, Error, FileKind, Mount, Quota, Symlinks, Vfs};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

fn change(path: &str, kind: ChangeKind, file: FileKind, size: u64) -> Change {
    Change { path: path.into(), kind, file, size }
}

#[test]
fn changes_are_told_apart_and_written_at_the_commit_only() {
    let mut job = Job::over(Quota::default(), |host| {
        fs::create_dir(host.join("d")).unwrap();
        for (path, text) in
            [("keep", "k"), ("change", "c"), ("d/remove", "r"), ("d/move", "m"), ("replace", "p")]
        {
            fs::write(host.join(path), text).unwrap();
        }
    });
    let before = of_host(job.host.path());
    let root = job.vfs.root();
    job.vfs.write_file(&data("given/in.csv"), b"1,2").unwrap();
    assert_eq!(job.vfs.changes(DATA).unwrap(), []);

    job.read("keep").unwrap();
    job.write("change", b"changed").unwrap();
    job.write("new", b"new").unwrap();
    job.vfs.remove_file(root, &data("d/remove")).unwrap();
    job.vfs.rename(root, &data("d/move"), root, &data("d/moved")).unwrap();
    job.vfs.remove_file(root, &data("replace")).unwrap();
    job.vfs.create_directory(root, &data("replace")).unwrap();
    job.vfs.write_file("/tmp/scratch", b"gone").unwrap();
    let expected = [
        change("change", ChangeKind::Modified, FileKind::File, 7),
        change("d/move", ChangeKind::Removed, FileKind::File, 0),
        change("d/moved", ChangeKind::Created, FileKind::File, 1),
        change("d/remove", ChangeKind::Removed, FileKind::File, 0),
        change("new", ChangeKind::Created, FileKind::File, 3),
        change("replace", ChangeKind::Modified, FileKind::Directory, 0),
    ];
    assert_eq!(job.vfs.changes(DATA).unwrap(), expected);
    assert_eq!(of_host(job.host.path()), before);

    let report = job.vfs.commit(DATA).unwrap();
    assert_eq!((report.written, report.removed, report.skipped.len()), (6, 2, 0));
    let after = of_host(job.host.path());
    let names: Vec<_> = after.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["change", "d", "d/moved", "given", "given/in.csv", "keep", "new", "replace"]
    );
    assert_eq!(after["change"], Thing::File { content: b"changed".into(), links: 1 });
    assert_eq!(job.vfs.changes(DATA).unwrap(), []);
    job.write("new", b"newer").unwrap();
    assert_eq!(
        job.vfs.changes(DATA).unwrap(),
        [change("new", ChangeKind::Modified, FileKind::File, 5)]
    );
}

#[test]
fn no_link_is_written_through_or_left_leading_out() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("victim"), "untouched").unwrap();
    let victim = outside.path().join("victim");
    let mut job =
        Job::over(Quota::default(), |host| symlink(&victim, host.join("planted")).unwrap());
    let root = job.vfs.root();
    // In the job's view the link dangles; it is replaced by a file.
    job.vfs.remove_file(root, &data("planted")).unwrap();
    job.write("planted", b"mine").unwrap();
    job.vfs.symlink("/etc/passwd", root, &data("out")).unwrap();
    job.vfs.symlink("../../../etc/passwd", root, &data("up")).unwrap();
    job.vfs.symlink("/mnt/data/planted", root, &data("in")).unwrap();
    // A link that appears on the host while the job runs is not followed either.
    job.write("late", b"mine too").unwrap();
    symlink(&victim, job.host.path().join("late")).unwrap();
    let report = job.vfs.commit(DATA).unwrap();
    assert_eq!(report.skipped, ["out", "up"]);
    assert_eq!(fs::read(&victim).unwrap(), b"untouched");
    assert_eq!(fs::read_link(job.host.path().join("in")).unwrap().to_str(), Some("planted"));
    for (path, text) in [("planted", "mine"), ("late", "mine too"), ("in", "mine")] {
        assert_eq!(fs::read_to_string(job.host.path().join(path)).unwrap(), text, "{path}");
    }
    // They are still there for the job.
    assert_eq!(job.vfs.read_link(root, &data("out")), Ok("/etc/passwd"));
}

#[test]
fn hard_links_and_holes_and_modes_survive() {
    let mut job = Job::over(Quota::default(), |host| {
        fs::write(host.join("script"), "old").unwrap();
        fs::set_permissions(host.join("script"), fs::Permissions::from_mode(0o750)).unwrap();
    });
    let root = job.vfs.root();
    job.write("a", b"same").unwrap();
    job.vfs.create_directory(root, &data("d")).unwrap();
    job.vfs.link(root, &data("a"), Symlinks::Keep, root, &data("d/b")).unwrap();
    job.write("script", b"new").unwrap();
    let file = job.open("holes", UPDATE).unwrap();
    job.vfs.set_len(&file, 64 << 20).unwrap();
    job.vfs.write_at(&file, 32 << 20, b"middle").unwrap();
    job.vfs.commit(DATA).unwrap();
    let stat = |path: &str| fs::metadata(job.host.path().join(path)).unwrap();
    assert_eq!((stat("a").ino(), stat("a").nlink()), (stat("d/b").ino(), 2));
    assert_eq!(stat("script").permissions().mode() & 0o777, 0o750);
    assert_eq!(stat("holes").len(), 64 << 20);
    assert!(stat("holes").blocks() * 512 < 1 << 20);
    // The open file goes on from what is now on the host.
    let mut middle = [0; 8];
    let file = (job.vfs.close(file), job.open("holes", READ).unwrap()).1;
    assert_eq!(job.vfs.read_at(&file, (32 << 20) - 1, &mut middle), Ok(8));
    assert_eq!(&middle, b"\0middle\0");
    job.vfs.close(file);
}

#[test]
fn an_error_of_the_host_is_told_and_leaves_the_job_as_it_was() {
    let mut job = Job::new(Quota::default());
    job.write("d", b"file").unwrap();
    // Something that cannot be replaced by a file without removing more than the job knows of.
    fs::remove_dir_all(job.host.path()).unwrap();
    let error = job.vfs.commit(DATA).unwrap_err();
    assert_eq!(error.path, "d");
    assert_eq!(error.to_string().split(':').next(), Some("failed to write `d`"));
    assert_eq!(job.read("d").unwrap(), b"file");
    assert_eq!(job.vfs.changes(DATA).unwrap().len(), 1);
}

#[test]
fn an_export_goes_anywhere_and_changes_nothing_here() {
    let mut vfs = Vfs::new(&[Mount::scratch(DATA)], Quota::default()).unwrap();
    let root = vfs.root();
    let mut file = vfs.open(root, "/mnt/data/out.txt", super::WRITE).unwrap();
    vfs.write(&mut file, b"result").unwrap();
    vfs.close(file);
    let to = tempfile::tempdir().unwrap();
    assert_eq!(vfs.commit(DATA).unwrap().written, 0);
    assert_eq!(vfs.export(DATA, &directory(to.path())).unwrap().written, 1);
    assert_eq!(fs::read(to.path().join("out.txt")).unwrap(), b"result");
    assert_eq!(
        vfs.changes(DATA).unwrap(),
        [change("out.txt", ChangeKind::Created, FileKind::File, 6)]
    );
    assert_eq!(vfs.changes("/elsewhere"), Err(Error::NotFound));
}

#[test]
fn reading_many_files_holds_few_descriptors() {
    let mut job = Job::over(Quota::default(), |host| {
        for index in 0..100 {
            fs::write(host.join(index.to_string()), index.to_string()).unwrap();
        }
    });
    let count = || {
        fs::read_dir("/proc/self/fd")
            .unwrap()
            .filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
    };
    let host = job.host.path().to_owned();
    let ours = || count().filter(|target| target.starts_with(&host)).count();
    let mut open: Vec<_> =
        (0..100).map(|index: u32| job.open(&index.to_string(), READ).unwrap()).collect();
    for (index, file) in open.iter_mut().enumerate() {
        let mut buffer = [0; 9];
        let count = job.vfs.read(file, &mut buffer).unwrap();
        assert_eq!(buffer[..count], *index.to_string().as_bytes());
    }
    assert!(ours() <= 9, "{} descriptors", ours());
    for file in open {
        job.vfs.close(file);
    }
    let late = ours();
    drop(job);
    assert!(late <= 9);
    assert_eq!(ours(), 0);
}
