//! The files that a job wrote: which become images of its answer, and which are read into its text.

use crate::host::PrivateDir;
use crate::job::{OutputFile, Report, WrittenPicture};
use crate::output::frames::sniff;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::path::Path;

/// Largest file whose content is kept with the outcome, in bytes.
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
    pub content: &'a [u8],
    /// What the bootstrap reported about it.
    pub picture: Option<&'a WrittenPicture>,
}

/// The files to be shown as images: all images, except those whose picture was shown already. In
/// the order of writing, then those whose order is not known.
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

/// Reads the texts of `paths` below `folder`, `limit` bytes of them in all.
pub(crate) fn read_texts(
    folder: Option<&PrivateDir>,
    paths: &[String],
    limit: usize,
) -> Vec<ShownFile> {
    let mut left = limit as u64;
    let mut read = |path: &String| {
        let content = folder.ok_or(NotShown::Missing)?.read(path, left);
        let content = content.map_err(|_| NotShown::Missing)?.ok_or(NotShown::TooLarge { left })?;
        let text = String::from_utf8(content).map_err(|_| NotShown::NoText)?;
        left -= text.len() as u64;
        Ok(text)
    };
    paths.iter().map(|path| ShownFile { path: path.clone(), text: read(path) }).collect()
}

/// A file that the caller wants to read in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownFile {
    /// Its path below the working directory.
    pub(crate) path: String,
    pub(crate) text: Result<String, NotShown>,
}

/// Why the text of a file is not in the answer, in words for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotShown {
    #[error("there is no such file")]
    Missing,
    #[error("it has more bytes than the {left} that are left for files")]
    TooLarge { left: u64 },
    #[error("it is not UTF-8 text")]
    NoText,
    #[error("files of calls are not kept (`--keep-files`)")]
    NotKept,
}
