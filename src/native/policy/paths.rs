//! The table of paths that the walls leave open, each with its reason, and their opening.
//!
//! Every path is opened before anything is confined, and one that cannot be opened is an error.
//! Only a path whose absence is known to be harmless may be missing, and its row says why it is.
//! Never open to a job: `/proc`, `$HOME`, the parent of the job directories, a file of `/etc` that
//! could hold a secret.

use crate::native::error::NativeError;
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathSource {
    /// A path that is the same on every machine.
    Fixed(&'static str),
    /// System libraries: distributions keep them in one or more of these.
    AnyOf(&'static [&'static str]),
    /// Where the venv's modules are, its settings, and its list of fonts.
    Packages,
    /// The interpreter's executable, with symbolic links resolved.
    Interpreter,
    /// The interpreter's library, outside of a venv.
    Library,
    /// The package that runs a job's code.
    Bootstrap,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathAccess {
    /// Reading files and listing directories.
    Read,
    /// Reading, and execution by the fork server, which must start Python. Children only read.
    Start,
    /// Reading and writing a device.
    Device,
    /// Reading by the fork server, so that its children can open one file of theirs before they
    /// confine themselves.
    ForkServerOnly,
    /// Everything that an own directory needs; no devices, no sockets, no execution.
    Work,
    /// The same in a folder of the operator, but no symbolic links, which others would follow: none
    /// are made there, and no directory that holds one is moved there.
    Mount,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    source: PathSource,
    access: PathAccess,
    /// Whether native is off if the path is not there.
    is_required: bool,
    /// What needs the path, and why it may be missing.
    reason: &'static str,
}

const fn row(source: PathSource, access: PathAccess, reason: &'static str) -> Row {
    Row { source, access, is_required: true, reason }
}

const fn optional(path: &'static str, access: PathAccess, reason: &'static str) -> Row {
    Row { source: Fixed(path), access, is_required: false, reason }
}

use PathAccess::{Device, ForkServerOnly, Read, Start};
use PathSource::{AnyOf, Bootstrap, Fixed, Interpreter, Library, Packages};

#[cfg(target_arch = "x86_64")]
const LIBRARIES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/lib64",
    "/usr/local/lib64",
];
#[cfg(not(target_arch = "x86_64"))]
const LIBRARIES: &[&str] = &[
    "/usr/lib/aarch64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/lib/ld-linux-aarch64.so.1",
    "/usr/lib64",
    "/lib64",
];

/// What every job, and the fork server, may read.
pub(super) const TABLE: &[Row] = &[
    row(Interpreter, Start, "Python itself"),
    row(Library, Read, "its standard library"),
    row(Packages, Read, "the scientific stack"),
    row(Bootstrap, Read, "the package that runs a job's code"),
    row(AnyOf(LIBRARIES), Start, "libc, libstdc++, libgfortran, OpenBLAS and the loader"),
    optional("/etc/ld.so.cache", Read, "where libraries are, beside the loader's defaults"),
    row(Fixed("/dev/null"), Device, "standard input, and where programs throw things"),
    // Only for reading: a shared mapping of it is memory that no limit of the kernel counts.
    optional("/dev/zero", Read, "zeroes; a minimal container may lack it"),
    row(Fixed("/dev/urandom"), Read, "random numbers"),
    optional("/dev/random", Read, "random numbers; urandom and getrandom serve as well"),
    optional("/usr/share/zoneinfo", Read, "zoneinfo; the venv has tzdata"),
    optional("/etc/localtime", Read, "local time; without, it is UTC"),
    optional("/etc/mime.types", Read, "mimetypes (openpyxl, docx); it has a table of its own"),
    optional("/usr/share/fonts", Read, "fonts beside matplotlib's own"),
    optional("/usr/local/share/fonts", Read, "fonts beside matplotlib's own"),
    optional("/usr/lib/locale", Read, "locales; C.UTF-8 is built into newer C libraries"),
    // For `ssl.create_default_context`. Distributions differ in where certificates lie.
    optional("/etc/ssl/openssl.cnf", Read, "OpenSSL's settings; it has defaults"),
    optional("/etc/ssl/certs", Read, "certificates; certifi serves as well"),
    optional("/etc/pki/tls", Read, "certificates"),
    optional("/etc/pki/ca-trust/extracted", Read, "certificates"),
    optional("/usr/share/ca-certificates", Read, "links in /etc/ssl/certs lead there on Debian"),
    optional("/proc", ForkServerOnly, "a job's own `maps`, see `OWN_PROC_FILES`"),
    optional("/sys/devices/system/cpu", Read, "CPU count; the C library can ask the scheduler"),
];

/// Files below its own `/proc/<pid>` that a job may read; its child adds the rules, because the
/// files exist only then. threadpoolctl finds BLAS and OpenMP in `maps`, and scikit-learn asks it.
pub(super) const OWN_PROC_FILES: &[&str] = &["maps"];

#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) packages: Vec<PathBuf>,
    pub(crate) interpreter: PathBuf,
    pub(crate) library: Vec<PathBuf>,
    pub(crate) bootstrap: PathBuf,
}

/// An opened path and what may be done below it.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) fd: OwnedFd,
    pub(super) path: PathBuf,
    pub(super) access: PathAccess,
    pub(super) is_directory: bool,
}

impl Opened {
    /// Opens one path; symbolic links are followed, so a rule holds for what lies behind them.
    pub(super) fn new(path: &Path, access: PathAccess) -> Result<Self, Errno> {
        let fd = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        let is_directory = FileType::from_raw_mode(fstat(&fd)?.st_mode).is_dir();
        Ok(Self { fd, path: path.to_owned(), access, is_directory })
    }
}

/// Opens every path of the table.
pub(super) fn open_table(layout: &Layout) -> Result<Vec<Opened>, NativeError> {
    let mut all = Vec::new();
    for row in TABLE {
        let before = all.len();
        let may_be_missing = matches!(row.source, AnyOf(_)) || !row.is_required;
        for path in candidates(row.source, layout) {
            match Opened::new(path, row.access) {
                Ok(opened) => all.push(opened),
                Err(Errno::NOENT) if may_be_missing => {}
                Err(source) => {
                    let (path, reason) = (path.to_owned(), row.reason);
                    return Err(NativeError::Needed { path, reason, source });
                }
            }
        }
        if all.len() == before && row.is_required {
            return Err(NativeError::NoPlace(row.reason));
        }
    }
    Ok(all)
}

fn candidates(source: PathSource, layout: &Layout) -> Vec<&Path> {
    match source {
        Fixed(path) => vec![Path::new(path)],
        AnyOf(paths) => paths.iter().map(Path::new).collect(),
        Packages => layout.packages.iter().map(PathBuf::as_path).collect(),
        Interpreter => vec![&layout.interpreter],
        Library => layout.library.iter().map(PathBuf::as_path).collect(),
        Bootstrap => vec![&layout.bootstrap],
    }
}
