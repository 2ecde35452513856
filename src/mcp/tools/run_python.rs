//! `run_python`: what clients see of it, and the way from its arguments to a call.

use super::arguments::{Arguments, BadArgument, bad, boolean, kind, number, relative};
use super::{Hints, Offer, ToolCall, ToolEntry, ToolError, describe, jobs};
use crate::answer::Answer;
use crate::job::{InputFile, Job, Limits, RuntimeKind};
use crate::mcp::progress::while_reporting;
use crate::native::Network;
use crate::service::{Call, SessionRef, take_place};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt as _;
use rmcp::model::Tool;
use rmcp::object;
use serde_json::Value;
use std::task::Poll;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub(super) const ENTRY: ToolEntry =
    ToolEntry { name: NAME, is_on: |_| true, describe: tool, call: |call| run(call).boxed() };

const NAME: &str = "run_python";

const ALL: &str = "`code`, `timeout`, `session`, `background`, `on_timeout`, `runtime`, `files` \
and `show_files`";

/// Longest program, in bytes.
const MAX_CODE: usize = 10 << 20;
/// Files that a call may bring; their bytes are bounded by the size of the request.
const MAX_FILES: usize = 100;
/// Files that a call may want to read in the answer.
const MAX_SHOWN: usize = 20;

const DESCRIPTION: &str = "Runs Python 3.13 code in a sandbox and returns what it prints, the \
value of a last expression, the traceback of an exception, and pictures. Each call is a fresh \
interpreter, unless `session` is passed: `\"new\"` begins a session and returns its handle; with \
that handle, later calls find variables, imports and files again. Show plots with `plt.show()`; \
every figure comes back as an image. The working directory is `/mnt/data`. Pure Python (the \
standard library) runs in WebAssembly and starts in about a millisecond; code that imports numpy, \
pandas, scipy, sklearn, matplotlib, seaborn, PIL and the like runs in a native interpreter. \
{NETWORK} no `pip install` and no keyboard input. Long output is shortened in the middle. A job \
that reaches its time limit is stopped and returns what it has so far.";
/// Where [`DESCRIPTION`] speaks of the network.
const NETWORK: &str = "{NETWORK}";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// Until it is over.
    ToTheEnd,
    /// Not at all: the job runs in the background.
    Not,
    /// For so long; then the job goes on in the background.
    UpTo(Duration),
}

fn tool(offer: &Offer<'_>) -> Tool {
    let most = offer.max_wall.as_secs();
    let background = offer.service.config.jobs.wall.as_secs();
    let properties = object!({
        "code": {
            "type": "string", "title": "Code",
            "description": "Python source. Print what you want to see, or end with an expression."
        },
        "timeout": {
            "type": "number", "title": "Timeout",
            "exclusiveMinimum": 0, "maximum": most.max(background),
            "description": format!(
                "Time limit in seconds, up to {most}; with `background` up to {background}."
            )
        },
        "session": {
            "type": "string", "title": "Session",
            "description": "`new`, or the handle of a session to continue."
        },
        "background": {
            "type": "boolean", "title": "Background", "default": false,
            "description": "Return a job handle at once; `check_job` gives the result."
        },
        "on_timeout": {
            "type": "string", "title": "On timeout",
            "enum": ["stop", "background"], "default": "stop",
            "description": "What becomes of a job at its time limit. `background`: it goes on, and \
                            the answer holds its handle for `check_job`."
        },
        "runtime": {
            "type": "string", "title": "Runtime",
            "enum": ["auto", "wasm", "native"], "default": "auto",
            "description": "Where to run. `auto` decides by the imports."
        },
        "files": {
            "type": "array", "title": "Files", "maxItems": MAX_FILES,
            "description": "Files to put into the working directory first. Each has `path` and \
                            either `text` or `base64`.",
            "items": {
                "type": "object", "additionalProperties": false, "required": ["path"],
                "properties": {
                    "path": {
                        "type": "string", "title": "Path",
                        "description": "Relative to the working directory."
                    },
                    "text": { "type": "string", "title": "Text" },
                    "base64": { "type": "string", "title": "Base64" }
                }
            }
        },
        "show_files": {
            "type": "array", "title": "Show files", "maxItems": MAX_SHOWN,
            "description": "Small text files of the working directory to read in the answer, after \
                            the job.",
            "items": { "type": "string" }
        }
    });
    let network = match offer.service.runtimes.network() {
        Network::Open(hosts) => {
            let hosts = hosts.join(", ");
            format!(
                "By HTTP and HTTPS these hosts can be reached, and no others: {hosts}. There is"
            )
        }
        Network::Closed | Network::Refused(_) => "There is no network,".to_owned(),
    };
    let hints = Hints { read_only: false, destructive: false, idempotent: false };
    describe(NAME, "Run Python", DESCRIPTION.replace(NETWORK, &network), "code", &properties, hints)
}

