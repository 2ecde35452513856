//! The tool as clients see it, and the way from its arguments to a job.

use super::tools::{Hints, describe};
use crate::limits::Limits;
use crate::native::Network;
use crate::outcome::{InputFile, Job, RuntimeKind};
use crate::request::WORKDIR;
use crate::session::Which;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{JsonObject, Tool};
use rmcp::object;
use serde_json::Value;
use std::time::Duration;

/// Name of the tool.
pub(super) const RUN_PYTHON: &str = "run_python";

/// Longest program, in bytes.
const MAX_CODE: usize = 10 << 20;
/// Files that a call may bring; their bytes are bounded by the size of the request.
const MAX_FILES: usize = 100;
/// Files that a call may want to read in the answer.
const MAX_SHOWN: usize = 20;

const DESCRIPTION: &str = "Runs Python 3.13 code in a sandbox and returns what it prints, the value of a last \
expression, the traceback of an exception, and pictures. Each call is a fresh interpreter, unless `session` is passed: \
`\"new\"` begins a session and returns its handle; with that handle, later calls find variables, imports and files again. \
Show plots with `plt.show()`; every figure comes back as an image. The working directory is `/mnt/data`. \
Pure Python (the standard library) runs in WebAssembly and starts in about a millisecond; code that imports numpy, \
pandas, scipy, sklearn, matplotlib, seaborn, PIL and the like runs in a native interpreter. {NETWORK} no \
`pip install` and no keyboard input. Long output is shortened in the middle. A job that reaches its time limit \
is stopped and returns what it has so far.";
/// Where [`DESCRIPTION`] speaks of the network.
const NETWORK: &str = "{NETWORK}";

/// How long a call waits for its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// Until it is over.
    ToTheEnd,
    /// Not at all: the job runs in the background.
    Not,
    /// For so long; then the job goes on in the background.
    UpTo(Duration),
}

/// The tool with its schema, for a server with these longest deadlines of a call and of a job in the background, whose
/// jobs reach these hosts.
pub(super) fn run_python(max_wall: Duration, background_wall: Duration, network: &Network) -> Tool {
    let (most, background) = (max_wall.as_secs(), background_wall.as_secs());
    let properties = object!({
        "code": { "type": "string", "title": "Code", "description": "Python source. Print what you want to see, or end with an expression." },
        "timeout": {
            "type": "number", "title": "Timeout", "exclusiveMinimum": 0, "maximum": most.max(background),
            "description": format!("Time limit in seconds, up to {most}; with `background` up to {background}.")
        },
        "session": { "type": "string", "title": "Session", "description": "`new`, or the handle of a session to continue." },
        "background": { "type": "boolean", "title": "Background", "default": false, "description": "Return a job handle at once; `check_job` gives the result." },
        "on_timeout": { "type": "string", "title": "On timeout", "enum": ["stop", "background"], "default": "stop", "description": "What becomes of a job at its time limit. `background`: it goes on, and the answer holds its handle for `check_job`." },
        "runtime": { "type": "string", "title": "Runtime", "enum": ["auto", "wasm", "native"], "default": "auto", "description": "Where to run. `auto` decides by the imports." },
        "files": {
            "type": "array", "title": "Files", "maxItems": MAX_FILES,
            "description": "Files to put into the working directory first. Each has `path` and either `text` or `base64`.",
            "items": {
                "type": "object", "additionalProperties": false, "required": ["path"],
                "properties": {
                    "path": { "type": "string", "title": "Path", "description": "Relative to the working directory." },
                    "text": { "type": "string", "title": "Text" },
                    "base64": { "type": "string", "title": "Base64" }
                }
            }
        },
        "show_files": {
            "type": "array", "title": "Show files", "maxItems": MAX_SHOWN,
            "description": "Small text files of the working directory to read in the answer, after the job.",
            "items": { "type": "string" }
        }
    });
    let network = match network {
        Network::Open(hosts) => {
            format!("By HTTP and HTTPS these hosts can be reached, and no others: {}. There is", hosts.join(", "))
        }
        Network::Closed | Network::Refused(_) => "There is no network,".to_owned(),
    };
    let hints = Hints { read_only: false, destructive: false, idempotent: false };
    describe(RUN_PYTHON, "Run Python", DESCRIPTION.replace(NETWORK, &network), "code", &properties, hints)
}

