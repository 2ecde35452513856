"""Times the programs of `programs.py` in the real server and in native CPython, turn and turn about.

    speed.py --server BINARY --python PYTHON [--rounds N] [--only NAME] [--json FILE] [--option WORD]...

PYTHON is the interpreter of the venv: native CPython of the same sources, with sympy. Every time is the best of all rounds, taken
inside the job; a machine with other work on it gives higher times to both sides alike.
"""

import argparse
import json
import math
import platform
import subprocess
import sys
from pathlib import Path

from programs import PROGRAMS, TIMED

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
from client import Client  # noqa: E402

REPEATS = 3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--option", action="append", default=[])
    options = parser.parse_args()
    names = options.only or list(PROGRAMS)
    best = {name: [math.inf, math.inf] for name in names}
    server = Client([options.server, "serve", *options.option])
    for _ in range(options.rounds):
        for name in names:
            code = TIMED.format(program=PROGRAMS[name], repeats=REPEATS)
            guest = seconds(server.call({"code": code, "runtime": "wasm"})[0])
            native = seconds(run_native(options.python, code))
            best[name] = [min(best[name][0], guest), min(best[name][1], native)]
    server.close()
    show(best)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "best": best}, indent=1) + "\n")


def run_native(python, code):
    """The same program in a fresh native interpreter."""
    return subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True).stdout


def seconds(text):
    """What the program printed last."""
    for line in text.splitlines():
        if line.startswith("seconds "):
            return float(line.split()[1])
    sys.exit(f"the program printed no time: {text}")


def show(best):
    """A table in Markdown."""
    print(f"{machine()}\n\n| program | guest, ms | native, ms | ratio |\n| --- | --- | --- | --- |")
    for name, (guest, native) in best.items():
        print(f"| {name} | {guest * 1e3:.1f} | {native * 1e3:.1f} | {guest / native:.2f} |")
    mean = math.exp(sum(math.log(guest / native) for guest, native in best.values()) / len(best))
    print(f"| **geometric mean** | | | **{mean:.2f}** |")


def machine():
    """One line about the machine."""
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    cores = sum(line.startswith("processor") for line in open("/proc/cpuinfo"))
    load = open("/proc/loadavg").read().split()[0]
    return f"{model}, {cores} processors, Linux {platform.release()}, load {load}"


if __name__ == "__main__":
    main()
