//! A finished call: what is read into its answer, and what stays of it for a while.

use crate::answer::Answer;
use crate::files;
use crate::folder::Folder;
use crate::limits::Limits;
use crate::live::Live;
use crate::outcome::{InputFile, Job, Outcome, OutputFile, ShownFile};
use crate::runner::Runner;
use crate::session::{Client, Which};
use crate::shelf::{self, Leavings, Shelf};
use crate::verdict::Verdict;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl Runner {
    /// The answer to a call: a job of its own, or one in a session. Our own failures are answers too.
    pub async fn answer(
        &self,
        session: Option<&Which>,
        client: Client,
        job: &Job,
        limits: &Limits,
        live: &Live,
        cancel: &CancellationToken,
    ) -> Answer {
        let run = match session {
            Some(which) => self.run_in_session(which, client, job, limits, live, cancel).await,
            None => self.run(job, limits, live, cancel).await,
        };
        match run {
            Ok(mut outcome) => {
                outcome.shown_files = self.read_files(&job.show_files, client, &outcome, limits.shown);
                self.leave_whole_output(&mut outcome);
                // Without a handle the files are gone with the outcome, which is no more than was promised.
                outcome.kept = outcome.leavings.take().and_then(|leavings| self.shelf().keep(client, leavings).ok());
                let (raw, usage) = (&outcome.raw, &outcome.raw.usage);
                let (runtime, reason, end) = (raw.runtime.name(), &outcome.reason, Verdict::of(raw).name());
                tracing::info!(runtime, reason, end, wall = ?usage.wall, fuel = usage.fuel, "job done");
                Answer::of(&outcome, &self.config().budget)
            }
            Err(error) => {
                tracing::warn!(%error, "job not run");
                Answer::failed(&error.to_string())
            }
        }
    }

    /// The files of a call that its caller wants to read in the answer.
    fn read_files(&self, paths: &[String], client: Client, outcome: &Outcome, limit: usize) -> Vec<ShownFile> {
        if paths.is_empty() {
            return Vec::new();
        }
        let session = outcome.session.as_ref().and_then(|session| self.sessions().folder(&session.handle, client));
        let folder = session.or_else(|| outcome.leavings.as_ref().map(|leavings| Arc::clone(&leavings.folder)));
        let mut shown = files::read_texts(folder.as_deref(), paths, limit);
        if folder.is_none() {
            let written = |file: &ShownFile| outcome.raw.files.iter().any(|written| written.path == file.path);
            for file in shown.iter_mut().filter(|file| written(file)) {
                file.text = Err("files of calls are not kept (`--keep-files`)".into());
            }
        }
        shown
    }

    /// Puts the text of an output that is shown shortened beside the files of the call.
    fn leave_whole_output(&self, outcome: &mut Outcome) {
        let Some(whole) = outcome.raw.whole.take() else { return };
        let bytes = whole.len() as u64;
        let new = || Some(Leavings { folder: Arc::new(self.shelf().folder(bytes).ok()??), bytes: 0 });
        let Some(Leavings { folder, bytes: others }) = outcome.leavings.take().or_else(new) else { return };
        let file = InputFile { path: shelf::WHOLE_OUTPUT.into(), content: whole };
        let written = folder.put(&[file]).is_ok();
        outcome.whole_kept = written.then_some(bytes);
        outcome.leavings = Some(Leavings { folder, bytes: others + bytes });
    }
}

/// Keeps the files that a job wrote, if there are any and they are not too large; `put` brings them into the folder.
pub(crate) fn leave(
    shelf: &Shelf,
    files: &[OutputFile],
    put: impl FnOnce(&Folder) -> Result<(), String>,
) -> Option<Leavings> {
    if files.is_empty() {
        return None;
    }
    let bytes = files.iter().map(|file| file.size).sum();
    let folder = shelf.folder(bytes).map_err(|error| error.to_string()).transpose()?;
    let kept = folder.and_then(|folder| put(&folder).map(|()| folder));
    match kept {
        Ok(folder) => Some(Leavings { folder: Arc::new(folder), bytes }),
        Err(why) => {
            // The answer is worth more than its files.
            tracing::warn!("failed to keep the files of a call: {why}");
            None
        }
    }
}
