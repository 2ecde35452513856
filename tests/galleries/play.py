"""Plays example programs through the real server and in plain Python, and compares.

    play.py --binary PATH --sources FOLDER --kept FILE [--project NAME]... [--only PATTERN]
            [--limit N] [--shard N/M] [--jobs N] [--report FILE] [--raw FILE] [-- SERVER OPTION...]

Both sides must end alike, fail with the same exception, and show the same number of figures; a
program that was made of a docstring must also print the same. A program that prints something else
in each run of plain Python is held to the rest. `expected.txt` beside this file says what differs,
and why; anything else, and a line there that no longer differs, makes the run fail. What plain
Python does is kept in FILE, so that only the server plays again.
"""

import argparse
import fnmatch
import hashlib
import json
import queue
import re
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gallery_programs import DOCS, GALLERIES, Program, programs
from players import Plain, Result, Server
from report import Row, table

HERE = Path(__file__).resolve().parent
OTHER_SEEDS = range(2, 8)  # two strings in a set have the same order in half of them


def main() -> int:
    """Play and compare; gives the exit code."""
    options = arguments()
    expected = read_expected(HERE / "expected.txt")
    players = Players(options)
    rows: list[Row] = []
    problems: list[str] = []
    for project in options.project or [*GALLERIES, *DOCS]:
        started = time.monotonic()
        chosen = choose(list(programs(project, options.sources)), options)
        with ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(players.play, chosen))
        seconds = round(time.monotonic() - started)
        differ = {title: why for title, why in results if why not in ("", "fails in both")}
        played = {title for title, _ in results}
        problems += [f"{title}: {why}" for title, why in differ.items() if title not in expected]
        problems += [
            f"{title} no longer differs" for title in expected if title in played - set(differ)
        ]
        counts = Counter(why for _, why in results)
        row = Row(project, len(results), counts[""], counts["fails in both"], len(differ), seconds)
        print(row.line(), flush=True)
        rows.append(row)
    players.close()
    if options.report:
        former = options.report.read_text() if options.report.exists() else ""
        options.report.write_text(table(rows, expected, former))
    print("\n".join(problems))
    return 1 if problems else 0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--project", action="append", choices=[*GALLERIES, *DOCS])
    parser.add_argument("--only", default="*", help="titles that match this pattern")
    parser.add_argument("--limit", type=int, help="programs of each project, spread over all")
    parser.add_argument("--shard", default="1/1", help="1/4: the first of four parts")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--raw", type=Path, help="also write what differs, as lines of JSON")
    parser.add_argument("server", nargs="*", help="options for the server, after `--`")
    return parser.parse_args()


def choose(found: list[Program], options: argparse.Namespace) -> list[Program]:
    """Give the programs that were asked for."""
    part, _, parts = options.shard.partition("/")
    found = [program for program in found if fnmatch.fnmatch(program.title, options.only)]
    found = found[int(part) - 1 :: int(parts)]
    if options.limit and len(found) > options.limit:
        found = [found[i * len(found) // options.limit] for i in range(options.limit)]
    return found


def read_expected(path: Path) -> dict[str, str]:
    """Read lines `project/program reason`."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(maxsplit=1) for line in lines)


class Players:
    """Both sides, and what plain Python did before."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.timeout: int = options.timeout
        self.server = Server(options.binary, options.server)
        self.plain: queue.Queue[Plain] = queue.Queue()
        for _ in range(options.jobs):
            self.plain.put(Plain(1))
        self.others: dict[int, Plain] = {}
        self.lock = threading.Lock()
        self.kept_file: Path = options.kept
        self.raw: Path | None = options.raw
        self.kept: dict[str, Result] = {}
        if self.kept_file.exists():
            for line in self.kept_file.read_text().splitlines():
                result = json.loads(line)
                self.kept[result.pop("key")] = result

    def play(self, program: Program) -> tuple[str, str]:
        """Play a program on both sides; gives its title, and what differs."""
        plain = self.in_plain(program)
        ours = self.server.play(program, self.timeout)
        why = difference(program, plain, ours)
        if why.startswith("prints") and self.varies(program, plain):
            why = difference(program, plain | {"out": ours["out"]}, ours)
        if why:
            print(f"{program.title}: {why}", flush=True)
        if why and self.raw:
            with self.lock, self.raw.open("a") as raw:
                line = {"title": program.title, "why": why, "plain": plain, "server": ours}
                raw.write(json.dumps(line) + "\n")
        return program.title, why

    def in_plain(self, program: Program) -> Result:
        """Give what plain Python does."""
        told = [program.code, *map(repr, program.files.items())]
        key = hashlib.sha256("\0".join(told).encode()).hexdigest()[:32]
        if key not in self.kept:
            player = self.plain.get()
            try:
                result = player.play(program, self.timeout)
            finally:
                self.plain.put(player)
            self.kept[key] = result
            with self.lock, self.kept_file.open("a") as kept:
                kept.write(json.dumps({"key": key, **result}) + "\n")
        return self.kept[key]

    def varies(self, program: Program, first: Result) -> bool:
        """Whether plain Python prints something else when strings have other hashes."""
        for seed in OTHER_SEEDS:
            with self.lock:
                other = self.others[seed] = self.others.get(seed) or Plain(seed)
            if comparable(other.play(program, self.timeout)["out"]) != comparable(first["out"]):
                return True
        return False

    def close(self) -> None:
        """End all."""
        self.server.close()
        while not self.plain.empty():
            self.plain.get().close()
        for other in self.others.values():
            other.close()


def difference(program: Program, plain: Result, ours: Result) -> str:
    """Say how the sides differ; empty if they do not."""
    if bool(plain["exit"]) != bool(ours["exit"]):
        if ours["exit"]:
            return f"only the server fails: {ours['error']}"
        return f"only plain Python fails: {plain['error'] or plain['exit']}"
    if plain["exit"]:
        same = plain["error"] in ("", ours["error"])
        return "fails in both" if same else f"fails as {ours['error']}, not as {plain['error']}"
    # A figure that has changed since is shown again, and files of pictures may be shown.
    least, most = plain["figures"], plain["shows"] + plain["pictures"]
    if not least <= ours["figures"] <= most:
        return f"shows {ours['figures']} figures, not {least}"
    if program.by_output and comparable(ours["out"]) != comparable(plain["out"]):
        return f"prints something else: {first_difference(plain['out'], ours['out'])}"
    return ""


def comparable(text: str) -> str:
    """Give a text without what is different in every process, and without words for no network."""
    text = re.sub(r"^(URLError|ConnectionError): .*$", r"\1", text, flags=re.MULTILINE)
    return re.sub(r"0x[0-9a-fA-F]{6,}", "0x", text).rstrip()


def first_difference(plain: str, ours: str) -> str:
    """Show the first lines that are not the same."""
    left, right = comparable(plain).splitlines(), comparable(ours).splitlines()
    for one, other in zip([*left, ""], [*right, ""], strict=False):
        if one != other:
            return f"{other[:200]!r}, not {one[:200]!r}"
    return f"{len(right)} lines, not {len(left)}"


if __name__ == "__main__":
    sys.exit(main())
