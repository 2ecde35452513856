//! Honest work of every package of the venv, one small job each, under full confinement: `jobs/*.py`.
//!
//! A job ends with `ok` and writes nothing to stderr, unless its first line says that it does. `# images: n` in its
//! first line says how many pictures it shows.

use super::harness::scientific;
use mcp_python_sandbox::testing::Limits;
use std::time::Duration;

macro_rules! jobs {
    ($($name:ident,)+) => {
        $(
            #[test]
            fn $name() {
                check(include_str!(concat!("jobs/", stringify!($name), ".py")));
            }
        )+

        /// A job without a test would prove nothing.
        #[test]
        fn every_job_has_a_test() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/native/jobs");
            let files = std::fs::read_dir(folder).expect("the jobs").map(|entry| entry.expect("a job").file_name());
            let mut names: Vec<String> = files.map(|name| name.to_string_lossy().into_owned()).collect();
            names.sort();
            assert_eq!(names, [$(concat!(stringify!($name), ".py")),+]);
        }
    };
}

jobs! {
    asyncio_threads,
    curl_cffi_offline,
    docx_document,
    excel,
    lxml_bs4,
    matplotlib_formats,
    multiprocessing_refused,
    networkx_drawing,
    numpy_linalg,
    pandas_formats,
    pdf_text,
    pil_resize,
    protobuf_xlrd_misc,
    requests_offline,
    scipy_optimize,
    seaborn_plot,
    sklearn_fit,
    small_packages,
    sympy_plot,
    yfinance_import,
}

#[track_caller]
fn check(code: &str) {
    let images = code.lines().next().and_then(|line| line.strip_prefix("# images: "));
    let images: usize = images.map_or(0, |count| count.parse().expect("a count"));
    // Imports take seconds where other tests keep the machine busy.
    let wall = Duration::from_mins(5);
    let ran = scientific().run_within(code, &Limits { wall, cpu: wall, ..Limits::default() });
    let stdout = ran.ok();
    let stderr = String::from_utf8_lossy(ran.captured.stderr.head());
    assert_eq!(stdout.lines().last(), Some("ok"), "{stdout}\n{stderr}");
    assert_eq!(ran.captured.images.len(), images, "{:?}", ran.captured.lost_images);
    if !code.starts_with("# it says on stderr") {
        assert_eq!(stderr, "");
    }
}
