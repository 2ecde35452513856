"""What the scripts of this folder share: an MCP client over stdio."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Object = dict[str, Any]


class Client:
    """The few lines of JSON-RPC that an MCP client needs."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
        assert self.process.stdin and self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout
        self.last_id = 0
        info = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "examples", "version": "1"},
        }
        self.server: Object = self.request("initialize", info)["serverInfo"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, params: Object) -> Object:
        """Send a request and wait for its result; exits if there is none."""
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        answer = json.loads(self.output.readline())
        if answer.get("id") != self.last_id or "error" in answer:
            sys.exit(f"unexpected answer to {method}: {answer}")
        result: Object = answer["result"]
        return result

    def send(self, message: Object) -> None:
        """Send one line."""
        self.input.write(json.dumps(message) + "\n")
        self.input.flush()

    def call(self, arguments: Object) -> tuple[str, list[Object], Object]:
        """Call run_python; gives the text of its result, the images, and the whole."""
        result = self.request("tools/call", {"name": "run_python", "arguments": arguments})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        return text, [part for part in result["content"] if part["type"] == "image"], result

    def close(self) -> int:
        """End the server's input; gives its exit code."""
        self.input.close()
        return self.process.wait(timeout=30)
