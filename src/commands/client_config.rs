//! What to paste into a client so that it starts this server.

use crate::cli::ClientApp;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Name of the server in a client's settings.
const NAME: &str = "python-sandbox";

const PROGRAM: &str = env!("CARGO_PKG_NAME");
/// What `uvx` installs: the server with the packages that are promised.
const UVX_FROM: &str = concat!(env!("CARGO_PKG_NAME"), "[science]");

/// What a container is started with: README.md, `librechat.yaml` and `server.json` name the same.
/// No network, and nothing that lasts; the engine ends the container at the end of its input.
const DOCKER_RUN: [&str; 10] = [
    "run",
    "-i",
    "--rm",
    "--network=none",
    "--memory=512m",
    "--cpus=2",
    "--security-opt=no-new-privileges:true",
    "--read-only",
    "--tmpfs=/tmp",
    "--tmpfs=/home/sandbox",
];

/// How a client starts this server.
#[derive(Debug)]
pub(super) enum StartCommand {
    /// By its path, on the machine where the client is.
    Binary(PathBuf),
    /// As a container of this image: a path inside of it means nothing to a client.
    Image(String),
    /// By `uvx`, whose own copy may be elsewhere the next time.
    Uvx,
}

impl StartCommand {
    fn command_line(&self) -> (String, Vec<&str>) {
        match self {
            Self::Binary(path) => (path.to_string_lossy().into_owned(), vec!["serve"]),
            Self::Uvx => ("uvx".to_owned(), vec!["--from", UVX_FROM, PROGRAM, "serve"]),
            Self::Image(image) => {
                ("docker".to_owned(), DOCKER_RUN.into_iter().chain([image.as_str()]).collect())
            }
        }
    }

    /// How a shell calls this program.
    pub(super) fn program(&self) -> String {
        match self {
            Self::Binary(_) => PROGRAM.to_owned(),
            Self::Image(image) => format!("docker run --rm {image}"),
            Self::Uvx => format!("uvx --from '{UVX_FROM}' {PROGRAM}"),
        }
    }
}

pub(super) fn text(client: ClientApp, launch: &StartCommand) -> String {
    let (program, args) = launch.command_line();
    let command = Value::from(program.as_str());
    let server = json!({ "command": command, "args": args });
    match client {
        // The timeout is LibreChat's own; a job's is below it. A JSON string is a YAML and a TOML
        // string too.
        ClientApp::Librechat => format!(
            "mcpServers:\n  {NAME}:\n    command: {command}\n    args:{}\n    timeout: 90000\n    \
             serverInstructions: true\n",
            yaml_list(&args)
        ),
        ClientApp::ClaudeDesktop | ClientApp::Cursor => {
            pretty(&json!({ "mcpServers": { NAME: server } }))
        }
        ClientApp::Vscode => {
            let server = json!({ "type": "stdio", "command": command, "args": args });
            pretty(&json!({ "servers": { NAME: server } }))
        }
        ClientApp::Codex => format!(
            "[mcp_servers.{NAME}]\ncommand = {command}\nargs = {}\ntool_timeout_sec = 90\n",
            Value::from(args.as_slice())
        ),
        ClientApp::ClaudeCode => {
            let words = [program.as_str()].into_iter().chain(args).map(quoted);
            format!("claude mcp add {NAME} -- {}\n", words.collect::<Vec<_>>().join(" "))
        }
    }
}

/// A word of a shell's command line.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// One argument stays on the line; more get lines of their own.
fn yaml_list(items: &[&str]) -> String {
    match items {
        [one] => format!(" [{}]", Value::from(*one)),
        _ => items.iter().flat_map(|item| ["\n      - ".into(), json!(item).to_string()]).collect(),
    }
}

pub(super) fn place(client: ClientApp) -> &'static str {
    match client {
        ClientApp::Librechat => "librechat.yaml",
        ClientApp::ClaudeDesktop => "claude_desktop_config.json (Settings, Developer, Edit Config)",
        ClientApp::ClaudeCode => "a shell",
        ClientApp::Vscode => {
            ".vscode/mcp.json of a folder, or the user's (command `MCP: Open User Configuration`)"
        }
        ClientApp::Cursor => "~/.cursor/mcp.json, or .cursor/mcp.json of a project",
        ClientApp::Codex => "~/.codex/config.toml",
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
