//! What the native venv is: its interpreter, its library, its modules.

use super::error::NativeError;
use super::policy::paths::Layout;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Written by `build-scripts/build-venv` at the top of the venv.
const MANIFEST: &str = "sandbox-manifest.json";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Manifest {
    packages: Map<String, Value>,
    modules: BTreeSet<String>,
    /// Variables that this machine was found to need, such as a BLAS kernel for an old CPU.
    pub(super) environment: BTreeMap<String, String>,
    /// The directory with matplotlib's font list, below the venv.
    pub(super) matplotlib_cache: PathBuf,
}

pub(super) fn layout(venv: &Path, bootstrap: &Path) -> Result<Layout, NativeError> {
    let path = venv.join("bin/python3");
    let interpreter =
        fs::canonicalize(&path).map_err(|source| NativeError::NoPython { path, source })?;
    let name = library_name(venv)?;
    let prefix = interpreter.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    // A prefix of its own holds nothing but Python (and perhaps libpython beside it); a system's
    // holds everything.
    let in_system = prefix == Path::new("/usr");
    let library = if in_system { prefix.join("lib").join(name) } else { prefix.join("lib") };
    Ok(Layout { venv: venv.to_owned(), interpreter, library, bootstrap: bootstrap.to_owned() })
}

/// The library that translates paths for C code, where the venv has it. The loader takes blanks and
/// colons for ends of names.
pub(super) fn paths_library(venv: &Path) -> Option<PathBuf> {
    let library = venv.join("lib/job_paths.so");
    let is_name = library.to_str().is_some_and(|name| !name.contains([' ', ':', '\t', '\n']));
    (is_name && library.exists()).then_some(library)
}

/// Names and versions of the packages that the venv's build wrote down.
pub(crate) fn packages(venv: &Path) -> Map<String, Value> {
    manifest(venv).packages
}

/// Top-level modules that the venv has: from its manifest, or else from a look at its
/// `site-packages`. None if there is no venv.
pub(crate) fn modules(venv: &Path) -> Vec<String> {
    let named = manifest(venv).modules;
    let modules = if named.is_empty() { listed(venv) } else { named };
    modules.into_iter().collect()
}

/// A venv without a readable manifest is one that somebody made by hand.
pub(super) fn manifest(venv: &Path) -> Manifest {
    let json = fs::read(venv.join(MANIFEST)).unwrap_or_default();
    serde_json::from_slice(&json).unwrap_or_default()
}

fn listed(venv: &Path) -> BTreeSet<String> {
    let packages = |name| fs::read_dir(venv.join("lib").join(name).join("site-packages")).ok();
    let entries = library_name(venv).ok().and_then(packages).into_iter().flatten().flatten();
    entries.filter_map(|entry| module_name(&entry.path())).collect()
}

/// The module that a file or directory in `site-packages` is, if it is one.
fn module_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let stem = if path.is_dir() {
        name
    } else if let Some(stem) = name.strip_suffix(".py") {
        stem
    } else if path.extension().is_some_and(|extension| extension == "so") {
        name.split('.').next()?
    } else {
        return None;
    };
    let identifier = !stem.is_empty()
        && stem != "__pycache__"
        && stem.chars().all(|c| c == '_' || c.is_alphanumeric());
    identifier.then(|| stem.to_owned())
}

/// `python3.13`: the one entry of the venv's `lib`.
fn library_name(venv: &Path) -> Result<String, NativeError> {
    let path = venv.to_owned();
    let entries = match fs::read_dir(venv.join("lib")) {
        Ok(entries) => entries,
        Err(source) => return Err(NativeError::NotAVenv { path, source }),
    };
    let mut names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.find(|name| name.starts_with("python3.")).ok_or(NativeError::NoLibrary(path))
}
