//! The report that the bootstrap writes about a job.

use super::resources::NOTES;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::marker::PhantomData;

/// What the bootstrap reports about a job; what a later report says replaces what an earlier one
/// said.
// same name: the other is what `doctor` prints
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Report {
    /// How the job's code ended, as the bootstrap saw it.
    pub exit: Option<ReportedExit>,
    /// Exit code that plain Python would have had.
    pub code: Option<i32>,
    /// The exception that ended it.
    pub error: Option<PythonError>,
    /// For [`ReportedExit::NeedsNative`]: the module that asked for it.
    pub module: Option<String>,
    /// For [`ReportedExit::NeedsNative`]: how it was noticed.
    pub how: Option<Noticed>,
    /// Hints for the model, one line each.
    #[serde(deserialize_with = "first_items")]
    pub notes: Vec<String>,
    /// Where the job was when its deadline struck.
    #[serde(rename = "where")]
    pub at: Option<String>,
    /// Files below the working directory whose picture is already among the images.
    #[serde(deserialize_with = "first_items")]
    pub saved: Vec<String>,
    /// Pictures that it wrote below the working directory, in the order of writing.
    #[serde(deserialize_with = "first_items")]
    pub pictures: Vec<WrittenPicture>,
    /// Variables of a session that could not move to the other runtime, each with the reason.
    #[serde(deserialize_with = "first_items")]
    pub left: Vec<String>,
    /// Modules that it imported and the fork server could have had ready.
    #[serde(deserialize_with = "first_items")]
    pub imported: Vec<String>,
}

impl Report {
    /// Takes what a later report says.
    pub(crate) fn replace_by(&mut self, later: Self) {
        fn list<T>(later: Vec<T>, earlier: &mut Vec<T>) -> Vec<T> {
            if later.is_empty() { std::mem::take(earlier) } else { later }
        }
        *self = Self {
            exit: later.exit.or(self.exit),
            code: later.code.or(self.code),
            error: later.error.or_else(|| self.error.take()),
            module: later.module.or_else(|| self.module.take()),
            how: later.how.or(self.how),
            notes: list(later.notes, &mut self.notes),
            at: later.at.or_else(|| self.at.take()),
            saved: list(later.saved, &mut self.saved),
            pictures: list(later.pictures, &mut self.pictures),
            left: list(later.left, &mut self.left),
            imported: list(later.imported, &mut self.imported),
        };
    }
}

/// A list of which no more than [`NOTES`] are kept, however many come.
fn first_items<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Items<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut items = Vec::new();
            while items.len() < NOTES {
                let Some(item) = list.next_element()? else { return Ok(items) };
                items.push(item);
            }
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(items)
        }
    }

    deserializer.deserialize_seq(Items(PhantomData))
}

/// The bootstrap's word for the end of the job's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedExit {
    /// It ran to its end.
    Ok,
    /// An exception came out of it.
    Exception,
    /// `sys.exit`.
    Exit,
    /// It needs the native runtime; it has had no effect that counts.
    NeedsNative,
    /// The deadline interrupted it.
    Deadline,
}

/// How a need for the native runtime was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Noticed {
    /// By the parser, before anything ran.
    Import,
    /// When the code tried it.
    Attempt,
}

/// A picture that the job wrote to a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WrittenPicture {
    /// Path below the working directory.
    pub file: String,
    /// Title of the figure that it was drawn from.
    pub title: String,
    /// What that figure shows.
    pub text: String,
}

/// An exception as Python would have printed it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct PythonError {
    /// Class name, such as `ZeroDivisionError`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `str(exception)`.
    pub message: String,
    /// The whole traceback, with a newline at its end.
    pub traceback: String,
}
