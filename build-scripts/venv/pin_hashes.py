"""Writes the hashes into native-python/requirements*.txt again, after a version in them was changed.

    python3.13 build-scripts/venv/pin_hashes.py

Asks the package index, through pip, what each pinned version's wheel for CPython 3.13 on x86-64 and on aarch64 hashes to, and
for the packages that can be built from source what their sdist hashes to. Nothing is installed; only sdists are downloaded.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "native-python"
MACHINES = ("x86_64", "aarch64")
# Every glibc version up to the one that the newest of the pinned wheels wants.
GLIBC = ("2014", "1", "_2_5", "_2_12", "_2_17", "_2_24", "_2_26", "_2_27", "_2_28")
FROM_SOURCE = ("numpy", "scipy", "scikit-learn", "pandas")
PIN = re.compile(r"^([A-Za-z0-9_.\[\]-]+)==(\S+)", re.MULTILINE)


def main():
    """Rewrites both files in place; the comment at the head of each stays."""
    for name, sdists in (("requirements.txt", FROM_SOURCE), ("requirements-build.txt", ())):
        path = FOLDER / name
        text = path.read_text(encoding="utf-8")
        head = re.match(r"(?:#.*\n)*", text).group()
        pins = PIN.findall(text)
        wheels = {machine: wheel_hashes(pins, machine) for machine in MACHINES}
        lines = [head]
        for package, version in pins:
            hashes = list(dict.fromkeys(wheels[machine][normalise(package)] for machine in MACHINES))
            if package in sdists:
                hashes.append(sdist_hash(package, version))
            lines.append(f"{package}=={version}" + "".join(f" \\\n    --hash=sha256:{one}" for one in hashes) + "\n")
        path.write_text("".join(lines), encoding="utf-8")
        print(f"{name}: {len(pins)} packages")


def normalise(package):
    """The index's spelling of a name, without extras."""
    return re.sub(r"[-_.]+", "-", package.split("[")[0]).lower()


def wheel_hashes(pins, machine):
    """What pip would install on `machine`: {name: sha256}."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        platforms = [f"--platform=manylinux{glibc}_{machine}" for glibc in GLIBC]
        pip("install", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary=:all:", "--report", report,
            "--python-version=3.13", "--implementation=cp", "--target", folder, *platforms,
            *(f"{package}=={version}" for package, version in pins), check=True)
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {normalise(one["metadata"]["name"]): one["download_info"]["archive_info"]["hashes"]["sha256"] for one in found}


def sdist_hash(package, version):
    """pip compares the hash before it builds anything: a wrong one makes it name the right one."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "requirement.txt")
        wanted.write_text(f"{package}=={version} --hash=sha256:{'0' * 64}\n", encoding="utf-8")
        answer = pip("download", "--no-deps", "--no-build-isolation", "--no-binary=:all:", "--require-hashes", "--ignore-requires-python",
                     "--dest", folder, "-r", wanted, check=False)
    return re.search(r"Got\s+([0-9a-f]{64})", answer.stdout + answer.stderr).group(1)


def pip(*arguments, check):
    """One quiet pip command."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)]
    return subprocess.run(command, check=check, capture_output=True, text=True)


if __name__ == "__main__":
    main()
