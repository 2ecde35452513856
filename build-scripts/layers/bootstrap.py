"""The import graph of the Python package that runs inside of both runtimes."""

import ast
from collections.abc import Iterator
from pathlib import Path

from .graph import Graph, check_circles, check_floors, read_floors
from .rules import Finding

FOLDER = Path("wasm-python/bootstrap")
PACKAGE = "sandbox_bootstrap"


def graphs(root: Path) -> tuple[Graph, Graph]:
    """Build two graphs: of the modules, and of what lies in the package itself."""
    base = root / FOLDER
    names = {}
    for path in sorted((base / PACKAGE).rglob("*.py")):
        parts = path.relative_to(base).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    modules, tops = Graph(set(names)), Graph({top(name) for name in names} - {""})
    for name, path in names.items():
        for line, target in imports(path, name, set(names)):
            place = (str(path.relative_to(root)), line)
            modules.add(name, target, place)
            if top(name) and top(target):
                tops.add(top(name), top(target), place)
    return modules, tops


def top(name: str) -> str:
    """Give the folder or the module of the package that a module belongs to."""
    return name.split(".")[1] if "." in name else ""


def imports(path: Path, name: str, known: set[str]) -> Iterator[tuple[int, str]]:
    """Give the modules of the package that a module imports, wherever in it, with the line."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in known:
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parts, *base.split(".")]).rstrip(".")
            for alias in node.names:
                full = f"{base}.{alias.name}"
                if full in known or base in known:
                    yield node.lineno, full if full in known else base


def check_bootstrap(root: Path) -> Iterator[Finding]:
    """Find circles and imports that lead up."""
    modules, tops = graphs(root)
    yield from check_circles(modules, "modules of the bootstrap")
    yield from check_circles(tops, "folders of the bootstrap")
    name = FOLDER / "floors.txt"
    floors = read_floors(root / name)
    if floors is None:
        yield Finding(str(name), 1, "there is no list of floors: write one, top first")
    else:
        yield from check_floors(tops, floors, str(name))
