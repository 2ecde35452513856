//! The image budget: what stays, what is made smaller and how, what is dropped.

#![expect(clippy::unwrap_used, reason = "a test that cannot make its picture fails")]

use image::codecs::gif::GifEncoder;
use image::{DynamicImage, Frame, ImageFormat, Rgba, RgbaImage};
use mcp_python_sandbox::testing::{Budget, Fitted, fit};
use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::sample::Index;
use std::io::Cursor;
use std::time::{Duration, Instant};

fn png(picture: &RgbaImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn gif(frames: &[RgbaImage]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GifEncoder::new(&mut bytes).encode_frames(frames.iter().cloned().map(Frame::new)).unwrap();
    bytes
}

fn noise(width: u32, height: u32) -> RgbaImage {
    let mut state = 1_u32;
    RgbaImage::from_fn(width, height, |_, _| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let [r, g, b, _] = state.to_be_bytes();
        Rgba([r, g, b, 255])
    })
}

/// Thin curves with soft edges in several colours on `background`, as a plotting library draws
/// them.
fn plot(width: u32, height: u32, background: [u8; 4]) -> RgbaImage {
    let mut picture = RgbaImage::from_pixel(width, height, Rgba(background));
    let mut height_at = [0_u32; 12];
    let mut state = 7_u32;
    for x in 0..width {
        for (curve, y) in (0_u8..).zip(&mut height_at) {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *y = (*y + (state >> 24) % 9 + 1) % (height - 6);
            let soft = u8::try_from(state >> 16 & 0x7f).unwrap();
            let colour = [curve * 20, 255 - curve * 15, curve * 9 + 40];
            for (row, add) in [(0, soft), (1, 0), (2, 0), (3, 127 - soft)] {
                picture.put_pixel(
                    x,
                    *y + row,
                    Rgba([colour[0].max(add), colour[1].max(add), colour[2].max(add), 255]),
                );
            }
        }
    }
    picture
}

fn budget(bytes: usize) -> Budget {
    Budget::of(bytes)
}

/// MIME type, bytes, width, height, whether it was changed.
fn kept(fitted: &Fitted) -> (&'static str, &[u8], u32, u32, bool) {
    match fitted {
        Fitted::Kept { mime, bytes, width, height, changed } => {
            (mime, bytes, *width, *height, *changed)
        }
        Fitted::Dropped { why, .. } => panic!("it was dropped: {why}"),
    }
}

fn dropped(fitted: &Fitted) -> &str {
    match fitted {
        Fitted::Dropped { why, .. } => why,
        Fitted::Kept { width, height, .. } => panic!("it was kept with {width}x{height} pixels"),
    }
}

fn total(fitted: &[Fitted]) -> usize {
    fitted
        .iter()
        .map(|one| if let Fitted::Kept { bytes, .. } = one { bytes.len() } else { 0 })
        .sum()
}

fn decoded(bytes: &[u8]) -> DynamicImage {
    image::load_from_memory(bytes).unwrap()
}

#[test]
fn what_fits_stays_byte_for_byte() {
    let mut jpeg = Cursor::new(Vec::new());
    DynamicImage::from(noise(64, 48)).into_rgb8().write_to(&mut jpeg, ImageFormat::Jpeg).unwrap();
    let images = [jpeg.into_inner(), gif(&[noise(40, 30)]), png(&noise(60, 50))];
    let sizes = [(64, 48), (40, 30), (60, 50)];
    let given: Vec<&[u8]> = images.iter().map(Vec::as_slice).collect();
    let fitted = fit(&given, &Budget::default());
    assert_eq!(fitted.len(), images.len());
    for ((one, original), size) in fitted.iter().zip(&images).zip(sizes) {
        let (_, bytes, width, height, changed) = kept(one);
        assert_eq!((bytes, (width, height), changed), (original.as_slice(), size, false));
    }
    assert!(fit(&[], &Budget::default()).is_empty());
}

#[test]
fn a_plot_over_budget_keeps_its_scale_and_background() {
    let original = png(&plot(1200, 900, [255, 255, 255, 255]));
    let fitted = fit(&[&original], &budget(original.len() * 3 / 5));
    let (mime, bytes, width, height, changed) = kept(&fitted[0]);
    assert!(bytes.len() <= original.len() * 3 / 5);
    assert_eq!((mime, width, height, changed), ("image/png", 1200, 900, true));
    let picture = decoded(bytes).into_rgba8();
    assert_eq!((picture.dimensions(), picture.get_pixel(0, 899).0), ((1200, 900), [255; 4]));
}

#[test]
fn a_plot_far_over_budget_is_scaled_and_stays_png() {
    let original = png(&plot(1568, 1176, [255; 4]));
    let share = original.len() / 5;
    let fitted = fit(&[&original], &budget(share));
    let (mime, bytes, width, height, _) = kept(&fitted[0]);
    assert!(bytes.len() <= share && bytes.len() > share / 2, "{} of {share}", bytes.len());
    assert_eq!(mime, "image/png");
    assert!((480..1568).contains(&width));
    assert_eq!(decoded(bytes).to_rgba8().dimensions(), (width, height));
}

