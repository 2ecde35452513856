//! The image budget: makes the images of one answer small enough to be seen by a model.
//!
//! Pure: encoded images in, encoded images out. Images that fit together stay as they are, byte for
//! byte, and are not even decoded. Otherwise small ones stay, and large ones share the rest: first
//! without loss, then with fewer colours (pictures with large even areas, such as plots) or as JPEG
//! (photographs), then scaled down. What would become unreadable is dropped, with the reason.

mod encode;
mod palette;
mod raster;
mod scale;

use crate::job::MAX_IMAGE_SIDE;
use crate::output::frames::{Unshown, sniff};
use encode::Encoded;
use image::RgbaImage;
use palette::Colours;
use std::mem;

/// Pixels: shorter than this on its longer side, a picture cannot be read any more.
const MIN_SIDE: u32 = 160;
/// Bytes that an image should have at least; images that would push the others below it are
/// dropped.
const MIN_SHARE: usize = 4096;
/// Pixels kept decoded between the two passes (32 MB); images beyond it are decoded twice.
const MAX_HELD_PIXELS: usize = 8 << 20;
/// Attempts to find the scale of an image.
const MAX_ATTEMPTS: usize = 6;

/// What the images of one answer may weigh together, and how large each may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of all images together, before base64.
    pub bytes: usize,
    /// Pixels of an image's longer side.
    pub max_side: u32,
}

/// Bytes of images that clients with a context of 128k tokens pass on whole.
pub(crate) const DEFAULT_BYTES: usize = 100_000;

impl Budget {
    /// Leaves images as they are.
    pub const UNLIMITED: Self = Self { bytes: usize::MAX, max_side: u32::MAX };
}