async fn run(mut tool_call: ToolCall) -> Result<Answer, ToolError> {
    let (call, wait) = read(&mut tool_call)?;
    if call.session.is_some() {
        tool_call.ticket.wait().await;
    }
    match wait {
        Wait::Not => jobs::begin(tool_call, call).await,
        Wait::UpTo(patience) => jobs::begin_and_wait(tool_call, call, patience).await,
        Wait::ToTheEnd => Ok(run_and_wait(tool_call, &call).await),
    }
}

/// Runs a call and reports its progress. The next calls of its connection have their turns
/// once it has its place in its session's line.
async fn run_and_wait(tool_call: ToolCall, call: &Call) -> Answer {
    let ToolCall { service, ticket, listener, .. } = tool_call;
    let mut run = Box::pin(service.execute_for_client(call));
    if call.session.is_some()
        && let Poll::Ready(outcome) = take_place(run.as_mut()).await
    {
        return Answer::of_result(&outcome);
    }
    drop(ticket);
    Answer::of_result(&while_reporting(run, &call.output, call.limits.wall, listener).await)
}

/// Reads the arguments of a call: what to run, and how long to wait for it.
fn read(tool_call: &mut ToolCall) -> Result<(Call, Wait), BadArgument> {
    let config = &tool_call.service.config;
    let mut arguments = Arguments::new(NAME, std::mem::take(&mut tool_call.arguments));
    let code = take_code(&mut arguments)?;
    let longest = Longest { call: tool_call.max_wall, background: config.jobs.wall };
    let (limits, wait) = take_time(&mut arguments, &config.limits, longest)?;
    let runtime = take_runtime(&mut arguments)?;
    let session = take_session(&mut arguments)?;
    let files = arguments.take_list("files", "objects with `path` and `text` or `base64`")?;
    let files = input_files(files)?;
    let show_files = shown_files(&arguments.take_list("show_files", "paths")?)?;
    arguments.finish(ALL)?;
    let job = Job { files, runtime, show_value: true, show_files, ..Job::new(code) };
    // A job in the background is ended by its handle.
    let cancel =
        if wait == Wait::ToTheEnd { tool_call.cancel.clone() } else { CancellationToken::new() };
    let client = tool_call.client;
    // Nobody waits for the answer of a job in the background.
    let asked = tool_call.asked.take_if(|_| wait == Wait::ToTheEnd);
    Ok((Call { client, session, cancel, asked, ..Call::new(job, limits) }, wait))
}

fn take_code(arguments: &mut Arguments) -> Result<String, BadArgument> {
    let code = match arguments.take("code") {
        Some(Value::String(code)) => code,
        Some(other) => {
            return bad(format!("`code` must be a string of Python source, not {}", kind(&other)));
        }
        None => return bad("`code` is missing: pass the Python source to run"),
    };
    if code.len() > MAX_CODE {
        let bytes = code.len();
        return bad(format!(
            "`code` has {bytes} bytes, more than the {MAX_CODE} that are accepted; put data into \
             `files`"
        ));
    }
    if let Some(at) = code.find('\0') {
        let line = code[..at].matches('\n').count() + 1;
        return bad(format!(
            "`code` holds a NUL character in line {line}: Python source cannot, write \
             `\\0` in a string instead"
        ));
    }
    Ok(code)
}

#[derive(Debug, Clone, Copy)]
struct Longest {
    /// Of a call that waits for its job.
    call: Duration,
    /// Of a job in the background.
    background: Duration,
}

