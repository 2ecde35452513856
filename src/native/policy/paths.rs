//! The table of paths that the walls leave open, each with its reason, and their opening.
//!
//! Every path is opened before anything is confined, and one that cannot be opened is an error.
//! Only a path whose absence is known to be harmless may be missing, and its row says why it is.
//! Never in the table: `/proc`, `$HOME`, the parent of the job directories, a file of `/etc` that
//! could hold a secret.

use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Where a row's paths come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::native) enum Place {
    /// A path that is the same on every machine.
    Fixed(&'static str),
    /// System libraries: distributions keep them in one or more of these.
    AnyOf(&'static [&'static str]),
    /// The native venv.
    Venv,
    /// The interpreter's executable, with symbolic links resolved.
    Interpreter,
    /// The interpreter's library, outside of the venv.
    Library,
    /// The package that runs a job's code.
    Bootstrap,
}

/// What may be done there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::native) enum Access {
    /// Reading files and listing directories.
    Read,
    /// Reading, and execution by the fork server, which must start Python. Children only read.
    Start,
    /// Reading and writing a device.
    Device,
    /// Reading by the fork server, so that its children can open one file of theirs before they
    /// confine themselves.
    ParentOnly,
    /// Everything that an own directory needs; no devices, no sockets, no execution.
    Work,
}

/// What it means if the path is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::native) enum Absence {
    /// The policy does not fit this machine; native is off.
    Error,
    /// Harmless, for this reason.
    Harmless(&'static str),
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub(in crate::native) struct Row {
    pub(in crate::native) place: Place,
    pub(in crate::native) access: Access,
    pub(in crate::native) absence: Absence,
    pub(in crate::native) reason: &'static str,
}

const fn row(place: Place, access: Access, absence: Absence, reason: &'static str) -> Row {
    Row { place, access, absence, reason }
}

use Absence::{Error, Harmless};
use Access::{Device, ParentOnly, Read, Start};
use Place::{AnyOf, Bootstrap, Fixed, Interpreter, Library, Venv};

#[cfg(target_arch = "x86_64")]
const SYSTEM_LIBRARIES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/lib64",
    "/usr/local/lib64",
];
#[cfg(not(target_arch = "x86_64"))]
const SYSTEM_LIBRARIES: &[&str] = &[
    "/usr/lib/aarch64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/lib/ld-linux-aarch64.so.1",
    "/usr/lib64",
    "/lib64",
];

/// What every job, and the fork server, may read.
#[rustfmt::skip]
pub(in crate::native) const TABLE: &[Row] = &[
    row(Interpreter, Start, Error, "Python itself"),
    row(Library, Read, Error, "its standard library"),
    row(Venv, Read, Error, "the scientific stack"),
    row(Bootstrap, Read, Error, "the package that runs a job's code"),
    row(AnyOf(SYSTEM_LIBRARIES), Start, Error, "libc, libstdc++, libgfortran, OpenBLAS and the loader"),
    row(Fixed("/etc/ld.so.cache"), Read, Harmless("the loader then searches its default directories"), "where libraries are"),
    row(Fixed("/dev/null"), Device, Error, "standard input, and where programs throw things"),
    row(Fixed("/dev/zero"), Device, Harmless("a minimal container may lack it"), "mmap of zeroes"),
    row(Fixed("/dev/urandom"), Read, Error, "random numbers"),
    row(Fixed("/dev/random"), Read, Harmless("programs then use urandom or getrandom"), "random numbers"),
    row(Fixed("/usr/share/zoneinfo"), Read, Harmless("the tzdata package of the venv serves"), "zoneinfo"),
    row(Fixed("/etc/localtime"), Read, Harmless("UTC is then local time"), "local time"),
    row(Fixed("/etc/mime.types"), Read, Harmless("mimetypes has a table of its own"), "mimetypes (openpyxl, docx)"),
    row(Fixed("/usr/share/fonts"), Read, Harmless("matplotlib brings fonts"), "fonts"),
    row(Fixed("/usr/local/share/fonts"), Read, Harmless("matplotlib brings fonts"), "fonts"),
    row(Fixed("/usr/lib/locale"), Read, Harmless("C.UTF-8 is built into newer C libraries"), "locales"),
    row(Fixed("/etc/ssl/openssl.cnf"), Read, Harmless("OpenSSL then uses its defaults"), "ssl.create_default_context"),
    row(Fixed("/etc/ssl/certs"), Read, Harmless("certifi serves"), "ssl.create_default_context"),
    row(Fixed("/etc/pki/tls"), Read, Harmless("the place on other distributions"), "ssl.create_default_context"),
    row(Fixed("/etc/pki/ca-trust/extracted"), Read, Harmless("the place on other distributions"), "ssl.create_default_context"),
    row(Fixed("/usr/share/ca-certificates"), Read, Harmless("where links in /etc/ssl/certs lead on Debian"), "ssl.create_default_context"),
    row(Fixed("/proc"), ParentOnly, Harmless("then there is nothing to give out"), "a job's own `maps`, see `OWN_PROC_FILES`"),
    row(Fixed("/sys/devices/system/cpu"), Read, Harmless("the C library then asks the scheduler"), "number of CPUs"),
];

