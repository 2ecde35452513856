"""Reads pinned requirements for build-venv.

    requirements.py missing FILE FOLDER             those of which FOLDER has no wheel with the hash
    requirements.py install FILE FOLDER "PACKAGES"  all; those of PACKAGES, which were built here,
                                                    with the hash of their wheel in FOLDER
"""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path


def main(what: str, path: str, folder: str, source: str = "") -> None:
    """Print one requirement a line."""
    pins = list(requirements(Path(path)))
    if what == "missing":
        there = {sha256(file) for file in Path(folder).glob("*.whl")}
        pins = [(pin, hashes) for pin, hashes in pins if not there.intersection(hashes)]
    for pin, pinned in pins:
        name, version = pin.split("==")
        hashes = pinned
        if name in source.split():
            (wheel,) = Path(folder).glob(f"{name.replace('-', '_')}-{version}-*.whl")
            hashes = [sha256(wheel)]
        print(pin, *(f"--hash=sha256:{one}" for one in hashes))


def requirements(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Give (name==version, [sha256]); a requirement may go over several lines."""
    for line in path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if line and not line.startswith("#"):
            pin, *hashes = line.split()
            yield pin, [one.removeprefix("--hash=sha256:") for one in hashes]


def sha256(file: Path) -> str:
    """Give the hash of a file's content."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


if __name__ == "__main__":
    main(*sys.argv[1:])
