//! Colours of a picture, and fewer of them.
//!
//! Ours because of what it is for: backgrounds and lines of plots keep their exact colour, alpha
//! counts, any number of colours can be asked for, and the number of colours tells plots from
//! photographs. `color_quant` (a network that learns) shifts even pure white and wants at least 64
//! colours, `quantette` has no alpha, `imagequant` is GPL.

use super::Kind;
use image::RgbaImage;
use rustc_hash::FxHashMap;
use std::array;

/// Colours that are told apart; of a picture with more, the low bits are ignored.
const MAX_EXACT: usize = 1 << 14;
/// The high bits of each channel.
const COARSE: u32 = 0xf8f8_f8f8;
/// Mean squared error, of the pixels that are not even, up to which a picture looks the same.
const MAX_ERROR: u128 = 400;
/// Pixels, of 100, that equal the one to the left or above: from here on a picture is drawn.
const GRAPHIC_EVEN: usize = 70;
/// Pixels, of 100, that equal the one to the left or above: below, a picture of very many colours
/// is a photograph.
const PHOTO_EVEN: usize = 25;

/// The colours of a picture and how often each occurs.
pub(super) struct Colours {
    bins: Vec<Bin>,
    /// The bin of each pixel.
    pixels: Vec<u32>,
    /// Distinct colours, if they were counted to the end.
    exact: Option<usize>,
    /// Pixels, of 100, that equal the one to the left or above.
    even: usize,
}

#[derive(Debug, Clone, Copy)]
struct Bin {
    number: usize,
    colour: [u8; 4],
    count: u64,
}

/// A choice of colours.
pub(super) struct Palette {
    colours: Vec<[u8; 4]>,
    /// Number of the colour for each bin.
    index: Vec<u8>,
    /// Squared error of all pixels together.
    error: u128,
}

/// A picture of at most 256 colours.
pub(super) struct Indexed {
    /// RGBA.
    pub(super) palette: Vec<[u8; 4]>,
    /// One per pixel.
    pub(super) indices: Vec<u8>,
}

impl Colours {
    /// Counts the colours, unless it is a photograph.
    pub(super) fn of(picture: &RgbaImage) -> Self {
        let pixels = || picture.pixels().map(|pixel| u32::from_be_bytes(pixel.0));
        let even = even(picture);
        let exact = count(pixels(), u32::MAX, MAX_EXACT);
        let distinct = exact.as_ref().map(|(bins, _)| bins.len());
        let (bins, pixels) = match exact {
            Some(counted) => counted,
            None if even < PHOTO_EVEN => (Vec::new(), Vec::new()),
            None => count(pixels(), COARSE, usize::MAX).unwrap_or_default(),
        };
        Self { bins, pixels, exact: distinct, even }
    }

    /// How the picture is best made smaller.
    pub(super) fn kind(&self) -> Kind {
        match self.even {
            GRAPHIC_EVEN.. => Kind::Graphic,
            ..PHOTO_EVEN if self.exact.is_none() => Kind::Photo,
            _ => Kind::Mixed,
        }
    }

    /// Whether a palette loses nothing.
    pub(super) fn few(&self) -> bool {
        self.exact.is_some_and(|exact| exact <= 256)
    }

    /// At most `most` (2..=256) colours.
    pub(super) fn palette(&self, most: usize) -> Palette {
        cut(self.bins.clone(), most.clamp(2, 256))
    }

    /// Palettes that still show what there is, the best first; with `all`, those that may not as
    /// well.
    pub(super) fn palettes(&self, kind: Kind, all: bool) -> Vec<Palette> {
        // Even areas have an exact colour; the error is about edges and gradients.
        let uneven = self.pixels.len() * (105 - self.even) / 100;
        let mut palettes = vec![self.palette(256)];
        for most in [64, 32, 16].into_iter().filter(|&most| most < self.bins.len()) {
            let palette = self.palette(most);
            let poor = palette.error > MAX_ERROR * uneven as u128;
            if !all && (poor || (kind == Kind::Mixed && most < 64)) {
                break;
            }
            palettes.push(palette);
        }
        palettes
    }

