//! What the host cannot be asked for an opinion: mounts, links in the guest's namespace, things of
//! the host that a job must not touch.

use super::{Job, READ, UPDATE, WRITE, data, directory};
use mcp_python_sandbox::vfs::{
    Error, FileKind, Mount, OpenOptions, Quota, SetTime, StorageUse, Symlinks, Vfs,
};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

#[test]
fn the_root_holds_the_mounts_and_is_read_only() {
    let Job { mut vfs, .. } = Job::new(Quota::default());
    let root = vfs.root();
    let names: Vec<_> =
        super::tree::list(&mut vfs, "/").into_iter().map(|(name, _, _)| name).collect();
    assert_eq!(names, [".", "..", "tmp", "mnt", "dev"]);
    assert_eq!(vfs.create_directory(root, "/x"), Err(Error::ReadOnly));
    assert_eq!(vfs.open(root, "/mnt/x", WRITE).unwrap_err(), Error::ReadOnly);
    assert_eq!(vfs.remove_directory(root, "/tmp"), Err(Error::Busy));
    assert_eq!(vfs.rename(root, "/tmp", root, "/mnt/data/t"), Err(Error::Busy));
    assert_eq!(vfs.remove_directory(root, "/mnt"), Err(Error::ReadOnly));
    assert_eq!(
        vfs.metadata_at(root, "/../../mnt/../..", Symlinks::Follow).unwrap().inode,
        vfs.metadata(root).unwrap().inode
    );
}

#[test]
fn mounts_are_devices_of_their_own() {
    let mut job = Job::new(Quota::default());
    job.write("a", b"1").unwrap();
    let root = job.vfs.root();
    assert_eq!(job.vfs.rename(root, &data("a"), root, "/tmp/a"), Err(Error::CrossDevice));
    assert_eq!(
        job.vfs.link(root, &data("a"), Symlinks::Keep, root, "/tmp/a"),
        Err(Error::CrossDevice)
    );
    let device =
        |vfs: &mut Vfs, path| vfs.metadata_at(root, path, Symlinks::Follow).unwrap().device;
    assert_eq!(device(&mut job.vfs, "/mnt/data"), device(&mut job.vfs, "/mnt/data/a"));
    assert_ne!(device(&mut job.vfs, "/mnt/data"), device(&mut job.vfs, "/mnt"));
    assert_ne!(device(&mut job.vfs, "/mnt/data"), device(&mut job.vfs, "/tmp"));
}

#[test]
fn a_read_only_mount_can_be_read_and_nothing_else() {
    let host = tempfile::tempdir().unwrap();
    fs::create_dir(host.path().join("d")).unwrap();
    fs::write(host.path().join("d/f"), "text").unwrap();
    let mut vfs =
        Vfs::new(&[Mount::read_only("/lib", directory(host.path()))], Quota::default()).unwrap();
    let root = vfs.root();
    assert_eq!(vfs.read_file("/lib/d/f", 4).unwrap(), b"text");
    assert_eq!(vfs.read_file("/lib/d/f", 3), Err(Error::FileTooLarge));
    assert_eq!(vfs.open(root, "/lib/d/f", UPDATE).unwrap_err(), Error::ReadOnly);
    assert_eq!(
        vfs.open(root, "/lib/d/f", OpenOptions { truncate: true, ..READ }).unwrap_err(),
        Error::ReadOnly
    );
    assert_eq!(vfs.open(root, "/lib/d/g", WRITE).unwrap_err(), Error::ReadOnly);
    assert_eq!(vfs.remove_file(root, "/lib/d/f"), Err(Error::ReadOnly));
    assert_eq!(vfs.rename(root, "/lib/d/f", root, "/lib/g"), Err(Error::ReadOnly));
    assert_eq!(
        vfs.set_times_at(root, "/lib/d", Symlinks::Follow, SetTime::Now, SetTime::Now),
        Err(Error::ReadOnly)
    );
    assert_eq!(vfs.usage(), StorageUse::default());
}