impl Default for Budget {
    /// [`DEFAULT_BYTES`], 1568 pixels.
    fn default() -> Self {
        Self { bytes: DEFAULT_BYTES, max_side: MAX_IMAGE_SIDE }
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
        /// Whether it differs from the original. A GIF that became a PNG is its first frame.
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
    let mut plans: Vec<Plan<'_>> = images.iter().map(|bytes| Plan::new(bytes)).collect();
    select(&mut plans, budget.bytes);
    let mut left = keep_small(&mut plans, budget.bytes, max_side);
    let mut held = 0;
    for plan in plans.iter_mut().filter(|plan| plan.done.is_none()) {
        plan.prepare(left, max_side, &mut held);
    }
    let mut order: Vec<usize> = (0..plans.len()).filter(|&at| plans[at].done.is_none()).collect();
    order.sort_by_key(|&at| plans[at].demand());
    for (done, &at) in order.iter().enumerate() {
        let later = &order[done + 1..];
        let demanded: usize = later.iter().map(|&at| plans[at].demand()).sum();
        let share = (left / (later.len() + 1)).max(left.saturating_sub(demanded));
        left = left.saturating_sub(plans[at].fit(share, budget.bytes, max_side));
    }
    let broken = || Fitted::Dropped { why: Unshown::Broken.to_string(), width: 0, height: 0 };
    plans.into_iter().map(|plan| plan.done.unwrap_or_else(broken)).collect()
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

struct Plan<'a> {
    bytes: &'a [u8],
    width: u32,
    height: u32,
    kind: PictureKind,
    /// Its pixels within `max_side`, if they are kept.
    raster: Option<RgbaImage>,
    /// Full-size forms, the best first.
    forms: Vec<Encoded>,
    done: Option<Fitted>,
}

impl<'a> Plan<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let size = raster::size(bytes);
        let (width, height) = size.as_ref().copied().unwrap_or_default();
        let (kind, forms) = (PictureKind::Photo, Vec::new());
        let mut plan = Self { bytes, width, height, kind, raster: None, forms, done: None };
        if let Err(why) = size {
            plan.drop(&why);
        }
        plan
    }

    fn drop(&mut self, why: &Unshown) {
        let (width, height) = (self.width, self.height);
        self.done = Some(Fitted::Dropped { why: why.to_string(), width, height });
        self.forms = Vec::new();
        self.raster = None;
    }

    /// Drops it for want of room: `share` bytes are left for it.
    fn drop_for(&mut self, share: usize, budget: usize) {
        let (width, height, size) = (self.width, self.height, self.bytes.len());
        self.drop(&Unshown::NoRoom { width, height, size, share, budget });
    }

    fn demand(&self) -> usize {
        self.forms.iter().map(|form| form.bytes.len()).min().unwrap_or(0)
    }

    fn decode(&self, max_side: u32) -> Result<RgbaImage, Unshown> {
        let decoded = raster::decode(self.bytes, self.width, self.height, max_side)?;
        if decoded.width().max(decoded.height()) <= max_side {
            return Ok(decoded);
        }
        scale::scale(&decoded, max_side).ok_or(Unshown::NotScaled)
    }

    fn prepare(&mut self, left: usize, max_side: u32, held: &mut usize) {
        let raster = match self.decode(max_side) {
            Ok(raster) => raster,
            Err(why) => return self.drop(&why),
        };
        let scaled = raster.dimensions() != (self.width, self.height);
        let mime = sniff(self.bytes).unwrap_or_default();
        if !scaled {
            self.forms.push(Encoded { mime, bytes: self.bytes.to_vec() });
        }
        let colours = Colours::of(&raster);
        self.kind = colours.kind();
        if self.kind == PictureKind::Photo || mime == "image/jpeg" {
            self.forms.extend(encode::jpeg(&raster, 88));
        } else {
            // Truecolour PNG seldom becomes much smaller by being written again.
            if !colours.few() && (scaled || self.bytes.len() / 2 <= left) {
                self.forms.extend(encode::truecolour(&raster));
            }
            let indexed = colours.indexed(256);
            self.forms.extend(indexed.and_then(|indexed| encode::indexed(&raster, &indexed)));
        }
        let pixels = raster.len() / 4;
        if *held + pixels <= MAX_HELD_PIXELS {
            *held += pixels;
            self.raster = Some(raster);
        }
    }

    /// Takes the best form within `share` bytes; returns the bytes used.
    fn fit(&mut self, share: usize, budget: usize, max_side: u32) -> usize {
        let demand = self.demand();
        let full_size = raster::within(self.width, self.height, max_side);
        let mut forms = mem::take(&mut self.forms).into_iter();
        let found = match forms.find(|form| form.bytes.len() <= share) {
            Some(form) => Some((form, full_size)),
            None => match self.raster.take().map_or_else(|| self.decode(max_side), Ok) {
                Ok(raster) => shrink(&raster, self.kind, share, demand),
                Err(why) => {
                    self.drop(&why);
                    return 0;
                }
            },
        };
        let Some((form, (width, height))) = found else {
            self.drop_for(share, budget);
            return 0;
        };
        let used = form.bytes.len();
        let changed = form.bytes != self.bytes;
        self.raster = None;
        let Encoded { mime, bytes } = form;
        self.done = Some(Fitted::Kept { mime, bytes, width, height, changed });
        used
    }
}

