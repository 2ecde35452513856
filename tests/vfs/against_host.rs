//! The same random calls on a directory of the host and on the filesystem over a copy of it: same
//! answers, same errors, same tree, exact accounts; and after a commit the copy is the same as the
//! original.

use super::tree::{of_host, of_vfs};
use super::{DATA, READ, data, own};
use mcp_python_sandbox::vfs::{
    Error, FileKind, Mount, OpenFile, OpenOptions, Quota, Symlinks, Vfs,
};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt, symlink};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const SLOTS: usize = 3;

#[derive(Debug, Clone)]
enum Call {
    CreateDirectory(String),
    RemoveDirectory(String),
    RemoveFile(String),
    Rename(String, String),
    Link(String, String),
    Symlink(String, String),
    ReadLink(String),
    Stat(String, bool),
    Open(usize, String, OpenOptions),
    Close(usize),
    Write(usize, Vec<u8>),
    WriteAt(usize, u64, Vec<u8>),
    ReadAt(usize, u64, usize),
    SetLen(usize, u64),
    Commit,
}

/// Names that meet often; up only where it cannot lead out, so that the host's side stays in its
/// directory.
fn path() -> impl Strategy<Value = String> {
    let name = || {
        prop_oneof![8 => Just("a"), 8 => Just("b"), 4 => Just("c"), 1 => Just("a/.."),
        1 => Just("b/../a"), 1 => Just("./b"), 1 => Just("c/.")]
    };
    (vec(name(), 1..4), prop_oneof![6 => Just(""), 1 => Just("/")])
        .prop_map(|(names, end)| names.join("/") + end)
        .prop_filter("leads out", |path| !path.starts_with("a/.."))
}

fn target() -> impl Strategy<Value = String> {
    vec(prop_oneof![Just("a"), Just("b"), Just("c")], 1..3).prop_map(|names| names.join("/"))
}

fn options() -> impl Strategy<Value = OpenOptions> {
    any::<(bool, bool, bool, bool, bool, bool)>().prop_map(
        |(write, append, create, exclusive, truncate, no_follow)| OpenOptions {
            read: true,
            write,
            append: append && write && !truncate,
            create: create && write,
            exclusive: exclusive && create && write,
            truncate: truncate && write,
            directory: false,
            no_follow,
        },
    )
}

fn call() -> impl Strategy<Value = Call> {
    let bytes = || (0usize..200, any::<u8>()).prop_map(|(len, byte)| vec![byte; len]);
    let (slot, at) = (|| 0..SLOTS, || 0u64..300);
    prop_oneof![
        4 => path().prop_map(Call::CreateDirectory),
        2 => path().prop_map(Call::RemoveDirectory),
        2 => path().prop_map(Call::RemoveFile),
        6 => (path(), path()).prop_map(|(old, new)| Call::Rename(old, new)),
        3 => (path(), path()).prop_map(|(old, new)| Call::Link(old, new)),
        2 => (target(), path()).prop_map(|(target, path)| Call::Symlink(target, path)),
        1 => path().prop_map(Call::ReadLink),
        2 => (path(), any::<bool>()).prop_map(|(path, follow)| Call::Stat(path, follow)),
        8 => (slot(), path(), options()).prop_map(|(slot, path, options)| Call::Open(slot, path,
            options)),
        2 => slot().prop_map(Call::Close),
        6 => (slot(), bytes()).prop_map(|(slot, bytes)| Call::Write(slot, bytes)),
        3 => (slot(), at(), bytes()).prop_map(|(slot, at, bytes)| Call::WriteAt(slot, at, bytes)),
        3 => (slot(), at(), 0usize..300).prop_map(|(slot, at, len)| Call::ReadAt(slot, at, len)),
        2 => (slot(), at()).prop_map(|(slot, len)| Call::SetLen(slot, len)),
        1 => Just(Call::Commit),
    ]
}

/// What a call answered, in terms that both sides have.
type Answer = Result<String, Error>;

/// The host's side: its directory, and what is open.
struct Host {
    root: TempDir,
    open: [Option<File>; SLOTS],
}

impl Host {
    fn answer(&mut self, call: &Call) -> Answer {
        self.run(call).map_err(|error| from_host(&error))
    }