#[test]
fn mounts_may_lie_in_mounts() {
    let (outer, inner) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(inner.path().join("f"), "inner").unwrap();
    fs::write(outer.path().join("g"), "outer").unwrap();
    let mounts =
        [Mount::read_only("/mnt/data/in", directory(inner.path())), super::own(outer.path())];
    let mut vfs = Vfs::new(&mounts, Quota::default()).unwrap();
    let root = vfs.root();
    assert_eq!(vfs.read_file("/mnt/data/in/f", 9).unwrap(), b"inner");
    assert_eq!(vfs.read_file("/mnt/data/in/../g", 9).unwrap(), b"outer");
    assert_eq!(vfs.remove_directory(root, "/mnt/data/in"), Err(Error::Busy));
    vfs.commit("/mnt/data").unwrap();
    assert!(!outer.path().join("in").exists());
    for wrong in ["mnt", "/", "/a/../b", "/a//b", "/a/"] {
        assert_eq!(
            Vfs::new(&[Mount::scratch(wrong)], Quota::default()).unwrap_err(),
            Error::Invalid,
            "{wrong}"
        );
    }
    let twice = [Mount::scratch("/tmp"), Mount::scratch("/tmp")];
    assert_eq!(Vfs::new(&twice, Quota::default()).unwrap_err(), Error::Exists);
}

#[test]
fn links_of_the_host_lead_to_the_guests_files() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "host").unwrap();
    let out = outside.path().to_owned();
    let mut job = Job::over(Quota::default(), |host| {
        symlink(out.join("secret"), host.join("absolute")).unwrap();
        symlink(
            Path::new("../../../../../../../..").join(out.strip_prefix("/").unwrap()),
            host.join("climbing"),
        )
        .unwrap();
        symlink("/mnt/data/real", host.join("inside")).unwrap();
        symlink("/tmp", host.join("tmp")).unwrap();
        fs::write(host.join("real"), "guest").unwrap();
    });
    assert_eq!(job.read("absolute"), Err(Error::NotFound));
    assert_eq!(job.read("climbing/secret"), Err(Error::NotFound));
    assert_eq!(job.read("inside").unwrap(), b"guest");
    job.write("tmp/new", b"in the guest's /tmp").unwrap();
    assert_eq!(job.vfs.read_file("/tmp/new", 99).unwrap(), b"in the guest's /tmp");
}

#[test]
fn forty_links_are_followed_and_no_more() {
    let mut job = Job::new(Quota::default());
    job.write("l0", b"end").unwrap();
    let root = job.vfs.root();
    for index in 0..41 {
        job.vfs.symlink(&format!("l{index}"), root, &data(&format!("l{}", index + 1))).unwrap();
    }
    assert_eq!(job.read("l40").unwrap(), b"end");
    assert_eq!(job.read("l41"), Err(Error::Loop));
    job.vfs.symlink("loop", root, &data("loop")).unwrap();
    assert_eq!(job.read("loop"), Err(Error::Loop));
    assert_eq!(job.read("loop/x"), Err(Error::Loop));
    assert_eq!(job.open("l1", OpenOptions { no_follow: true, ..READ }).unwrap_err(), Error::Loop);
}

#[test]
fn special_files_of_the_host_cannot_be_opened() {
    let mut job = Job::over(Quota::default(), |host| {
        assert!(Command::new("mkfifo").arg(host.join("fifo")).status().unwrap().success());
    });
    assert_eq!(job.open("fifo", READ).unwrap_err(), Error::Denied);
    let metadata = job.vfs.metadata_at(job.vfs.root(), &data("fifo"), Symlinks::Keep).unwrap();
    assert_eq!(metadata.kind, FileKind::Other);
    job.vfs.remove_file(job.vfs.root(), &data("fifo")).unwrap();
    job.vfs.commit(super::DATA).unwrap();
    assert!(!job.host.path().join("fifo").exists());
}

