"""A team at one server over HTTP: how long its calls take, and whether one is lost or crossed.

    python3 benches/team.py [--server FILE] [--chats N] [--seconds N] [--think SECONDS]
    python3 benches/team.py --calls 20000 [--server FILE] [--chats N]

Each chat is a caller with a token and a connection of its own. It runs a job, reads the answer for
`--think` seconds, and runs the next: prints, steps of a session, numpy, plots, in the parts of
`MIX`. With `--calls` nobody thinks: so many calls are made as fast as they are answered, and each
answer must carry its caller's secret and its number.
"""

import argparse
import http.client
import json
import os
import random
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.show()\nprint({secret!r}, {n})"
NUMPY = "import numpy as np\nnp.arange(100_000.0).reshape(-1, 10).std(0)\nprint({secret!r}, {n})"
WORK = "sum(i * i % 7 for i in range(300_000))\nprint({secret!r}, {n})"
PRINT = "print({secret!r}, {n})"
SESSION = "session"
#: Parts of a hundred.
MIX = {"print": 40, SESSION: 25, "work": 15, "numpy": 15, "plot": 5}
CODE = {"print": PRINT, SESSION: PRINT, "work": WORK, "numpy": NUMPY, "plot": PLOT}


class Chat:
    """One caller with a connection that it keeps."""

    def __init__(self, port: int, token: str) -> None:
        self.secret, self.token, self.number = secrets.token_hex(8), token, 0
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.connection = ""
        self.session = ""
        info = {"name": "team", "version": "0"}
        self.ask(
            "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        )

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Sends a request; gives its result."""
        self.number += 1
        body = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self.connection:
            headers["Mcp-Session-Id"] = self.connection
        self.line.request("POST", "/mcp", json.dumps(body), headers)
        response = self.line.getresponse()
        text = response.read().decode()
        if response.status != 200:
            sys.exit(f"{response.status}: {text}")
        self.connection = response.headers.get("Mcp-Session-Id", self.connection)
        events = [line[5:] for line in text.splitlines() if line.startswith("data:")]
        answers = [json.loads(event) for event in events if event.strip()] or [json.loads(text)]
        assert [answer["id"] for answer in answers] == [self.number], text
        return answers[0]["result"]

    def run(self, kind: str) -> float:
        """Runs a job of this kind; gives how long its answer took, in seconds."""
        arguments = {"code": CODE[kind].format(secret=self.secret, n=self.number + 1)}
        if kind == SESSION:
            arguments["session"] = self.session or "new"
        begun = time.perf_counter()
        result = self.ask("tools/call", {"name": "run_python", "arguments": arguments})
        took = time.perf_counter() - begun
        text = result["content"][0]["text"]
        if not re.search(rf"^{self.secret} {self.number}$", text, re.MULTILINE):
            sys.exit(f"not the answer of this caller: {text[:300]}")
        if kind == SESSION:
            self.session = result["_meta"]["mcp-python-sandbox/session"]
        return took


class Team:
    """The chats, and what they measured."""

    def __init__(self, port: int, tokens: list[str], options: argparse.Namespace) -> None:
        self.port, self.tokens, self.options = port, tokens, options
        self.times: dict[str, list[float]] = {}
        self.lock, self.left = threading.Lock(), options.calls
        self.until = time.monotonic() + options.seconds

    def goes_on(self) -> bool:
        if not self.options.calls:
            return bool(time.monotonic() < self.until)
        with self.lock:
            self.left -= 1
            return bool(self.left >= 0)

    def chat(self, token: str) -> None:
        """One chat, until the time or the calls are over."""
        chat, choose = Chat(self.port, token), random.Random(token)
        while self.goes_on():
            kind = "print"
            if not self.options.calls:
                time.sleep(choose.uniform(0, 2 * self.options.think))
                kind = choose.choices(list(MIX), list(MIX.values()))[0]
            took = chat.run(kind)
            with self.lock:
                self.times.setdefault(kind, []).append(took)

    def run(self) -> None:
        """All chats at once."""
        threads = [threading.Thread(target=self.chat, args=(token,)) for token in self.tokens]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def memory(root: int) -> int:
    """Memory of a process and its descendants, shared pages in parts, in MiB."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(entry.parent.name))
    todo, total = [root], 0
    while todo:
        pid = todo.pop()
        todo += children.get(pid, [])
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += number(r"^Pss: +(\d+)", rollup)
    return total >> 10


def number(pattern: str, text: str) -> int:
    """The number that a pattern finds."""
    found = re.search(pattern, text, re.MULTILINE)
    assert found, text
    return int(found[1])


def percentiles(times: list[float]) -> str:
    times = sorted(times)
    p50, p99 = statistics.median(times), times[(len(times) - 1) * 99 // 100]
    return f"{len(times):6}  {p50 * 1000:8.1f}  {p99 * 1000:8.1f}  {times[-1] * 1000:8.1f}"


def main() -> None:
    """Starts a server, plays the team, prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default="target/release/mcp-python-sandbox")
    parser.add_argument("--chats", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--think", type=float, default=5)
    parser.add_argument("--calls", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tokens = [secrets.token_hex(16) for _ in range(options.chats)]
        file = Path(folder) / "tokens"
        file.write_text("".join(f"chat-{n} {token}\n" for n, token in enumerate(tokens)))
        command = [options.server, "serve", "--http", "127.0.0.1:0", "--token-file", str(file)]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert server.stderr
        port = number(r":(\d+)/", server.stderr.readline())
        threading.Thread(target=sys.stderr.writelines, args=(server.stderr,)).start()
        time.sleep(3)
        idle, peak, over = memory(server.pid), [0], threading.Event()

        def look() -> None:
            while not over.wait(0.5):
                peak[0] = max(peak[0], memory(server.pid))

        looking = threading.Thread(target=look)
        looking.start()
        team = Team(port, tokens, options)
        begun = time.monotonic()
        team.run()
        took = time.monotonic() - begun
        over.set()
        looking.join()
        server.terminate()
        server.wait()
    everything = [time for times in team.times.values() for time in times]
    print(f"{options.chats} chats, {os.cpu_count()} processors, {took:.0f} s")
    print(f"{'kind':10}{'calls':>6}  {'p50 ms':>8}  {'p99 ms':>8}  {'max ms':>8}")
    for kind, times in sorted(team.times.items()):
        print(f"{kind:10}{percentiles(times)}")
    print(f"{'all':10}{percentiles(everything)}")
    print(f"memory: {idle} MiB idle, {peak[0]} MiB at most")


if __name__ == "__main__":
    main()
