//! What the caller reads: the text of an answer, its images, and the same facts as data. Knows no
//! protocol.

mod data;
mod terminal;
mod text;

pub use terminal::{as_terminal, for_terminal};

use crate::error::Error;
use crate::host::{amount, printable_lines, printable_within};
use crate::images::Fitted;
use crate::job::{RuntimeKind, resources};
use crate::output::{Captured, HeadTail, escape_invalid};
use crate::service::{
    FULL_OUTPUT, JobStatus, Outcome, OutcomeImage, SessionFacts, StoppedAt, address,
};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::Write as _;
use text::{Text, shorten};

/// Characters of a sentence that a job may have written: a note, a reason, what a picture shows.
const MAX_SENTENCE: usize = 1_000;

/// An answer, ready to be put into a protocol's terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The one text part.
    pub text: String,
    /// Images in the order in which the text names them.
    pub images: Vec<AnswerImage>,
    /// Whether the job failed.
    pub is_error: bool,
    /// The same facts as data, keys without a prefix.
    pub data: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerImage {
    /// MIME type.
    pub mime: String,
    /// Encoded image.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// Puts a finished call into words.
    pub fn of(outcome: &Outcome) -> Self {
        let mut text = Text::default();
        let images = stdout(&mut text, outcome);
        section(&mut text, "stderr", &outcome.stderr);
        failure(&mut text, outcome);
        shown_files(&mut text, outcome);
        closing_lines(&mut text, outcome);
        let is_error = outcome.status.is_error();
        let text = text.finish(if is_error { "" } else { "[no output]" });
        Self { text, images, is_error, data: data::of(outcome) }
    }

    /// The same for a call that perhaps could not be run: our own failures are answers too.
    pub fn of_result(result: &Result<Outcome, Error>) -> Self {
        match result {
            Ok(outcome) => Self::of(outcome),
            Err(error) => Self::failed(&error.to_string()),
        }
    }

    /// What a job that still runs has written, and a line that says so.
    pub fn so_far(captured: Option<&Captured>, status: &str) -> Self {
        let mut text = Text::default();
        if let Some(captured) = captured {
            Printed::new(&captured.stdout).up_to(captured.stdout.total(), &mut text);
            section(&mut text, "stderr", &captured.stderr);
            if !captured.images.is_empty() {
                text.line(&format!("[images so far: {}]", captured.images.len()));
            }
        }
        text.line(status);
        Self::plain(&text.finish(""))
    }

    /// An answer of a few words.
    pub fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), images: Vec::new(), is_error: false, data: Map::new() }
    }

    /// An answer for a call that could not be run.
    pub fn failed(why: &str) -> Self {
        Self { is_error: true, ..Self::plain(&shorten(why)) }
    }
}

/// Stdout as printed, with a line where each image was shown, and the image files that were not;
/// gives the images.
fn stdout(text: &mut Text, outcome: &Outcome) -> Vec<AnswerImage> {
    let mut images = Vec::new();
    let mut printed = Printed::new(&outcome.stdout);
    let mut reasons: Vec<&str> = Vec::new();
    for (at, image) in outcome.images.iter().enumerate() {
        printed.up_to(image.offset.unwrap_or(outcome.stdout.total()), text);
        let mut line = match &image.fitted {
            Fitted::Kept { mime, bytes, width, height, .. } => {
                let format = mime.strip_prefix("image/").unwrap_or(mime).to_ascii_uppercase();
                images.push(AnswerImage { mime: (*mime).to_owned(), bytes: bytes.clone() });
                format!("[image {}: {width}x{height} {format}", at + 1)
            }
            Fitted::Dropped { why, width, height } => {
                let all = outcome.images.len();
                let is_new = !reasons.contains(&why.as_str());
                reasons.extend(is_new.then_some(why.as_str()));
                let why = if is_new { why } else { "likewise" };
                format!("[image {} of {all} left out, {width}x{height}: {why}", at + 1)
            }
        };
        name_image(&mut line, image);
        text.line(&line);
        if !image.text.is_empty() {
            text.line(&printable_within(&image.text, MAX_SENTENCE));
        }
    }
    printed.up_to(outcome.stdout.total(), text);
    let (lost, total) = (counted(outcome.lost_images.kept()), outcome.lost_images.total());
    match lost.as_slice() {
        [(why, _)] if total > 1 => text.line(&format!("[{total} images were left out: {why}]")),
        _ => text.list(&lost, total, |(why, _)| format!("[an image was left out: {why}]")),
    }
    images
}

