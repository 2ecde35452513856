//! Where the parts of a Python environment lie: a venv, whoever made it, or the prefix of an
//! installed Python itself. Nothing is asked of the interpreter: it runs behind the walls only, and
//! they need to know where it lies. The rules are those of `CPython`'s own `getpath`.

use super::error::NativeError;
use super::policy::paths::Layout;
use std::fs;
use std::path::{Path, PathBuf};

/// The minor versions of Python 3 that the bootstrap runs on.
const MINORS: std::ops::RangeInclusive<u32> = 11..=14;
/// Prefixes that hold more than a Python. Of others, the whole `lib` is open: some keep their
/// shared libraries there.
const SHARED: [&str; 4] = ["/", "/usr", "/usr/local", "/opt"];
/// Where modules lie, below a prefix and its `python3.X`.
const SITES: [&str; 2] = ["site-packages", "dist-packages"];

/// A Python environment.
#[derive(Debug)]
pub(super) struct Environment {
    /// A venv, or the prefix of a Python.
    root: PathBuf,
    /// What `root/bin` calls it: it must be started by this name to find the environment.
    pub(super) python: PathBuf,
    /// The file that the name leads to.
    pub(super) interpreter: PathBuf,
    minor: u32,
    /// The prefix of the Python that a venv stands on; `root` if it is none.
    base: PathBuf,
    /// Whether the packages of `base` belong to it, too.
    is_open: bool,
}

impl Environment {
    /// Looks at what is at `root`.
    ///
    /// # Errors
    /// It has no Python that can be used, and which would do.
    pub(super) fn find(root: &Path) -> Result<Self, NativeError> {
        let (python, interpreter) = interpreter(root)?;
        let settings = Settings::read(root);
        let minor = minor(root, &interpreter, settings.as_ref())?;
        let home = settings.as_ref().and_then(|settings| settings.get("home")).map(PathBuf::from);
        let home = home.filter(|home| home.is_dir());
        let bin = home.as_deref().or_else(|| interpreter.parent()).unwrap_or(root);
        let name = format!("python3.{minor}");
        let is_base = |prefix: &&Path| {
            ["lib", "lib64"].iter().any(|lib| prefix.join(lib).join(&name).join("os.py").exists())
        };
        let base = bin.ancestors().find(is_base).ok_or_else(|| NativeError::NoStandardLibrary {
            interpreter: interpreter.clone(),
            name: name.clone(),
        })?;
        let is_open = settings.as_ref().is_none_or(|settings| {
            settings.get("include-system-site-packages").is_some_and(|value| value == "true")
        });
        let base = base.to_owned();
        let found = Self { root: root.to_owned(), python, interpreter, minor, base, is_open };
        if found.sites().is_empty() {
            return Err(NativeError::NoSites { path: root.to_owned(), minor });
        }
        Ok(found)
    }

    /// `3.11` to `3.14`.
    pub(super) fn version(&self) -> String {
        format!("3.{}", self.minor)
    }

