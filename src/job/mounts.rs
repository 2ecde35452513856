//! Folders of the operator that jobs may see: `--mount HOST:GUEST[:rw]`.

use super::{PACKAGES_DIR, WORKDIR};
use std::fs::canonicalize;
use std::path::PathBuf;

/// Folders of jobs and of the interpreter: nothing can be mounted there.
const TAKEN: &[&str] = &[
    "/bin",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    WORKDIR,
    PACKAGES_DIR,
    "/proc",
    "/sbin",
    "/sys",
    "/tmp",
    "/usr",
];

/// Why a `--mount` cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`--mount {option}` {why}; give `HOST:GUEST` or `HOST:GUEST:rw`")]
pub struct BadMount {
    option: String,
    why: String,
}

/// A folder of the host and where jobs find it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFolder {
    pub host: PathBuf,
    /// The path that jobs use.
    pub guest: String,
    /// Whether jobs may change it.
    pub writable: bool,
}

impl HostFolder {
    /// Reads `HOST:GUEST`, `HOST:GUEST:ro` or `HOST:GUEST:rw`.
    pub fn parse(text: &str) -> Result<Self, BadMount> {
        let wrong = |why: &str| BadMount { option: text.to_owned(), why: why.to_owned() };
        let (rest, writable) = match (text.strip_suffix(":rw"), text.strip_suffix(":ro")) {
            (Some(rest), _) => (rest, true),
            (None, Some(rest)) => (rest, false),
            (None, None) => (text, false),
        };
        let (host, guest) = rest.rsplit_once(':').ok_or_else(|| wrong("names no path for jobs"))?;
        let mut parts = guest.split('/');
        let absolute = parts.next() == Some("");
        if !absolute || parts.any(|part| matches!(part, "" | "." | "..")) || guest.contains('\0') {
            return Err(wrong("must name an absolute path for jobs, without `.` and `..`"));
        }
        let below = |path: &str, top: &str| path == top || path.starts_with(&format!("{top}/"));
        if let Some(taken) = TAKEN.iter().find(|taken| below(guest, taken) || below(taken, guest)) {
            return Err(wrong(&format!("would hide `{taken}` of the jobs")));
        }
        let host =
            canonicalize(host).map_err(|error| wrong(&format!("cannot be used: {error}")))?;
        if !host.is_dir() {
            return Err(wrong("names no directory of the host"));
        }
        Ok(Self { host, guest: guest.to_owned(), writable })
    }
}

#[cfg(test)]
#[path = "../../tests/unit/job_mounts.rs"]
mod tests;
