//! A directory tree as a value, from the host and from the filesystem under test.

use super::READ;
use mcp_python_sandbox::vfs::{FileKind, StorageUse, Symlinks, Vfs};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Thing {
    File { content: Vec<u8>, links: u64 },
    Symlink(String),
    Directory,
}

pub(super) type Tree = BTreeMap<String, Thing>;

/// What a host directory holds.
pub(super) fn of_host(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut pending = vec![String::new()];
    while let Some(prefix) = pending.pop() {
        for entry in fs::read_dir(root.join(&prefix)).unwrap() {
            let entry = entry.unwrap();
            let path = join(&prefix, entry.file_name().to_str().unwrap());
            let kind = entry.file_type().unwrap();
            let thing = if kind.is_dir() {
                pending.push(path.clone());
                Thing::Directory
            } else if kind.is_symlink() {
                Thing::Symlink(fs::read_link(entry.path()).unwrap().to_str().unwrap().to_owned())
            } else {
                Thing::File {
                    content: fs::read(entry.path()).unwrap(),
                    links: entry.metadata().unwrap().nlink(),
                }
            };
            tree.insert(path, thing);
        }
    }
    tree
}

/// What a directory of the filesystem holds, and what that comes to by counting.
pub(super) fn of_vfs(vfs: &mut Vfs, root: &str) -> (Tree, StorageUse) {
    let mut tree = Tree::new();
    let (mut inodes, mut usage) = (BTreeSet::new(), StorageUse::default());
    let mut pending = vec![String::new()];
    while let Some(prefix) = pending.pop() {
        for (name, inode, kind) in list(vfs, &absolute(root, &prefix)) {
            if name == "." || name == ".." {
                continue;
            }
            let path = join(&prefix, &name);
            let full = absolute(root, &path);
            let metadata = vfs.metadata_at(vfs.root(), &full, Symlinks::Keep).unwrap();
            assert_eq!(
                (metadata.inode, metadata.kind),
                (inode, kind),
                "listing and stat of {path}"
            );
            // Each name counts, and content once.
            usage.files += 1;
            if inodes.insert(inode) {
                usage.bytes += metadata.size;
            }
            let thing = match kind {
                FileKind::Directory => {
                    pending.push(path.clone());
                    Thing::Directory
                }
                FileKind::Symlink => {
                    Thing::Symlink(vfs.read_link(vfs.root(), &full).unwrap().to_owned())
                }
                FileKind::File => {
                    let content = vfs.read_file(&full, usize::MAX).unwrap();
                    assert_eq!(content.len() as u64, metadata.size, "size of {path}");
                    Thing::File { content, links: metadata.links.into() }
                }
                FileKind::Device | FileKind::Other => panic!("{path} is a {kind:?}"),
            };
            tree.insert(path, thing);
        }
    }
    (tree, usage)
}

/// The entries of a directory, `.` and `..` included.
pub(super) fn list(vfs: &mut Vfs, path: &str) -> Vec<(String, u64, FileKind)> {
    let directory = vfs.open(vfs.root(), path, READ).unwrap();
    let mut entries = Vec::new();
    let listed = vfs.read_dir(directory.node(), 0, |entry| {
        entries.push((entry.name.to_owned(), entry.inode, entry.kind));
        true
    });
    vfs.close(directory);
    listed.unwrap();
    entries
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") }
}

fn absolute(root: &str, path: &str) -> String {
    if path.is_empty() { root.to_owned() } else { format!("{root}/{path}") }
}