#[test]
fn a_photograph_becomes_jpeg() {
    let original = png(&noise(1000, 500));
    let fitted = fit(&[&original], &budget(60_000));
    let (mime, bytes, width, height, _) = kept(&fitted[0]);
    assert_eq!(mime, "image/jpeg");
    assert!(bytes.len() <= 60_000 && bytes.len() > 30_000, "{}", bytes.len());
    assert!(width.abs_diff(height * 2) <= 1);
    assert_eq!(decoded(bytes).to_rgba8().dimensions(), (width, height));
}

#[test]
fn small_images_stay_and_large_ones_share_the_rest() {
    let small = png(&noise(15, 15));
    let plots = [png(&plot(1000, 800, [255; 4])), png(&plot(900, 700, [255; 4]))];
    let fitted = fit(&[&plots[0], &small, &plots[1]], &budget(50_000));
    assert_eq!(kept(&fitted[1]).1, small);
    assert!(total(&fitted) <= 50_000);
    for at in [0, 2] {
        assert!(kept(&fitted[at]).1.len() > 10_000);
    }
}

#[test]
fn sides_are_bounded_even_if_the_bytes_fit() {
    let original = png(&RgbaImage::from_pixel(5000, 1000, Rgba([9, 8, 7, 255])));
    let fitted = fit(&[&original], &Budget::default());
    let (_, bytes, width, height, changed) = kept(&fitted[0]);
    assert_eq!((width, height, changed), (1568, 314, true));
    assert_eq!(decoded(bytes).to_rgba8().get_pixel(700, 200).0, [9, 8, 7, 255]);
    let line = png(&RgbaImage::new(1, 9000));
    let fitted = fit(&[&line], &Budget::default());
    assert_eq!((kept(&fitted[0]).2, kept(&fitted[0]).3), (1, 1568));
}

#[test]
fn transparency_is_kept() {
    let original = png(&plot(1400, 1000, [255, 255, 255, 0]));
    for share in [original.len() * 3 / 5, original.len() / 5] {
        let fitted = fit(&[&original], &budget(share));
        let (_, bytes, width, height, _) = kept(&fitted[0]);
        let picture = decoded(bytes).into_rgba8();
        assert_eq!(picture.get_pixel(width / 2, height - 1).0[3], 0);
        assert!(picture.pixels().any(|pixel| pixel.0[3] > 100));
    }
}

#[test]
fn an_animation_over_budget_becomes_its_first_frame() {
    let mut frames = vec![RgbaImage::from_pixel(300, 200, Rgba([200, 30, 40, 255]))];
    frames.extend((0..3).map(|_| noise(300, 200)));
    let fitted = fit(&[&gif(&frames)], &budget(20_000));
    let (mime, bytes, width, height, changed) = kept(&fitted[0]);
    assert_eq!((mime, width, height, changed), ("image/png", 300, 200, true));
    assert_eq!(decoded(bytes).to_rgba8().get_pixel(5, 5).0, [200, 30, 40, 255]);
}

#[test]
fn what_would_be_unreadable_is_dropped_with_the_reason() {
    let original = png(&noise(400, 300));
    let fitted = fit(&[&original], &budget(900));
    let why = dropped(&fitted[0]);
    assert!(why.contains("900 bytes") && why.contains("a call of its own"), "{why}");
    let Fitted::Dropped { width, height, .. } = fitted[0] else { panic!() };
    assert_eq!((width, height), (400, 300));
}

#[test]
fn plots_in_a_row_keep_as_many_pixels_as_one_plot() {
    let long = [png(&plot(1300, 400, [255; 4])), png(&plot(400, 1300, [255; 4]))];
    let images = [long[0].as_slice(), long[1].as_slice()].repeat(30);
    let fitted = fit(&images, &Budget::default());
    let shown: Vec<_> =
        fitted.iter().filter(|one| matches!(one, Fitted::Kept { .. })).map(kept).collect();
    assert!((2..60).contains(&shown.len()), "{}", shown.len());
    // Sides are rounded to whole pixels.
    for (_, _, width, height, _) in shown {
        assert!(width * height >= 480 * 360 - 750, "{width}x{height}");
    }
}

#[test]
fn of_very_many_images_the_first_ones_are_kept_and_readable() {
    let original = png(&plot(1200, 900, [255; 4]));
    let images = vec![original.as_slice(); 60];
    let fitted = fit(&images, &Budget::default());
    let first = fitted.iter().take_while(|one| matches!(one, Fitted::Kept { .. })).count();
    assert!((4..60).contains(&first), "{first}");
    assert!(fitted[first..].iter().all(|one| matches!(one, Fitted::Dropped { .. })));
    assert!(fitted[..first].iter().all(|one| kept(one).2 >= 480));
    assert!(total(&fitted) <= Budget::default().most);
}

