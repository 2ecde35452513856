"""Prints requirements in which source-built wheels take the place of the published files.

    requirements.py requirements.txt FOLDER "SOURCE PACKAGES"

FOLDER holds one wheel of each package that was built here; it must be of the pinned version, its hash replaces the pinned ones.
"""

import hashlib
import re
import sys
from pathlib import Path


def main(path, folder, source):
    """Joins continued lines, so that every requirement is one line."""
    source = set(source.split())
    for line in Path(path).read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if not line or line.startswith("#"):
            continue
        name, version = line.split()[0].split("==")
        if name in source:
            source.remove(name)
            (wheel,) = Path(folder).glob(f"{name.replace('-', '_')}-{version}-*.whl")
            print(f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}")
        else:
            print(re.sub(r" +", " ", line))
    if source:
        sys.exit(f"error: built from source but not pinned: {', '.join(source)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
