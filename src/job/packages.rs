//! An operator's own packages for the guest: a folder of pure-Python wheels, modules and packages.
//!
//! The folder is mounted read-only; Python imports from a wheel as from any other zip file. Native
//! code cannot be loaded in the guest: it is refused here, so that the operator learns it early.

use fs_err as fs;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Where the folder appears to a job.
pub(crate) const PACKAGES_DIR: &str = "/packages";

/// Endings of files that are code for a processor.
const NATIVE: [&str; 4] = ["so", "pyd", "dylib", "dll"];

/// Why a folder of packages cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("failed to use `--packages {}`: {why}", folder.display())]
pub struct BadPackages {
    folder: PathBuf,
    #[source]
    why: BadPackage,
}

#[derive(Debug, thiserror::Error)]
enum BadPackage {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("`{}` is not a pure wheel, whose name ends with `-none-any.whl`", .0.display())]
    Wheel(PathBuf),
    #[error("`{}` is code for a processor, which the guest cannot load", .0.display())]
    Native(PathBuf),
}

/// A folder of packages that the guest can load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packages {
    pub folder: PathBuf,
    /// What a job gets at the end of `sys.path`.
    pub search: Vec<String>,
}

impl Packages {
    /// Looks through `folder`.
    pub fn find(folder: &Path) -> Result<Self, BadPackages> {
        let folder = folder.to_path_buf();
        match search_path(&folder) {
            Ok(search) => Ok(Self { folder, search }),
            Err(why) => Err(BadPackages { folder, why }),
        }
    }
}

fn search_path(folder: &Path) -> Result<Vec<String>, BadPackage> {
    let mut wheels = Vec::new();
    let mut has_modules = false;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if has_ending(&path, &["whl"]) {
            wheels.push(wheel(&path)?);
        } else {
            refuse_native_code(&path)?;
            has_modules |= path.is_dir() || has_ending(&path, &["py", "pyc"]);
        }
    }
    wheels.sort();
    let modules = has_modules.then(|| PACKAGES_DIR.to_owned());
    Ok(modules.into_iter().chain(wheels).collect())
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|ending| endings.contains(&ending))
}

/// The path of a wheel in the guest. Its name says what it runs on:
/// `name-version-python-abi-platform.whl`.
fn wheel(path: &Path) -> Result<String, BadPackage> {
    match path.file_name().and_then(OsStr::to_str) {
        Some(name) if name.ends_with("-none-any.whl") => Ok(format!("{PACKAGES_DIR}/{name}")),
        _ => Err(BadPackage::Wheel(path.to_owned())),
    }
}

fn refuse_native_code(path: &Path) -> Result<(), BadPackage> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            refuse_native_code(&entry?.path())?;
        }
    } else if has_ending(path, &NATIVE) {
        return Err(BadPackage::Native(path.to_owned()));
    }
    Ok(())
}
