//! Limits to the last byte: what is within works, what is one past is refused, and nothing is lost
//! on the way.

use super::{Job, READ, UPDATE, WRITE, data};
use mcp_python_sandbox::vfs::{Error, Mount, OpenOptions, Quota, StorageUse, Symlinks, Vfs};
use proptest::collection::vec;
use proptest::prelude::{any, proptest};
use std::fs;
use std::path::Path;

#[test]
fn the_last_byte_fits_and_the_next_does_not() {
    let mut job = Job::new(Quota { bytes: 1000, ..Quota::default() });
    let mut file = job.open("f", WRITE).unwrap();
    assert_eq!(job.vfs.write(&mut file, &[1; 999]), Ok(999));
    assert_eq!(job.vfs.write(&mut file, &[2; 2]), Ok(1));
    assert_eq!(job.vfs.write(&mut file, &[3; 1]), Err(Error::NoSpace));
    // Overwriting takes no room, and what is cut off is free again.
    assert_eq!(job.vfs.write_at(&file, 0, &[4; 1000]), Ok(1000));
    job.vfs.set_len(&file, 999).unwrap();
    assert_eq!(job.vfs.write_at(&file, 999, &[5]), Ok(1));
    assert_eq!(job.vfs.usage(), StorageUse { bytes: 1000, files: 1 });
    // A name that is gone does not free what is still open.
    job.vfs.remove_file(job.vfs.root(), &data("f")).unwrap();
    assert_eq!(job.write("g", b"x"), Err(Error::NoSpace));
    job.vfs.close(file);
    assert_eq!(job.write("g", b"x"), Ok(1));
    assert_eq!(job.vfs.usage(), StorageUse { bytes: 1, files: 1 });
    assert_eq!(fs::read_dir(job.host.path()).unwrap().count(), 0);
}

#[test]
fn a_sparse_file_counts_in_full() {
    let mut job = Job::new(Quota { bytes: 1 << 20, file_bytes: u64::MAX, ..Quota::default() });
    let mut file = job.open("sparse", WRITE).unwrap();
    assert_eq!(job.vfs.set_len(&file, 5 << 30), Err(Error::NoSpace));
    file.position = 5 << 30;
    assert_eq!(job.vfs.write(&mut file, b"x"), Err(Error::NoSpace));
    assert_eq!(job.vfs.allocate(&file, 1 << 20, 1), Err(Error::NoSpace));
    assert_eq!(job.vfs.allocate(&file, u64::MAX, 1), Err(Error::FileTooLarge));
    assert_eq!(job.vfs.write_at(&file, u64::MAX, b"x"), Err(Error::FileTooLarge));
    assert_eq!(job.vfs.usage().bytes, 0);
    job.vfs.set_len(&file, 1 << 20).unwrap();
    assert_eq!(job.vfs.write_at(&file, (1 << 20) - 1, b"xy"), Ok(1));
    job.vfs.close(file);
}

#[test]
fn a_single_file_has_a_limit_of_its_own() {
    let mut job = Job::new(Quota { file_bytes: 10, ..Quota::default() });
    assert_eq!(job.write("f", &[1; 11]), Ok(10));
    let file = job.open("f", UPDATE).unwrap();
    assert_eq!(job.vfs.write_at(&file, 10, b"x"), Err(Error::FileTooLarge));
    assert_eq!(job.vfs.set_len(&file, 11), Err(Error::FileTooLarge));
    assert_eq!(job.vfs.write_at(&file, 9, b"xy"), Ok(1));
    job.vfs.close(file);
}

#[test]
fn files_directories_and_links_are_counted() {
    let mut job = Job::over(Quota { files: 4, ..Quota::default() }, |host| {
        fs::write(host.join("found"), "x").unwrap();
    });
    let root = job.vfs.root();
    job.write("f", b"").unwrap();
    job.vfs.create_directory(root, &data("d")).unwrap();
    job.vfs.symlink("f", root, &data("l")).unwrap();
    assert_eq!(job.write("one too many", b""), Err(Error::NoSpace));
    assert_eq!(job.vfs.create_directory(root, &data("d/d")), Err(Error::NoSpace));
    job.vfs.remove_file(root, &data("found")).unwrap();
    job.write("one more", b"").unwrap();
    assert_eq!(job.vfs.usage(), StorageUse { bytes: 1, files: 4 });
}

#[test]
fn each_name_of_a_file_is_counted() {
    let mut job = Job::new(Quota { files: 3, ..Quota::default() });
    let root = job.vfs.root();
    job.write("a", b"x").unwrap();
    for name in ["b", "c"] {
        job.vfs.link(root, &data("a"), Symlinks::Keep, root, &data(name)).unwrap();
    }
    let one_more = job.vfs.link(root, &data("a"), Symlinks::Keep, root, &data("d"));
    assert_eq!((one_more, job.vfs.usage().files), (Err(Error::NoSpace), 3));
    // Moving needs no room.
    job.vfs.rename(root, &data("b"), root, &data("d")).unwrap();
    job.vfs.rename(root, &data("d"), root, &data("c")).unwrap();
    for name in ["d", "c", "a"] {
        let _ = job.vfs.remove_file(root, &data(name));
    }
    assert_eq!(job.vfs.usage(), StorageUse::default());
}

