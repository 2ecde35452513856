"""Writes a CycloneDX bill of materials to stdout: the crates in the binary, what both Pythons are built from, the venv's packages.

    sbom.py ROOT

The same sources give the same bytes: no time, no serial number.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path


def main(root):
    version = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    components = [*crates(root), *sources(root), *distributions(root / "native-python/requirements.txt")]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "mcp-python-sandbox",
                "name": "mcp-python-sandbox",
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": sorted(components, key=lambda component: component["purl"]),
    }
    json.dump(bill, sys.stdout, indent=1)
    print()


def component(kind, name, version, sha256s=(), licence=""):
    purl = f"pkg:{kind}/{name}@{version}"
    made = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    if sha256s:
        made["hashes"] = [{"alg": "SHA-256", "content": sha256} for sha256 in sha256s]
    if licence:
        made["licenses"] = [{"expression": licence.replace("/", " OR ").replace("  ", " ")}]
    return made


def crates(root):
    """What is compiled in; crates that only tests need are not."""
    lock = tomllib.loads((root / "Cargo.lock").read_text())
    checksums = {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}
    command = ["cargo", "tree", "--locked", "--package", "mcp-python-sandbox", "--edges", "normal", "--prefix", "none",
               "--format", "{p}|{l}"]  # fmt: skip
    tree = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    for line in sorted(set(tree.replace(" (*)", "").splitlines())):
        found = re.match(r"(\S+) v(\S+)[^|]*\|(.*)", line)
        name, version, licence = found.groups()
        if checksum := checksums.get((name, version)):
            yield component("cargo", name, version, [checksum], licence)


def sources(root):
    for name, pin in tomllib.loads((root / "wasm-python/pins.toml").read_text()).items():
        if "version" in pin:
            yield component("generic", name, pin["version"], [pin["sha256"]])


def distributions(requirements):
    text = requirements.read_text().replace("\\\n", " ")
    for line in text.splitlines():
        if found := re.match(r"([A-Za-z0-9_.-]+)==([^\s;]+)", line):
            yield component("pypi", found[1].lower(), found[2], re.findall(r"sha256:([0-9a-f]{64})", line))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