/// What a call asks for.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) job: Job,
    pub(super) limits: Limits,
    pub(super) session: Option<Which>,
    pub(super) wait: Wait,
}

/// Reads the arguments of a call.
///
/// # Errors
/// A text for the model that names the argument and says what it must be.
pub(super) fn job(
    arguments: Option<JsonObject>,
    limits: &Limits,
    max_wall: Duration,
    background_wall: Duration,
) -> Result<Call, String> {
    let mut arguments = arguments.unwrap_or_default();
    // Some models write `null` for what they leave out.
    arguments.retain(|_, value| !value.is_null());
    let code = take_code(&mut arguments)?;
    let (limits, wait) = take_time(&mut arguments, limits, max_wall, background_wall)?;
    let runtime = take_runtime(&mut arguments)?;
    let session = take_session(&mut arguments)?;
    let files = input_files(take_list(&mut arguments, "files", "objects with `path` and `text` or `base64`")?)?;
    let show_files = shown_files(&take_list(&mut arguments, "show_files", "paths")?)?;
    if let Some(unknown) = arguments.keys().next() {
        return Err(format!(
            "unknown argument `{unknown}`: `{RUN_PYTHON}` takes `code`, `timeout`, `session`, `background`, `on_timeout`, \
             `runtime`, `files` and `show_files`"
        ));
    }
    let job = Job { files, runtime, show_value: true, show_files, ..Job::new(code) };
    Ok(Call { job, limits, session, wait })
}

fn take_code(arguments: &mut JsonObject) -> Result<String, String> {
    let code = match arguments.remove("code") {
        Some(Value::String(code)) => code,
        Some(other) => return Err(format!("`code` must be a string of Python source, not {}", kind(&other))),
        None => return Err("`code` is missing: pass the Python source to run".into()),
    };
    if code.len() > MAX_CODE {
        return Err(format!(
            "`code` has {} bytes, more than the {MAX_CODE} that are accepted; put data into `files`",
            code.len()
        ));
    }
    if let Some(at) = code.find('\0') {
        let line = code[..at].matches('\n').count() + 1;
        return Err(format!(
            "`code` holds a NUL character in line {line}: Python source cannot, write `\\0` in a string instead"
        ));
    }
    Ok(code)
}

/// The limits of the job, and how long the call waits for it: `background`, `on_timeout` and `timeout` say both.
fn take_time(
    arguments: &mut JsonObject,
    defaults: &Limits,
    max_wall: Duration,
    background_wall: Duration,
) -> Result<(Limits, Wait), String> {
    let mut limits = defaults.clone();
    let wait = take_wait(arguments)?;
    let timeout = arguments.remove("timeout");
    let timeout = timeout.map(|timeout| wall(&timeout, wait, max_wall, background_wall)).transpose()?;
    let wait = match wait {
        Wait::UpTo(_) => Wait::UpTo(timeout.unwrap_or(limits.wall)),
        Wait::Not | Wait::ToTheEnd => wait,
    };
    match (wait, timeout) {
        (Wait::UpTo(_), _) | (Wait::Not, None) => limits.wall = background_wall,
        (_, Some(timeout)) => limits.wall = timeout,
        (Wait::ToTheEnd, None) => {}
    }
    if wait != Wait::ToTheEnd {
        // Defaults are made for calls that somebody waits for.
        limits.cpu = limits.cpu.max(limits.wall);
        limits.fuel = u64::MAX / 2;
    }
    Ok((limits, wait))
}

fn take_runtime(arguments: &mut JsonObject) -> Result<Option<RuntimeKind>, String> {
    let Some(value) = arguments.remove("runtime") else { return Ok(None) };
    match value.as_str() {
        Some("auto") => Ok(None),
        Some("wasm") => Ok(Some(RuntimeKind::Wasm)),
        Some("native") => Ok(Some(RuntimeKind::Native)),
        _ => Err("`runtime` must be `auto`, `wasm` or `native`".into()),
    }
}

fn take_session(arguments: &mut JsonObject) -> Result<Option<Which>, String> {
    match arguments.remove("session") {
        None => Ok(None),
        Some(Value::String(handle)) if handle == "new" => Ok(Some(Which::New)),
        Some(Value::String(handle)) => Ok(Some(Which::Handle(handle))),
        Some(other) => Err(format!("`session` must be `new` or a handle, not {}", kind(&other))),
    }
}