#[test]
fn the_null_device_takes_all_and_gives_nothing() {
    let Job { mut vfs, .. } = Job::new(Quota { bytes: 0, ..Quota::default() });
    let mut null = vfs
        .open(vfs.root(), "/dev/null", OpenOptions { read: true, append: true, ..WRITE })
        .unwrap();
    assert_eq!(vfs.write(&mut null, &[1; 1000]), Ok(1000));
    assert_eq!(vfs.read(&mut null, &mut [0; 10]), Ok(0));
    vfs.close(null);
    assert_eq!(vfs.remove_file(vfs.root(), "/dev/null"), Err(Error::ReadOnly));
}

#[test]
fn a_directory_that_was_removed_while_open_is_a_dead_end() {
    let mut job = Job::new(Quota::default());
    let root = job.vfs.root();
    job.vfs.create_directory(root, &data("d")).unwrap();
    let open = job.open("d", READ).unwrap();
    job.vfs.remove_directory(root, &data("d")).unwrap();
    for path in [".", "..", "x", "../d"] {
        assert_eq!(
            job.vfs.metadata_at(open.node(), path, Symlinks::Follow),
            Err(Error::NotFound),
            "{path}"
        );
    }
    assert_eq!(job.vfs.create_directory(open.node(), "x"), Err(Error::NotFound));
    let mut entries = 0;
    job.vfs
        .read_dir(open.node(), 0, |_| {
            entries += 1;
            true
        })
        .unwrap();
    assert_eq!(entries, 0);
    job.vfs.close(open);
}

#[test]
fn times_are_real_and_can_be_set() {
    let mut job = Job::over(Quota::default(), |host| {
        fs::write(host.join("old"), "x").unwrap();
        let long_ago = fs::FileTimes::new().set_modified(UNIX_EPOCH + Duration::from_secs(1));
        fs::File::options()
            .write(true)
            .open(host.join("old"))
            .unwrap()
            .set_times(long_ago)
            .unwrap();
    });
    let root = job.vfs.root();
    let modified = |job: &mut Job, path| {
        job.vfs.metadata_at(root, &data(path), Symlinks::Keep).unwrap().times.modified
    };
    assert_eq!(modified(&mut job, "old"), 1_000_000_000);
    job.write("new", b"x").unwrap();
    let age = UNIX_EPOCH + Duration::from_nanos(modified(&mut job, "new"));
    assert!(age.elapsed().unwrap() < Duration::from_secs(10));
    for path in ["old", "new"] {
        job.vfs
            .set_times_at(root, &data(path), Symlinks::Follow, SetTime::Keep, SetTime::To(77))
            .unwrap();
        assert_eq!(modified(&mut job, path), 77);
    }
    job.vfs.commit(super::DATA).unwrap();
    for path in ["old", "new"] {
        let host = fs::metadata(job.host.path().join(path)).unwrap().modified().unwrap();
        assert_eq!(host, UNIX_EPOCH + Duration::from_nanos(77));
    }
}

#[test]
fn names_that_cannot_be() {
    let mut job = Job::new(Quota { path_bytes: 300, ..Quota::default() });
    let root = job.vfs.root();
    let name = "n".repeat(255);
    job.write(&name, b"").unwrap();
    assert_eq!(job.write(&format!("{name}n"), b""), Err(Error::NameTooLong));
    assert_eq!(job.write("nul\0", b""), Err(Error::IllegalName));
    assert_eq!(job.vfs.open(root, "", READ).unwrap_err(), Error::NotFound);
    // The whole path counts, also if a call sees only its end.
    job.vfs.create_directory(root, &data("d")).unwrap();
    let d = job.open("d", READ).unwrap();
    let left = 300 - "/mnt/data/d/".len();
    assert_eq!(job.vfs.create_directory(d.node(), &"x".repeat(left)), Err(Error::NameTooLong));
    let half = "x".repeat(left / 2);
    job.vfs.create_directory(d.node(), &half).unwrap();
    assert_eq!(
        job.vfs.create_directory(d.node(), &format!("{half}/{half}")),
        Err(Error::NameTooLong)
    );
    job.vfs.close(d);
}
