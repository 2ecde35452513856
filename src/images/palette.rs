//! Colours of a picture, and fewer of them.
//!
//! `quantizr` (MIT, no dependencies) chooses the colours. In 64 colours, the plots of
//! `examples/gallery` got 1 to 10 % smaller with it than with a median cut of our own, at 0.8 to 2
//! times the squared error; white stayed white, and alpha counts. `color_quant` had 1.2 to 3.6
//! times the error and wants at least 64 colours, `exoquant` had 1.6 to 38 times, `quantette` has
//! no alpha, `imagequant` is GPL. Counting stays ours: the number of colours tells plots from
//! photographs, and each colour is looked up once instead of once per pixel.

use super::PictureKind;
use super::difference::{SLIGHT, Shown, Tolerance, UNSEEN, stays_within};
use image::RgbaImage;
use quantizr::{Histogram, Image, Options, QuantizeResult};
use rustc_hash::FxHashMap;
use std::iter::repeat_n;

/// Distinct colours that are counted; of a picture with more, the low bits are ignored.
const MAX_EXACT: usize = 1 << 14;
/// Colours that a palette can hold.
const FULL_PALETTE: u16 = 256;
/// Colours of palettes that are tried, the best first.
pub(super) const STEPS: [u16; 5] = [FULL_PALETTE, 128, 64, 32, 16];
/// Colours of a palette that can hold rare ones as well.
const MANY: u16 = 64;
/// Pixels up to which a colour's weight grows in such a palette. Backgrounds would otherwise push
/// the many rare colours of soft edges and gradients out of it.
const HEAVIEST: u32 = 32;
/// The high bits of each channel.
const COARSE: u32 = 0xf8f8_f8f8;
/// Pixels, of 100, that equal the one to the left or above: from here on a picture is drawn.
const GRAPHIC_EVEN: usize = 70;
/// Pixels, of 100, that equal the one to the left or above: below, a picture of very many colours
/// is a photograph.
const PHOTO_EVEN: usize = 25;

/// The colours of a picture and where each occurs.
pub(super) struct Colours {
    width: usize,
    /// RGBA. Empty for a photograph, whose colours are not counted.
    distinct: Vec<[u8; 4]>,
    /// Number of the colour of each pixel.
    pixels: Vec<u32>,
    /// Pixels of each colour.
    counts: Vec<u32>,
    /// Whether these are all colours; otherwise similar ones were put together.
    exact: bool,
    /// Pixels, of 100, that equal the one to the left or above.
    even: usize,
}

/// A picture of at most 256 colours.
pub(super) struct Indexed {
    /// RGBA.
    pub(super) palette: Vec<[u8; 4]>,
    /// One per pixel.
    pub(super) indices: Vec<u8>,
    /// One per colour of the original.
    nearest: Vec<u8>,
}

impl Colours {
    /// Counts the colours, unless it is a photograph.
    pub(super) fn of(picture: &RgbaImage) -> Self {
        let even = even(picture);
        let all = count(picture, u32::MAX, MAX_EXACT);
        let exact = all.is_some();
        let counted = match all {
            None if even >= PHOTO_EVEN => count(picture, COARSE, usize::MAX),
            counted => counted,
        };
        let (distinct, pixels) = counted.unwrap_or_default();
        let mut counts = vec![0; distinct.len()];
        for &colour in &pixels {
            counts[colour as usize] += 1;
        }
        Self { width: picture.width() as usize, distinct, pixels, counts, exact, even }
    }

    /// How the picture is best made smaller.
    pub(super) fn kind(&self) -> PictureKind {
        match self.even {
            GRAPHIC_EVEN.. => PictureKind::Graphic,
            ..PHOTO_EVEN if !self.exact => PictureKind::Photo,
            _ => PictureKind::Mixed,
        }
    }

    /// The picture in at most `most` (2..=256) colours.
    pub(super) fn indexed(&self, most: u16) -> Option<Indexed> {
        let mut options = Options::default();
        options.set_max_colors(most.into()).ok()?;
        let mut chosen = QuantizeResult::quantize_histogram(&self.histogram(most)?, &options);
        // Dithering costs bytes, and blurs text.
        chosen.set_dithering_level(0.0).ok()?;
        let mut nearest = vec![0; self.distinct.len()];
        let colours = Image::new(self.distinct.as_flattened(), nearest.len(), 1).ok()?;
        chosen.remap_image(&colours, &mut nearest).ok()?;
        let palette = chosen.get_palette();
        let mut palette: Vec<_> = palette.entries[..palette.count as usize]
            .iter()
            .map(|colour| [colour.r, colour.g, colour.b, colour.a])
            .collect();
        self.make_main_colours_exact(&mut palette, &nearest);
        let indices = self.pixels.iter().map(|&colour| nearest[colour as usize]).collect();
        Some(Indexed { palette, indices, nearest })
    }

