//! The guest inside the executable: the one-file edition unpacks it at its first start.
//!
//! It goes into a folder of this user alone, under a name that contains the hash of the packed
//! guest. The folder appears by one rename when it is complete, so that two servers that start at
//! once do not see each other's unfinished one. A list of its files is in it: where a cleaner of
//! temporary files took some, it is unpacked again.

use super::Artefact;
use crate::host::lock;
use fs_err as fs;
use ruzstd::decoding::StreamingDecoder;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A zstd-compressed tar archive of a guest's folder; `make static` makes it.
static PACKED: &[u8] = include_bytes!(env!("EMBEDDED_GUEST"));
/// In a guest's folder: sizes and names of its files.
const FILES: &str = "files.txt";
/// The hash of [`PACKED`].
const KEY: &str = env!("EMBEDDED_GUEST_KEY");

/// Where the guest is, or will be once it is needed: in the first of `places` that we can make our
/// own.
pub(super) fn folder(places: &[PathBuf]) -> PathBuf {
    let own = places.iter().find(|place| own_folder(place).is_ok());
    own.or(places.first()).map_or_else(|| PathBuf::from(KEY), |place| place.join(KEY))
}

/// The name of the compiled guest, if `artefact` is the packed one. The snapshot that it was
/// compiled from is not packed: nothing would ever compile it again.
pub(super) fn compiled_name(artefact: &Artefact) -> Option<String> {
    let ours = artefact.directory.file_name().is_some_and(|name| name == KEY);
    let names = fs::read_dir(&artefact.directory).ok().filter(|_| ours)?;
    let mut names = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.find(|name| name.ends_with(".cwasm"))
}

/// Both runtimes want it when a server starts.
static UNPACKING: Mutex<()> = Mutex::new(());

/// Unpacks the guest unless it is there.
pub(super) fn unpack(artefact: &Artefact) -> io::Result<()> {
    let _alone = lock(&UNPACKING);
    let folder = &artefact.directory;
    if folder.file_name().is_none_or(|name| name != KEY) || is_complete(folder) {
        return Ok(());
    }
    let place = folder.parent().unwrap_or(Path::new("/"));
    own_folder(place)?;
    let [unfinished, broken] =
        ["new", "old"].map(|what| place.join(format!(".{KEY}.{}.{what}", std::process::id())));
    let made = unpack_to(&unfinished).and_then(|()| {
        // A broken one goes out of the way first: a rename replaces no folder that has files.
        let _ = is_complete(folder) || fs::rename(folder, &broken).is_ok();
        match fs::rename(&unfinished, folder) {
            // Another server was faster, with the same bytes.
            Err(_) if is_complete(folder) => Ok(()),
            renamed => renamed,
        }
    });
    // Nothing is there if it was renamed.
    let _ = (fs::remove_dir_all(&unfinished), fs::remove_dir_all(&broken));
    made
}

/// Whether every file that was packed is there with its size.
fn is_complete(folder: &Path) -> bool {
    let Ok(list) = fs::read_to_string(folder.join(FILES)) else { return false };
    !list.is_empty()
        && list.lines().all(|line| {
            let Some((size, name)) = line.split_once(' ') else { return false };
            let meta = fs::symlink_metadata(folder.join(name));
            meta.is_ok_and(|meta| meta.is_file() && meta.len().to_string() == size)
        })
}

fn unpack_to(folder: &Path) -> io::Result<()> {
    let plain = StreamingDecoder::new(PACKED).map_err(io::Error::other)?;
    let mut archive = tar::Archive::new(io::BufReader::with_capacity(1 << 20, plain));
    archive.set_preserve_mtime(true);
    archive.unpack(folder)
}

/// Makes a folder that nobody else can write, or checks that it is one.
fn own_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let meta = fs::symlink_metadata(folder)?;
    let ours = meta.is_dir()
        && meta.uid() == rustix::process::geteuid().as_raw()
        && meta.mode() & 0o022 == 0;
    let denied = || io::Error::new(io::ErrorKind::PermissionDenied, "the folder is not ours alone");
    ours.then_some(()).ok_or_else(denied)
}
