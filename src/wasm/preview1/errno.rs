//! Errors as the guest sees them: `$errno` of WASI preview 1's `typenames.witx`.

use crate::vfs::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Errno(pub(super) u16);

impl Errno {
    pub(super) const ACCES: Self = Self(2);
    pub(super) const BADF: Self = Self(8);
    pub(super) const BUSY: Self = Self(10);
    pub(super) const EXIST: Self = Self(20);
    pub(super) const FAULT: Self = Self(21);
    pub(super) const FBIG: Self = Self(22);
    pub(super) const ILSEQ: Self = Self(25);
    pub(super) const INTR: Self = Self(27);
    pub(super) const INVAL: Self = Self(28);
    pub(super) const IO: Self = Self(29);
    pub(super) const ISDIR: Self = Self(31);
    pub(super) const LOOP: Self = Self(32);
    pub(super) const MFILE: Self = Self(33);
    pub(super) const NAMETOOLONG: Self = Self(37);
    pub(super) const NOENT: Self = Self(44);
    pub(super) const NOMEM: Self = Self(48);
    pub(super) const NOSPC: Self = Self(51);
    pub(super) const NOTDIR: Self = Self(54);
    pub(super) const NOTEMPTY: Self = Self(55);
    pub(super) const NOTSOCK: Self = Self(57);
    pub(super) const PERM: Self = Self(63);
    pub(super) const ROFS: Self = Self(69);
    pub(super) const SPIPE: Self = Self(70);
    pub(super) const XDEV: Self = Self(75);

    pub(super) fn code(result: Result<(), Self>) -> u32 {
        match result {
            Ok(()) => 0,
            Err(Self(code)) => code.into(),
        }
    }
}

impl From<Error> for Errno {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound => Self::NOENT,
            Error::NotDirectory => Self::NOTDIR,
            Error::IsDirectory => Self::ISDIR,
            Error::Exists => Self::EXIST,
            Error::NotEmpty => Self::NOTEMPTY,
            Error::ReadOnly => Self::ROFS,
            Error::NoSpace => Self::NOSPC,
            Error::FileTooLarge => Self::FBIG,
            Error::NameTooLong => Self::NAMETOOLONG,
            Error::Loop => Self::LOOP,
            Error::CrossDevice => Self::XDEV,
            Error::Busy => Self::BUSY,
            Error::Invalid => Self::INVAL,
            Error::IllegalName => Self::ILSEQ,
            Error::Denied => Self::ACCES,
            Error::NotPermitted => Self::PERM,
            Error::BadHandle => Self::BADF,
            Error::NoMemory => Self::NOMEM,
            Error::Interrupted => Self::INTR,
            Error::Io => Self::IO,
        }
    }
}
