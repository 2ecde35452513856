//! From pixels to PNG and JPEG.

use super::palette::Indexed;
use image::RgbaImage;
use image::codecs::jpeg::JpegEncoder;
use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

pub(super) struct Encoded {
    pub(super) mime: &'static str,
    pub(super) bytes: Vec<u8>,
}

fn encoded<E>(mime: &'static str, written: Result<Vec<u8>, E>) -> Option<Encoded> {
    written.ok().map(|bytes| Encoded { mime, bytes })
}

pub(super) fn truecolour(picture: &RgbaImage) -> Option<Encoded> {
    let opaque = picture.pixels().all(|pixel| pixel.0[3] == 255);
    let (colour, pixels) = if opaque {
        let rgb = picture.pixels().flat_map(|pixel| [pixel.0[0], pixel.0[1], pixel.0[2]]);
        (ColorType::Rgb, &rgb.collect::<Vec<u8>>())
    } else {
        (ColorType::Rgba, picture.as_raw())
    };
    let form = (colour, BitDepth::Eight, Filter::Adaptive);
    encoded("image/png", write_png(picture, pixels, form, |_| {}))
}

pub(super) fn indexed(
    picture: &RgbaImage,
    Indexed { palette, indices, .. }: &Indexed,
) -> Option<Encoded> {
    let (depth, bits) = match palette.len() {
        0..=2 => (BitDepth::One, 1),
        3..=4 => (BitDepth::Two, 2),
        5..=16 => (BitDepth::Four, 4),
        _ => (BitDepth::Eight, 8),
    };
    let rows = indices.chunks_exact(picture.width() as usize);
    // The first pixel stands in the high bits of its byte.
    let pack = |pixels: &[u8]| {
        let placed = pixels.iter().enumerate().map(|(at, index)| index << (8 - bits * (at + 1)));
        placed.fold(0, |byte, bits| byte | bits)
    };
    let packed: Vec<u8> = rows.flat_map(|row| row.chunks(8 / bits)).map(pack).collect();
    let opaque = palette.iter().all(|colour| colour[3] == 255);
    let rgb: Vec<u8> =
        palette.iter().flat_map(|colour| [colour[0], colour[1], colour[2]]).collect();
    let form = (ColorType::Indexed, depth, Filter::NoFilter);
    let written = write_png(picture, &packed, form, |encoder| {
        encoder.set_palette(rgb);
        if !opaque {
            encoder.set_trns(palette.iter().map(|colour| colour[3]).collect::<Vec<u8>>());
        }
    });
    encoded("image/png", written)
}

fn write_png(
    picture: &RgbaImage,
    pixels: &[u8],
    (colour, depth, filter): (ColorType, BitDepth, Filter),
    configure: impl FnOnce(&mut Encoder<'_, &mut Vec<u8>>),
) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(colour);
    encoder.set_depth(depth);
    // Of the palettes of plots, 6 makes less than 7, in two thirds of the time.
    encoder.set_deflate_compression(DeflateCompression::Level(6));
    encoder.set_filter(filter);
    configure(&mut encoder);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

/// JPEG, on white where the picture is transparent.
pub(super) fn jpeg(picture: &RgbaImage, quality: u8) -> Option<Encoded> {
    let flatten = |value: u8, alpha: u8| {
        let (value, alpha) = (u16::from(value), u16::from(alpha));
        u8::try_from((value * alpha + 255 * (255 - alpha) + 127) / 255).unwrap_or(u8::MAX)
    };
    let pixels: Vec<u8> = picture
        .pixels()
        .flat_map(|&image::Rgba([r, g, b, a])| [r, g, b].map(|value| flatten(value, a)))
        .collect();
    let mut bytes = Vec::new();
    let (width, height) = picture.dimensions();
    let written = JpegEncoder::new_with_quality(&mut bytes, quality)
        .encode(&pixels, width, height, image::ExtendedColorType::Rgb8)
        .map(|()| bytes);
    encoded("image/jpeg", written)
}
