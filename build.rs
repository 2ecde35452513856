//! Tells the program which versions it is built from: `--version` names them.

use std::{env, fs, process};

fn main() {
    let versions = [
        ("PINNED_WASMTIME", version_after("Cargo.lock", "name = \"wasmtime\"")),
        ("PINNED_CPYTHON", version_after("wasm-python/pins.toml", "[cpython]")),
    ];
    for (name, version) in versions {
        match version {
            Some(version) => println!("cargo::rustc-env={name}={version}"),
            None => process::exit(1),
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
}

/// The value of the first `version = "…"` after the line `heading` of a file of this repository.
fn version_after(file: &str, heading: &str) -> Option<String> {
    println!("cargo::rerun-if-changed={file}");
    let path =
        env::var_os("CARGO_MANIFEST_DIR").map(|folder| std::path::Path::new(&folder).join(file))?;
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines().skip_while(|line| line.trim() != heading);
    let found = lines
        .find_map(|line| line.trim().strip_prefix("version")?.split('"').nth(1).map(str::to_owned));
    if found.is_none() {
        println!("cargo::error=`{file}` names no version after `{heading}`");
    }
    found
}