    fn run(&mut self, call: &Call) -> io::Result<String> {
        let at = |path: &str| format!("{}/{path}", self.root.path().display());
        let done = |()| String::new();
        match call {
            Call::CreateDirectory(path) => fs::create_dir(at(path)).map(done),
            Call::RemoveDirectory(path) => fs::remove_dir(at(path)).map(done),
            Call::RemoveFile(path) => fs::remove_file(at(path)).map(done),
            Call::Rename(old, new) => fs::rename(at(old), at(new)).map(done),
            Call::Link(old, new) => fs::hard_link(at(old), at(new)).map(done),
            Call::Symlink(target, path) => symlink(target, at(path)).map(done),
            Call::ReadLink(path) => {
                fs::read_link(at(path)).map(|target| target.display().to_string())
            }
            Call::Stat(path, follow) => {
                let metadata =
                    if *follow { fs::metadata(at(path)) } else { fs::symlink_metadata(at(path)) }?;
                let size = if metadata.is_dir() { 0 } else { metadata.len() };
                Ok(format!("{size} {} {}", metadata.is_dir(), metadata.is_symlink()))
            }
            Call::Open(slot, path, options) => {
                let file = File::options()
                    .read(options.read)
                    .write(options.write)
                    .append(options.append)
                    .create(options.create)
                    .create_new(options.exclusive)
                    .truncate(options.truncate)
                    .custom_flags(if options.no_follow { libc::O_NOFOLLOW } else { 0 })
                    .open(at(path))?;
                self.open[*slot] = Some(file);
                Ok(String::new())
            }
            Call::Close(slot) => {
                self.open[*slot] = None;
                Ok(String::new())
            }
            Call::Write(slot, bytes) => match &mut self.open[*slot] {
                Some(file) => io::Write::write(file, bytes).map(|count| count.to_string()),
                None => Ok(String::new()),
            },
            // On Linux, pwrite on a file that appends appends.
            Call::WriteAt(slot, at, bytes) => match &self.open[*slot] {
                Some(file) => file.write_at(bytes, *at).map(|count| count.to_string()),
                None => Ok(String::new()),
            },
            Call::ReadAt(slot, at, len) => match &self.open[*slot] {
                Some(file) => {
                    let mut buffer = vec![0; *len];
                    file.read_at(&mut buffer, *at).map(|count| format!("{:?}", &buffer[..count]))
                }
                None => Ok(String::new()),
            },
            Call::SetLen(slot, len) => match &self.open[*slot] {
                Some(file) => file.set_len(*len).map(done),
                None => Ok(String::new()),
            },
            Call::Commit => Ok(String::new()),
        }
    }
}

/// Our side: the same calls.
struct Ours {
    vfs: Vfs,
    lower: TempDir,
    open: [Option<OpenFile>; SLOTS],
}

impl Ours {
    fn answer(&mut self, call: &Call) -> Answer {
        let root = self.vfs.root();
        let vfs = &mut self.vfs;
        let done = |()| String::new();
        match call {
            Call::CreateDirectory(path) => vfs.create_directory(root, &data(path)).map(done),
            Call::RemoveDirectory(path) => vfs.remove_directory(root, &data(path)).map(done),
            Call::RemoveFile(path) => vfs.remove_file(root, &data(path)).map(done),
            Call::Rename(old, new) => vfs.rename(root, &data(old), root, &data(new)).map(done),
            Call::Link(old, new) => {
                vfs.link(root, &data(old), Symlinks::Keep, root, &data(new)).map(done)
            }
            Call::Symlink(target, path) => vfs.symlink(target, root, &data(path)).map(done),
            Call::ReadLink(path) => vfs.read_link(root, &data(path)).map(str::to_owned),
            Call::Stat(path, follow) => {
                let symlinks = if *follow { Symlinks::Follow } else { Symlinks::Keep };
                let metadata = vfs.metadata_at(root, &data(path), symlinks)?;
                let is = |kind| metadata.kind == kind;
                Ok(format!(
                    "{} {} {}",
                    metadata.size,
                    is(FileKind::Directory),
                    is(FileKind::Symlink)
                ))
            }
            Call::Open(slot, path, options) => {
                let file = vfs.open(root, &data(path), *options)?;
                if let Some(old) = self.open[*slot].replace(file) {
                    vfs.close(old);
                }
                Ok(String::new())
            }
            Call::Close(slot) => {
                if let Some(old) = self.open[*slot].take() {
                    vfs.close(old);
                }
                Ok(String::new())
            }
            Call::Write(slot, bytes) => match &mut self.open[*slot] {
                Some(file) => vfs.write(file, bytes).map(|count| count.to_string()),
                None => Ok(String::new()),
            },
            Call::WriteAt(slot, at, bytes) => match &self.open[*slot] {
                Some(file) => vfs.write_at(file, *at, bytes).map(|count| count.to_string()),
                None => Ok(String::new()),
            },
            Call::ReadAt(slot, at, len) => match &self.open[*slot] {
                Some(file) => {
                    let mut buffer = vec![0; *len];
                    vfs.read_at(file, *at, &mut buffer)
                        .map(|count| format!("{:?}", &buffer[..count]))
                }
                None => Ok(String::new()),
            },
            Call::SetLen(slot, len) => match &self.open[*slot] {
                Some(file) => vfs.set_len(file, *len).map(done),
                None => Ok(String::new()),
            },
            Call::Commit => {
                vfs.commit(DATA).unwrap();
                Ok(String::new())
            }
        }
    }
}

