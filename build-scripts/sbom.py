"""Writes a CycloneDX bill of materials to stdout: crates, sources of both Pythons, the venv.

    sbom.py ROOT

The same sources give the same bytes: no time, no serial number.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Component = dict[str, Any]
# Name and version, and the licence, of the crates that are compiled in.
TREE = "cargo tree --locked --package mcp-python-sandbox --edges normal --prefix none"


def main(root: Path) -> None:
    """Print the whole bill."""
    version = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    venv = distributions(root / "native-python/requirements.txt")
    components = [*crates(root), *sources(root), *venv]
    product = {
        "type": "application",
        "bom-ref": "mcp-python-sandbox",
        "name": "mcp-python-sandbox",
        "version": version,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": product},
        "components": sorted(components, key=lambda component: component["purl"]),
    }
    json.dump(bill, sys.stdout, indent=1)
    print()


def component(
    kind: str, name: str, version: str, sha256s: Iterable[str], licence: str = ""
) -> Component:
    """Describe one part."""
    purl = f"pkg:{kind}/{name}@{version}"
    made: Component = {"type": "library", "bom-ref": purl, "name": name, "version": version}
    made["purl"] = purl
    if hashes := [{"alg": "SHA-256", "content": sha256} for sha256 in sha256s]:
        made["hashes"] = hashes
    if licence:
        made["licenses"] = [{"expression": licence.replace("/", " OR ").replace("  ", " ")}]
    return made


def crates(root: Path) -> Iterator[Component]:
    """Describe what is compiled in; crates that only tests need are not."""
    lock = tomllib.loads((root / "Cargo.lock").read_text())
    checksums = {(one["name"], one["version"]): one.get("checksum") for one in lock["package"]}
    command = [*TREE.split(), "--format", "{p}|{l}"]
    tree = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    for line in sorted(set(tree.replace(" (*)", "").splitlines())):
        package, _, licence = line.partition("|")
        name, version = package.split()[:2]
        if checksum := checksums.get((name, version.removeprefix("v"))):
            yield component("cargo", name, version.removeprefix("v"), [checksum], licence)


def sources(root: Path) -> Iterator[Component]:
    """Describe what both Pythons are built from."""
    for name, pin in tomllib.loads((root / "wasm-python/pins.toml").read_text()).items():
        if "version" in pin:
            yield component("generic", name, pin["version"], [pin["sha256"]])


def distributions(requirements: Path) -> Iterator[Component]:
    """Describe the packages of the venv."""
    text = requirements.read_text().replace("\\\n", " ")
    for line in text.splitlines():
        if found := re.match(r"([A-Za-z0-9_.-]+)==([^\s;]+)", line):
            hashes = re.findall(r"sha256:([0-9a-f]{64})", line)
            yield component("pypi", found[1].lower(), found[2], hashes)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
