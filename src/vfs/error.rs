//! Why the filesystem refused: one variant for each POSIX error that a job can get, so that the
//! caller maps them one to one.

use std::{io, result};

/// Why an operation of [`Vfs`](super::Vfs) was refused. The names follow the errors of
/// [POSIX `<errno.h>`](https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/errno.h.html).
// same name: callers see it as `vfs::Error`, and it never becomes the crate's
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// `ENOENT`
    #[error("no such file or directory")]
    NotFound,
    /// `ENOTDIR`
    #[error("not a directory")]
    NotDirectory,
    /// `EISDIR`
    #[error("is a directory")]
    IsDirectory,
    /// `EEXIST`
    #[error("file exists")]
    Exists,
    /// `ENOTEMPTY`
    #[error("directory not empty")]
    NotEmpty,
    /// `EROFS`: the path lies on a mount that the job may only read.
    #[error("read-only file system")]
    ReadOnly,
    /// `ENOSPC`: the job's allowance of bytes or of files is used up.
    #[error("no space left on device")]
    NoSpace,
    /// `EFBIG`: a single file would grow past its limit.
    #[error("file too large")]
    FileTooLarge,
    /// `ENAMETOOLONG`
    #[error("file name too long")]
    NameTooLong,
    /// `ELOOP`
    #[error("too many levels of symbolic links")]
    Loop,
    /// `EXDEV`
    #[error("cross-device link")]
    CrossDevice,
    /// `EBUSY`: a mount point cannot be removed or renamed.
    #[error("device or resource busy")]
    Busy,
    /// `EINVAL`
    #[error("invalid argument")]
    Invalid,
    /// `EILSEQ`: names are UTF-8 without NUL.
    #[error("illegal byte sequence")]
    IllegalName,
    /// `EACCES`: not a file, directory or symbolic link (a FIFO, socket or device of the host), or
    /// the host refuses.
    #[error("permission denied")]
    Denied,
    /// `EPERM`
    #[error("operation not permitted")]
    NotPermitted,
    /// `EBADF`: not open, or not open for this.
    #[error("bad file descriptor")]
    BadHandle,
    /// `ENOMEM`: the job made the host remember as many names as it may.
    #[error("cannot allocate memory")]
    NoMemory,
    /// `EINTR`: the job is being stopped.
    #[error("interrupted system call")]
    Interrupted,
    /// `EIO`
    #[error("input/output error")]
    Io,
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::ENOENT) => Self::NotFound,
            Some(libc::ENOTDIR) => Self::NotDirectory,
            Some(libc::EISDIR) => Self::IsDirectory,
            Some(libc::ELOOP) => Self::Loop,
            Some(libc::ENAMETOOLONG) => Self::NameTooLong,
            Some(libc::EACCES | libc::EPERM | libc::ENXIO) => Self::Denied,
            Some(libc::ENOMEM) => Self::NoMemory,
            Some(_) | None => {
                tracing::debug!(%error, "a lower layer failed");
                Self::Io
            }
        }
    }
}

/// Result of an operation of the filesystem.
pub type Result<T, E = Error> = result::Result<T, E>;
