//! The files that a guest sees: its library read-only, a working directory and `/tmp` in memory.

use super::preview1::GuestFs;
use crate::error::Error;
use crate::job::{HostFolder, InputFile, Limits, OutputFile, PACKAGES_DIR, Packages, WORKDIR};
use crate::vfs::{self, Change, ChangeKind, FileKind, Mount, Quota, Vfs};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::path::Path;
use std::sync::Arc;

/// The mounts that all jobs share, with the host's folders opened once.
#[derive(Debug)]
pub(super) struct Mounts {
    all: Vec<Mount>,
    /// Mount points of the operator's folders that jobs may change.
    pub(super) writable: Vec<String>,
}

impl Mounts {
    pub(super) fn open(
        library: &Path,
        packages: Option<&Packages>,
        folders: &[HostFolder],
    ) -> Result<Self, Error> {
        let mut all = vec![
            Mount::read_only("/lib", opened("open the guest's library", library)?),
            Mount::scratch(WORKDIR),
            Mount::scratch("/tmp"),
        ];
        if let Some(packages) = packages {
            let folder = opened("open the folder of packages", &packages.folder)?;
            all.push(Mount::read_only(PACKAGES_DIR, folder));
        }
        for HostFolder { host, guest, writable } in folders {
            let make = if *writable { Mount::writable } else { Mount::read_only };
            all.push(make(guest.as_str(), opened("open the mounted folder", host)?));
        }
        let writable = folders.iter().filter(|folder| folder.writable);
        let writable = writable.map(|folder| folder.guest.clone()).collect();
        Ok(Self { all, writable })
    }

    pub(super) fn job(&self, given: &[InputFile], limits: &Limits) -> Result<GuestFs, Error> {
        guest_files(&self.all, given, limits)
    }

    /// The files of a session, whose working directory lies over `directory`.
    pub(super) fn session(
        &self,
        directory: &Arc<Dir>,
        given: &[InputFile],
        limits: &Limits,
    ) -> Result<GuestFs, Error> {
        let used = vfs::measure(directory)
            .map_err(|source| Error::engine("read the session's files", source))?;
        let mut mounts = self.all.clone();
        for mount in mounts.iter_mut().filter(|mount| mount.at() == WORKDIR) {
            *mount = Mount::own(WORKDIR, Arc::clone(directory), used);
        }
        guest_files(&mounts, given, limits)
    }
}

fn guest_files(mounts: &[Mount], given: &[InputFile], limits: &Limits) -> Result<GuestFs, Error> {
    let quota = Quota {
        bytes: limits.file_bytes,
        file_bytes: limits.file_bytes,
        files: limits.files,
        open_files: u32::try_from(limits.open_files).unwrap_or(u32::MAX),
        ..Quota::default()
    };
    let mut vfs = Vfs::new(mounts, quota).map_err(does_not_fit)?;
    put(&mut vfs, given)?;
    GuestFs::new(vfs).map_err(does_not_fit)
}

pub(super) fn put(vfs: &mut Vfs, given: &[InputFile]) -> Result<(), Error> {
    for file in given {
        vfs.write_file(&format!("{WORKDIR}/{}", file.path), &file.content).map_err(does_not_fit)?;
    }
    Ok(())
}

fn does_not_fit(source: vfs::Error) -> Error {
    Error::Request(format!("the files do not fit into the working directory: {source}"))
}

fn opened(what: &'static str, folder: &Path) -> Result<Arc<Dir>, Error> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority());
    dir.map(Arc::new).map_err(|source| Error::Io { what, path: folder.to_path_buf(), source })
}

/// Files that the job left in its working directory.
pub(super) fn written(fs: &GuestFs) -> vfs::Result<Vec<OutputFile>> {
    let mut changes = fs.vfs.changes(WORKDIR)?;
    changes.retain(|change| change.file == FileKind::File && change.kind != ChangeKind::Removed);
    Ok(changes.into_iter().map(|Change { path, size, .. }| OutputFile { path, size }).collect())
}
