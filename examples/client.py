"""What the scripts of this folder share: an MCP client over stdio."""

import json
import subprocess
import sys


class Client:
    """The few lines of JSON-RPC that an MCP client needs."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self.last_id = 0
        info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "examples", "version": "1"}}
        self.server = self.request("initialize", info)["serverInfo"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method, params):
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        answer = json.loads(self.process.stdout.readline())
        if answer.get("id") != self.last_id or "error" in answer:
            sys.exit(f"unexpected answer to {method}: {answer}")
        return answer["result"]

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def call(self, arguments):
        """The result of run_python: its text, its images, and the whole."""
        result = self.request("tools/call", {"name": "run_python", "arguments": arguments})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        return text, [part for part in result["content"] if part["type"] == "image"], result

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=30)