/// The limits of the job, and how long the call waits for it: `background`, `on_timeout` and
/// `timeout` say both.
fn take_time(
    arguments: &mut Arguments,
    defaults: &Limits,
    longest: Longest,
) -> Result<(Limits, Wait), BadArgument> {
    let mut limits = defaults.clone();
    let wait = take_wait(arguments)?;
    let timeout = arguments.take("timeout");
    let timeout = timeout.map(|timeout| wall(&timeout, wait, longest)).transpose()?;
    let wait = match wait {
        Wait::UpTo(_) => Wait::UpTo(timeout.unwrap_or(limits.wall)),
        Wait::Not | Wait::ToTheEnd => wait,
    };
    match (wait, timeout) {
        (Wait::UpTo(_), _) | (Wait::Not, None) => limits.wall = longest.background,
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

fn take_runtime(arguments: &mut Arguments) -> Result<Option<RuntimeKind>, BadArgument> {
    let Some(value) = arguments.take("runtime") else { return Ok(None) };
    match value.as_str() {
        Some("auto") => Ok(None),
        Some("wasm") => Ok(Some(RuntimeKind::Wasm)),
        Some("native") => Ok(Some(RuntimeKind::Native)),
        _ => bad("`runtime` must be `auto`, `wasm` or `native`"),
    }
}

fn take_session(arguments: &mut Arguments) -> Result<Option<SessionRef>, BadArgument> {
    match arguments.take("session") {
        None => Ok(None),
        Some(Value::String(handle)) if handle == "new" => Ok(Some(SessionRef::New)),
        Some(Value::String(handle)) => Ok(Some(SessionRef::Handle(handle))),
        Some(other) => bad(format!("`session` must be `new` or a handle, not {}", kind(&other))),
    }
}

/// What `background` and `on_timeout` ask for; how long is not known yet.
fn take_wait(arguments: &mut Arguments) -> Result<Wait, BadArgument> {
    let background = match arguments.take("background") {
        None => false,
        Some(value) => boolean(&value).ok_or_else(|| {
            BadArgument::from(format!("`background` must be true or false, not {}", kind(&value)))
        })?,
    };
    match arguments.take("on_timeout").as_ref().map(Value::as_str) {
        Some(Some("background")) if background => {
            bad("`background` and `on_timeout: background` exclude each other: the one does not \
                 wait at all")
        }
        Some(Some("background")) => Ok(Wait::UpTo(Duration::ZERO)),
        None | Some(Some("stop")) => Ok(if background { Wait::Not } else { Wait::ToTheEnd }),
        Some(_) => bad("`on_timeout` must be `stop` or `background`"),
    }
}

fn wall(timeout: &Value, wait: Wait, longest: Longest) -> Result<Duration, BadArgument> {
    let background = longest.background.as_secs_f64();
    let (max_wall, longer) = match wait {
        Wait::Not => (longest.background, String::new()),
        Wait::ToTheEnd | Wait::UpTo(_) => {
            (longest.call, format!("; with `background: true` up to {background}"))
        }
    };
    let wall = number(timeout).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    wall.filter(|wall| !wall.is_zero() && *wall <= max_wall).ok_or_else(|| {
        let most = max_wall.as_secs_f64();
        format!("`timeout` must be a number of seconds above 0 and up to {most}{longer}").into()
    })
}

fn input_files(values: Vec<Value>) -> Result<Vec<InputFile>, BadArgument> {
    if values.len() > MAX_FILES {
        let count = values.len();
        return bad(format!(
            "`files` holds {count} files, more than the {MAX_FILES} that are accepted"
        ));
    }
    let read =
        |(index, value)| input_file(value).map_err(|why| format!("`files[{index}]`: {why}").into());
    values.into_iter().enumerate().map(read).collect()
}

fn shown_files(values: &[Value]) -> Result<Vec<String>, BadArgument> {
    if values.len() > MAX_SHOWN {
        let count = values.len();
        return bad(format!(
            "`show_files` names {count} files, more than the {MAX_SHOWN} that are accepted"
        ));
    }
    let path = |(index, value): (usize, &Value)| {
        let path = value.as_str().ok_or_else(|| "must be a path".into()).and_then(relative);
        path.map_err(|why: BadArgument| format!("`show_files[{index}]`: {why}").into())
    };
    values.iter().enumerate().map(path).collect()
}

fn input_file(value: Value) -> Result<InputFile, BadArgument> {
    let Value::Object(mut object) = value else {
        return bad("must be an object with `path` and `text` or `base64`");
    };
    let Some(Value::String(path)) = object.remove("path") else {
        return bad("`path` must be a string");
    };
    let path = relative(&path)?;
    let content = match (object.remove("text"), object.remove("base64")) {
        (Some(Value::String(text)), None) => text.into_bytes(),
        (None, Some(Value::String(data))) => {
            let data: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
            STANDARD.decode(data).map_err(|error| format!("`base64` does not decode: {error}"))?
        }
        _ => return bad("give either `text` or `base64`, as a string"),
    };
    match object.keys().next() {
        Some(unknown) => bad(format!("unknown key `{unknown}`")),
        None => Ok(InputFile { path, content }),
    }
}
