//! The images of an answer, made to fit into its budget: beside the calls that run, and no longer
//! than the call has time.

use super::Service;
use super::outcome::{Outcome, OutcomeImage};
use crate::error::Error;
use crate::images::{Budget, fit};
use crate::job::Report;
use crate::output::{FirstFew, Pictures, PlacedImage, reported};
use std::mem;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;
use tokio::time::{Instant as Deadline, timeout_at};

/// The images that an answer is to have: those that were shown, then image files that the job wrote
/// and did not show.
#[derive(Debug)]
pub(super) struct Unfitted {
    images: Vec<UnfittedImage>,
    left_out: FirstFew,
    /// When the answer goes out.
    until: Instant,
    /// What they may weigh beside the text.
    budget: Budget,
}

#[derive(Debug)]
struct UnfittedImage {
    offset: Option<u64>,
    title: String,
    text: String,
    file: Option<String>,
    bytes: Vec<u8>,
}

/// How many fit images at once: twice as many as there are processors, so that small pictures need
/// not wait for large ones.
pub(super) fn places() -> Arc<Semaphore> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Arc::new(Semaphore::new(2 * processors))
}

impl Unfitted {
    pub(super) fn new(
        shown: Vec<PlacedImage>,
        written: Pictures,
        report: &Report,
        budget: Budget,
        until: Instant,
    ) -> Self {
        let shown = shown.into_iter().map(|PlacedImage { offset, image }| {
            let (header, offset) = (image.header, Some(offset));
            let (title, text, file) = (header.title, header.text, header.file);
            UnfittedImage { offset, title, text, file, bytes: image.bytes }
        });
        let files = written.read.into_iter().map(|file| {
            let picture = reported(&file.path, report).cloned().unwrap_or_default();
            let (title, text, path) = (picture.title, picture.text, Some(file.path));
            UnfittedImage { offset: None, title, text, file: path, bytes: file.bytes }
        });
        Self { images: shown.chain(files).collect(), left_out: written.left_out, until, budget }
    }
}

impl Service {
    /// Gives `outcome` its images.
    pub(super) async fn show_images(
        &self,
        outcome: &mut Outcome,
        unfitted: Unfitted,
    ) -> Result<(), Error> {
        let Unfitted { mut images, left_out, until, budget } = unfitted;
        outcome.lost_images.extend(left_out);
        if images.is_empty() {
            return Ok(());
        }
        let places = Arc::clone(&self.fitting);
        let (count, until) = (images.len(), Deadline::from_std(until));
        let fitting = async {
            // The semaphore is never closed.
            let place = places.acquire_owned().await;
            // Pictures take milliseconds to decode and encode.
            tokio::task::spawn_blocking(move || {
                let _place = place;
                let bytes: Vec<_> =
                    images.iter_mut().map(|image| mem::take(&mut image.bytes)).collect();
                let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
                let fitted = fit(&bytes, &budget);
                let named = images.into_iter().zip(fitted).map(|(image, fitted)| {
                    let UnfittedImage { offset, title, text, file, .. } = image;
                    OutcomeImage { offset, title, text, file, fitted }
                });
                named.collect()
            })
            .await
        };
        match timeout_at(until, fitting).await {
            Ok(fitted) => {
                outcome.images = fitted.map_err(|why| Error::engine("fit the images", why))?;
            }
            Err(_) => {
                for _ in 0..count {
                    let why = "no time was left to fit images into the answer";
                    outcome.lost_images.push(why.to_owned());
                }
            }
        }
        Ok(())
    }
}