/// The items of the list `name`, which should be `what`; none if it was left out.
fn take_list(arguments: &mut JsonObject, name: &str, what: &str) -> Result<Vec<Value>, String> {
    match arguments.remove(name) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        Some(other) => Err(format!("`{name}` must be a list of {what}, not {}", kind(&other))),
    }
}

/// What `background` and `on_timeout` ask for; how long is not known yet.
fn take_wait(arguments: &mut JsonObject) -> Result<Wait, String> {
    let background = match arguments.remove("background") {
        None => false,
        Some(Value::Bool(background)) => background,
        Some(other) => return Err(format!("`background` must be true or false, not {}", kind(&other))),
    };
    match arguments.remove("on_timeout").as_ref().map(Value::as_str) {
        Some(Some("background")) if background => {
            Err("`background` and `on_timeout: background` exclude each other: the one does not wait at all".into())
        }
        Some(Some("background")) => Ok(Wait::UpTo(Duration::ZERO)),
        None | Some(Some("stop")) => Ok(if background { Wait::Not } else { Wait::ToTheEnd }),
        Some(_) => Err("`on_timeout` must be `stop` or `background`".into()),
    }
}

fn wall(timeout: &Value, wait: Wait, max_wall: Duration, background_wall: Duration) -> Result<Duration, String> {
    let longer = format!("; with `background: true` up to {}", background_wall.as_secs_f64());
    let (max_wall, longer) = if wait == Wait::Not { (background_wall, "") } else { (max_wall, longer.as_str()) };
    let wrong =
        || format!("`timeout` must be a number of seconds above 0 and up to {}{longer}", max_wall.as_secs_f64());
    let seconds = timeout.as_f64().ok_or_else(wrong)?;
    let wall = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if wall.is_zero() || wall > max_wall { Err(wrong()) } else { Ok(wall) }
}

fn input_files(values: Vec<Value>) -> Result<Vec<InputFile>, String> {
    if values.len() > MAX_FILES {
        return Err(format!("`files` holds {} files, more than the {MAX_FILES} that are accepted", values.len()));
    }
    let read = |(index, value)| input_file(value).map_err(|why| format!("`files[{index}]`: {why}"));
    values.into_iter().enumerate().map(read).collect()
}

fn shown_files(values: &[Value]) -> Result<Vec<String>, String> {
    if values.len() > MAX_SHOWN {
        return Err(format!("`show_files` names {} files, more than the {MAX_SHOWN} that are accepted", values.len()));
    }
    let path = |(index, value): (usize, &Value)| {
        let path = value.as_str().ok_or_else(|| "must be a path".to_owned()).and_then(relative);
        path.map_err(|why| format!("`show_files[{index}]`: {why}"))
    };
    values.iter().enumerate().map(path).collect()
}

fn input_file(value: Value) -> Result<InputFile, String> {
    let Value::Object(mut object) = value else {
        return Err("must be an object with `path` and `text` or `base64`".into());
    };
    let Some(Value::String(path)) = object.remove("path") else { return Err("`path` must be a string".into()) };
    let path = relative(&path)?;
    let content = match (object.remove("text"), object.remove("base64")) {
        (Some(Value::String(text)), None) => text.into_bytes(),
        (None, Some(Value::String(data))) => {
            let data: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
            STANDARD.decode(data).map_err(|error| format!("`base64` does not decode: {error}"))?
        }
        _ => return Err("give either `text` or `base64`, as a string".into()),
    };
    match object.keys().next() {
        Some(unknown) => Err(format!("unknown key `{unknown}`")),
        None => Ok(InputFile { path, content }),
    }
}

/// A path below the working directory, without `.` and empty parts. `/mnt/data/x` is taken as `x`.
fn relative(path: &str) -> Result<String, String> {
    let below = path.strip_prefix(WORKDIR).filter(|rest| rest.starts_with('/')).unwrap_or(path);
    let below = if below.len() == path.len() { path } else { below.trim_start_matches('/') };
    let wrong = |why: &str| Err(format!("`path` {path:?} {why}; give a path relative to the working directory"));
    if below.starts_with('/') {
        return wrong("is absolute");
    }
    if below.contains('\0') {
        return wrong("holds a NUL character");
    }
    let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return wrong("leaves the working directory");
    }
    if parts.is_empty() { wrong("names no file") } else { Ok(parts.join("/")) }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
