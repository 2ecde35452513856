"""Writes README.md of this folder: what people ask models for, with program, answer and picture.

Every answer comes from a real call of run_python. Exits with 1 if a job fails or shows another
number of pictures.
"""

import argparse
import base64
import pathlib
import re
import sys
from typing import Any

from client import Client

HERE = pathlib.Path(__file__).parent
JOBS = HERE / "gallery"
ABBREVIATIONS = {"csv": "CSV", "qr": "QR", "sql": "SQL"}
SHOW_A_PICTURE = {"02", "05", "08", "09", "14", "15", "17", "20"}

INTRODUCTION = """# Examples

Twenty things that people ask models for. The server ran each program below as one call of
`run_python`; the text and the picture are the answer as the model gets it. `make gallery` writes
this page; the programs are in [gallery/](gallery).

`make run` shows the jobs `01` to `06` of this folder, among them an endless loop and a long
traceback.
"""


def main() -> None:
    """Run all jobs and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, help="the server's binary")
    args = parser.parse_args()
    client = Client([args.server, "serve"])
    for old in JOBS.glob("*.png"):
        old.unlink()
    sections = [section(client, path) for path in sorted(JOBS.glob("*.py"))]
    client.close()
    (HERE / "README.md").write_text("\n".join([INTRODUCTION, *sections]), encoding="utf-8")
    print(f"{len(sections)} jobs")


def section(client: Client, path: pathlib.Path) -> str:
    """Run one job; gives the part of the document that shows it."""
    code = path.read_text(encoding="utf-8")
    question = re.match(r"# Asked: (.+)", code)
    if question is None:
        sys.exit(f"{path.name} does not begin with `# Asked:`")
    named = re.search(r"^# file: (.+)$", code, re.MULTILINE)
    arguments: dict[str, Any] = {"code": code, "timeout": 55}
    if named:
        data = (JOBS / "data" / named[1]).read_text(encoding="utf-8")
        arguments["files"] = [{"path": named[1], "text": data}]
    text, images, result = client.call(arguments)
    if result.get("isError") or len(images) != (path.name[:2] in SHOW_A_PICTURE):
        sys.exit(f"{path.name} is not as expected: {text}")

    number, name = path.stem.split("-", 1)
    runtime = {"wasm": "WASI", "native": "native"}[result["_meta"]["mcp-python-sandbox/runtime"]]
    given = f", with [{named[1]}](gallery/data/{named[1]})" if named else ""
    title = " ".join(ABBREVIATIONS.get(word, word) for word in name.split("-"))
    lines = [f"## {int(number)}. {title[0].upper()}{title[1:]}", "", f"> {question[1]}", ""]
    lines += [f"[{path.name}](gallery/{path.name}){given}; {runtime} runtime.", ""]
    lines += ["```text", text, "```", ""]
    for image in images:
        picture = path.with_suffix("." + image["mimeType"].removeprefix("image/"))
        picture.write_bytes(base64.b64decode(image["data"]))
        lines += [f"![{name.replace('-', ' ')}](gallery/{picture.name})", ""]
    print(f"{path.name}: {runtime}, {len(text)} characters, {len(images)} pictures")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
