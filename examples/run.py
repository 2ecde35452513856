"""Drives the real server over stdio through the jobs of this folder, as an MCP client does.

Prints each answer and saves its pictures. Exits with 1 if an answer is not what the job is there to
show.
"""

import argparse
import base64
import pathlib
import re
import sys
import time
from typing import Any

from client import Client

HERE = pathlib.Path(__file__).parent

# What each job must show: words of its text, number of pictures, whether it is an error.
EXPECTED = {
    "01-text-and-arithmetic": (
        ["longest word: quick", "1267650600228229401496703205376", "'the', 'the'"],
        0,
        False,
    ),
    "02-json-regex-dates": (['"404": 2', "2026-03-01T16:15:02+08:00"], 0, False),
    "03-long-traceback": (
        ["loading", "json.decoder.JSONDecodeError", "direct cause", "ConfigError"],
        0,
        True,
    ),
    "04-endless-loop": (["counting", "Stopped at:", "time limit reached"], 0, True),
    "05-plot": (["[image 1: ", "A damped wave", "largest damped value: 0.7"], 1, False),
    "06-pandas-table": (["revenue", "north"], 0, False),
}


def main() -> None:
    """Run all jobs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, help="the server's binary")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for the pictures")
    parser.add_argument("options", nargs="*", help="options for the server")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)

    client = Client([args.server, "serve", *args.options])
    print(f"connected to {client.server['name']} {client.server['version']}")

    failures = [name for name in EXPECTED if not show(client, name, args.out)]
    if client.close() != 0:
        failures.append("the server's exit code")
    print("\n" + "─" * 78)
    good = len(EXPECTED) - len(failures)
    print(f"{good} of {len(EXPECTED)} jobs as expected; pictures in {args.out}")
    if failures:
        sys.exit(f"not as expected: {', '.join(failures)}")


def show(client: Client, name: str, out: pathlib.Path) -> bool:
    """Run one job, print its answer, save its pictures; true if it is as expected."""
    code = (HERE / f"{name}.py").read_text(encoding="utf-8")
    arguments: dict[str, Any] = {"code": code}
    if timeout := re.search(r"^# timeout: (\d+)$", code, re.MULTILINE):
        arguments["timeout"] = int(timeout[1])
    started = time.perf_counter()
    text, images, result = client.call(arguments)
    took = (time.perf_counter() - started) * 1000

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
    failed = bool(result.get("isError", False))
    return not missing and len(images) == pictures and failed == is_error


if __name__ == "__main__":
    main()