    /// The picture in the colours of `palette`.
    pub(super) fn apply(&self, palette: &Palette) -> Indexed {
        let indices = self.pixels.iter().map(|&bin| palette.index[bin as usize]).collect();
        Indexed { indices, palette: palette.colours.clone() }
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

/// Bins of the pixels under `mask`, and the bin of each pixel; `None` if there are more than
/// `most`.
fn count(
    pixels: impl Iterator<Item = u32>,
    mask: u32,
    most: usize,
) -> Option<(Vec<Bin>, Vec<u32>)> {
    let mut found: FxHashMap<u32, u32> = FxHashMap::default();
    let mut sums: Vec<([u64; 4], u64)> = Vec::new();
    let mut numbers = Vec::new();
    let mut last = (None, 0);
    for pixel in pixels {
        let key = pixel & mask;
        if last.0 != Some(key) {
            let next = u32::try_from(sums.len()).ok()?;
            let number = *found.entry(key).or_insert(next);
            if number == next {
                if sums.len() == most {
                    return None;
                }
                sums.push(([0; 4], 0));
            }
            last = (Some(key), number);
        }
        let (sum, count) = &mut sums[last.1 as usize];
        for (sum, value) in sum.iter_mut().zip(pixel.to_be_bytes()) {
            *sum += u64::from(value);
        }
        *count += 1;
        numbers.push(last.1);
    }
    let bin = |(number, (sum, count)): (usize, ([u64; 4], u64))| Bin {
        number,
        colour: sum.map(|sum| mean(sum, count)),
        count,
    };
    Some((sums.into_iter().enumerate().map(bin).collect(), numbers))
}

fn mean(sum: u64, count: u64) -> u8 {
    u8::try_from((sum + count / 2) / count.max(1)).unwrap_or(u8::MAX)
}

/// Some bins that will share one colour.
struct Group {
    start: usize,
    end: usize,
    sum: [u64; 4],
    count: u64,
    /// Channel that varies most.
    widest: usize,
    /// Squared error if all pixels had the mean colour.
    error: u128,
}

impl Group {
    fn of(bins: &[Bin], start: usize, end: usize) -> Self {
        let (mut sum, mut squares, mut count) = ([0; 4], [0; 4], 0);
        for bin in &bins[start..end] {
            for channel in 0..4 {
                let value = u64::from(bin.colour[channel]);
                sum[channel] += value * bin.count;
                squares[channel] += value * value * bin.count;
            }
            count += bin.count;
        }
        let errors: [u128; 4] = array::from_fn(|channel| {
            let sum = u128::from(sum[channel]);
            u128::from(squares[channel]).saturating_sub(sum * sum / u128::from(count.max(1)))
        });
        let widest = (0..4).max_by_key(|&channel| errors[channel]).unwrap_or(0);
        Self { start, end, sum, count, widest, error: errors.iter().sum() }
    }

    /// The colour that half of the pixels have, so that white stays white; otherwise the mean.
    fn colour(&self, bins: &[Bin]) -> [u8; 4] {
        match bins[self.start..self.end].iter().max_by_key(|bin| bin.count) {
            Some(most) if most.count * 2 >= self.count => most.colour,
            _ => self.sum.map(|sum| mean(sum, self.count)),
        }
    }
}

/// Splits the group with the largest error at its mean until there are `most`.
fn cut(mut bins: Vec<Bin>, most: usize) -> Palette {
    let mut groups = vec![Group::of(&bins, 0, bins.len())];
    while groups.len() < most {
        let Some(at) = (0..groups.len()).max_by_key(|&at| groups[at].error) else { break };
        let (start, end, widest) = (groups[at].start, groups[at].end, groups[at].widest);
        let middle = groups[at].sum[widest] / groups[at].count.max(1);
        let mut split = start;
        for bin in start..end {
            if u64::from(bins[bin].colour[widest]) <= middle {
                bins.swap(split, bin);
                split += 1;
            }
        }
        if split == start || split == end {
            // One colour: neither it nor any other group can be split.
            break;
        }
        groups[at] = Group::of(&bins, start, split);
        groups.push(Group::of(&bins, split, end));
    }
    let colours = groups.iter().map(|group| group.colour(&bins)).collect();
    let mut index = vec![0; bins.len()];
    for (number, group) in groups.iter().enumerate() {
        for bin in &bins[group.start..group.end] {
            index[bin.number] = u8::try_from(number).unwrap_or(u8::MAX);
        }
    }
    let error = groups.iter().map(|group| group.error).sum();
    Palette { colours, index, error }
}
