//! Whether a picture in fewer colours looks like the original.
//!
//! The eye blurs: a soft edge may be off in single pixels, while a gradient shows bands where whole
//! areas are off by little. So errors are averaged over neighbourhoods of 3x3 pixels, in CIELAB
//! (CIE 15), where a distance of 2.3 is just noticeable side by side (Mahy et al. 1994).

/// How much a picture may differ from the original. Distances are CIELAB's.
pub(super) struct Tolerance {
    /// Distance in areas that are even or change gradually; twice as much is a visible band.
    smooth: f32,
    /// Distance that neighbourhoods keep at edges,
    usual: f32,
    /// but for so many of a thousand pixels.
    unusual: usize,
    /// Distance that no neighbourhood exceeds.
    most: f32,
}

/// Nobody sees a difference.
pub(super) const UNSEEN: Tolerance = Tolerance { smooth: 2.3, usual: 3.0, unusual: 1, most: 8.0 };
/// Whoever compares sees one, and nothing that misleads.
pub(super) const SLIGHT: Tolerance =
    Tolerance { smooth: 4.5, usual: 12.0, unusual: 20, most: 40.0 };

/// Steps of a channel, within two pixels, up to which they belong to one gradient.
const GRADUAL: u8 = 12;
/// Difference of opacity that is not seen on any background.
const MOST_OF_ALPHA: u8 = 3;
/// D65, the white of sRGB (IEC 61966-2-1).
const WHITE: [f32; 3] = [0.950_47, 1.0, 1.088_83];

/// From linear sRGB to CIE XYZ.
const TO_XYZ: [[f32; 3]; 3] =
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];

type Lab = [f32; 3];

/// A picture whose pixels are numbers of colours.
pub(super) struct Shown<'a> {
    pub(super) width: usize,
    /// RGBA.
    pub(super) colours: &'a [[u8; 4]],
    pub(super) pixels: &'a [u32],
}

/// Whether the picture stays within `tolerance` if each colour becomes that of the same number.
pub(super) fn stays_within(tolerance: &Tolerance, shown: &Shown<'_>, replaced: &[[u8; 4]]) -> bool {
    if shown.colours == replaced {
        return true;
    }
    let linear: Vec<f32> = (0..=255).map(linear).collect();
    let error = |(&from, &to): (&[u8; 4], &[u8; 4])| {
        if from == to {
            return Some([0.0; 3]);
        }
        let (old, new) = (lab(from, &linear), lab(to, &linear));
        let fits = from[3].abs_diff(to[3]) <= MOST_OF_ALPHA;
        fits.then(|| [old[0] - new[0], old[1] - new[1], old[2] - new[2]])
    };
    let errors: Option<Vec<Lab>> = shown.colours.iter().zip(replaced).map(error).collect();
    errors.is_some_and(|errors| errors_stay_within(tolerance, shown, &errors))
}

fn errors_stay_within(tolerance: &Tolerance, shown: &Shown<'_>, errors: &[Lab]) -> bool {
    let width = shown.width;
    let errors_of = |row: &[u32]| row.iter().map(|&at| errors[at as usize]).collect::<Vec<Lab>>();
    let mut rows = shown.pixels.chunks_exact(width).map(errors_of);
    let (Some(mut above), Some(mut here), true) = (rows.next(), rows.next(), width >= 3) else {
        return false; // too small for neighbourhoods, and for a palette to be worth it
    };
    let mut columns = vec![[0.0; 3]; width];
    let mut unusual = 0;
    for (y, below) in (1..).zip(rows) {
        let stacked = above.iter().zip(&here).zip(&below);
        for (column, ((above, here), below)) in columns.iter_mut().zip(stacked) {
            *column = sum([above, here, below]);
        }
        for (x, [left, middle, right]) in (1..).zip(columns.array_windows()) {
            let sum = sum([left, middle, right]);
            let square = sum.iter().map(|part| part * part).sum::<f32>() / 81.0;
            if square <= tolerance.smooth * tolerance.smooth {
                continue;
            }
            if square > tolerance.most * tolerance.most || is_smooth(shown, y * width + x) {
                return false;
            }
            unusual += usize::from(square > tolerance.usual * tolerance.usual);
        }
        above = here;
        here = below;
    }
    unusual <= shown.pixels.len() * tolerance.unusual / 1000
}

fn sum(three: [&Lab; 3]) -> Lab {
    let [a, b, c] = three;
    [a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]]
}

/// Whether the pixel `at` lies in an area that changes little over two pixels in each direction;
/// the fringe of an edge is narrower.
fn is_smooth(shown: &Shown<'_>, at: usize) -> bool {
    let colour = |at: usize| shown.pixels.get(at).map(|&number| shown.colours[number as usize]);
    let Some(here) = colour(at) else { return false };
    [1, 2, shown.width, 2 * shown.width].into_iter().all(|step| {
        [at.wrapping_sub(step), at + step].into_iter().filter_map(colour).all(|there| {
            here.iter().zip(there).all(|(here, there)| here.abs_diff(there) <= GRADUAL)
        })
    })
}

/// CIELAB of a colour on white.
fn lab(colour: [u8; 4], linear: &[f32]) -> Lab {
    let over = |value: u8| {
        let (value, alpha) = (u32::from(value), u32::from(colour[3]));
        linear[((value * alpha + 255 * (255 - alpha) + 127) / 255) as usize]
    };
    let light = [over(colour[0]), over(colour[1]), over(colour[2])];
    let [x, y, z] = [0, 1, 2].map(|at| {
        let sum: f32 = light.iter().zip(TO_XYZ[at]).map(|(light, share)| light * share).sum();
        let part = sum / WHITE[at];
        if part > 0.008_856 { part.cbrt() } else { 7.787 * part + 16.0 / 116.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The linear light of a channel's value in sRGB.
fn linear(value: u8) -> f32 {
    let value = f32::from(value) / 255.0;
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}
