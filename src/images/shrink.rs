//! From pixels to the best form within a number of bytes.

use super::PictureKind;
use super::encode::{self, Encoded};
use super::palette::{Colours, STEPS};
use super::scale;
use image::RgbaImage;

/// Pixels of the longer side below which no picture is scaled, because the letters of a plot would
/// be hard to read.
const LEAST_SIDE: u32 = 480;
/// The same for small pictures, which may lose a quarter of their side.
const LEAST_SMALL_SIDE: u32 = 320;
/// Qualities of JPEG for a picture that cannot be scaled further.
const QUALITIES_AT_LAST: [u8; 3] = [75, 45, 30];
/// Attempts to find the scale of an image.
const MAX_ATTEMPTS: usize = 4;

/// A form of a picture, and its size in pixels.
pub(super) type Sized = (Encoded, (u32, u32));

/// The longer side below which a picture of this size is not scaled. One that is wider or taller
/// than 4:3, such as plots in a row, keeps as many pixels as one that is not.
fn least_side((width, height): (u32, u32)) -> u32 {
    let (longer, shorter) = (u64::from(width.max(height)), u64::from(width.min(height)).max(1));
    let side = u64::from(LEAST_SIDE);
    let of_its_shape = (side * side * 3 * longer / (4 * shorter)).isqrt().max(side);
    let most = (longer / 4 * 3).max(u64::from(LEAST_SMALL_SIDE)).min(longer);
    u32::try_from(of_its_shape.min(most)).unwrap_or(u32::MAX)
}

/// The smallest form that misleads nobody, and the bytes of the smallest that can still be read.
pub(super) fn least(raster: &RgbaImage, kind: PictureKind) -> Option<(Sized, usize)> {
    let full = raster.width().max(raster.height());
    let side = least_side(raster.dimensions());
    let scaled = if full > side { scale::scale(raster, side) } else { None };
    let picture = scaled.as_ref().unwrap_or(raster);
    let (mut forms, mut rough) = (Vec::new(), usize::MAX);
    if kind != PictureKind::Photo {
        let colours = Colours::of(picture);
        let smallest = STEPS.iter().rev().find_map(|&most| colours.reduced(most, false));
        forms.extend(smallest.and_then(|step| encode::indexed(picture, &step)));
        let fewest = colours.reduced(STEPS[STEPS.len() - 1], true);
        let fewest = fewest.and_then(|step| encode::indexed(picture, &step));
        rough = fewest.map_or(rough, |form| form.bytes.len());
    }
    if kind != PictureKind::Graphic {
        forms.extend(encode::jpeg(picture, 60));
        let jpeg = encode::jpeg(picture, QUALITIES_AT_LAST[2]);
        rough = jpeg.map_or(rough, |form| rough.min(form.bytes.len()));
    }
    let form = forms.into_iter().min_by_key(|form| form.bytes.len())?;
    let rough = rough.min(form.bytes.len());
    Some(((form, picture.dimensions()), rough))
}

/// The largest form of `raster` within `share` bytes, and its size in pixels; `smallest` bytes are
/// known to be too many.
pub(super) fn shrink(
    raster: &RgbaImage,
    kind: PictureKind,
    share: usize,
    smallest: usize,
) -> Option<Sized> {
    let full = raster.width().max(raster.height());
    let least = least_side(raster.dimensions());
    let mut found = None;
    let (mut fits, mut too_large) = (0, full + 1);
    // Fewer colours or a lower quality may save much at the same scale.
    let mut side = side_for(full, share, smallest / 3).clamp(least, full);
    for attempts_left in (0..MAX_ATTEMPTS).rev() {
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
        if found.is_none() && attempts_left == 1 {
            side = least;
        }
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
        for most in STEPS {
            let Some(step) = colours.reduced(most, last) else { continue };
            let form = encode::indexed(picture, &step);
            // Sixteen colours take about half the bytes of 256.
            let hopeless = form.as_ref().is_some_and(|form| form.bytes.len() / 3 > share);
            indexed = fits(form);
            if indexed.is_some() || (hopeless && !last) {
                break;
            }
        }
    }
    let qualities: &[u8] = match kind {
        PictureKind::Graphic if last && indexed.is_none() => &QUALITIES_AT_LAST,
        PictureKind::Graphic => &[],
        _ if last => &QUALITIES_AT_LAST,
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
