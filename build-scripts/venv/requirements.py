"""Reads pinned requirements for build-venv.

    requirements.py missing FILE FOLDER             the requirements of which FOLDER has no wheel with a pinned hash
    requirements.py install FILE FOLDER "PACKAGES"  all; those of PACKAGES, built here, with the hash of their wheel in FOLDER
"""

import hashlib
import sys
from pathlib import Path


def main(what, path, folder, source=""):
    """Prints one requirement a line."""
    pins = list(requirements(path))
    if what == "missing":
        there = {sha256(file) for file in Path(folder).glob("*.whl")}
        pins = [(pin, hashes) for pin, hashes in pins if not there.intersection(hashes)]
    for pin, hashes in pins:
        name, version = pin.split("==")
        if name in source.split():
            (wheel,) = Path(folder).glob(f"{name.replace('-', '_')}-{version}-*.whl")
            hashes = [sha256(wheel)]
        print(pin, *(f"--hash=sha256:{one}" for one in hashes))


def requirements(path):
    """Yields (name==version, [sha256]); a requirement may go over several lines."""
    for line in Path(path).read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if line and not line.startswith("#"):
            pin, *hashes = line.split()
            yield pin, [one.removeprefix("--hash=sha256:") for one in hashes]


def sha256(file):
    """Of its content."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


if __name__ == "__main__":
    main(*sys.argv[1:])
