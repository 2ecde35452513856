//! Folders of the operator that jobs may see: `--mount HOST:GUEST[:rw]`.

use super::{PACKAGES_DIR, WORKDIR};
use std::fs::{canonicalize, metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

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
#[error("`--mount {option}` {why}")]
pub struct BadMount {
    option: String,
    why: String,
}

/// A place of the server that no mount may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ours {
    pub(crate) path: PathBuf,
    /// Whether jobs must not even read it. Otherwise they must not change it.
    pub(crate) is_secret: bool,
}

/// Refuses mounts of places of the server's, and a read-only folder within a writable one: a native
/// job could write there, since Landlock cannot take away what it allows above.
///
/// # Errors
/// The first mount that is refused, and why.
pub(crate) fn check(mounts: &[HostFolder], ours: &[Ours]) -> Result<(), BadMount> {
    for mount in mounts {
        let bad = |why: String| Err(BadMount { option: mount.option(), why });
        for Ours { path, is_secret } in ours {
            let path = &resolved(path);
            if *is_secret && is_within(path, &mount.host) {
                return bad(format!(
                    "holds `{}`, where the folders of all jobs are; set `TMPDIR` to a folder \
                     outside of it",
                    path.display()
                ));
            }
            let meet = is_within(path, &mount.host) || is_within(&mount.host, path);
            if !is_secret && mount.writable && meet {
                return bad(format!(
                    "would let jobs change `{}`, which this server runs on; mount it without \
                     `:rw`, or a folder beside it",
                    path.display()
                ));
            }
        }
        let is_above = |outer: &&HostFolder| outer.writable && is_within(&mount.host, &outer.host);
        if let Some(outer) = mounts.iter().find(is_above).filter(|_| !mount.writable) {
            return bad(format!(
                "would be writable, because it lies within `{}`, which is mounted with `:rw`",
                outer.host.display()
            ));
        }
    }
    Ok(())
}

/// Whether `inner` is the folder `outer` or lies below it, also where a bind mount shows one of
/// them elsewhere.
fn is_within(inner: &Path, outer: &Path) -> bool {
    let id = |path: &Path| metadata(path).ok().map(|data| (data.dev(), data.ino()));
    let wanted = id(outer);
    wanted.is_some() && inner.ancestors().any(|path| id(path) == wanted)
}

/// The path without symbolic links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let parent = || Some(resolved(path.parent()?).join(path.file_name()?));
    canonicalize(path).ok().or_else(parent).unwrap_or_else(|| path.to_owned())
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
        let wrong = |why: &str| BadMount {
            option: text.to_owned(),
            why: format!("{why}; give `HOST:GUEST` or `HOST:GUEST:rw`"),
        };
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

    /// As it was typed, more or less.
    fn option(&self) -> String {
        let access = if self.writable { ":rw" } else { "" };
        format!("{}:{}{access}", self.host.display(), self.guest)
    }
}

#[cfg(test)]
#[path = "../../tests/unit/job_mounts.rs"]
mod tests;
