"""Times the programs of `programs.py` in the real server, in native CPython and in other sandboxes.

    speed.py --server BINARY --python PYTHON [--peers PYTHON] [--rounds N] [--only NAME]
             [--json FILE] [--option WORD]...

`--python` is the interpreter of the venv: native CPython of the same sources, with sympy. `--peers`
is an interpreter that has some of the packages of `peers.py`. In every round each program runs once
on every side, and the order of the sides changes from round to round. The time of a program is the
best of all rounds, taken inside of the job. Only `hello`, a fresh `print(1)`, is timed from
outside: from the request to its answer. On a busy machine the times of all sides are higher.
"""

import argparse
import json
import math
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from peers import PEERS
from programs import PROGRAMS, TIMED

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
from client import Client

REPEATS = 3
HELLO = "hello"
# By program and side, in seconds.
Times = dict[str, dict[str, float]]


class Side(Protocol):
    """Something that runs Python."""

    title: str

    def run(self, code: str) -> str:
        """Run a job; gives what it printed."""

    def close(self) -> None:
        """End it."""


class Guest:
    """The server, over its pipe."""

    title = "guest"

    def __init__(self, command: Sequence[str | Path]) -> None:
        self.client = Client(command)

    def run(self, code: str) -> str:
        return self.client.call({"code": code, "runtime": "wasm"})[0]

    def close(self) -> None:
        self.client.close()


class Native:
    """A fresh interpreter for each job."""

    title = "native"

    def __init__(self, python: Path) -> None:
        self.python = python

    def run(self, code: str) -> str:
        command = [str(self.python), "-I", "-c", code]
        both = subprocess.STDOUT
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=both, text=True)
        return done.stdout

    def close(self) -> None:
        pass


class Peer:
    """Another sandbox, over the pipe of `peers.py`; `version` is None if it is not installed."""

    def __init__(self, name: str, python: str) -> None:
        command = [python, str(Path(__file__).with_name("peers.py")), name]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
        assert self.process.stdin and self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout
        self.version: str | None = json.loads(self.output.readline())
        self.title = f"{name} {self.version}"

    def run(self, code: str) -> str:
        self.input.write(json.dumps(code) + "\n")
        self.input.flush()
        return str(json.loads(self.output.readline()))

    def close(self) -> None:
        self.input.close()
        self.process.wait(timeout=30)


def main() -> None:
    """Measure, print a table, write the times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--peers", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--option", action="append", default=[])
    options = parser.parse_args()
    peers = {name: Peer(name, options.peers) for name in PEERS}
    installed = [peer for peer in peers.values() if peer.version]
    guest = Guest([options.server, "serve", *options.option])
    sides: list[Side] = [Native(options.python), guest, *installed]
    times = take_times(sides, options.only or [HELLO, *PROGRAMS], options.rounds)
    for side in sides:
        side.close()
    show(Native.title, [side.title for side in sides[1:]], times)
    suggest([name for name, peer in peers.items() if not peer.version])
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "best": times}, indent=1) + "\n")


def take_times(sides: list[Side], names: list[str], rounds: int) -> Times:
    """Give the best time of each program on each side that runs it."""
    times: Times = {name: {} for name in names}
    cannot = set()  # not tried again
    for side in sides:
        side.run("print(1)")  # whatever a side does only once
    for turn in range(rounds):
        start = turn % len(sides)
        for name in names:
            for side in sides[start:] + sides[:start]:
                if (name, side) in cannot:
                    continue
                try:
                    best = times[name].get(side.title, math.inf)
                    times[name][side.title] = min(best, time_of(side, name))
                except Failed as error:
                    if not isinstance(side, Peer):
                        sys.exit(f"{name}, {side.title}: {error}")
                    print(f"- {name}, {side.title}, round {turn + 1}: {error}")
                    if side.title not in times[name]:
                        cannot.add((name, side))
    return times


class Failed(Exception):
    """A program did not do what it should; the text is the last line that it wrote."""


def time_of(side: Side, name: str) -> float:
    """Give the seconds that a program takes, or a whole `hello`."""
    if name == HELLO:
        return min(hello(side) for _ in range(REPEATS))
    lines = side.run(TIMED.format(program=PROGRAMS[name], repeats=REPEATS)).splitlines()
    for line in lines:
        if line.startswith("seconds "):
            return float(line.split()[1])
    raise Failed(lines[-1] if lines else "it printed no time")


def hello(side: Side) -> float:
    """Give the seconds from a request to its answer, in a sandbox or a process of its own."""
    started = time.perf_counter()
    text = side.run("print(1)")
    taken = time.perf_counter() - started
    if text.strip() != "1":
        raise Failed(text.strip())
    return taken


def show(native: str, others: list[str], times: Times) -> None:
    """Print a table in Markdown: times, and the ratios to native of the other sides."""
    titles = "".join(f" {title}, ms | ratio |" for title in others)
    print(f"\n{machine()}\n\n| program | {native}, ms |{titles}")
    print("| --- | --- |" + " --- | --- |" * len(others))
    for name, row in times.items():
        cells = (
            f" {row[title] * 1e3:.1f} | {row[title] / row[native]:.2f} |"
            if title in row
            else " - | - |"
            for title in others
        )
        print(f"| {name} | {row[native] * 1e3:.1f} |" + "".join(cells))
    timed_inside = [row for name, row in times.items() if name != HELLO]
    means = "".join(f" | {mean(native, title, timed_inside)} |" for title in others)
    print(f"| **geometric mean, without hello** | |{means}")


def mean(native: str, title: str, rows: list[dict[str, float]]) -> str:
    """Give the geometric mean of a side's ratios, and how many they are if it did not run all."""
    ratios = [row[title] / row[native] for row in rows if title in row]
    if not ratios:
        return "-"
    value = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"**{value:.2f}**" + (f" (of {len(ratios)})" if len(ratios) < len(rows) else "")


def suggest(missing: list[str]) -> None:
    """Print how to see the sandboxes that are not installed."""
    if missing:
        print(f"\nNot installed, so not in the table: {', '.join(missing)}.")
        print("To have them, in a venv of Python 3.12 or later:")
        print(f"`pip install {' '.join(missing)}`, and then `make bench PEERS=VENV/bin/python`.")


def machine() -> str:
    """Give one line about the machine."""
    processors = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.split(":")[1].strip() for line in processors if line.startswith("model name"))
    cores = sum(line.startswith("processor") for line in processors)
    load = Path("/proc/loadavg").read_text().split()[0]
    name = next(names, platform.machine())
    return f"{name}, {cores} processors, Linux {platform.release()}, load {load}"


if __name__ == "__main__":
    main()
