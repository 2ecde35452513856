//! An operator's own packages for the guest: a folder of pure-Python wheels, modules and packages.
//!
//! The folder is mounted read-only; Python imports from a wheel as from any other zip file. Native
//! code could not be loaded in the guest anyway: it is refused here so that the operator learns it
//! at the start and not from a job.

use fs_err as fs;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where the folder appears to a job.
pub(crate) const PACKAGES_DIR: &str = "/packages";

/// Endings of files that are code for a processor.
const NATIVE: [&str; 4] = ["so", "pyd", "dylib", "dll"];

/// A folder that was looked through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packages {
    /// The folder on the host.
    pub folder: PathBuf,
    /// What a job gets at the end of `sys.path`.
    pub search: Vec<String>,
}

impl Packages {
    /// Looks through `folder`.
    ///
    /// # Errors
    /// A text that names the option, the file, and what is wrong with it.
    pub fn find(folder: &Path) -> Result<Self, String> {
        let failed =
            |why: String| format!("failed to use `--packages {}`: {why}", folder.display());
        let mut wheels = Vec::new();
        let mut has_modules = false;
        for entry in fs::read_dir(folder).map_err(|error| failed(error.to_string()))? {
            let path = entry.map_err(|error| failed(error.to_string()))?.path();
            if has_ending(&path, &["whl"]) {
                wheels.push(wheel(&path).map_err(failed)?);
            } else {
                refuse_native_code(&path).map_err(failed)?;
                has_modules |= path.is_dir() || has_ending(&path, &["py", "pyc"]);
            }
        }
        wheels.sort();
        let modules = has_modules.then(|| PACKAGES_DIR.to_owned());
        let search = modules.into_iter().chain(wheels).collect();
        Ok(Self { folder: folder.to_path_buf(), search })
    }
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|ending| endings.contains(&ending))
}

/// The place of a wheel in the guest. Its name says what it runs on:
/// `name-version-python-abi-platform.whl`.
fn wheel(path: &Path) -> Result<String, String> {
    match path.file_name().and_then(OsStr::to_str) {
        Some(name) if name.ends_with("-none-any.whl") => Ok(format!("{PACKAGES_DIR}/{name}")),
        _ => Err(format!(
            "`{}` is not a pure wheel, whose name ends with `-none-any.whl`",
            path.display()
        )),
    }
}

fn refuse_native_code(path: &Path) -> Result<(), String> {
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(|error| error.to_string())? {
            refuse_native_code(&entry.map_err(|error| error.to_string())?.path())?;
        }
    } else if has_ending(path, &NATIVE) {
        return Err(format!(
            "`{}` is code for a processor, which the guest cannot load",
            path.display()
        ));
    }
    Ok(())
}
