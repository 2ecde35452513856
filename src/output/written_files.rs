//! Which of the files that a job wrote are carried along with its outcome, and which are read into
//! its answer.

use crate::host::PrivateDir;
use crate::job::{OutputFile, Report, WrittenPicture};
use crate::output::frames::sniff;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::path::Path;

/// Largest file whose content is carried along, in bytes.
pub(crate) const MAX_CONTENT: usize = 16 << 20;

/// Whether the content of a file may become an image of the answer: judged by its name, before it
/// is read.
pub(crate) fn is_wanted(path: &str, size: u64) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let image = matches!(ending.as_deref(), Some("png" | "jpg" | "jpeg" | "gif"));
    image && size > 0 && size <= MAX_CONTENT as u64
}

/// Reads those of `files` that may become images, below `folder`. The job must have ended; a link
/// that leads out of the folder is not followed, and what cannot be read is not shown.
pub(crate) fn load_images(folder: &Path, files: &mut [OutputFile]) {
    let mut wanted = files.iter_mut().filter(|file| is_wanted(&file.path, file.size)).peekable();
    if wanted.peek().is_none() {
        return;
    }
    let Ok(folder) = Dir::open_ambient_dir(folder, ambient_authority()) else { return };
    for file in wanted {
        file.content = folder.read(&file.path).ok();
    }
}

/// A file that is shown as an image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImageFile<'a> {
    /// Its path below the working directory.
    pub path: &'a str,
    /// Its content.
    pub content: &'a [u8],
    /// What is known of it.
    pub picture: Option<&'a WrittenPicture>,
}

/// The files that are to be shown as images: those that are images, unless the same picture was
/// shown already. In the order of writing, then those of which it is not known.
pub(crate) fn shown_as_images<'a>(
    files: &'a [OutputFile],
    report: &'a Report,
) -> Vec<ImageFile<'a>> {
    let image = |file: &'a OutputFile| {
        let content = file.content.as_deref().filter(|content| sniff(content).is_some())?;
        let place = report.pictures.iter().position(|picture| picture.file == file.path);
        let picture = place.map(|place| &report.pictures[place]);
        Some((place.unwrap_or(usize::MAX), ImageFile { path: &file.path, content, picture }))
    };
    let mut images: Vec<_> =
        files.iter().filter(|file| !report.saved.contains(&file.path)).filter_map(image).collect();
    images.sort_by_key(|(place, _)| *place);
    images.into_iter().map(|(_, image)| image).collect()
}

/// Reads the texts of `paths` below `folder`, `limit` bytes of them in all; each that cannot be had
/// comes with the reason.
pub(crate) fn read_texts(
    folder: Option<&PrivateDir>,
    paths: &[String],
    limit: usize,
) -> Vec<ShownFile> {
    let mut left = limit as u64;
    let read = |path: &String| {
        let missing = || "there is no such file".to_owned();
        let content = folder.ok_or_else(missing)?.read(path, left).map_err(|_| missing())?;
        let content = content
            .ok_or_else(|| format!("it has more bytes than the {left} that are left for files"))?;
        let text = String::from_utf8(content).map_err(|_| "it is not UTF-8 text".to_owned())?;
        left -= text.len() as u64;
        Ok(text)
    };
    let texts: Vec<_> = paths.iter().map(read).collect();
    paths.iter().cloned().zip(texts).map(|(path, text)| ShownFile { path, text }).collect()
}

/// A file that the caller wants to read in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownFile {
    /// Its path below the working directory.
    pub(crate) path: String,
    /// Its text, or words for the reason why that is not there.
    pub(crate) text: Result<String, String>,
}
