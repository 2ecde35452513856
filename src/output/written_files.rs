//! The files that a job wrote: which become images of its answer, and which are read into its text.

use crate::host::{PrivateDir, amount, printable_within};
use crate::job::{OutputFile, Report, WrittenPicture, resources};
use crate::output::FirstFew;
use crate::output::frames::sniff;
use std::time::Instant;

/// Largest picture that is read, in bytes.
const MAX_PICTURE: u64 = 16 << 20;
/// Bytes that tell whether a file is a picture.
const HEADER: usize = 16;

/// Files that may become images of an answer, and how many of them an answer can hold.
#[derive(Debug)]
pub(crate) struct PictureOrder {
    /// Judged by their names: in the order of writing, then those whose order is not known.
    candidates: Vec<OutputFile>,
    /// Pictures that are read.
    count: usize,
    /// Bytes of all of them.
    bytes: u64,
    /// When what has not been read is left out.
    pub(crate) until: Instant,
}

/// Pictures that were read from files.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    pub(crate) read: Vec<PictureFile>,
    /// Why others were not, each with its name.
    pub(crate) left_out: FirstFew,
}

#[derive(Debug)]
pub(crate) struct PictureFile {
    /// Its path below the working directory.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

impl PictureOrder {
    /// All images among `files`, except those whose picture was shown already; `count` of them with
    /// `bytes` together are to be read.
    pub(crate) fn of(
        files: &[OutputFile],
        report: &Report,
        count: usize,
        bytes: u64,
        until: Instant,
    ) -> Self {
        let place = |file: &OutputFile| {
            let place = report.pictures.iter().position(|picture| picture.file == file.path);
            place.unwrap_or(usize::MAX)
        };
        let is_new =
            |file: &&OutputFile| is_picture(&file.path) && !report.saved.contains(&file.path);
        let mut candidates: Vec<_> =
            files.iter().filter(is_new).filter(|file| file.size > 0).cloned().collect();
        candidates.sort_by_cached_key(place);
        Self { candidates, count, bytes, until }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Reads the pictures with `read`, which gives the beginning of a file, up to so many bytes.
    /// The job must have ended, or stand still.
    pub(crate) fn read(self, read: &mut dyn FnMut(&str, usize) -> Option<Vec<u8>>) -> Pictures {
        let mut pictures = Pictures::default();
        let mut left = self.bytes;
        for file in self.candidates {
            let is_late = Instant::now() >= self.until;
            // What is no picture is nothing to speak of.
            if !is_late && read(&file.path, HEADER).is_none_or(|head| sniff(&head).is_none()) {
                continue;
            }
            let why = if is_late {
                "no time was left to read it".to_owned()
            } else if pictures.read.len() >= self.count {
                format!("an answer shows {} at most", amount(self.count as u64, "image"))
            } else if file.size > MAX_PICTURE.min(left) {
                format!("{}, with room for {}", amount(file.size, "byte"), MAX_PICTURE.min(left))
            } else if let Some(bytes) =
                read(&file.path, usize::try_from(left).unwrap_or(usize::MAX))
            {
                left = left.saturating_sub(bytes.len() as u64);
                pictures.read.push(PictureFile { path: file.path, bytes });
                continue;
            } else {
                "reading failed".to_owned()
            };
            let name = printable_within(&file.path, resources::NAME);
            pictures.left_out.push(format!("{why}, file {name}"));
        }
        pictures
    }
}

fn is_picture(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    matches!(ending.as_deref(), Some("png" | "jpg" | "jpeg" | "gif"))
}

/// What the bootstrap reported about a picture file.
pub(crate) fn reported<'a>(path: &str, report: &'a Report) -> Option<&'a WrittenPicture> {
    report.pictures.iter().find(|picture| picture.file == path)
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
