//! Holds both contracts with the bootstrap: what it declares is read from its source.

use mcp_python_sandbox::testing::{
    BootstrapOptions, Job, Noticed, PythonError, Report, ReportedExit, Request, RuntimeKind,
    WrittenPicture,
};
use serde::de::value::Error as ValueError;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;

const REQUEST: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/wasm-python/bootstrap/sandbox_bootstrap/host/request.py"
));
const REPORT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/wasm-python/bootstrap/sandbox_bootstrap/host/report.py"
));

/// A line `name: kind` of a Python class; optional if it has a default or is `NotRequired`.
#[derive(Debug)]
struct Field {
    name: &'static str,
    kind: &'static str,
    optional: bool,
}

/// The fields of a class, with those of its base class.
fn fields(source: &'static str, class: &str) -> Vec<Field> {
    let (_, rest) = source
        .split_once(&format!("\nclass {class}"))
        .unwrap_or_else(|| panic!("no class `{class}`"));
    let (head, body) = rest.split_once(":\n").expect("as declared");
    let base = head.trim_matches(['(', ')']);
    let mut found = if source.contains(&format!("\nclass {base}(")) {
        fields(source, base)
    } else {
        Vec::new()
    };
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
    let (kind, has_default) =
        kind.split_once(" = ").map_or((kind, false), |(kind, _)| (kind, true));
    let required = kind.strip_prefix("NotRequired[").and_then(|kind| kind.strip_suffix(']'));
    Some(Field {
        name,
        kind: required.unwrap_or(kind),
        optional: has_default || required.is_some(),
    })
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
                let sample =
                    |field: &Field| (field.name.to_owned(), samples(source, field.kind).remove(0));
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
        return value
            .as_array()
            .is_some_and(|items| items.iter().all(|value| is_of_kind(value, item)));
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
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf
        option unit unit_struct
        newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

fn names_of<T: DeserializeOwned>() -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    assert!(T::deserialize(Names(&mut names)).is_err());
    names
}

#[test]
fn the_bootstrap_declares_the_fields_of_a_request() {
    let declared = fields(REQUEST, "Request");
    let (job, options) = (Job::new("1".into()), BootstrapOptions::default());
    let list = ["a".to_owned()];
    let bare = Request::new(&job, "nonce", RuntimeKind::Wasm, &options);
    let mut full = Request::new(&job, "nonce", RuntimeKind::Native, &options);
    full.hostdir = Some("/real".into());
    full.mounts = vec![("/mnt/a", Path::new("/a"))];
    (full.native_modules, full.packages, full.network) = (&list, &list, list.to_vec());
    let object = |request: &Request<'_>| -> Map<String, Value> {
        serde_json::from_slice(&request.to_json().expect("as declared")).expect("as declared")
    };
    let (bare, full) = (object(&bare), object(&full));

    assert_eq!(full.keys().map(String::as_str).collect::<BTreeSet<_>>(), names(&declared));
    for field in &declared {
        let value = &full[field.name];
        assert!(is_of_kind(value, field.kind), "`{}` is {value}, not {}", field.name, field.kind);
        assert_eq!(
            field.optional,
            !bare.contains_key(field.name),
            "whether `{}` may be left out",
            field.name
        );
    }
}

#[test]
fn the_server_reads_what_the_bootstrap_reports() {
    assert_eq!(names(&fields(REPORT, "Report")), names_of::<Report>());
    assert_eq!(names(&fields(REPORT, "PythonError")), names_of::<PythonError>());
    assert_eq!(names(&fields(REPORT, "WrittenPicture")), names_of::<WrittenPicture>());
    assert_eq!(
        BTreeSet::from_iter(words(REPORT, "Exit").expect("as declared")),
        names_of::<ReportedExit>()
    );
    assert_eq!(
        BTreeSet::from_iter(words(REPORT, "Noticed").expect("as declared")),
        names_of::<Noticed>()
    );
    for field in fields(REPORT, "Report") {
        for value in samples(REPORT, field.kind) {
            let text = json!({ field.name: value }).to_string();
            let report: Report =
                serde_json::from_str(&text).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_ne!(report, Report::default(), "{text} says nothing");
        }
    }
}
