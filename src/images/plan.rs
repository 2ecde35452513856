//! One image of an answer on its way into the budget.

use super::encode::{self, Encoded};
use super::palette::Colours;
use super::shrink::{self, Sized};
use super::{Fitted, PictureKind, raster, scale};
use crate::output::frames::{Unshown, sniff};
use image::RgbaImage;
use std::borrow::Cow;

/// Pixels kept decoded between the passes (32 MB); images beyond it are decoded again.
const MAX_HELD_PIXELS: usize = 8 << 20;
/// Bytes below which an image is not worth being made smaller.
const SMALL: usize = 1024;

pub(super) struct Plan<'a> {
    bytes: &'a [u8],
    width: u32,
    height: u32,
    /// Known once it has been decoded.
    kind: Option<PictureKind>,
    /// Its pixels within the largest side, if they are kept.
    raster: Option<RgbaImage>,
    /// Its full-size form and MIME type; the original, unless something smaller looks the same.
    best: Option<(Cow<'a, [u8]>, &'static str)>,
    /// Bytes that it needs to be readable.
    pub(super) least: usize,
    least_form: Option<Sized>,
    pub(super) done: Option<Fitted>,
}

impl<'a> Plan<'a> {
    /// An image as it came; its size is read from its header.
    pub(super) fn new(bytes: &'a [u8], max_side: u32) -> Self {
        let size = raster::size(bytes);
        let (width, height) = size.as_ref().copied().unwrap_or_default();
        let mut plan = Self {
            bytes,
            width,
            height,
            kind: None,
            raster: None,
            best: None,
            least: 0,
            least_form: None,
            done: None,
        };
        match size {
            Err(why) => plan.drop(&why),
            Ok((width, height)) if width.max(height) <= max_side => {
                let mime = sniff(bytes).unwrap_or_default();
                plan.best = Some((bytes.into(), mime));
            }
            Ok(_) => {}
        }
        plan
    }

    fn drop(&mut self, why: &Unshown) {
        let (width, height) = (self.width, self.height);
        self.done = Some(Fitted::Dropped { why: why.to_string(), width, height });
        self.best = None;
        self.raster = None;
    }

    pub(super) fn drop_for_room(&mut self, budget: usize) {
        self.drop(&Unshown::NoRoom { budget });
    }

    /// Bytes of its best form.
    pub(super) fn size(&self) -> usize {
        self.best.as_ref().map_or(usize::MAX >> 16, |(bytes, _)| bytes.len())
    }

    /// Finds the form that loses nothing that anybody would see.
    pub(super) fn take_up(&mut self, max_side: u32, held: &mut usize) {
        let is_whole = self.best.is_some();
        let mime = sniff(self.bytes).unwrap_or_default();
        let stays = mime != "image/png" || self.bytes.len() <= SMALL;
        if self.done.is_some() || (is_whole && stays) {
            return;
        }
        let raster = match self.decode(max_side) {
            Ok(raster) => raster,
            Err(why) => return self.drop(&why),
        };
        let colours = Colours::of(&raster);
        let kind = if mime == "image/jpeg" { PictureKind::Photo } else { colours.kind() };
        let indexed = if kind == PictureKind::Photo { None } else { colours.faithful() };
        let best = match indexed.and_then(|indexed| encode::indexed(&raster, &indexed)) {
            Some(form) => Some(form),
            None if is_whole => None,
            None if kind == PictureKind::Photo => encode::jpeg(&raster, 88),
            None => encode::truecolour(&raster),
        };
        if let Some(best) = best
            && best.bytes.len() < self.size()
        {
            self.best = Some((best.bytes.into(), best.mime));
        }
        self.kind = Some(kind);
        let pixels = raster.len() / 4;
        if *held + pixels <= MAX_HELD_PIXELS {
            *held += pixels;
            self.raster = Some(raster);
        }
    }

    fn decode(&self, max_side: u32) -> Result<RgbaImage, Unshown> {
        let decoded = raster::decode(self.bytes, self.width, self.height, max_side)?;
        if decoded.width().max(decoded.height()) <= max_side {
            return Ok(decoded);
        }
        scale::scale(&decoded, max_side).ok_or(Unshown::NotScaled)
    }

    /// Its pixels and what kind of picture they are.
    fn pixels(&mut self, max_side: u32) -> Result<(RgbaImage, PictureKind), Unshown> {
        let raster = self.raster.take().map_or_else(|| self.decode(max_side), Ok)?;
        let kind = self.kind.unwrap_or_else(|| match sniff(self.bytes) {
            Some("image/jpeg") => PictureKind::Photo,
            _ => Colours::of(&raster).kind(),
        });
        Ok((raster, kind))
    }

    /// Bytes that it needs to be seen well; finds those that it needs to be readable.
    pub(super) fn find_least(&mut self, max_side: u32) -> usize {
        self.least = self.size();
        if self.least <= SMALL {
            return self.least;
        }
        let held = self.raster.is_some();
        let (raster, kind) = match self.pixels(max_side) {
            Ok(found) => found,
            Err(why) => {
                self.drop(&why);
                return 0;
            }
        };
        let mut good = self.least;
        if let Some((form, rough)) = shrink::least(&raster, kind) {
            good = good.min(form.0.bytes.len());
            self.least = self.least.min(rough);
            self.least_form = Some(form);
        }
        self.raster = held.then_some(raster);
        good
    }

    /// Takes the best form within `share` bytes; returns the bytes used.
    pub(super) fn fit(&mut self, share: usize, budget: usize, max_side: u32) -> usize {
        let size = self.size();
        let full_size = raster::within(self.width, self.height, max_side);
        let least = self.least_form.take().filter(|(form, _)| form.bytes.len() <= share);
        let found = match self.best.take() {
            Some((bytes, mime)) if size <= share => {
                let changed = matches!(bytes, Cow::Owned(_));
                Some((Encoded { mime, bytes: bytes.into_owned() }, full_size, changed))
            }
            _ => match self.pixels(max_side) {
                Ok((raster, kind)) => shrink::shrink(&raster, kind, share, size)
                    .or(least)
                    .map(|(form, size)| (form, size, true)),
                Err(why) => {
                    self.drop(&why);
                    return 0;
                }
            },
        };
        let Some((Encoded { mime, bytes }, (width, height), changed)) = found else {
            self.drop_for_room(budget);
            return 0;
        };
        self.raster = None;
        let used = bytes.len();
        self.done = Some(Fitted::Kept { mime, bytes, width, height, changed });
        used
    }
}
