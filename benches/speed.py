"""Times the programs of `programs.py` in the real server, in native CPython and in other sandboxes, turn and turn about.

    speed.py --server BINARY --python PYTHON [--peers PYTHON] [--rounds N] [--only NAME] [--json FILE] [--option WORD]...

`--python` is the interpreter of the venv: native CPython of the same sources, with sympy. `--peers` is one that has the packages of
`peers.py` or some of them. Each program runs once in every round on every side, whose order changes from round to round; its time is
the best of all rounds, taken inside the job. `hello` is the exception: a fresh `print(1)`, timed from outside, from the request to
its answer. A machine with other work on it gives higher times to all sides alike.
"""

import argparse
import json
import math
import platform
import subprocess
import sys
import time
from pathlib import Path

from peers import PEERS
from programs import PROGRAMS, TIMED

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
from client import Client  # noqa: E402

REPEATS = 3
HELLO = "hello"


class Guest:
    """The server, over its pipe."""

    title = "guest"

    def __init__(self, command):
        self.client = Client(command)

    def run(self, code):
        return self.client.call({"code": code, "runtime": "wasm"})[0]

    def close(self):
        self.client.close()


class Native:
    """A fresh interpreter for each job."""

    title = "native"

    def __init__(self, python):
        self.python = python

    def run(self, code):
        done = subprocess.run([self.python, "-I", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout

    def close(self):
        pass


class Peer:
    """Another sandbox, over the pipe of `peers.py`; `version` is None if it is not installed."""

    def __init__(self, name, python):
        command = [python, Path(__file__).with_name("peers.py"), name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self.version = json.loads(self.process.stdout.readline())
        self.title = f"{name} {self.version}"

    def run(self, code):
        self.process.stdin.write(json.dumps(code) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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
    sides = [Native(options.python), Guest([options.server, "serve", *options.option]), *installed]
    times = take_times(sides, options.only or [HELLO, *PROGRAMS], options.rounds)
    for side in sides:
        side.close()
    show(Native.title, [side.title for side in sides[1:]], times)
    suggest([name for name, peer in peers.items() if not peer.version])
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "best": times}, indent=1) + "\n")


def take_times(sides, names, rounds):
    """The best time of each program on each side that runs it, in seconds."""
    times = {name: {} for name in names}
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
                    times[name][side.title] = min(times[name].get(side.title, math.inf), time_of(side, name))
                except Failed as error:
                    if not isinstance(side, Peer):
                        sys.exit(f"{name}, {side.title}: {error}")
                    print(f"- {name}, {side.title}, round {turn + 1}: {error}")
                    if side.title not in times[name]:
                        cannot.add((name, side))
    return times


class Failed(Exception):
    """A program did not do what it should; the text is the last line that it wrote."""


def time_of(side, name):
    """Seconds that a program takes, or a whole `hello`."""
    if name == HELLO:
        return min(hello(side) for _ in range(REPEATS))
    lines = side.run(TIMED.format(program=PROGRAMS[name], repeats=REPEATS)).splitlines()
    for line in lines:
        if line.startswith("seconds "):
            return float(line.split()[1])
    raise Failed(lines[-1] if lines else "it printed no time")


def hello(side):
    """Seconds from a request to its answer, in a sandbox or a process of its own."""
    started = time.perf_counter()
    text = side.run("print(1)")
    taken = time.perf_counter() - started
    if text.strip() != "1":
        raise Failed(text.strip())
    return taken


def show(native, others, times):
    """A table in Markdown: times, and the ratios to native of the other sides."""
    print(f"\n{machine()}\n\n| program | {native}, ms |" + "".join(f" {title}, ms | ratio |" for title in others))
    print("| --- | --- |" + " --- | --- |" * len(others))
    for name, row in times.items():
        cells = (f" {row[title] * 1e3:.1f} | {row[title] / row[native]:.2f} |" if title in row else " - | - |" for title in others)
        print(f"| {name} | {row[native] * 1e3:.1f} |" + "".join(cells))
    timed_inside = [row for name, row in times.items() if name != HELLO]
    print("| **geometric mean, without hello** | |" + "".join(f" | {mean(native, title, timed_inside)} |" for title in others))


def mean(native, title, rows):
    """The geometric mean of a side's ratios, and how many they are if it did not run all."""
    ratios = [row[title] / row[native] for row in rows if title in row]
    if not ratios:
        return "-"
    value = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"**{value:.2f}**" + (f" (of {len(ratios)})" if len(ratios) < len(rows) else "")


def suggest(missing):
    """How to see the sandboxes that are not installed."""
    if missing:
        print(f"\nNot installed, so not in the table: {', '.join(missing)}. To have them, in a venv of Python 3.12 or later:")
        print(f"`pip install {' '.join(missing)}`, and then `make bench PEERS=VENV/bin/python`.")


def machine():
    """One line about the machine."""
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    cores = sum(line.startswith("processor") for line in open("/proc/cpuinfo"))
    load = open("/proc/loadavg").read().split()[0]
    return f"{model}, {cores} processors, Linux {platform.release()}, load {load}"


if __name__ == "__main__":
    main()