/// Each of `lines` once, in their order, with how often it is there.
fn counted(lines: &[String]) -> Vec<(&str, usize)> {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for line in lines {
        match counted.iter_mut().find(|(known, _)| known == line) {
            Some((_, times)) => *times += 1,
            None => counted.push((line, 1)),
        }
    }
    counted
}

/// Ends the line of an image with its title and its file.
fn name_image(line: &mut String, image: &OutcomeImage) {
    if !image.title.is_empty() {
        // A title of several lines is a usual one.
        let title = image.title.replace(['\n', '\r', '\t'], " ");
        let _ = write!(line, ", {:?}", printable_within(&title, resources::NAME));
    }
    if let Some(file) = &image.file {
        let _ = write!(line, ", file {}", name(file));
    }
    line.push(']');
}

/// Walks a bounded stream from piece to piece and names the gap once, where it is.
struct Printed<'a> {
    stream: &'a HeadTail,
    at: u64,
    gap_named: bool,
}

impl<'a> Printed<'a> {
    fn new(stream: &'a HeadTail) -> Self {
        Self { stream, at: 0, gap_named: false }
    }

    fn up_to(&mut self, end: u64, text: &mut Text) {
        let gap_start = self.stream.head().len() as u64;
        let gap_end = gap_start + self.stream.omitted();
        if self.stream.omitted() > 0 && !self.gap_named && end > gap_start {
            text.printed(&shown(&self.stream.slice(self.at, gap_start)));
            text.line(&format!("[... {} omitted ...]", amount(self.stream.omitted(), "byte")));
            self.gap_named = true;
            self.at = gap_end;
        }
        let from = self.at.min(end);
        text.printed(&shown(&self.stream.slice(from, end)));
        self.at = self.at.max(end);
    }
}

/// Printed bytes as text, without the halves of characters that a cut may have left at its edges.
fn shown(bytes: &[u8]) -> String {
    let start = bytes.iter().take(3).take_while(|&&b| b & 0xc0 == 0x80).count();
    let mut bytes = &bytes[start..];
    if let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes = &bytes[..error.valid_up_to()];
    }
    as_terminal(&escape_invalid(bytes))
}

fn section(text: &mut Text, heading: &str, stream: &HeadTail) {
    if stream.is_empty() {
        return;
    }
    text.line(&format!("[{heading}]"));
    Printed::new(stream).up_to(stream.total(), text);
}

/// The files that the caller wanted to read, each under its name.
fn shown_files(text: &mut Text, outcome: &Outcome) {
    for file in &outcome.shown_files {
        match &file.text {
            Ok(content) => {
                text.line(&format!("[file {}]", name(&file.path)));
                text.printed(&printable_lines(&content.replace("\r\n", "\n")));
            }
            Err(why) => text.line(&format!("[file {} is not shown: {why}]", name(&file.path))),
        }
    }
}

/// The traceback, or why there is none.
fn failure(text: &mut Text, outcome: &Outcome) {
    match &outcome.status {
        JobStatus::Ok => {}
        JobStatus::Exception(error) => text.lines(&error.traceback),
        JobStatus::Exit(code) => text.line(&format!("[the program left with exit code {code}]")),
        JobStatus::Limit(hit) => {
            match &outcome.stopped_at {
                StoppedAt::Frames(frames) => {
                    text.line("Stopped at:");
                    text.lines(frames);
                }
                StoppedAt::Traceback(traceback) => text.lines(traceback),
                StoppedAt::Unknown => {}
            }
            text.line(&format!("[{hit}; {}]", hit.kind.advice()));
        }
        JobStatus::Crashed(how) => {
            if let StoppedAt::Frames(frames) = &outcome.stopped_at {
                text.lines(frames);
            }
            text.line(&format!("[the Python process crashed: {how}]"));
        }
        JobStatus::Cancelled => text.line("[the call was cancelled]"),
    }
}

