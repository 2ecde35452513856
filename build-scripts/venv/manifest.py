"""Writes sandbox-manifest.json into a venv: what is in it, how it was made, what it needs.

    <venv>/bin/python manifest.py VENV KEY "SOURCE PACKAGES" OPENBLAS_CORETYPE

A venv with this file is finished.
"""

import json
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

SUFFIXES = (".py", ".so")
# numpy names the CPU features that it was compiled for. The import kills the process where one of
# them is missing, hence a process of its own.
ASK_NUMPY = """
from numpy._core import _multiarray_umath as m
print(*m.__cpu_baseline__, '|', *m.__cpu_dispatch__)
"""


def main(venv: str, key: str, packages: str, blas: str) -> None:
    """Gather everything, then rename a complete file into place."""
    source = packages.split()
    distributions = sorted(metadata.distributions(), key=lambda one: one.name.lower())
    modules = {name for one in distributions for name in top_level_modules(one)}
    manifest = {
        "format": 1,
        "key": key,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()),
        "mode": ["wheels", "mixed", "from-source"][(len(source) > 0) + (len(source) == 4)],
        "built_from_source": source,
        "environment": {"OPENBLAS_CORETYPE": blas} if blas else {},
        "cpu": cpu_features(),
        "packages": {one.name: one.version for one in distributions},
        "modules": sorted(modules, key=str.lower),
    }
    path = Path(venv, "sandbox-manifest.json")
    unfinished = path.with_suffix(".tmp")
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    unfinished.write_text(text + "\n", encoding="utf-8")
    unfinished.rename(path)


def top_level_modules(distribution: metadata.Distribution) -> Iterator[str]:
    """Give the names that `import` accepts, those of namespace packages (google) among them."""
    site = Path(sysconfig.get_path("purelib"))
    for file in distribution.files or ():
        first, *below = file.parts
        name = first if below else first.split(".")[0]
        if file.suffix in SUFFIXES and name.isidentifier() and (site / first).exists():
            yield name


def cpu_features() -> dict[str, Any]:
    """Ask numpy what it needs and can use; no other package needs more than its architecture."""
    clean = {"PATH": os.environ.get("PATH", "")}
    command = [sys.executable, "-I", "-c", ASK_NUMPY]
    answer = subprocess.run(command, env=clean, capture_output=True, text=True, check=False)
    if answer.returncode:
        return {"numpy_runs_here": False}
    needed, used = answer.stdout.split("|")
    return {
        "numpy_runs_here": True,
        "numpy_needs": needed.split(),
        "numpy_uses_if_there": used.split(),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
