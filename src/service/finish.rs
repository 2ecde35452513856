//! The end of a call: its interpreter is kept or ended, its files stay for a while, and what it
//! wrote becomes an [`Outcome`].

use super::classify::stopped_at;
use super::execute::{Attempt, CallRun, Ran};
use super::file_store::{FULL_OUTPUT, FileStore, RetainedFiles};
use super::outcome::{Outcome, SessionFacts};
use super::pictures::Unfitted;
use super::{Call, JobStatus, MAX_TRACEBACK, Permit};
use crate::error::Error;
use crate::host::PrivateDir;
use crate::job::{OutputFile, ReportedExit, RunEnd};
use crate::output::{Captured, NotShown, PictureOrder, ShownFile, read_texts};
use crate::runtime::{Close, Interpreter};
use std::mem;
use std::sync::Arc;

/// Characters of a line of an answer that names a picture, a file or a session.
const LINE: usize = 160;

impl CallRun<'_> {
    /// Finishes a call whose code has run; its images are not fitted yet. An interpreter that lives
    /// on goes to `kept` at once: it outlives an answer that fails.
    pub(super) async fn finish(
        &self,
        ran: Ran,
        facts: Option<SessionFacts>,
        kept: &mut Option<Interpreter>,
    ) -> Result<(Outcome, Unfitted), Error> {
        let Self { service, call, session, .. } = self;
        let Ran { interpreter, attempt, route, answer_by } = ran;
        let Attempt { runtime, status, record, mut captured } = attempt;
        let home = session.home.as_ref().map(|home| Arc::clone(&home.dir));
        let retained = if home.is_none() { service.files.room_for(&record.files) } else { None };
        // Neither a withdrawn job that did not even unwind, nor an attempt that belongs elsewhere,
        // has a result to write.
        let is_whole = record.end != RunEnd::Cancelled || record.alive;
        let belongs_here = captured.report.exit != Some(ReportedExit::NeedsNative);
        let said_of_images = said_of_images(&captured);
        let images = mem::take(&mut captured.images);
        let shown: u64 = images.iter().map(|placed| placed.image.bytes.len() as u64).sum();
        let count = call.limits.images.saturating_sub(images.len());
        let bytes = (call.limits.image_bytes as u64).saturating_sub(shown);
        let pictures = PictureOrder::of(&record.files, &captured.report, count, bytes, answer_by);
        let close = Close {
            pictures,
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
        let shown_files = shown_files(call, dir, &record.files).await?;
        let (retained, full_output_bytes) = match full_output {
            Some(text) => retain_full_output(&service.files, retained, text).await?,
            None => (retained, None),
        };
        // If no handle can be made the files are dropped; keeping them was never promised.
        let files_handle =
            retained.and_then(|retained| service.files.retain(call.client, retained).ok());

        let text = said_of_images + characters(&captured, &status, &shown_files);
        let budget = service.config.budget.beside(text);
        let unfitted = Unfitted::new(images, closed.pictures, &captured.report, budget, answer_by);
        let stopped_at = stopped_at(&record, &captured.report);
        let left = captured.report.left.clone();
        let facts = facts.map(|mut facts| {
            facts.lost = kept.is_none();
            facts.left.extend(left);
            facts
        });
        let outcome = Outcome {
            status,
            runtime,
            reason: route.reason,
            rerouted: route.rerouted,
            confined: record.confined,
            stdout: captured.stdout,
            stderr: captured.stderr,
            images: Vec::new(),
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
        Ok((outcome, unfitted))
    }
}

/// The files of a call that its caller wants to read in the answer.
async fn shown_files(
    call: &Call,
    dir: Option<Arc<PrivateDir>>,
    written: &[OutputFile],
) -> Result<Vec<ShownFile>, Error> {
    if call.job.show_files.is_empty() {
        return Ok(Vec::new());
    }
    let (paths, limit, is_kept) = (call.job.show_files.clone(), call.limits.shown, dir.is_some());
    let mut shown = on_a_thread(move || read_texts(dir.as_deref(), &paths, limit)).await?;
    if !is_kept {
        let was_written = |path: &str| written.iter().any(|file| file.path == path);
        for file in shown.iter_mut().filter(|file| was_written(&file.path)) {
            file.text = Err(NotShown::NotKept);
        }
    }
    Ok(shown)
}

/// Does what may wait for a disk where that delays nobody.
async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|source| Error::engine("read and write the files of a call", source))
}

/// About how many characters the text of the answer will have, beside what is said of its files.
fn characters(captured: &Captured, status: &JobStatus, shown: &[ShownFile]) -> usize {
    let printed = captured.stdout.characters() + captured.stderr.characters();
    let files = shown.iter().filter_map(|file| Some(file.text.as_ref().ok()?.chars().count()));
    let traceback = match status {
        JobStatus::Exception(error) => said(&error.traceback).min(MAX_TRACEBACK),
        _ => captured.report.at.iter().map(|text| said(text)).sum::<usize>().min(MAX_TRACEBACK),
    };
    let notes: usize = captured.report.notes.iter().map(|text| said(text)).sum();
    printed + files.sum::<usize>() + traceback + notes + LINE
}

/// The same of what is said of its images.
fn said_of_images(captured: &Captured) -> usize {
    let shown = captured.images.iter().map(|placed| &placed.image.header.text);
    let written = captured.report.pictures.iter().map(|picture| &picture.text);
    shown.chain(written).map(|text| said(text)).sum()
}

fn said(text: &str) -> usize {
    text.chars().count() + LINE
}

/// Puts an output that is shown shortened beside the files of the call; gives its bytes.
async fn retain_full_output(
    files: &FileStore,
    retained: Option<RetainedFiles>,
    text: Vec<u8>,
) -> Result<(Option<RetainedFiles>, Option<u64>), Error> {
    let bytes = text.len() as u64;
    let Some(mut retained) = retained.or_else(|| files.room(bytes)) else {
        return Ok((None, None));
    };
    let dir = Arc::clone(&retained.dir);
    let put = on_a_thread(move || dir.put([(FULL_OUTPUT, text.as_slice())]));
    let is_there = put.await?.is_ok();
    retained.bytes += bytes;
    Ok((Some(retained), is_there.then_some(bytes)))
}
