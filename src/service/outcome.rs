//! A finished call: what it printed, showed, wrote and used, and how it ended. Nothing in it has to
//! be worked out any more; an answer only puts it into words.

use super::JobStatus;
use crate::images::{Budget, Fitted, fit};
use crate::job::{RuntimeKind, Usage};
use crate::output::{FirstFew, HeadTail, ShownFile};
use std::mem;
use std::time::Duration;

/// Longest traceback that an answer carries, in bytes; a deep recursion repeats itself.
pub(crate) const MAX_TRACEBACK: usize = 16 << 10;

#[derive(Debug, Clone)]
pub struct Outcome {
    pub(crate) status: JobStatus,
    pub(crate) runtime: RuntimeKind,
    /// Why there, in one line.
    pub(crate) reason: String,
    /// Whether an attempt in the WASI runtime had begun to run the code before it was dropped.
    pub(crate) rerouted: bool,
    /// Whether the walls of the runtime stood. False only under `--native unconfined`.
    pub(crate) confined: bool,
    /// Printed text, with the places of the images.
    pub(crate) stdout: HeadTail,
    /// Text on stderr, without the traceback.
    pub(crate) stderr: HeadTail,
    /// Images in the order in which the answer names them.
    pub(crate) images: Vec<OutcomeImage>,
    pub(crate) lost_images: FirstFew,
    pub(crate) notes: Vec<String>,
    /// Where a stopped job was: its innermost Python frames, or the traceback of the exception that
    /// it died of.
    pub(crate) stopped_at: StoppedAt,
    pub(crate) usage: Usage,
    /// Files that it wrote, with their sizes in bytes, relative to the working directory.
    pub(crate) files: Vec<(String, u64)>,
    /// What could not be written to the session's directory or to folders of the host.
    pub(crate) not_written: Vec<String>,
    pub(crate) session: Option<SessionFacts>,
    /// The handle under which the files of a call without a session can be read.
    pub(crate) files_handle: Option<String>,
    /// Bytes of the full output, if it is among those files.
    pub(crate) full_output_bytes: Option<u64>,
    pub(crate) shown_files: Vec<ShownFile>,
}

/// What is known of the place where a job was stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoppedAt {
    Unknown,
    Frames(String),
    /// The traceback of the exception that it died of.
    Traceback(String),
}

#[derive(Debug, Clone)]
pub(crate) struct OutcomeImage {
    /// Bytes of stdout that the job had written before it; `None` for a file that it wrote.
    pub(crate) offset: Option<u64>,
    pub(crate) title: String,
    pub(crate) text: String,
    /// The file that holds the same picture.
    pub(crate) file: Option<String>,
    pub(crate) fitted: Fitted,
}

/// What a call has to say about its session.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each a line of the answer")]
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionFacts {
    pub(crate) handle: String,
    /// Whether this call began it.
    pub(crate) is_new: bool,
    /// How long it stays without a call.
    pub(crate) idle: Duration,
    /// Sessions that had to make room for it.
    pub(crate) evicted: usize,
    /// Whether earlier calls had lost its variables.
    pub(crate) began_empty: bool,
    /// Whether this call lost its variables.
    pub(crate) lost: bool,
    /// Whether it moved to the native runtime, variables and all.
    pub(crate) moved: bool,
    /// Variables that could not move, each with the reason.
    pub(crate) left: Vec<String>,
}

impl Outcome {
    /// Makes its images fit into a smaller budget.
    pub(crate) fn fit_images(&mut self, budget: &Budget) {
        let kept = self.images.iter_mut().filter_map(|image| match &mut image.fitted {
            Fitted::Kept { bytes, .. } => Some((mem::take(bytes), &mut image.fitted)),
            Fitted::Dropped { .. } => None,
        });
        let (bytes, slots): (Vec<_>, Vec<_>) = kept.unzip();
        let encoded: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        for (slot, fitted) in slots.into_iter().zip(fit(&encoded, budget)) {
            *slot = fitted;
        }
    }

    /// About how much memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let images = self.images.iter().map(|image| match &image.fitted {
            Fitted::Kept { bytes, .. } => bytes.len() + image.text.len() + image.title.len(),
            Fitted::Dropped { .. } => image.text.len() + image.title.len(),
        });
        let shown = self.shown_files.iter().map(|file| file.text.as_ref().map_or(0, String::len));
        let files = self.files.iter().map(|(path, _)| path.len());
        let text = self.stdout.kept() + self.stderr.kept();
        (text + images.chain(shown).chain(files).sum::<usize>()) as u64
    }

    /// The same without the data of its images, which take most of its memory.
    pub(crate) fn without_images(&self) -> Self {
        let mut outcome = self.clone();
        for image in &mut outcome.images {
            if let Fitted::Kept { bytes, .. } = &mut image.fitted {
                *bytes = Vec::new();
            }
        }
        outcome
    }
}
