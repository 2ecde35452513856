//! The end of a call: its interpreter is kept or ended, its files stay for a while, and what it
//! wrote becomes an [`Outcome`].

use super::classify::stopped_at;
use super::execute::{Attempt, CallRun, Route};
use super::file_store::{FULL_OUTPUT, FileStore, RetainedFiles};
use super::outcome::{Outcome, OutcomeImage, SessionFacts};
use super::{Call, JobStatus, MAX_TRACEBACK, Permit};
use crate::error::Error;
use crate::host::PrivateDir;
use crate::images::{Budget, fit};
use crate::job::{OutputFile, Report, ReportedExit, RunEnd};
use crate::output::{Captured, NotShown, PlacedImage, ShownFile, read_texts, shown_as_images};
use crate::runtime::{Close, Interpreter};
use std::sync::Arc;

/// Characters of a line of an answer that names a picture, a file or a session.
const LINE: usize = 160;

impl CallRun<'_> {
    /// Finishes a call whose code has run. An interpreter that lives on goes to `kept` at once: it
    /// outlives an answer that fails.
    pub(super) async fn finish(
        &self,
        interpreter: Interpreter,
        attempt: Attempt,
        route: Route,
        facts: Option<SessionFacts>,
        kept: &mut Option<Interpreter>,
    ) -> Result<Outcome, Error> {
        let Self { service, call, session, .. } = self;
        let Attempt { runtime, status, record, mut captured } = attempt;
        let home = session.home.as_ref().map(|home| Arc::clone(&home.dir));
        let retained = if home.is_none() { service.files.room_for(&record.files) } else { None };
        // Neither a withdrawn job that did not even unwind, nor an attempt that belongs elsewhere,
        // has a result to write.
        let is_whole = record.end != RunEnd::Cancelled || record.alive;
        let belongs_here = captured.report.exit != Some(ReportedExit::NeedsNative);
        let close = Close {
            commit: is_whole && (home.is_some() || belongs_here),
            await_end: service.config.admission.has_no_queue(),
            keep: home.is_some() && record.alive,
            has_home: home.is_some(),
            export: retained.as_ref().map(|retained| Arc::clone(&retained.dir)),
            permit: Arc::<Permit>::clone(&self.permit),
        };
        let closed = service.runtimes.close(interpreter, close).await?;
        *kept = closed.kept;
        let retained = retained.filter(|_| closed.exported);

        let full_output = captured.whole.take();
        let dir = home.or_else(|| retained.as_ref().map(|retained| Arc::clone(&retained.dir)));
        let shown_files = shown_files(call, dir.as_deref(), &record.files);
        let (retained, full_output_bytes) = match full_output {
            Some(text) => retain_full_output(&service.files, retained, &text),
            None => (retained, None),
        };
        // If no handle can be made the files are dropped; keeping them was never promised.
        let files_handle =
            retained.and_then(|retained| service.files.retain(call.client, retained).ok());

        let stopped_at = stopped_at(&record, &captured.report);
        let budget = service.config.budget.beside(characters(&captured, &status, &shown_files));
        let left = captured.report.left.clone();
        let facts = facts.map(|mut facts| {
            facts.lost = !record.alive;
            facts.left.extend(left);
            facts
        });
        let images = images(captured.images, &record.files, &captured.report, budget).await?;
        let outcome = Outcome {
            status,
            runtime,
            reason: route.reason,
            rerouted: route.rerouted,
            confined: record.confined,
            stdout: captured.stdout,
            stderr: captured.stderr,
            images,
            lost_images: captured.lost_images,
            notes: captured.report.notes,
            stopped_at,
            usage: record.usage,
            files: record.files.into_iter().map(|file| (file.path, file.size)).collect(),
            not_written: closed.not_written,
            session: facts,
            files_handle,
            full_output_bytes,
            shown_files,
        };
        Ok(outcome)
    }
}

/// The files of a call that its caller wants to read in the answer.
fn shown_files(call: &Call, dir: Option<&PrivateDir>, written: &[OutputFile]) -> Vec<ShownFile> {
    let mut shown = read_texts(dir, &call.job.show_files, call.limits.shown);
    if dir.is_none() {
        let was_written = |path: &str| written.iter().any(|file| file.path == path);
        for file in shown.iter_mut().filter(|file| was_written(&file.path)) {
            file.text = Err(NotShown::NotKept);
        }
    }
    shown
}

/// About how many characters the text of the answer will have, beside what is said of its files.
fn characters(captured: &Captured, status: &JobStatus, shown: &[ShownFile]) -> usize {
    let printed = captured.stdout.characters() + captured.stderr.characters();
    let files = shown.iter().filter_map(|file| Some(file.text.as_ref().ok()?.chars().count()));
    let said = |text: &String| text.chars().count() + LINE;
    let traceback = match status {
        JobStatus::Exception(error) => said(&error.traceback).min(MAX_TRACEBACK),
        _ => captured.report.at.iter().map(said).sum::<usize>().min(MAX_TRACEBACK),
    };
    let pictures = &captured.report.pictures;
    let texts = captured.images.iter().map(|placed| &placed.image.header.text);
    let texts: usize = texts.chain(pictures.iter().map(|picture| &picture.text)).map(said).sum();
    let notes: usize = captured.report.notes.iter().map(said).sum();
    printed + files.sum::<usize>() + traceback + texts + notes + LINE
}

/// Puts an output that is shown shortened beside the files of the call; gives its bytes.
fn retain_full_output(
    files: &FileStore,
    retained: Option<RetainedFiles>,
    text: &[u8],
) -> (Option<RetainedFiles>, Option<u64>) {
    let bytes = text.len() as u64;
    let Some(mut retained) = retained.or_else(|| files.room(bytes)) else {
        return (None, None);
    };
    let is_there = retained.dir.put([(FULL_OUTPUT, text)]).is_ok();
    retained.bytes += bytes;
    (Some(retained), is_there.then_some(bytes))
}

/// The images of an answer, fitted into its budget: those that were shown, then image files that
/// the job wrote and did not show.
async fn images(
    placed: Vec<PlacedImage>,
    files: &[OutputFile],
    report: &Report,
    budget: Budget,
) -> Result<Vec<OutcomeImage>, Error> {
    let shown = placed.into_iter().map(|PlacedImage { offset, image }| {
        let header = image.header;
        (Some(offset), header.title, header.text, header.file, image.bytes)
    });
    let written = shown_as_images(files, report).into_iter().map(|file| {
        let picture = file.picture.cloned().unwrap_or_default();
        (None, picture.title, picture.text, Some(file.path.to_owned()), file.content.to_owned())
    });
    let all: Vec<_> = shown.chain(written).collect();
    if all.is_empty() {
        return Ok(Vec::new());
    }
    // Pictures take milliseconds to decode and encode.
    let fitted = tokio::task::spawn_blocking(move || {
        let encoded: Vec<&[u8]> = all.iter().map(|(.., bytes)| bytes.as_slice()).collect();
        let fitted = fit(&encoded, &budget);
        all.into_iter()
            .zip(fitted)
            .map(|((offset, title, text, file, _), fitted)| OutcomeImage {
                offset,
                title,
                text,
                file,
                fitted,
            })
            .collect()
    });
    fitted.await.map_err(|source| Error::engine("fit the images", source))
}