fn from_host(error: &io::Error) -> Error {
    match error.raw_os_error().unwrap() {
        libc::EEXIST => Error::Exists,
        libc::EINVAL => Error::Invalid,
        libc::EBUSY => Error::Busy,
        libc::ENOTEMPTY => Error::NotEmpty,
        libc::EBADF => Error::BadHandle,
        libc::EPERM => Error::NotPermitted,
        libc::EXDEV => Error::CrossDevice,
        _ => Error::from(io::Error::from_raw_os_error(error.raw_os_error().unwrap())),
    }
}

fn copy_tree(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap();
    assert!(status.success());
}

fn check(before: &[Call], calls: &[Call], counted: bool) {
    let mut host = Host { root: tempfile::tempdir().unwrap(), open: Default::default() };
    for call in before {
        let _ = host.answer(call);
    }
    host.open = Default::default();
    let lower = tempfile::tempdir().unwrap();
    copy_tree(host.root.path(), lower.path());
    let mount = if counted {
        own(lower.path())
    } else {
        Mount::writable(DATA, super::directory(lower.path()))
    };
    let mut ours = Ours {
        vfs: Vfs::new(&[mount], Quota::default()).unwrap(),
        lower,
        open: Default::default(),
    };
    for (index, call) in calls.iter().enumerate() {
        let expected = host.answer(call);
        let found = ours.answer(call);
        assert_eq!(found, expected, "call {index}: {call:?}");
        if matches!(call, Call::Commit) {
            assert_eq!(
                of_host(ours.lower.path()),
                of_host(host.root.path()),
                "after the commit at {index}"
            );
        }
        let open: Vec<_> = ours.open.iter().flatten().map(OpenFile::node).collect();
        let unlinked =
            open.iter().filter(|node| ours.vfs.metadata(**node).unwrap().links == 0).count();
        let (tree, counted_usage) = of_vfs(&mut ours.vfs, DATA);
        assert_eq!(tree, of_host(host.root.path()), "after call {index}: {call:?}");
        if counted && unlinked == 0 {
            assert_eq!(ours.vfs.usage(), counted_usage, "after call {index}: {call:?}");
        }
    }
    for slot in 0..SLOTS {
        let _ = ours.answer(&Call::Close(slot));
    }
    let (tree, usage) = of_vfs(&mut ours.vfs, DATA);
    if counted {
        assert_eq!(ours.vfs.usage(), usage);
    }
    ours.vfs.commit(DATA).unwrap();
    assert_eq!(of_host(ours.lower.path()), tree);
    assert!(ours.vfs.changes(DATA).unwrap().is_empty());
}

/// Calls that prepare a directory: no hard links, since a lower layer's are separate files to the
/// filesystem.
fn before() -> impl Strategy<Value = Vec<Call>> {
    vec(
        call()
            .prop_filter("makes hard links", |call| !matches!(call, Call::Link(..) | Call::Commit)),
        0..20,
    )
}

proptest! {
    #[test]
    fn answers_like_the_host(before in before(), calls in vec(call(), 1..40),
        counted in any::<bool>()) {
        check(&before, &calls, counted);
    }
}

#[test]
fn a_file_that_is_open_outlives_its_name_and_a_commit() {
    let open =
        |slot, path: &str| Call::Open(slot, path.into(), OpenOptions { write: true, ..READ });
    let create = Call::Open(0, "a".into(), OpenOptions { write: true, create: true, ..READ });
    let before = [create, Call::Write(0, vec![7; 100]), Call::Close(0)];
    let calls = [
        open(0, "a"),
        Call::RemoveFile("a".into()),
        Call::Commit,
        Call::ReadAt(0, 0, 200),
        Call::Write(0, vec![8; 10]),
        Call::ReadAt(0, 0, 200),
    ];
    check(&before, &calls, true);
}
