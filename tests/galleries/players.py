"""The two sides: the server over its pipe, which many threads share, and plain Python."""

import base64
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from gallery_programs import Program

HERE = Path(__file__).resolve().parent
END = "# the end of the program"
# Enough that no limit of an answer or of the clock decides what a program does.
OPTIONS = """
--max-timeout 1000 --limit-wall 1000 --limit-cpu 1000 --limit-fuel 100000000 --limit-memory 4096
--limit-images 500 --limit-image-bytes 500 --image-budget 9000000 --limit-shown 4000000
--figure-text off
""".split()
# The lines for pictures that are not in the answer; the last kind gives their number.
LEFT_OUT = re.compile(
    r"^\[(?:an image was|image \d+ of \d+|(\d+) images were) left out", re.MULTILINE
)
Result = dict[str, Any]


class Server:
    """The real server; a call is answered to the thread that made it."""

    def __init__(self, binary: Path, options: list[str]) -> None:
        command = [str(binary), "serve", *OPTIONS, *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lock = threading.Lock()
        self.answers: dict[int, Result] = {}
        self.waiting: dict[int, threading.Event] = {}
        self.last_id = 0
        threading.Thread(target=self.read, daemon=True).start()
        client = {"name": "galleries", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.request("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read(self) -> None:
        """Hand each answer to the one who waits for it, until there are no more."""
        assert self.process.stdout
        for line in self.process.stdout:
            answer = json.loads(line)
            if "id" in answer:
                self.answers[answer["id"]] = answer
                self.waiting[answer["id"]].set()
        for event in self.waiting.values():
            event.set()

    def send(self, message: Result) -> None:
        """Send one line."""
        assert self.process.stdin
        with self.lock:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def request(self, method: str, params: Result) -> Result:
        """Send a request and wait for its answer."""
        with self.lock:
            self.last_id += 1
            number = self.last_id
            event = self.waiting[number] = threading.Event()
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        event.wait()
        del self.waiting[number]
        if number not in self.answers:
            sys.exit("the server has ended")
        return self.answers.pop(number)

    def play(self, program: Program, timeout: int) -> Result:
        """Run a program as a call of its own."""
        code = f"{program.code}\nprint({END!r})\n" if program.by_output else program.code
        files = [
            {"path": name, "base64": base64.b64encode(data).decode()}
            for name, data in program.files.items()
        ]
        arguments = {"code": code, "files": files, "timeout": timeout}
        answer = self.request("tools/call", {"name": "run_python", "arguments": arguments})
        if "result" not in answer:
            return {"exit": 1, "error": "refused", "text": str(answer), "figures": 0, "out": ""}
        result = answer["result"]
        text = "".join(part["text"] for part in result["content"] if part["type"] == "text")
        meta = {key.partition("/")[2]: value for key, value in result["_meta"].items()}
        left_out = sum(int(count or 1) for count in LEFT_OUT.findall(text))
        return {
            "exit": int(result["isError"]),
            "error": why_ended(meta),
            "figures": sum(part["type"] == "image" for part in result["content"]) + left_out,
            "out": printed(text) if program.by_output else "",
            "text": text[-3000:],
            "runtime": meta.get("runtime", ""),
            "seconds": round(meta.get("wallMs", 0) / 1000, 2),
        }

    def close(self) -> None:
        """End it."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(timeout=60)


def why_ended(meta: Result) -> str:
    """Give the name of the exception or of the limit that ended a program, or how it crashed."""
    if "error" in meta:
        return str(meta["error"]["type"]).rpartition(".")[2]
    if "limit" in meta:
        return f"limit {meta['limit']['name']}"
    return str(meta.get("crash", ""))


def printed(text: str) -> str:
    """Give what the program printed, without the lines that stand for its pictures."""
    out = text.partition(END)[0]
    return re.sub(r"^\[(image \d+|an image |\d+ images )[^\n]*\]\n", "", out, flags=re.MULTILINE)


class Plain:
    """Plain Python; it plays one program at a time."""

    def __init__(self, hash_seed: int) -> None:
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "MPLBACKEND": "agg",
            "PYTHONHASHSEED": str(hash_seed),
            "PYTHONUTF8": "1",
            "TZ": "UTC",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(HERE / "plain_python.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        self.lock = threading.Lock()

    def play(self, program: Program, timeout: int) -> Result:
        """Run a program in a child of its own."""
        files = {name: base64.b64encode(data).decode() for name, data in program.files.items()}
        request = {"code": program.code, "files": files, "timeout": timeout}
        assert self.process.stdin and self.process.stdout
        with self.lock:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        if not line:
            sys.exit("plain Python has ended")
        result: Result = json.loads(line)
        return result

    def close(self) -> None:
        """End it."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(timeout=60)