#[test]
fn a_png_becomes_a_palette_where_nobody_would_see_it() {
    // Soft edges between few colours: hundreds of shades, all of them rare.
    let drawn = RgbaImage::from_fn(640, 480, |x, y| {
        let (x, y) = (f64::from(x), f64::from(y));
        let inside = (40.0 - (y - 240.0 - 150.0 * (x / 50.0).sin()).abs()).clamp(0.0, 1.0);
        let shade = |from: f64, to: f64| from + (to - from) * inside;
        let bytes = [shade(255.0, 31.0), shade(255.0, 119.0), shade(255.0, 180.0)];
        let [red, green, blue] = bytes.map(|value| format!("{value:.0}").parse().unwrap());
        Rgba([red, green, blue, 255])
    });
    let original = png(&drawn);
    let fitted = fit(&[&original], &Budget::default());
    let (mime, bytes, width, height, changed) = kept(&fitted[0]);
    assert_eq!((mime, width, height, changed), ("image/png", 640, 480, true));
    assert!(bytes.len() * 100 <= original.len() * 60, "{} of {}", bytes.len(), original.len());
    assert_eq!(bytes[25], 3, "the colour type of a palette");
    let picture = decoded(bytes).into_rgba8();
    let furthest = drawn.iter().zip(picture.iter()).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
    assert!(furthest <= 8, "{furthest}");
}

#[test]
fn gradients_of_many_colours_stay_as_they_are() {
    let ramp = |value: u32, of: u32| u8::try_from(value * 255 / of).unwrap();
    let sky = RgbaImage::from_fn(400, 300, |x, y| Rgba([ramp(x, 400), ramp(y, 300), 128, 255]));
    let original = png(&sky);
    let fitted = fit(&[&original], &Budget::default());
    assert_eq!(kept(&fitted[0]).1, original);
    // One colour map is a single line through the colours, which a palette can follow.
    let map = RgbaImage::from_fn(400, 300, |x, _| Rgba([ramp(x, 400), 0, 255 - ramp(x, 400), 255]));
    let fitted = fit(&[&png(&map)], &Budget::default());
    assert_eq!(decoded(kept(&fitted[0]).1).into_rgba8(), map);
}

#[test]
fn the_smaller_budget_holds_if_all_stay_readable_and_text_counts() {
    let plots = [png(&plot(640, 480, [255; 4])), png(&plot(640, 470, [255; 4]))];
    let all: Vec<&[u8]> = plots.iter().map(Vec::as_slice).collect();
    let small = Budget { bytes: 100_000, most: 400_000, ..Budget::default() };
    assert!(total(&fit(&all, &small)) <= 100_000);
    let tiny = Budget { bytes: 9_000, most: 400_000, ..Budget::default() };
    let fitted = fit(&all, &tiny);
    assert!(total(&fitted) > 9_000 && fitted.iter().all(|one| kept(one).2 == 640));
    let beside = Budget::default().beside(20_000);
    assert_eq!((beside.bytes, beside.most), (12_000, 93_000));
    let beside = Budget::default().beside(1_000_000);
    assert_eq!((beside.bytes, beside.most), (0, 54_000));
}

#[test]
fn broken_images_and_bombs_are_dropped_at_once() {
    let whole = png(&noise(500, 400));
    let mut bomb = Vec::new();
    drop(png::Encoder::new(&mut bomb, 60_000, 60_000).write_header().unwrap());
    let jpeg = [&[0xff, 0xd8, 0xff, 0xe0][..], &[0; 90]].concat();
    let start = Instant::now();
    let fitted = fit(
        &[&whole[..whole.len() / 2], b"no image", &bomb, &jpeg, b"GIF89a", b""],
        &Budget::default(),
    );
    assert!(start.elapsed() < Duration::from_secs(2));
    assert!(dropped(&fitted[0]).contains("broken"));
    assert!(dropped(&fitted[1]).contains("neither"));
    assert!(dropped(&fitted[2]).contains("60000x60000"));
    assert!(fitted[3..].iter().all(|one| !dropped(one).is_empty()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn damage_neither_panics_nor_breaks_the_budget(
        at in any::<Index>(), byte in any::<u8>(), form in 0_usize..3, bytes in 0_usize..9000,
            max_side in 0_u32..90,
    ) {
        let picture = noise(60, 50);
        let mut jpeg = Cursor::new(Vec::new());
        DynamicImage::from(picture.clone()).into_rgb8().write_to(&mut jpeg,
            ImageFormat::Jpeg).unwrap();
        let mut images = [png(&picture), gif(&[picture]), jpeg.into_inner()];
        let at = at.index(images[form].len());
        images[form][at] = byte;
        let budget = Budget { max_side, ..budget(bytes) };
        let fitted = fit(&[&images[0], &images[1], &images[2]], &budget);
        assert_eq!(fitted.len(), 3);
        assert!(total(&fitted) <= bytes);
    }
}
