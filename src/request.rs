//! The request that the bootstrap reads: the same JSON for both runtimes.

use crate::budget::MAX_SIDE;
use crate::error::Error;
use crate::outcome::{Job, MAIN};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// Where the working directory appears to a job, in both runtimes.
pub const WORKDIR: &str = "/mnt/data";

/// Where a session's state waits while it moves from one runtime to the other, as jobs see the path in both.
pub const STATE_FILE: &str = "/tmp/.session";

/// What the bootstrap is told about one job. The other side is `sandbox_bootstrap/host/request.py`; a test below
/// compares the two field for field.
#[derive(Debug, Serialize)]
pub struct Request<'a> {
    /// Python source.
    pub code: &'a str,
    /// File name that tracebacks show.
    pub filename: &'a str,
    /// `sys.argv`.
    pub argv: &'a [String],
    /// Nonce of the frames.
    pub nonce: &'a str,
    /// `wasm` or `native`.
    pub runtime: &'static str,
    /// The working directory as the job sees it.
    pub workdir: &'static str,
    /// The real directory behind it (native runtime).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostdir: Option<String>,
    /// Folders of the host: the path that the job uses, and the real one (native runtime).
    pub mounts: Vec<(&'a str, &'a Path)>,
    /// Whether the value of a last expression is shown.
    pub show_value: bool,
    /// Options of the operator.
    #[serde(flatten)]
    pub options: &'a BootstrapOptions,
    /// Top-level modules that only the native runtime has (WASI runtime).
    pub native_modules: &'a [String],
    /// The operator's packages, to be searched last (WASI runtime).
    pub packages: &'a [String],
    /// `on` or `off`: whether a job can be rerun natively.
    pub native: &'static str,
    /// Why native is off.
    pub native_why: &'a str,
    /// Hosts that native jobs can reach, as the operator named them.
    pub network: Vec<String>,
    /// Why there are none although the operator named some.
    pub network_why: String,
    /// The number of the call in its session, from 1; 0 without one.
    pub session: u32,
    /// File for the state of a session that migrates to the other runtime, as the job sees the path.
    pub state_file: &'static str,
    /// Whether the session's state comes from there (native runtime).
    pub restore: bool,
    /// Whether the session migrates at once, without running anything (WASI runtime).
    pub migrate: bool,
}

/// The operator's choices that concern the guest side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BootstrapOptions {
    /// Whether figures come with a text that says what they show.
    pub figure_text: bool,
    /// Longest side of an image, in pixels.
    pub max_image_side: u32,
    /// Pixels of an image before it is scaled.
    pub max_image_pixels: u32,
}

impl Default for BootstrapOptions {
    fn default() -> Self {
        Self { figure_text: true, max_image_side: MAX_SIDE, max_image_pixels: 16_000_000 }
    }
}

impl<'a> Request<'a> {
    /// The request for `job`; the caller fills in what its runtime needs beyond that.
    pub fn new(job: &'a Job, nonce: &'a str, runtime: &'static str, options: &'a BootstrapOptions) -> Self {
        Self {
            code: &job.code,
            filename: job.argv.first().map_or(MAIN, String::as_str),
            argv: &job.argv,
            nonce,
            runtime,
            workdir: WORKDIR,
            hostdir: None,
            mounts: Vec::new(),
            show_value: job.show_value,
            options,
            native_modules: &[],
            packages: &[],
            native: "off",
            native_why: "",
            network: Vec::new(),
            network_why: String::new(),
            session: 0,
            state_file: STATE_FILE,
            restore: false,
            migrate: false,
        }
    }

    /// The JSON text.
    ///
    /// # Errors
    /// [`Error::Request`] if it cannot be written, which no field of ours allows.
    pub fn to_json(&self) -> Result<Vec<u8>, Error> {
        serde_json::to_vec(self).map_err(|source| Error::Request(format!("failed to encode the request: {source}")))
    }
}