/// What needs saying beyond the output: notes, files, where it ran if that was not obvious.
fn closing_lines(text: &mut Text, outcome: &Outcome) {
    let (notes, not_written) = (counted(&outcome.notes), &outcome.not_written);
    text.list(&notes, notes.len() as u64, |&(note, times)| {
        let times = if times > 1 { format!(" ({times} times)") } else { String::new() };
        format!("[note: {}{times}]", sentence(note))
    });
    if outcome.session.is_none() {
        text.list(not_written, not_written.len() as u64, |what| {
            format!("[note: not written: {}]", sentence(what))
        });
    }
    if !outcome.files.is_empty() {
        text.line(&format!("[files written: {}]", file_list(&outcome.files)));
    }
    if let (Some(handle), Some(bytes)) = (&outcome.files_handle, outcome.full_output_bytes) {
        let address = address(handle, FULL_OUTPUT);
        let what = if bytes < outcome.stdout.total() { "beginning of the" } else { "whole" };
        text.line(&format!(
            "[the {what} output, {}, can be read for a while: {address}]",
            amount(bytes, "byte")
        ));
    }
    if outcome.rerouted && !outcome.session.as_ref().is_some_and(|session| session.moved) {
        text.line(&format!("[run again from the start in the native runtime: {}]", outcome.reason));
    }
    if let Some(session) = &outcome.session {
        session_lines(text, outcome, session);
    }
    if outcome.runtime == RuntimeKind::Native && !outcome.confined {
        text.line("[the native runtime is not confined: `--native unconfined`]");
    }
}

/// What became of the session, and its handle.
fn session_lines(text: &mut Text, outcome: &Outcome, session: &SessionFacts) {
    if session.moved {
        let again = if outcome.rerouted { "; this code was run again from the start" } else { "" };
        text.line(&format!(
            "[the session moved to the native runtime with its variables: {}{again}]",
            outcome.reason
        ));
    }
    if !session.left.is_empty() {
        text.line(&format!(
            "[could not come along: {}]",
            some(&session.left, "; ", |left| sentence(left))
        ));
    }
    text.list(&outcome.not_written, outcome.not_written.len() as u64, |what| {
        format!("[not written to the session's directory: {}]", sentence(what))
    });
    if session.began_empty {
        text.line("[the variables of earlier calls were gone; the session's files were there]");
    }
    if session.lost {
        let why = "because its interpreter ended; its files are kept";
        text.line(&format!("[the session's variables are gone, {why}]"));
    }
    if session.evicted > 0 {
        text.line(&format!("[sessions ended to make room: {}]", session.evicted));
    }
    let handle = &session.handle;
    if session.is_new {
        let (seconds, minutes) = (session.idle.as_secs(), session.idle.as_secs() / 60);
        let is_whole = seconds.is_multiple_of(60);
        let idle = if is_whole { format!("{minutes} min") } else { format!("{seconds} s") };
        text.line(&format!(
            "[session {handle}: pass it as `session` to go on; it ends after {idle} without a call]"
        ));
    } else {
        text.line(&format!("[session {handle}]"));
    }
}

fn file_list(files: &[(String, u64)]) -> String {
    some(files, ", ", |(path, size)| format!("{} ({})", name(path), amount(*size, "byte")))
}

/// The first ones of a list, and the number of the others.
fn some<T>(items: &[T], separator: &str, show: impl Fn(&T) -> String) -> String {
    let shown: Vec<String> = items.iter().take(resources::NAMED).map(show).collect();
    let more = items.len().saturating_sub(resources::NAMED);
    let shown = shown.join(separator);
    if more > 0 { format!("{shown}{separator}and {more} more") } else { shown }
}

fn name(path: &str) -> Cow<'_, str> {
    printable_within(path, resources::NAME)
}

fn sentence(text: &str) -> String {
    printable_within(text.trim_end(), MAX_SENTENCE).into_owned()
}