/// Drops, from the end, images for which there is no room even if every one is made small.
fn select(plans: &mut [Plan<'_>], budget: usize) {
    let mut left = budget;
    for plan in plans.iter_mut().filter(|plan| plan.done.is_none()) {
        let least = plan.bytes.len().min(MIN_SHARE).min(budget);
        if least > left {
            plan.drop_for(left, budget);
        } else {
            left -= least;
        }
    }
}

/// Keeps the images that need no more than a fair share; returns the bytes left for the others.
fn keep_small(plans: &mut [Plan<'_>], budget: usize, max_side: u32) -> usize {
    let mut order: Vec<usize> = (0..plans.len()).filter(|&at| plans[at].done.is_none()).collect();
    order.sort_by_key(|&at| plans[at].bytes.len());
    let mut left = budget;
    let mut waiting = order.len();
    for at in order {
        let plan = &mut plans[at];
        if plan.bytes.len() > left / waiting {
            break;
        }
        if plan.width.max(plan.height) <= max_side {
            left -= plan.bytes.len();
            let Plan { width, height, .. } = *plan;
            let (mime, bytes) = (sniff(plan.bytes).unwrap_or_default(), plan.bytes.to_vec());
            plan.done = Some(Fitted::Kept { mime, bytes, width, height, changed: false });
            waiting -= 1;
        }
    }
    left
}

/// The largest form of `raster` within `share` bytes, and its size in pixels; `smallest` bytes are
/// known to be too many.
fn shrink(
    raster: &RgbaImage,
    kind: PictureKind,
    share: usize,
    smallest: usize,
) -> Option<(Encoded, (u32, u32))> {
    let full = raster.width().max(raster.height());
    let least = MIN_SIDE.min(full);
    let mut found = None;
    let (mut fits, mut too_large) = (0, full + 1);
    // Fewer colours or a lower quality may save a third at the same scale.
    let mut side = side_for(full, share, smallest / 3 * 2).clamp(least, full);
    for _ in 0..MAX_ATTEMPTS {
        let scaled;
        let picture = if side == full {
            raster
        } else {
            scaled = scale::scale(raster, side)?;
            &scaled
        };
        let size = match attempt(picture, kind, share, side == least) {
            Ok(form) => {
                fits = side;
                found.insert((form, picture.dimensions())).0.bytes.len()
            }
            Err(size) => {
                too_large = side;
                size
            }
        };
        // Aim a little below the share.
        side = side_for(side, share / 16 * 15, size)
            .clamp(least, (too_large - 1).max(least))
            .max(fits);
        // A side that is 5 % longer is not worth another attempt.
        if side <= fits + fits / 20 || (found.is_none() && too_large <= least) {
            break;
        }
    }
    found
}

/// The side at which a picture may have `share` bytes, if it has `size` at `side`: bytes go about
/// with the area.
fn side_for(side: u32, share: usize, size: usize) -> u32 {
    let ratio = (share as u64 * 1_000_000 / (size as u64).max(1)).isqrt();
    u32::try_from(u64::from(side) * ratio / 1000).unwrap_or(u32::MAX)
}

/// The best form of `picture` within `share` bytes, or the size of the smallest one.
fn attempt(
    picture: &RgbaImage,
    kind: PictureKind,
    share: usize,
    last: bool,
) -> Result<Encoded, usize> {
    let mut smallest = usize::MAX;
    let mut fits = |form: Option<Encoded>| {
        let form = form?;
        smallest = smallest.min(form.bytes.len());
        (form.bytes.len() <= share).then_some(form)
    };
    let mut indexed = None;
    if kind != PictureKind::Photo {
        let colours = Colours::of(picture);
        let steps = colours.steps(kind, last);
        indexed = best(&steps, |indexed| fits(encode::indexed(picture, indexed)));
    }
    let qualities: &[u8] = match kind {
        PictureKind::Graphic if last && indexed.is_none() => &[75, 45, 30],
        PictureKind::Graphic => &[],
        _ if last => &[75, 45, 30],
        PictureKind::Mixed => &[80],
        PictureKind::Photo => &[88, 75, 60],
    };
    let jpeg = best(qualities, |&quality| fits(encode::jpeg(picture, quality)));
    match (indexed, jpeg) {
        // JPEG is worth its traces where it allows a clearly larger picture.
        (Some(indexed), Some(jpeg)) if jpeg.bytes.len() < indexed.bytes.len() / 3 * 2 => Ok(jpeg),
        (Some(form), _) | (None, Some(form)) => Ok(form),
        (None, None) => Err(smallest),
    }
}

/// What `make` makes of the best step; steps go from the best to the smallest.
fn best<S, T>(steps: &[S], mut make: impl FnMut(&S) -> Option<T>) -> Option<T> {
    let mut found = None;
    for step in steps.iter().rev() {
        match make(step) {
            Some(made) => found = Some(made),
            None => break,
        }
    }
    found
}
