//! Fewer pixels.
//!
//! `imageops::resize` takes five times as long, which one answer pays up to six times per image;
//! `fast_image_resize` is as fast, but, being generic, it is compiled into this crate at every
//! build, for half a minute.

use super::raster::within;
use image::RgbaImage;

/// The pixels of a row (or column) that make one pixel of the scaled one.
struct Taps {
    first: usize,
    weights: Vec<f32>,
}

/// The picture with a longer side of at most `side` pixels, by the filter of Catmull and Rom, which
/// keeps text sharp. The colours of transparent pixels do not bleed into visible ones.
pub(super) fn scale(picture: &RgbaImage, side: u32) -> Option<RgbaImage> {
    let (width, height) = within(picture.width(), picture.height(), side);
    let opaque = picture.pixels().all(|pixel| pixel.0[3] == 255);
    let stride = picture.width() as usize * 4;
    let columns = taps(picture.width(), width);
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
    let mut line = vec![0.0; stride];
    for row in taps(picture.height(), height) {
        line.fill(0.0);
        for (&weight, source) in
            row.weights.iter().zip(picture.chunks_exact(stride).skip(row.first))
        {
            if opaque {
                add(&mut line, source, weight);
            } else {
                add_weighted(&mut line, source, weight);
            }
        }
        for column in &columns {
            let mut sums = [0.0; 4];
            for (weight, pixel) in
                column.weights.iter().zip(line[column.first * 4..].chunks_exact(4))
            {
                for (sum, value) in sums.iter_mut().zip(pixel) {
                    *sum += weight * value;
                }
            }
            let [r, g, b, a] = sums;
            let over = if opaque || a < 0.5 { 1.0 } else { 255.0 / a };
            pixels.extend([r * over, g * over, b * over, a].map(byte));
        }
    }
    RgbaImage::from_raw(width, height, pixels)
}

fn add(line: &mut [f32], source: &[u8], weight: f32) {
    for (sum, &value) in line.iter_mut().zip(source) {
        *sum += weight * f32::from(value);
    }
}

/// Colours count by their alpha.
fn add_weighted(line: &mut [f32], source: &[u8], weight: f32) {
    for (sums, pixel) in line.chunks_exact_mut(4).zip(source.chunks_exact(4)) {
        let alpha = f32::from(pixel[3]);
        let weights = [weight * alpha / 255.0; 3];
        for ((sum, &value), weight) in sums.iter_mut().zip(pixel).zip(weights) {
            *sum += weight * f32::from(value);
        }
        sums[3] += weight * alpha;
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` ends at the bounds, as colours do"
)]
fn byte(value: f32) -> u8 {
    (value + 0.5) as u8
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions lie within 0 and `from`"
)]
fn taps(from: u32, to: u32) -> Vec<Taps> {
    let ratio = f64::from(from) / f64::from(to);
    let one = |at: u32| {
        let centre = (f64::from(at) + 0.5) * ratio;
        let first = (centre - 2.0 * ratio).max(0.0) as u32;
        let end = ((centre + 2.0 * ratio).ceil() as u32).min(from);
        let weights: Vec<f64> =
            (first..end).map(|x| catmull_rom((f64::from(x) + 0.5 - centre) / ratio)).collect();
        let sum: f64 = weights.iter().sum();
        Taps {
            first: first as usize,
            weights: weights.iter().map(|weight| (weight / sum) as f32).collect(),
        }
    };
    (0..to).map(one).collect()
}

fn catmull_rom(x: f64) -> f64 {
    let x = x.abs();
    match x {
        ..1.0 => (1.5 * x - 2.5) * x * x + 1.0,
        ..2.0 => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
        _ => 0.0,
    }
}
