//! What to paste into a client so that it starts this server.

use crate::cli::Client;
use serde_json::{Value, json};
use std::path::Path;

/// Name of the server in a client's settings.
const NAME: &str = "python-sandbox";

/// The text to paste.
pub(super) fn text(client: Client, binary: &Path) -> String {
    let binary = binary.to_string_lossy();
    let command = Value::from(&*binary);
    let server = json!({ "command": command, "args": ["serve"] });
    match client {
        // The timeout is LibreChat's own; a job's is below it. A JSON string is a YAML and a TOML string too.
        Client::Librechat => format!(
            "mcpServers:\n  {NAME}:\n    command: {command}\n    args: [\"serve\"]\n    timeout: 90000\n    serverInstructions: true\n"
        ),
        Client::ClaudeDesktop | Client::Cursor => pretty(&json!({ "mcpServers": { NAME: server } })),
        Client::Vscode => {
            let server = json!({ "type": "stdio", "command": command, "args": ["serve"] });
            pretty(&json!({ "servers": { NAME: server } }))
        }
        Client::Codex => {
            format!("[mcp_servers.{NAME}]\ncommand = {command}\nargs = [\"serve\"]\ntool_timeout_sec = 90\n")
        }
        Client::ClaudeCode => format!("claude mcp add {NAME} -- '{}' serve\n", binary.replace('\'', r"'\''")),
    }
}

/// Where the client looks for it.
pub(super) fn place(client: Client) -> &'static str {
    match client {
        Client::Librechat => "librechat.yaml",
        Client::ClaudeDesktop => "claude_desktop_config.json (Settings, Developer, Edit Config)",
        Client::ClaudeCode => "a shell",
        Client::Vscode => ".vscode/mcp.json of a folder, or the user's (command `MCP: Open User Configuration`)",
        Client::Cursor => "~/.cursor/mcp.json, or .cursor/mcp.json of a project",
        Client::Codex => "~/.codex/config.toml",
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
