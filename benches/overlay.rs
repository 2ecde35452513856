//! The filesystem of a job: what it makes in memory, what it reads from a folder below, and what it
//! brings up from there.

#![expect(clippy::expect_used, reason = "a benchmark that cannot go on has failed")]

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use criterion::{BatchSize, Criterion, Throughput};
use mcp_python_sandbox::vfs::{Mount, OpenOptions, Quota, Vfs};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Bytes of the large file below.
const LARGE: usize = 1 << 20;
/// Bytes of one read or write: what Python's buffer holds.
const PIECE: usize = 8 << 10;
/// Files in the folder below that is listed.
const NAMES: usize = 1000;
/// Files in the folder below that is moved.
const MOVED: usize = 100;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    fill(folder.path()).expect("files in it");
    let below =
        Arc::new(Dir::open_ambient_dir(folder.path(), ambient_authority()).expect("the folder"));
    let overlay = || overlay(&below);
    let mut criterion = Criterion::default().configure_from_args();
    whole(&mut criterion, &overlay);
    small(&mut criterion, overlay());
    large(&mut criterion, overlay());
    list(&mut criterion, &overlay);
    bring_up(&mut criterion, &overlay);
    criterion.final_summary();
}

/// The folder that a job finds.
fn fill(folder: &Path) -> std::io::Result<()> {
    fs::write(folder.join("large"), vec![7; LARGE])?;
    for (name, count) in [("names", NAMES), ("moved", MOVED)] {
        fs::create_dir(folder.join(name))?;
        (0..count).try_for_each(|index| {
            fs::write(folder.join(name).join(index.to_string()), "content")
        })?;
    }
    Ok(())
}

/// A job's files over that folder.
fn overlay(below: &Arc<Dir>) -> Vfs {
    let mounts = [Mount::writable("/mnt/data", Arc::clone(below)), Mount::scratch("/tmp")];
    Vfs::new(&mounts, Quota::default()).expect("a filesystem")
}

/// Each job makes one.
fn whole(criterion: &mut Criterion, overlay: &impl Fn() -> Vfs) {
    criterion.bench_function("overlay/new", |bencher| bencher.iter(overlay));
}

/// Small files in memory.
fn small(criterion: &mut Criterion, mut vfs: Vfs) {
    let root = vfs.root();
    criterion.bench_function("overlay/create, write 100 bytes, remove", |bencher| {
        bencher.iter(|| {
            write(&mut vfs, "/tmp/small", &[7; 100]);
            vfs.remove_file(root, "/tmp/small").expect("it goes");
        });
    });
    write(&mut vfs, "/tmp/a", b"content");
    criterion.bench_function("overlay/rename there and back", |bencher| {
        bencher.iter(|| {
            vfs.rename(root, "/tmp/a", root, "/tmp/b").expect("it moves");
            vfs.rename(root, "/tmp/b", root, "/tmp/a").expect("it moves back");
        });
    });
}

/// 1 MiB through Python's buffer.
fn large(criterion: &mut Criterion, mut vfs: Vfs) {
    let content = vec![7; LARGE];
    let mut group = criterion.benchmark_group("overlay");
    group.throughput(Throughput::Bytes(LARGE as u64));
    group.bench_function("write 1 MiB", |bencher| {
        bencher.iter(|| write(&mut vfs, "/tmp/large", &content));
    });
    group.bench_function("read 1 MiB from memory", |bencher| {
        bencher.iter(|| read(&mut vfs, "/tmp/large"));
    });
    group.bench_function("read 1 MiB from below", |bencher| {
        bencher.iter(|| read(&mut vfs, "/mnt/data/large"));
    });
    group.finish();
}

/// A folder below, in a job that has not seen it and in one that has.
fn list(criterion: &mut Criterion, overlay: &impl Fn() -> Vfs) {
    let mut group = criterion.benchmark_group("overlay");
    group.throughput(Throughput::Elements(NAMES as u64));
    group.bench_function("list 1000 names for the first time", |bencher| {
        bencher.iter_batched_ref(overlay, count_names, BatchSize::SmallInput);
    });
    let mut vfs = overlay();
    group.bench_function("list 1000 names again", |bencher| bencher.iter(|| count_names(&mut vfs)));
    group.finish();
}

/// What lies below and is changed is first brought into memory.
fn bring_up(criterion: &mut Criterion, overlay: &impl Fn() -> Vfs) {
    criterion.bench_function("overlay/change 1 byte of 1 MiB below", |bencher| {
        let change = |vfs: &mut Vfs| {
            let options = OpenOptions { write: true, ..OpenOptions::default() };
            let mut file = vfs.open(vfs.root(), "/mnt/data/large", options).expect("it opens");
            vfs.write(&mut file, b"1").expect("it is written");
            vfs.close(file);
        };
        bencher.iter_batched_ref(overlay, change, BatchSize::SmallInput);
    });
    criterion.bench_function("overlay/rename a folder below with 100 files", |bencher| {
        let rename = |vfs: &mut Vfs| {
            let root = vfs.root();
            vfs.rename(root, "/mnt/data/moved", root, "/mnt/data/there").expect("it moves");
        };
        bencher.iter_batched_ref(overlay, rename, BatchSize::SmallInput);
    });
}

fn write(vfs: &mut Vfs, path: &str, content: &[u8]) {
    let options =
        OpenOptions { write: true, create: true, truncate: true, ..OpenOptions::default() };
    let mut file = vfs.open(vfs.root(), path, options).expect("it opens");
    for piece in content.chunks(PIECE) {
        assert_eq!(vfs.write(&mut file, piece), Ok(piece.len()));
    }
    vfs.close(file);
}

/// Reads a file to its end; gives its size.
fn read(vfs: &mut Vfs, path: &str) -> usize {
    let options = OpenOptions { read: true, ..OpenOptions::default() };
    let mut file = vfs.open(vfs.root(), path, options).expect("it opens");
    let (mut buffer, mut size) = ([0; PIECE], 0);
    loop {
        let count = vfs.read(&mut file, &mut buffer).expect("it can be read");
        if count == 0 {
            break;
        }
        size += count;
    }
    vfs.close(file);
    assert_eq!(size, LARGE);
    size
}

fn count_names(vfs: &mut Vfs) -> usize {
    let options = OpenOptions { read: true, directory: true, ..OpenOptions::default() };
    let file = vfs.open(vfs.root(), "/mnt/data/names", options).expect("it opens");
    let mut count = 0;
    let counted = vfs.read_dir(file.node(), 0, |_| {
        count += 1;
        true
    });
    counted.expect("it can be listed");
    vfs.close(file);
    // `.` and `..` are among them.
    assert_eq!(count, NAMES + 2);
    count
}
