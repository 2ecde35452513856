//! Taking a job's stdout apart: bytes of text, images and reports per second, in pieces as the
//! guest writes them.

#![expect(clippy::expect_used, reason = "a benchmark that cannot go on has failed")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use criterion::{Criterion, Throughput};
use mcp_python_sandbox::testing::Limits;
use mcp_python_sandbox::testing::{Captured, Output};
use std::hint::black_box;

const NONCE: &str = "0123456789abcdef0123456789abcdef";
/// Bytes of each stream.
const SIZE: usize = 1 << 20;
/// Bytes of one write: what Python's buffer holds.
const PIECE: usize = 8 << 10;
/// Characters of one frame in the guest.
const FRAME: usize = 1 << 20;

fn main() {
    let streams = [
        ("plain text", "0123456 the quick brown fox\n".repeat(SIZE / 28)),
        // Each bracket might begin a marker.
        ("lists", "[[1, 2], [3, 4], [5, 6]]\n".repeat(SIZE / 25)),
        ("an image", image(SIZE)),
        (
            "forged markers",
            format!("[JOB_REPORT_BEGIN:{}:0:0]\n", "0".repeat(32)).repeat(SIZE / 55),
        ),
    ];
    let images = streams.each_ref().map(|(_, stream)| captured(stream).images.len());
    assert_eq!(images, [0, 0, 1, 0], "the image is one, and nothing else");
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("markers");
    for (name, stream) in &streams {
        group.throughput(Throughput::Bytes(stream.len() as u64));
        group.bench_function(*name, |bencher| bencher.iter(|| captured(black_box(stream))));
    }
    group.finish();
    criterion.final_summary();
}

/// All that a runtime does with what a job writes.
fn captured(stream: &str) -> Captured {
    let output = Output::new(NONCE, &Limits::default());
    for piece in stream.as_bytes().chunks(PIECE) {
        output.stdout(piece).expect("no limit is met");
    }
    output.finish()
}

/// A picture that the parser takes, of `size` bytes, in frames as the bootstrap writes them.
fn image(size: usize) -> String {
    let mut message = b"{\"mime\":\"image/png\"}\n\x89PNG\r\n\x1a\n".to_vec();
    message.resize(size, 7);
    let base64 = STANDARD.encode(message);
    let pieces: Vec<&[u8]> = base64.as_bytes().chunks(FRAME).collect();
    let frame = |(index, piece): (usize, &&[u8])| {
        let more = u8::from(index + 1 < pieces.len());
        let piece = str::from_utf8(piece).expect("base64 is ASCII");
        format!("[IMAGE_DATA_BEGIN:{NONCE}:1:{more}]{piece}[IMAGE_DATA_END:{NONCE}]")
    };
    pieces.iter().enumerate().map(frame).collect::<Vec<_>>().concat()
}