#[test]
fn what_a_job_finds_counts_only_if_it_is_its_own() {
    let prepare = |host: &Path| fs::write(host.join("found"), [0; 900]).unwrap();
    let quota = Quota { bytes: 1000, ..Quota::default() };
    let mut own = Job::over(quota, prepare);
    assert_eq!(own.vfs.usage(), StorageUse { bytes: 900, files: 1 });
    assert_eq!(own.write("f", &[1; 200]), Ok(100));
    let found = own.open("found", UPDATE).unwrap();
    assert_eq!(own.vfs.write_at(&found, 0, b"changed in place"), Ok(16));
    own.vfs.close(found);

    let host = tempfile::tempdir().unwrap();
    prepare(host.path());
    let mut vfs =
        Vfs::new(&[Mount::writable("/in", super::directory(host.path()))], quota).unwrap();
    let root = vfs.root();
    assert_eq!(vfs.usage(), StorageUse::default());
    vfs.write_file("/in/f", &[1; 200]).unwrap();
    let found = vfs.open(root, "/in/found", UPDATE).unwrap();
    assert_eq!(vfs.write_at(&found, 0, b"x"), Err(Error::NoSpace));
    vfs.remove_file(root, "/in/f").unwrap();
    assert_eq!(vfs.write_at(&found, 0, b"x"), Ok(1));
    assert_eq!(vfs.usage(), StorageUse { bytes: 900, files: 1 });
    vfs.close(found);
    vfs.commit("/in").unwrap();
    assert_eq!(vfs.usage(), StorageUse::default());
}

#[test]
fn what_the_host_remembers_is_bounded() {
    let mut job = Job::over(Quota { metadata_bytes: 20_000, ..Quota::default() }, |host| {
        for index in 0..200 {
            fs::write(host.join(format!("f{index}")), "").unwrap();
        }
    });
    let directory = job.open("", READ).unwrap();
    assert_eq!(job.vfs.read_dir(directory.node(), 0, |_| true), Err(Error::NoMemory));
    job.vfs.close(directory);

    let mut job = Job::new(Quota { metadata_bytes: 20_000, ..Quota::default() });
    job.write("f", b"").unwrap();
    let root = job.vfs.root();
    let link = |job: &mut Job, name: &str| {
        job.vfs.link(root, &data("f"), Symlinks::Keep, root, &data(name))
    };
    let refused = (0..1000).find_map(|index| link(&mut job, &format!("l{index}")).err());
    assert_eq!(refused, Some(Error::NoMemory));
    // All of it comes back.
    for _ in 0..1000 {
        job.vfs.remove_file(root, &data("l0")).unwrap();
        link(&mut job, "l0").unwrap();
        assert_eq!(link(&mut job, "one too many"), Err(Error::NoMemory));
    }
}

proptest! {
    /// Writes, cuts and removals of three files under a quota: the counts are those of plain
    /// vectors with the same limit.
    #[test]
    fn accounts_are_exact(steps in vec((0usize..3, 0usize..5, 0u64..150, 0usize..120), 1..80),
        limit in 0u64..200, append in any::<bool>()) {
        let mut job = Job::new(Quota { bytes: limit, ..Quota::default() });
        let mut model: [Option<Vec<u8>>; 3] = [const { None }; 3];
        for (index, (file, action, at, len)) in steps.into_iter().enumerate() {
            let path = format!("f{file}");
            let used =
                |model: &[Option<Vec<u8>>; 3]| {
                    model.iter().flatten().map(Vec::len).sum::<usize>() as u64
                };
            let free = limit - used(&model);
            let byte = u8::try_from(index % 251).unwrap();
            match action {
                0..=2 => {
                    let handle = job.open(&path, OpenOptions { append, ..UPDATE }).unwrap();
                    let old = model[file].get_or_insert_default();
                    let at = if append { old.len() as u64 } else { at };
                    let end =
                        (at + len as u64).min((old.len() as u64).max(old.len() as u64 + free));
                    let expected = match end.checked_sub(at) {
                        _ if len == 0 => Ok(0),
                        None | Some(0) => Err(Error::NoSpace),
                        Some(fits) => Ok(usize::try_from(fits).unwrap()),
                    };
                    assert_eq!(job.vfs.write_at(&handle, at, &vec![byte; len]), expected);
                    if let Ok(count @ 1..) = expected {
                        let at = usize::try_from(at).unwrap();
                        old.resize(old.len().max(at + count), 0);
                        old[at..at + count].fill(byte);
                    }
                    job.vfs.close(handle);
                }
                3 => {
                    let handle = job.open(&path, UPDATE).unwrap();
                    let old = model[file].get_or_insert_default();
                    let growth = at.saturating_sub(old.len() as u64);
                    let expected = if growth > free { Err(Error::NoSpace) } else { Ok(()) };
                    assert_eq!(job.vfs.set_len(&handle, at), expected);
                    if expected.is_ok() {
                        old.resize(usize::try_from(at).unwrap(), 0);
                    }
                    job.vfs.close(handle);
                }
                _ => {
                    let expected = model[file].take().map(|_| ()).ok_or(Error::NotFound);
                    assert_eq!(job.vfs.remove_file(job.vfs.root(), &data(&path)), expected);
                }
            }
            let files = model.iter().flatten().count() as u64;
            assert_eq!(job.vfs.usage(), StorageUse { bytes: used(&model), files });
            for (file, content) in model.iter().enumerate() {
                let found = job.read(&format!("f{file}"));
                assert_eq!(found, content.clone().ok_or(Error::NotFound));
            }
        }
    }
}
