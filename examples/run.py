"""Drives the real server over stdio through the jobs of this folder, as an MCP client does.

Prints each answer and saves its pictures. Exits with 1 if an answer is not what the job is there to show.
"""

import argparse
import base64
import json
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent

# What each job must show: words of its text, number of pictures, whether it is an error.
EXPECTED = {
    "01-text-and-arithmetic": (["longest word: quick", "1267650600228229401496703205376", "'the', 'the'"], 0, False),
    "02-json-regex-dates": (['"404": 2', "2026-03-01T16:15:02+08:00"], 0, False),
    "03-long-traceback": (["loading", "json.decoder.JSONDecodeError", "direct cause", "ConfigError"], 0, True),
    "04-endless-loop": (["counting", "Stopped at:", "time limit reached"], 0, True),
    "05-plot": (["[image 1: ", "A damped wave", "largest damped value: 0.7"], 1, False),
    "06-pandas-table": (["revenue", "north"], 0, False),
}


class Client:
    """The few lines of JSON-RPC that an MCP client needs."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self.last_id = 0

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

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=30)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, help="the server's binary")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for the pictures")
    parser.add_argument("options", nargs="*", help="options for the server")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)

    client = Client([args.server, "serve", *args.options])
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "examples", "version": "1"}}
    server = client.request("initialize", info)["serverInfo"]
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    print(f"connected to {server['name']} {server['version']}")

    failures = [name for name in EXPECTED if not show(client, name, args.out)]
    if client.close() != 0:
        failures.append("the server's exit code")
    print("\n" + "─" * 78)
    print(f"{len(EXPECTED) - len(failures)} of {len(EXPECTED)} jobs as expected; pictures in {args.out}")
    if failures:
        sys.exit(f"not as expected: {', '.join(failures)}")


def show(client, name, out):
    """Runs one job, prints its answer, saves its pictures; true if it is as expected."""
    code = (HERE / f"{name}.py").read_text(encoding="utf-8")
    arguments = {"code": code}
    if timeout := re.search(r"^# timeout: (\d+)$", code, re.MULTILINE):
        arguments["timeout"] = int(timeout[1])
    started = time.perf_counter()
    result = client.request("tools/call", {"name": "run_python", "arguments": arguments})
    took = (time.perf_counter() - started) * 1000

    text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
    images = [part for part in result["content"] if part["type"] == "image"]
    meta = result.get("_meta", {})
    print("\n" + "─" * 78)
    print(f"{name}.py   {took:.1f} ms, {meta.get('mcp-python-sandbox/runtime', 'not run')}\n")
    print(text)
    for number, image in enumerate(images, 1):
        path = out / f"{name}-{number}.{image['mimeType'].removeprefix('image/')}"
        path.write_bytes(base64.b64decode(image["data"]))
        print(f"(picture saved as {path})")

    words, pictures, is_error = EXPECTED[name]
    missing = [word for word in words if word not in text]
    return not missing and len(images) == pictures and result.get("isError", False) == is_error


if __name__ == "__main__":
    main()