/// Files below its own `/proc/<pid>` that a job may read; its child adds the rules, because the
/// files exist only then.
pub(in crate::native) const OWN_PROC_FILES: &[(&str, &str)] =
    &[("maps", "threadpoolctl finds BLAS and OpenMP there, and scikit-learn asks it")];

/// The places of one installation.
#[derive(Debug, Clone)]
pub(in crate::native) struct Layout {
    pub(in crate::native) venv: PathBuf,
    pub(in crate::native) interpreter: PathBuf,
    pub(in crate::native) library: PathBuf,
    pub(in crate::native) bootstrap: PathBuf,
}

/// An opened path and what may be done below it.
#[derive(Debug)]
pub(in crate::native) struct Opened {
    pub(in crate::native) fd: OwnedFd,
    pub(in crate::native) path: PathBuf,
    pub(in crate::native) access: Access,
    pub(in crate::native) is_directory: bool,
}

impl Opened {
    /// Opens one path; symbolic links are followed, so a rule holds for what lies behind them.
    ///
    /// # Errors
    /// The kernel's.
    pub(in crate::native) fn new(path: &Path, access: Access) -> Result<Self, Errno> {
        let fd = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        let is_directory = FileType::from_raw_mode(fstat(&fd)?.st_mode).is_dir();
        Ok(Self { fd, path: path.to_owned(), access, is_directory })
    }
}

/// Opens every path of the table.
///
/// # Errors
/// A path that must be there cannot be opened.
pub(in crate::native) fn open_table(layout: &Layout) -> Result<Vec<Opened>, String> {
    let mut all = Vec::new();
    for row in TABLE {
        let before = all.len();
        for path in candidates(row.place, layout) {
            match Opened::new(path, row.access) {
                Ok(opened) => all.push(opened),
                Err(Errno::NOENT) if may_be_missing(row) => {}
                Err(e) => return Err(cannot_open(path, row, e)),
            }
        }
        if all.len() == before && row.absence == Error {
            return Err(format!("found none of the usual places for {}", row.reason));
        }
    }
    Ok(all)
}

fn candidates(place: Place, layout: &Layout) -> Vec<&Path> {
    match place {
        Fixed(path) => vec![Path::new(path)],
        AnyOf(paths) => paths.iter().map(Path::new).collect(),
        Venv => vec![&layout.venv],
        Interpreter => vec![&layout.interpreter],
        Library => vec![&layout.library],
        Bootstrap => vec![&layout.bootstrap],
    }
}

fn may_be_missing(row: &Row) -> bool {
    matches!(row.place, AnyOf(_)) || row.absence != Error
}

fn cannot_open(path: &Path, row: &Row, cause: Errno) -> String {
    format!("failed to open `{}`, which native jobs need ({}): {cause}", path.display(), row.reason)
}
