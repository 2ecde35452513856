//! Which of the files that a job wrote are carried along with its outcome, and which are read into its answer.

use crate::folder::Folder;
use crate::images::sniff;
use crate::outcome::{OutputFile, ShownFile};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::path::Path;

/// Largest file whose content is carried along, in bytes.
pub const MAX_CONTENT: usize = 16 << 20;

/// Whether the content of a file may become an image of the answer: judged by its name, before it is read.
pub fn is_wanted(path: &str, size: u64) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let image = matches!(ending.as_deref(), Some("png" | "jpg" | "jpeg" | "gif"));
    image && size > 0 && size <= MAX_CONTENT as u64
}

/// Reads those of `files` that may become images, below `folder`. The job must have ended; a link that leads out of the
/// folder is not followed, and what cannot be read is not shown.
pub fn load_images(folder: &Path, files: &mut [OutputFile]) {
    let mut wanted = files.iter_mut().filter(|file| is_wanted(&file.path, file.size)).peekable();
    if wanted.peek().is_none() {
        return;
    }
    let Ok(folder) = Dir::open_ambient_dir(folder, ambient_authority()) else { return };
    for file in wanted {
        file.content = folder.read(&file.path).ok();
    }
}

/// The files that are to be shown as images: those that are images, unless the same picture was shown already.
pub fn shown_as_images<'a>(
    files: &'a [OutputFile],
    saved: &'a [String],
) -> impl Iterator<Item = (&'a OutputFile, &'a [u8])> {
    files.iter().filter(|file| !saved.contains(&file.path)).filter_map(|file| {
        let content = file.content.as_deref()?;
        sniff(content).map(|_| (file, content))
    })
}

/// Reads the texts of `paths` below `folder`, `limit` bytes of them in all; each that cannot be had comes with the reason.
pub(crate) fn read_texts(folder: Option<&Folder>, paths: &[String], limit: usize) -> Vec<ShownFile> {
    let mut left = limit as u64;
    let read = |path: &String| {
        let missing = || "there is no such file".to_owned();
        let content = folder.ok_or_else(missing)?.read(path, left).map_err(|_| missing())?;
        let content = content.ok_or_else(|| format!("it has more bytes than the {left} that are left for files"))?;
        let text = String::from_utf8(content).map_err(|_| "it is not UTF-8 text".to_owned())?;
        left -= text.len() as u64;
        Ok(text)
    };
    let texts: Vec<_> = paths.iter().map(read).collect();
    paths.iter().cloned().zip(texts).map(|(path, text)| ShownFile { path, text }).collect()
}
