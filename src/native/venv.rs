//! What is in the native venv: its packages, its modules, what its build wrote down.

use super::environment::Environment;
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
}

/// Names and versions of the packages: those that the venv's build wrote down, or else what
/// installers did.
pub(crate) fn packages(venv: &Path) -> Map<String, Value> {
    let named = manifest(venv).packages;
    if named.is_empty() { distributions(venv) } else { named }
}

/// What of `wanted`, names of packages, is not among those of the venv.
pub(crate) fn missing<'a>(venv: &Path, wanted: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let normal = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
    let there: BTreeSet<_> = packages(venv).keys().map(|name| normal(name)).collect();
    wanted.filter(|name| !there.contains(&normal(name))).collect()
}

/// The interpreter in words: its version and its file.
pub(crate) fn interpreter(venv: &Path) -> Option<String> {
    let environment = Environment::find(venv).ok()?;
    let (version, file) = (environment.version(), environment.interpreter.display());
    Some(format!("CPython {version} ({file})"))
}

/// The environment that this program was installed into by `pip` or the like, if it was: it lies in
/// the `bin` of one that knows a package of our name.
pub(crate) fn around(program: &Path) -> Option<PathBuf> {
    let root = program.parent()?.parent()?;
    let name = format!("{}-", env!("CARGO_PKG_NAME").replace('-', "_"));
    let is_ours = |name: &str, file: &str| file.starts_with(name) && file.ends_with(".dist-info");
    let sites = Environment::find(root).ok()?.sites();
    let mut files =
        sites.iter().flat_map(|site| fs::read_dir(site).into_iter().flatten()).flatten();
    let found =
        files.any(|entry| entry.file_name().to_str().is_some_and(|file| is_ours(&name, file)));
    found.then(|| root.to_owned())
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

/// What is in the places of modules.
fn entries(venv: &Path) -> impl Iterator<Item = PathBuf> {
    let sites = Environment::find(venv).map(|environment| environment.sites());
    let entries = sites.unwrap_or_default().into_iter().flat_map(fs::read_dir).flatten().flatten();
    entries.map(|entry| entry.path())
}

fn listed(venv: &Path) -> BTreeSet<String> {
    entries(venv).filter_map(|path| module_name(&path)).collect()
}

/// Names and versions, as in `six-1.17.0.dist-info`.
fn distributions(venv: &Path) -> Map<String, Value> {
    let named = entries(venv).filter_map(|path| {
        let name = path.file_name()?.to_str()?.strip_suffix(".dist-info")?;
        let (name, version) = name.split_once('-')?;
        Some((name.replace('_', "-"), Value::from(version)))
    });
    named.collect()
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
