//! What to paste into a client so that it starts this server.

use crate::cli::Client;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Name of the server in a client's settings.
const NAME: &str = "python-sandbox";

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
pub(super) enum Launch {
    /// By its path, on the machine where the client is.
    Binary(PathBuf),
    /// As a container of this image: a path inside of it means nothing to a client.
    Image(String),
}

impl Launch {
    fn command_line(&self) -> (String, Vec<&str>) {
        match self {
            Self::Binary(path) => (path.to_string_lossy().into_owned(), vec!["serve"]),
            Self::Image(image) => {
                ("docker".to_owned(), DOCKER_RUN.into_iter().chain([image.as_str()]).collect())
            }
        }
    }

    /// How a shell calls this program, for what people are told to type.
    pub(super) fn program(&self) -> String {
        match self {
            Self::Binary(_) => env!("CARGO_PKG_NAME").to_owned(),
            Self::Image(image) => format!("docker run --rm {image}"),
        }
    }
}

/// The text to paste.
pub(super) fn text(client: Client, launch: &Launch) -> String {
    let (program, args) = launch.command_line();
    let command = Value::from(program.as_str());
    let server = json!({ "command": command, "args": args });
    match client {
        // The timeout is LibreChat's own; a job's is below it. A JSON string is a YAML and a TOML
        // string too.
        Client::Librechat => format!(
            "mcpServers:\n  {NAME}:\n    command: {command}\n    args:{}\n    timeout: 90000\n    serverInstructions: true\n",
            yaml_list(&args)
        ),
        Client::ClaudeDesktop | Client::Cursor => {
            pretty(&json!({ "mcpServers": { NAME: server } }))
        }
        Client::Vscode => {
            let server = json!({ "type": "stdio", "command": command, "args": args });
            pretty(&json!({ "servers": { NAME: server } }))
        }
        Client::Codex => {
            format!(
                "[mcp_servers.{NAME}]\ncommand = {command}\nargs = {}\ntool_timeout_sec = 90\n",
                Value::from(args.as_slice())
            )
        }
        Client::ClaudeCode => {
            format!(
                "claude mcp add {NAME} -- '{}' {}\n",
                program.replace('\'', r"'\''"),
                args.join(" ")
            )
        }
    }
}

/// One argument stays on the line; more get lines of their own.
fn yaml_list(items: &[&str]) -> String {
    match items {
        [one] => format!(" [{}]", Value::from(*one)),
        _ => items
            .iter()
            .flat_map(|item| ["\n      - ".to_owned(), Value::from(*item).to_string()])
            .collect(),
    }
}

/// Where the client looks for it.
pub(super) fn place(client: Client) -> &'static str {
    match client {
        Client::Librechat => "librechat.yaml",
        Client::ClaudeDesktop => "claude_desktop_config.json (Settings, Developer, Edit Config)",
        Client::ClaudeCode => "a shell",
        Client::Vscode => {
            ".vscode/mcp.json of a folder, or the user's (command `MCP: Open User Configuration`)"
        }
        Client::Cursor => "~/.cursor/mcp.json, or .cursor/mcp.json of a project",
        Client::Codex => "~/.codex/config.toml",
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
