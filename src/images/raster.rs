//! From encoded images to pixels, in bounded memory.

use crate::job::resources::PIXELS;
use crate::output::frames::{Unshown, sniff};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageReader, Limits, RgbaImage};
use std::io::Cursor;
use std::mem;

/// Bytes that a decoder may allocate: [`PIXELS`] with four channels.
const MAX_ALLOC: usize = 256_000_000;

/// Width and height from the header alone.
pub(super) fn size(bytes: &[u8]) -> Result<(u32, u32), Unshown> {
    let (width, height) = match (sniff(bytes), bytes) {
        (Some("image/png"), _) => png::Decoder::new(Cursor::new(bytes)).read_header_info()?.size(),
        (Some("image/jpeg"), _) => {
            ImageReader::new(Cursor::new(bytes)).with_guessed_format()?.into_dimensions()?
        }
        (Some("image/gif"), [_, _, _, _, _, _, w0, w1, h0, h1, ..]) => {
            (u16::from_le_bytes([*w0, *w1]).into(), u16::from_le_bytes([*h0, *h1]).into())
        }
        (Some(_), _) => return Err(Unshown::Broken),
        (None, _) => return Err(Unshown::Format),
    };
    if width == 0 || height == 0 { Err(Unshown::Broken) } else { Ok((width, height)) }
}

/// Pixels of an image of the given size. Images much larger than `max_side` are shrunk on the way,
/// but never below it.
pub(super) fn decode(
    bytes: &[u8],
    width: u32,
    height: u32,
    max_side: u32,
) -> Result<RgbaImage, Unshown> {
    if u64::from(width) * u64::from(height) > PIXELS {
        return Err(Unshown::TooLarge { width, height, millions: PIXELS / 1_000_000 });
    }
    let factor = (width.max(height) / max_side).max(1);
    if sniff(bytes) == Some("image/png") {
        decode_png(bytes, factor)?.ok_or(Unshown::Broken)
    } else {
        Ok(decode_other(bytes, factor)?)
    }
}

/// Row by row, so that a huge plot never stands in memory as a whole, unless it is interlaced.
fn decode_png(bytes: &[u8], factor: u32) -> Result<Option<RgbaImage>, png::DecodingError> {
    let limits = png::Limits { bytes: MAX_ALLOC };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    let mut reader = decoder.read_info()?;
    let (width, height) = reader.info().size();
    let channels = reader.output_color_type().0.samples();
    let mut shrinker = Shrinker::new(width, height, channels, factor);
    if reader.info().interlaced {
        let mut pixels = vec![0; reader.output_buffer_size().unwrap_or(0)];
        let frame = reader.next_frame(&mut pixels)?;
        pixels.chunks_exact(frame.line_size.max(1)).for_each(|row| shrinker.push(row));
    } else {
        while let Some(row) = reader.next_row()? {
            shrinker.push(row.data());
        }
    }
    Ok(shrinker.finish())
}

fn decode_other(bytes: &[u8], factor: u32) -> image::ImageResult<RgbaImage> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_ALLOC as u64);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder)?;
    if factor > 1 {
        let [width, height] = [picture.width(), picture.height()].map(|side| side.div_ceil(factor));
        picture = picture.thumbnail(width, height);
    }
    // What is written again has no EXIF data that would turn it.
    picture.apply_orientation(orientation);
    Ok(picture.into_rgba8())
}

/// Averages blocks of `factor` x `factor` pixels while rows arrive.
struct Shrinker {
    width: u32,
    height: u32,
    channels: usize,
    factor: u32,
    /// Per block: colours times alpha, alpha, number of pixels.
    sums: Vec<[u64; 5]>,
    rows: u32,
    pixels: Vec<u8>,
}

impl Shrinker {
    fn new(width: u32, height: u32, channels: usize, factor: u32) -> Self {
        let (out_width, out_height) = (width.div_ceil(factor), height.div_ceil(factor));
        let pixels = Vec::with_capacity(out_width as usize * out_height as usize * 4);
        let sums = vec![[0; 5]; out_width as usize];
        Self { width: out_width, height: out_height, channels, factor, sums, rows: 0, pixels }
    }

    fn push(&mut self, row: &[u8]) {
        if self.factor == 1 {
            self.pixels.extend(row.chunks_exact(self.channels).flat_map(rgba));
            return;
        }
        for (block, sum) in row.chunks(self.channels * self.factor as usize).zip(&mut self.sums) {
            for [r, g, b, a] in block.chunks_exact(self.channels).map(rgba) {
                let alpha = u32::from(a);
                for (sum, value) in sum.iter_mut().zip([r, g, b]) {
                    *sum += u64::from(u32::from(value) * alpha);
                }
                sum[3] += u64::from(alpha);
                sum[4] += 1;
            }
        }
        self.rows += 1;
        if self.rows == self.factor {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.rows = 0;
        for sum in &mut self.sums {
            let [r, g, b, a, count] = mem::take(sum);
            let over =
                |value: u64, by: u64| u8::try_from((value + by / 2) / by.max(1)).unwrap_or(u8::MAX);
            self.pixels.extend([over(r, a), over(g, a), over(b, a), over(a, count)]);
        }
    }

    fn finish(mut self) -> Option<RgbaImage> {
        if self.rows > 0 {
            self.flush();
        }
        RgbaImage::from_raw(self.width, self.height, self.pixels)
    }
}

fn rgba(pixel: &[u8]) -> [u8; 4] {
    match *pixel {
        [grey] => [grey, grey, grey, 255],
        [grey, alpha] => [grey, grey, grey, alpha],
        [r, g, b] => [r, g, b, 255],
        [r, g, b, a, ..] => [r, g, b, a],
        [] => [0; 4],
    }
}

/// Width and height scaled so that the longer side is at most `side`.
pub(super) fn within(width: u32, height: u32, side: u32) -> (u32, u32) {
    let longer = width.max(height).max(1);
    if longer <= side {
        return (width, height);
    }
    let scaled = |length: u32| {
        let length =
            (u64::from(length) * u64::from(side) + u64::from(longer) / 2) / u64::from(longer);
        u32::try_from(length).unwrap_or(side).max(1)
    };
    (scaled(width), scaled(height))
}

impl From<png::DecodingError> for Unshown {
    fn from(_: png::DecodingError) -> Self {
        Self::Broken
    }
}

impl From<image::ImageError> for Unshown {
    fn from(_: image::ImageError) -> Self {
        Self::Broken
    }
}
