//! The image budget: makes the images of one answer small enough to be seen by a model.
//!
//! Pure: encoded images in, encoded images out. A PNG becomes one of 256 colours if nobody would
//! see the difference. Images that fit together then stay as they are. Otherwise small ones stay,
//! and large ones share the rest: with fewer colours (pictures with large even areas, such as
//! plots) or as JPEG (photographs), then scaled down. What would become unreadable is dropped, with
//! the reason.

mod difference;
mod encode;
mod palette;
mod plan;
mod raster;
mod scale;
mod shrink;

use crate::job::MAX_IMAGE_SIDE;
use crate::output::frames::Unshown;
use plan::Plan;

/// What the images of one answer may weigh together, and how large each may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of all images together, before base64, if each of them stays readable with so few.
    pub bytes: usize,
    /// Bytes of all images together otherwise; at least `bytes`.
    pub most: usize,
    /// Pixels of an image's longer side.
    pub max_side: u32,
}

impl Budget {
    /// Leaves images as they are.
    pub const UNLIMITED: Self = Self { bytes: usize::MAX, most: usize::MAX, max_side: u32::MAX };

    /// `bytes` for all images of an answer, whatever becomes of them.
    pub fn of(bytes: usize) -> Self {
        Self { bytes, most: bytes, ..Self::default() }
    }

    /// What is left of it beside `characters` of text. Clients count text and base64 together, and
    /// cut the text if both are too long: half of the larger budget stays for images.
    #[must_use]
    pub fn beside(self, characters: usize) -> Self {
        // Three bytes are four characters of base64.
        let text = characters / 4 * 3;
        let most = self.most.saturating_sub(text).max(self.most / 2);
        Self { bytes: self.bytes.saturating_sub(text).min(most), most, ..self }
    }
}

impl Default for Budget {
    /// What `LibreChat` passes on to a model with a context of 32k tokens, and of 128k: 1.2
    /// characters a token of 95 % of it, 36 480 and 145 920. 1568 pixels.
    fn default() -> Self {
        Self { bytes: 27_000, most: 108_000, max_side: MAX_IMAGE_SIDE }
    }
}

/// What became of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fitted {
    /// It is in the answer.
    Kept {
        /// MIME type, such as `image/png`; not always that of the original.
        mime: &'static str,
        /// The encoded image.
        bytes: Vec<u8>,
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Whether its bytes are not the original's. A GIF that became a PNG is its first frame.
        changed: bool,
    },
    /// It is not in the answer.
    Dropped {
        /// The reason for people.
        why: String,
        /// Pixels of the original, 0 if unknown.
        width: u32,
        /// Pixels of the original, 0 if unknown.
        height: u32,
    },
}

/// Fits `images` into `budget`; the results are in the same order and number.
pub fn fit(images: &[&[u8]], budget: &Budget) -> Vec<Fitted> {
    let max_side = budget.max_side.max(1);
    let mut plans: Vec<Plan<'_>> = images.iter().map(|bytes| Plan::new(bytes, max_side)).collect();
    if *budget != Budget::UNLIMITED {
        let mut held = 0;
        for plan in &mut plans {
            plan.take_up(max_side, &mut held);
        }
    }
    let bytes = room_for(&mut plans, budget, max_side);
    share(&mut plans, bytes, max_side);
    let broken = || Fitted::Dropped { why: Unshown::Broken.to_string(), width: 0, height: 0 };
    plans.into_iter().map(|plan| plan.done.unwrap_or_else(broken)).collect()
}

fn open<'p, 'a>(plans: &'p mut [Plan<'a>]) -> impl Iterator<Item = &'p mut Plan<'a>> {
    plans.iter_mut().filter(|plan| plan.done.is_none())
}

/// The bytes that the images get: the smaller budget if all are readable with it. Drops, from the
/// end, images for which even the larger one has no room.
fn room_for(plans: &mut [Plan<'_>], budget: &Budget, max_side: u32) -> usize {
    let whole: usize = open(plans).map(|plan| plan.size()).sum();
    if whole <= budget.bytes {
        return budget.bytes;
    }
    let least: usize = open(plans).map(|plan| plan.find_least(max_side)).sum();
    if least <= budget.bytes {
        return budget.bytes;
    }
    let mut left = budget.most;
    for plan in open(plans) {
        if plan.least > left {
            plan.drop_for_room(budget.most);
        } else {
            left -= plan.least;
        }
    }
    budget.most
}

/// Gives every image its part of `bytes`, and at least what it needs to be readable.
fn share(plans: &mut [Plan<'_>], bytes: usize, max_side: u32) {
    let mut order: Vec<usize> = (0..plans.len()).filter(|&at| plans[at].done.is_none()).collect();
    order.sort_by_key(|&at| plans[at].size());
    let mut left = bytes;
    let mut reserved: usize = order.iter().map(|&at| plans[at].least).sum();
    for (done, &at) in order.iter().enumerate() {
        reserved -= plans[at].least;
        let later = &order[done + 1..];
        let demanded: usize = later.iter().map(|&at| plans[at].size()).sum();
        let share = (left / (later.len() + 1)).max(left.saturating_sub(demanded));
        let share = share.max(plans[at].least).min(left.saturating_sub(reserved));
        left = left.saturating_sub(plans[at].fit(share, bytes, max_side));
    }
}

/// How an image is made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PictureKind {
    /// Large even areas: fewer colours.
    Graphic,
    /// Fewer colours, or JPEG of good quality.
    Mixed,
    /// JPEG.
    Photo,
}