/// 32 hexadecimal digits from the kernel's random source.
///
/// # Errors
/// [`Error::Request`] if the kernel gives no randomness.
pub fn nonce() -> Result<String, Error> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|source| Error::Request(format!("failed to draw a nonce: {source}")))?;
    Ok(hex(&bytes))
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    //! Holds both contracts with the bootstrap: what it declares is read from its source.

    use super::{BootstrapOptions, Request};
    use crate::outcome::{Job, Noticed, PythonError, Report, ReportedExit, WrittenPicture};
    use serde::de::value::Error as ValueError;
    use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
    use serde::forward_to_deserialize_any;
    use serde_json::{Map, Value, json};
    use std::collections::BTreeSet;
    use std::error::Error;
    use std::path::Path;

    const REQUEST: &str =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/wasm-python/bootstrap/sandbox_bootstrap/host/request.py"));
    const REPORT: &str =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/wasm-python/bootstrap/sandbox_bootstrap/host/report.py"));

    /// A line `name: kind` of a Python class; optional if it has a default or is `NotRequired`.
    #[derive(Debug)]
    struct Field {
        name: &'static str,
        kind: &'static str,
        optional: bool,
    }

    /// The fields of a class, with those of its base class.
    fn fields(source: &'static str, class: &str) -> Vec<Field> {
        let after = source.split_once(&format!("\nclass {class}")).and_then(|(_, rest)| rest.split_once(":\n"));
        let (head, body) = after.unwrap_or_else(|| panic!("no class `{class}`"));
        let base = head.trim_matches(['(', ')']);
        let mut found = if source.contains(&format!("\nclass {base}(")) { fields(source, base) } else { Vec::new() };
        let body = body.lines().take_while(|line| line.is_empty() || line.starts_with("    "));
        found.extend(body.take_while(|line| !line.starts_with("    def ")).filter_map(field));
        assert!(!found.is_empty(), "no fields in `{class}`");
        found
    }

    fn field(line: &'static str) -> Option<Field> {
        let line = line.split("  #").next()?;
        let (name, kind) = line.strip_prefix("    ")?.split_once(": ")?;
        if !name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
            return None;
        }
        let (kind, has_default) = kind.split_once(" = ").map_or((kind, false), |(kind, _)| (kind, true));
        let required = kind.strip_prefix("NotRequired[").and_then(|kind| kind.strip_suffix(']'));
        Some(Field { name, kind: required.unwrap_or(kind), optional: has_default || required.is_some() })
    }

    fn names(fields: &[Field]) -> BTreeSet<&str> {
        fields.iter().map(|field| field.name).collect()
    }

    /// The words of `Name = Literal["one", "two"]`.
    fn words(source: &'static str, name: &str) -> Option<Vec<&'static str>> {
        let (_, rest) = source.split_once(&format!("\n{name} = Literal["))?;
        Some(rest.split_once(']')?.0.split(", ").map(|word| word.trim_matches('"')).collect())
    }

    /// Values of a Python type, each as JSON.
    fn samples(source: &'static str, kind: &'static str) -> Vec<Value> {
        if let Some(item) = kind.strip_prefix("list[").and_then(|kind| kind.strip_suffix(']')) {
            return samples(source, item).into_iter().map(|item| json!([item])).collect();
        }
        match kind {
            "str" => vec![json!("text")],
            "int" => vec![json!(7)],
            name => words(source, name).map_or_else(
                || {
                    let fields = fields(source, name);
                    let sample = |field: &Field| (field.name.to_owned(), samples(source, field.kind).remove(0));
                    vec![Value::Object(fields.iter().map(sample).collect::<Map<_, _>>())]
                },
                |words| words.into_iter().map(Value::from).collect(),
            ),
        }
    }

    /// Whether JSON is what Python calls `kind`.
    fn is_of_kind(value: &Value, kind: &str) -> bool {
        let inner = |start| kind.strip_prefix(start).and_then(|kind: &str| kind.strip_suffix(']'));
        if let Some(item) = inner("list[") {
            return value.as_array().is_some_and(|items| items.iter().all(|value| is_of_kind(value, item)));
        }
        if let Some(items) = inner("tuple[") {
            let kinds: Vec<_> = items.split(", ").collect();
            let values = value.as_array().map(Vec::as_slice).unwrap_or_default();
            return values.len() == kinds.len()
                && values.iter().zip(kinds).all(|(value, kind)| is_of_kind(value, kind));
        }
        match kind {
            "str" => value.is_string(),
            "int" => value.is_u64(),
            "bool" => value.is_boolean(),
            _ => panic!("no kind of JSON is known for `{kind}`"),
        }
    }

    /// Reads nothing: keeps the names of the fields or variants that `serde` would look for.
    struct Names<'a>(&'a mut BTreeSet<&'static str>);

    impl<'de> Deserializer<'de> for Names<'_> {
        type Error = ValueError;

        fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, ValueError> {
            Err(ValueError::custom("neither struct nor enum"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _name: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, ValueError> {
            self.0.extend(fields);
            self.deserialize_any(visitor)
        }

        fn deserialize_enum<V: Visitor<'de>>(
            self,
            name: &'static str,
            variants: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, ValueError> {
            self.deserialize_struct(name, variants, visitor)
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map identifier ignored_any
        }
    }

    fn names_of<T: DeserializeOwned>() -> BTreeSet<&'static str> {
        let mut names = BTreeSet::new();
        assert!(T::deserialize(Names(&mut names)).is_err());
        names
    }

    #[test]
    fn the_bootstrap_declares_the_fields_of_a_request() -> Result<(), Box<dyn Error>> {
        let declared = fields(REQUEST, "Request");
        let (job, options) = (Job::new("1".into()), BootstrapOptions::default());
        let list = ["a".to_owned()];
        let bare = Request::new(&job, "nonce", "wasm", &options);
        let mut full = Request::new(&job, "nonce", "native", &options);
        full.hostdir = Some("/real".into());
        full.mounts = vec![("/mnt/a", Path::new("/a"))];
        (full.native_modules, full.packages, full.network) = (&list, &list, list.to_vec());
        let bare: Map<String, Value> = serde_json::from_slice(&bare.to_json()?)?;
        let full: Map<String, Value> = serde_json::from_slice(&full.to_json()?)?;

        assert_eq!(full.keys().map(String::as_str).collect::<BTreeSet<_>>(), names(&declared));
        for field in &declared {
            let value = &full[field.name];
            assert!(is_of_kind(value, field.kind), "`{}` is {value}, not {}", field.name, field.kind);
            assert_eq!(field.optional, !bare.contains_key(field.name), "whether `{}` may be left out", field.name);
        }
        Ok(())
    }

    #[test]
    fn the_server_reads_what_the_bootstrap_reports() {
        assert_eq!(names(&fields(REPORT, "Report")), names_of::<Report>());
        assert_eq!(names(&fields(REPORT, "PythonError")), names_of::<PythonError>());
        assert_eq!(names(&fields(REPORT, "WrittenPicture")), names_of::<WrittenPicture>());
        let words_of = |name| words(REPORT, name).map(BTreeSet::from_iter);
        assert_eq!(words_of("Exit"), Some(names_of::<ReportedExit>()));
        assert_eq!(words_of("Noticed"), Some(names_of::<Noticed>()));
        for field in fields(REPORT, "Report") {
            for value in samples(REPORT, field.kind) {
                let text = json!({ field.name: value }).to_string();
                let report: Report = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{text}: {why}"));
                assert_ne!(report, Report::default(), "{text} says nothing");
            }
        }
    }
}