    /// The folders that modules are imported from, beside the standard library; those that are
    /// there.
    pub(super) fn sites(&self) -> Vec<PathBuf> {
        let own = below(&self.root, self.minor);
        let others = if self.is_open { below(&self.base, self.minor) } else { Vec::new() };
        let debian = (self.is_open && self.base == Path::new("/usr")).then(|| {
            let local = below(Path::new("/usr/local"), self.minor);
            local.into_iter().chain([PathBuf::from("/usr/lib/python3/dist-packages")])
        });
        let all = own.into_iter().chain(others).chain(debian.into_iter().flatten());
        let mut sites: Vec<PathBuf> = Vec::new();
        for site in all.filter(|site| site.is_dir()) {
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
        sites
    }

    /// What jobs may read of it, and nothing beside it: a venv may be a folder with other things.
    pub(super) fn layout(&self, bootstrap: &Path) -> Layout {
        // Its settings, and matplotlib's list of fonts.
        let more = ["pyvenv.cfg", "share/matplotlib-cache"].map(|name| self.root.join(name));
        let more = more.into_iter().filter(|path| path.exists());
        Layout {
            packages: self.sites().into_iter().chain(more).collect(),
            interpreter: self.interpreter.clone(),
            library: self.library(),
            bootstrap: bootstrap.to_owned(),
        }
    }

    /// The standard library, and the interpreter's own shared ones.
    fn library(&self) -> Vec<PathBuf> {
        let name = format!("python3.{}", self.minor);
        let of_user = self.base.file_name().is_some_and(|name| name == ".local");
        let folders = ["lib", "lib64"].map(|lib| self.base.join(lib));
        if !of_user && !SHARED.iter().any(|shared| self.base == Path::new(shared)) {
            return folders.into_iter().filter(|folder| folder.is_dir()).collect();
        }
        // Debian's library has links into `/etc`.
        let links = (self.base == Path::new("/usr")).then(|| Path::new("/etc").join(&name));
        let standard = folders.iter().map(|folder| folder.join(&name)).chain(links);
        let shared = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
        let shared = shared.flatten().map(|entry| entry.path()).filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("libpython3.") && name.contains(".so")
        });
        standard.filter(|folder| folder.is_dir()).chain(shared).collect()
    }
}

/// The name of the interpreter in `root/bin`, and the file that it leads to.
fn interpreter(root: &Path) -> Result<(PathBuf, PathBuf), NativeError> {
    let bin = root.join("bin");
    let mut failure = None;
    for python in ["python3", "python"].map(|name| bin.join(name)) {
        match fs::canonicalize(&python) {
            Ok(interpreter) => return Ok((python, interpreter)),
            Err(source) => failure = failure.or(Some((python, source))),
        }
    }
    let (path, source) = failure.unwrap_or_else(|| (bin, std::io::ErrorKind::NotFound.into()));
    Err(NativeError::NoPython { path, source })
}

/// The version: from the interpreter's name, or what the venv says, or the one library that there
/// is.
fn minor(root: &Path, interpreter: &Path, settings: Option<&Settings>) -> Result<u32, NativeError> {
    let name = interpreter.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let named = name.strip_prefix("python3.").map(str::to_owned);
    let said = || {
        let version = ["version_info", "version"].into_iter().find_map(|key| settings?.get(key))?;
        version.strip_prefix("3.")?.split('.').next().map(str::to_owned)
    };
    let found = named.or_else(said).map_or_else(|| library_name(root), Ok)?;
    let minor = found.parse().ok().filter(|minor| MINORS.contains(minor));
    minor.ok_or_else(|| NativeError::Version { interpreter: interpreter.to_owned(), found })
}

/// `13`, if the one library is `python3.13`.
fn library_name(root: &Path) -> Result<String, NativeError> {
    let path = root.to_owned();
    let entries = match fs::read_dir(root.join("lib")) {
        Ok(entries) => entries,
        Err(source) => return Err(NativeError::NotAVenv { path, source }),
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut minors = names.filter_map(|name| name.strip_prefix("python3.").map(str::to_owned));
    minors.next().ok_or(NativeError::NoLibrary(path))
}

/// The places of modules below a prefix.
fn below(prefix: &Path, minor: u32) -> Vec<PathBuf> {
    let library = |lib: &str| prefix.join(lib).join(format!("python3.{minor}"));
    ["lib", "lib64"].iter().flat_map(|lib| SITES.map(|site| library(lib).join(site))).collect()
}

/// `pyvenv.cfg`: a venv is what has one.
struct Settings(String);

impl Settings {
    fn read(root: &Path) -> Option<Self> {
        fs::read_to_string(root.join("pyvenv.cfg")).ok().map(Self)
    }

    fn get(&self, key: &str) -> Option<&str> {
        let pairs = self.0.lines().filter_map(|line| line.split_once('='));
        pairs
            .map(|(key, value)| (key.trim(), value.trim()))
            .find_map(|(name, value)| name.eq_ignore_ascii_case(key).then_some(value))
    }
}

#[cfg(test)]
#[path = "../../tests/unit/native_environment.rs"]
mod tests;
