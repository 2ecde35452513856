//! What a job is and what it may use: plain data, shared by every floor above.

mod caller;
mod handle;
mod limits;
pub(crate) mod mounts;
mod packages;
mod report;
mod request;
pub(crate) mod resources;
mod run;
mod spec;

pub(crate) use caller::{Caller, Client, new_connection};
pub(crate) use handle::{HeldBy, Instance};
pub(crate) use limits::{LIMIT_OPTIONS, LimitOption, Scale, milliseconds};
pub use limits::{LimitHit, LimitKind, Limits};
pub(crate) use mounts::HostFolder;
pub(crate) use packages::{PACKAGES_DIR, Packages};
pub use report::{Noticed, PythonError, Report, ReportedExit, WrittenPicture};
pub use request::{BootstrapOptions, Request};
pub(crate) use request::{MAX_IMAGE_SIDE, STATE_FILE, SessionCall, WORKDIR};
pub(crate) use run::Usage;
pub use run::{OutputFile, RunEnd, RunRecord};
pub(crate) use spec::{InputFile, MAIN};
pub use spec::{Job, RuntimeKind};
