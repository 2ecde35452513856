"""Writes the hashes of pinned requirements again, after a version in one of the files was changed.

    python3 build-scripts/venv/pin_hashes.py [FILE…]     default: all files

Asks the package index, through pip, for the hashes of each pinned version's wheels for x86-64 and
aarch64, and of the sdist where a package can be built from source. Nothing is installed; only
sdists are downloaded.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINES = ("x86_64", "aarch64")
# Every glibc version up to the one that the newest of the pinned wheels wants.
GLIBC = ("2014", "1", "_2_5", "_2_12", "_2_17", "_2_24", "_2_26", "_2_27", "_2_28")
FROM_SOURCE = ("numpy", "scipy", "scikit-learn", "pandas")
# File: the versions of Python to pin wheels for.
FILES = {
    "native-python/requirements.txt": ("3.13",),
    "native-python/requirements-full.txt": ("3.13",),
    "native-python/requirements-build.txt": ("3.13",),
    "build-scripts/lint-requirements.txt": ("3.11", "3.12", "3.13", "3.14"),
}
# Name, version, and the marker of a package that one machine alone has.
PIN = re.compile(r"^([A-Za-z0-9_.\[\]-]+)==([^\s;]+)( ; \w+ == \S+)?", re.MULTILINE)


def main(names: list[str]) -> None:
    """Rewrite the files in place; the comment at the head of each stays."""
    for file in names or FILES:
        path = ROOT / file
        text = path.read_text(encoding="utf-8")
        head = re.match(r"(?:#.*\n)*", text)
        pins = PIN.findall(text)
        targets = [(machine, python) for machine in MACHINES for python in FILES[file]]
        wheels = [wheel_hashes(pins, machine, python) for machine, python in targets]
        lines = [head[0] if head else ""]
        for package, version, marker in pins:
            found = [wheel[name] for wheel in wheels if (name := normalise(package)) in wheel]
            hashes = list(dict.fromkeys(found))
            if file == "native-python/requirements.txt" and package in FROM_SOURCE:
                hashes.append(sdist_hash(package, version))
            options = "".join(f" \\\n    --hash=sha256:{one}" for one in hashes)
            lines.append(f"{package}=={version}{marker}{options}\n")
        path.write_text("".join(lines), encoding="utf-8")
        print(f"{file}: {len(pins)} packages")


def normalise(package: str) -> str:
    """Give the index's spelling of a name, without extras."""
    return re.sub(r"[-_.]+", "-", package.split("[")[0]).lower()


def wheel_hashes(pins: list[tuple[str, str, str]], machine: str, python: str) -> dict[str, str]:
    """Ask what pip would install on `machine`: {name: sha256}."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        options = ["--dry-run", "--ignore-installed", "--no-deps", "--only-binary=:all:"]
        options += [f"--platform=manylinux{glibc}_{machine}" for glibc in GLIBC]
        options += [f"--python-version={python}", "--implementation=cp", f"--target={folder}"]
        wanted = [f"{name}=={version}" for name, version, marker in pins if machine in marker or not marker]
        pip("install", f"--report={report}", *options, *wanted, check=True)
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {
        normalise(one["metadata"]["name"]): one["download_info"]["archive_info"]["hashes"]["sha256"]
        for one in found
    }


def sdist_hash(package: str, version: str) -> str:
    """Give pip a wrong hash: it compares before it builds anything, and names the right one."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "requirement.txt")
        wanted.write_text(f"{package}=={version} --hash=sha256:{'0' * 64}\n", encoding="utf-8")
        options = ["--no-deps", "--no-build-isolation", "--no-binary=:all:", "--require-hashes"]
        options += ["--ignore-requires-python", f"--dest={folder}", f"--requirement={wanted}"]
        answer = pip("download", *options, check=False)
    said = answer.stdout + answer.stderr
    found = re.search(r"Got\s+([0-9a-f]{64})", said)
    if found is None:
        raise SystemExit(f"error: failed to find the hash of the sdist of `{package}`: {said}")
    return found[1]


def pip(*arguments: str, check: bool) -> subprocess.CompletedProcess[str]:
    """Run one quiet pip command."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=check, capture_output=True, text=True)


if __name__ == "__main__":
    main(sys.argv[1:])