    fn histogram(&self, most: u16) -> Option<Histogram> {
        let heaviest = if most < MANY { u32::MAX } else { HEAVIEST };
        let weighted = self.distinct.iter().zip(&self.counts);
        let weighted: Vec<[u8; 4]> = weighted
            .flat_map(|(&colour, &count)| repeat_n(colour, count.min(heaviest) as usize))
            .collect();
        let mut histogram = Histogram::new();
        histogram.add_image(&Image::new(weighted.as_flattened(), weighted.len(), 1).ok()?);
        Some(histogram)
    }

    /// Large even areas keep their colour: the one that most pixels of an entry have becomes the
    /// entry.
    fn make_main_colours_exact(&self, palette: &mut [[u8; 4]], nearest: &[u8]) {
        let mut main = vec![(0, 0, 0); palette.len()];
        for (colour, (&at, &count)) in nearest.iter().zip(&self.counts).enumerate() {
            let (all, most, of) = &mut main[usize::from(at)];
            *all += count;
            if count > *most {
                (*most, *of) = (count, colour);
            }
        }
        for (entry, (all, most, of)) in palette.iter_mut().zip(main) {
            if most > all / 2 {
                *entry = self.distinct[of];
            }
        }
    }

    /// The picture in 256 colours, if nobody would see the difference.
    pub(super) fn faithful(&self) -> Option<Indexed> {
        let indexed = if self.exact { self.indexed(FULL_PALETTE) } else { None };
        indexed.filter(|indexed| self.is_like(indexed, &UNSEEN))
    }

    fn is_like(&self, indexed: &Indexed, tolerance: &Tolerance) -> bool {
        let Indexed { palette, nearest, .. } = indexed;
        let replaced: Vec<_> = nearest.iter().map(|&at| palette[usize::from(at)]).collect();
        let Self { width, distinct, pixels, .. } = self;
        stays_within(tolerance, &Shown { width: *width, colours: distinct, pixels }, &replaced)
    }

    /// The picture in `most` colours, if it has more and still shows what there is; with `anyhow`
    /// even if it may not.
    pub(super) fn reduced(&self, most: u16, anyhow: bool) -> Option<Indexed> {
        if most == FULL_PALETTE {
            return self.indexed(most);
        }
        let indexed =
            if usize::from(most) < self.distinct.len() { self.indexed(most) } else { None };
        indexed.filter(|indexed| anyhow || self.is_like(indexed, &SLIGHT))
    }
}

/// Pixels, of 100, that equal the one to the left or above.
fn even(picture: &RgbaImage) -> usize {
    let width = picture.width() as usize;
    let pixels = picture.as_chunks::<4>().0;
    let same = |at: usize| {
        pixels[at] == pixels[at - 1] || (at >= width && pixels[at] == pixels[at - width])
    };
    (1..pixels.len()).filter(|&at| same(at)).count() * 100 / pixels.len().max(1)
}

/// The colours that differ under `mask`, each as it occurs first, and the number of the colour of
/// each pixel; `None` if there are more than `most`.
fn count(picture: &RgbaImage, mask: u32, most: usize) -> Option<(Vec<[u8; 4]>, Vec<u32>)> {
    let mut found: FxHashMap<u32, u32> = FxHashMap::default();
    let (mut distinct, mut numbers) = (Vec::new(), Vec::new());
    // Neighbours are often equal: no need to look those up.
    let mut last = (None, 0);
    for pixel in picture.pixels() {
        let key = u32::from_be_bytes(pixel.0) & mask;
        if last.0 != Some(key) {
            let next = u32::try_from(distinct.len()).ok()?;
            let number = *found.entry(key).or_insert(next);
            if number == next {
                distinct.push(pixel.0);
                if distinct.len() > most {
                    return None;
                }
            }
            last = (Some(key), number);
        }
        numbers.push(last.1);
    }
    Some((distinct, numbers))
}
