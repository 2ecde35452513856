//! Colours of a picture, and fewer of them.
//!
//! `quantizr` (MIT, no dependencies) chooses the colours. In 64 colours, the plots of
//! `examples/gallery` got 1 to 10 % smaller with it than with a median cut of our own, at 0.8 to 2
//! times the squared error; white stayed white, and alpha counts. `color_quant` had 1.2 to 3.6
//! times the error and wants at least 64 colours, `exoquant` had 1.6 to 38 times, `quantette` has
//! no alpha, `imagequant` is GPL. Counting stays ours: the number of colours tells plots from
//! photographs, and each colour is looked up once instead of once per pixel.

use super::PictureKind;
use image::RgbaImage;
use quantizr::{Histogram, Image, Options, QuantizeResult};
use rustc_hash::FxHashMap;

/// Distinct colours that are counted; of a picture with more, the low bits are ignored.
const MAX_EXACT: usize = 1 << 14;
/// The high bits of each channel.
const COARSE: u32 = 0xf8f8_f8f8;
/// Mean squared error, of the pixels that are not even, up to which a picture looks the same.
const MAX_ERROR: u64 = 400;
/// Pixels, of 100, that equal the one to the left or above: from here on a picture is drawn.
const GRAPHIC_EVEN: usize = 70;
/// Pixels, of 100, that equal the one to the left or above: below, a picture of very many colours
/// is a photograph.
const PHOTO_EVEN: usize = 25;

/// The colours of a picture and where each occurs.
pub(super) struct Colours {
    /// RGBA. Empty for a photograph, whose colours are not counted.
    distinct: Vec<[u8; 4]>,
    /// Number of the colour of each pixel.
    pixels: Vec<u32>,
    histogram: Histogram,
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
    /// Squared error of all pixels together.
    error: u64,
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
        let mut histogram = Histogram::new();
        let plain: Vec<[u8; 4]> = pixels.iter().map(|&at| distinct[at as usize]).collect();
        if let Ok(plain) = Image::new(plain.as_flattened(), plain.len(), 1) {
            histogram.add_image(&plain);
        }
        Self { distinct, pixels, histogram, exact, even }
    }

    /// How the picture is best made smaller.
    pub(super) fn kind(&self) -> PictureKind {
        match self.even {
            GRAPHIC_EVEN.. => PictureKind::Graphic,
            ..PHOTO_EVEN if !self.exact => PictureKind::Photo,
            _ => PictureKind::Mixed,
        }
    }

    /// Whether a palette loses nothing.
    pub(super) fn few(&self) -> bool {
        self.exact && self.distinct.len() <= 256
    }

    /// The picture in at most `most` (2..=256) colours.
    pub(super) fn indexed(&self, most: u16) -> Option<Indexed> {
        let mut options = Options::default();
        options.set_max_colors(most.into()).ok()?;
        let mut chosen = QuantizeResult::quantize_histogram(&self.histogram, &options);
        // Dithering costs bytes, and blurs text.
        chosen.set_dithering_level(0.0).ok()?;
        let mut nearest = vec![0; self.distinct.len()];
        let colours = Image::new(self.distinct.as_flattened(), nearest.len(), 1).ok()?;
        chosen.remap_image(&colours, &mut nearest).ok()?;
        let palette = chosen.get_palette();
        let palette: Vec<_> = palette.entries[..palette.count as usize]
            .iter()
            .map(|colour| [colour.r, colour.g, colour.b, colour.a])
            .collect();
        let square = |(a, b): (u8, u8)| u64::from(a.abs_diff(b)).pow(2);
        let errors: Vec<u64> = self
            .distinct
            .iter()
            .zip(&nearest)
            .map(|(colour, &at)| {
                colour.iter().copied().zip(palette[usize::from(at)]).map(square).sum()
            })
            .collect();
        let error = self.pixels.iter().map(|&colour| errors[colour as usize]).sum();
        let indices = self.pixels.iter().map(|&colour| nearest[colour as usize]).collect();
        Some(Indexed { palette, indices, error })
    }

    /// The picture in fewer and fewer colours that still show what there is, the best first; with
    /// `all`, in those that may not as well.
    pub(super) fn steps(&self, kind: PictureKind, all: bool) -> Vec<Indexed> {
        // Even areas have an exact colour; the error is about edges and gradients.
        let uneven = self.pixels.len() * (105 - self.even) / 100;
        let mut steps = Vec::from_iter(self.indexed(256));
        let fewer =
            [64, 32, 16].into_iter().filter(|&most| usize::from(most) < self.distinct.len());
        for most in fewer {
            let Some(step) = self.indexed(most) else { break };
            let poor = step.error > MAX_ERROR * uneven as u64;
            if !all && (poor || (kind == PictureKind::Mixed && most < 64)) {
                break;
            }
            steps.push(step);
        }
        steps
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
