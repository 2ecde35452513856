"""Writes the wheel: the one-file edition as a command, and which packages its extras bring.

    wheel.py ROOT BINARY MACHINE FOLDER   prints the path of the wheel in FOLDER

The same binary gives the same bytes. There is no Python code in it: an installer puts the binary
into the environment's `bin`, where it finds the interpreter beside itself.
"""

import base64
import hashlib
import json
import os
import re
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

NAME = "mcp-python-sandbox"
# The binary needs no library, so the C library of the machine does not matter; these are the oldest
# that installers know.
TAGS = ("manylinux_2_17", "manylinux2014", "musllinux_1_1")
EXTRAS = {"science": ["science.txt"], "full": ["science.txt", "full.txt"]}
LARGEST = 100 << 20  # bytes; an index takes no more
HEAD = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: {summary}
License-Expression: Apache-2.0
License-File: LICENSE
Keywords: mcp,model-context-protocol,python,sandbox,code-interpreter,webassembly
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Rust
Classifier: Topic :: Security
Project-URL: Source, {repository}
Requires-Python: >=3.8
Description-Content-Type: text/markdown
"""


def main(root: Path, binary: Path, machine: str, folder: Path) -> None:
    """Pack it, and print where it is."""
    cargo = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))
    workspace = cargo["workspace"]["package"]
    version = workspace["version"]
    stem = f"{NAME.replace('-', '_')}-{version}"
    tags = [f"{tag}_{machine}" for tag in TAGS]
    head = HEAD.format(
        name=NAME,
        version=version,
        summary=cargo["package"]["description"],
        repository=workspace["repository"],
    )
    info = f"{stem}.dist-info"
    wheel = ["Wheel-Version: 1.0", f"Generator: {NAME}", "Root-Is-Purelib: false"]
    wheel += [f"Tag: py3-none-{tag}" for tag in tags]
    readme = (root / "README.md").read_text(encoding="utf-8")
    # By this line the registry of MCP servers knows that the package is the server's own.
    server = json.loads((root / "server.json").read_text(encoding="utf-8"))["name"]
    readme += f"\n<!-- mcp-name: {server} -->\n"
    metadata = head + "".join(extras(root / "native-python")) + "\n" + readme
    files = {
        f"{stem}.data/scripts/{NAME}": binary.read_bytes(),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": ("\n".join(wheel) + "\n").encode(),
        f"{info}/licenses/LICENSE": (root / "LICENSE").read_bytes(),
    }
    record = f"{info}/RECORD"
    lines = [f"{name},{digest(content)},{len(content)}\n" for name, content in files.items()]
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    path = folder / f"{stem}-py3-none-{'.'.join(tags)}.whl"
    unfinished = path.with_suffix(".tmp")
    write(unfinished, files)
    if unfinished.stat().st_size > LARGEST:
        sys.exit(f"error: {unfinished} is larger than {LARGEST} bytes")
    unfinished.rename(path)
    print(path)


def extras(folder: Path) -> Iterator[str]:
    """Give the lines of the metadata that name them."""
    for extra, lists in EXTRAS.items():
        yield f"Provides-Extra: {extra}\n"
        for requirement in requirements(folder / name for name in lists):
            yield f'Requires-Dist: {requirement}; extra == "{extra}"\n'


def requirements(files: Iterator[Path]) -> Iterator[str]:
    """Give the lines that are none of comments; each is a name with a range of versions."""
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            text = line.partition("#")[0].strip()
            if text and not re.fullmatch(r"[A-Za-z0-9._-]+[<>=!~][<>=!~.,\w]*", text):
                sys.exit(f"error: {file} has a line that is no requirement: {line}")
            if text:
                yield text


def digest(content: bytes) -> str:
    """Give the hash as RECORD has it."""
    sha256 = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return "sha256=" + sha256.rstrip(b"=").decode()


def write(path: Path, files: dict[str, bytes]) -> None:
    """Write the archive; every entry has the same time."""
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "1735689600"))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(epoch)[:6])
            mode = 0o755 if "/scripts/" in name else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
