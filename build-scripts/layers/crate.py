"""What the Rust crate must keep to: floors, rooms, names, errors."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from .graph import Graph
from .rules import ROOMS, STRING_ERRORS, Finding
from .rust import RustFile

ROOF = ("lib", "main")
REASON = "// same name: "


def graph_of(files: list[RustFile]) -> Graph:
    """Build the graph of the top-level modules; `lib` and `main` stand above all of them."""
    graph = Graph({file.module[0] for file in files} - set(ROOF))
    exported: dict[str, str] = {}
    for file in files:
        if file.module == ("lib",):
            for path in re.findall(r"pub(?:\(crate\))? use (?:self::|crate::)?([^;]+);", file.code):
                head = path.partition("::")[0].strip()
                exported |= dict.fromkeys(re.findall(r"\w+", path), head)
    for file in files:
        for line, path in file.mentions():
            target = path[0] if path and path[0] in graph.nodes else exported.get("".join(path[:1]))
            if file.module[0] in graph.nodes and target in graph.nodes:
                graph.add(file.module[0], target, (file.name, line))
    return graph


def check_rooms(files: list[RustFile]) -> Iterator[Finding]:
    """Find crates that are named outside of their rooms."""
    names = re.compile(rf"(?<![\w:.])({'|'.join(ROOMS)})\s*(?:::|;| as )")
    for file in files:
        for found in names.finditer(file.code):
            rooms = ROOMS[found[1]]
            if file.module[0] not in rooms:
                where = " and ".join(f"`{room}`" for room in rooms)
                yield Finding(
                    file.name,
                    file.line(found.start(1)),
                    f"`{found[1]}` may be named in {where} only: move this there",
                )


def types_twice(files: list[RustFile]) -> dict[str, list[tuple[RustFile, int]]]:
    """Give the type names that are defined more than once, with the places."""
    places: dict[str, list[tuple[RustFile, int]]] = defaultdict(list)
    for file in files:
        for line, name in file.types():
            places[name].append((file, line))
    return {name: found for name, found in sorted(places.items()) if len(found) > 1}


def check_types(files: list[RustFile]) -> Iterator[Finding]:
    """Find type names that are defined twice without a reason above one of them."""
    for name, places in types_twice(files).items():
        if not any(has_reason(file, line) for file, line in places):
            (first, line), *others = places
            rest = ", ".join(f"{file.name}:{number}" for file, number in others)
            yield Finding(
                first.name,
                line,
                f"type `{name}` is defined here and at {rest}: rename one, or say why above it:"
                f" `{REASON}…`",
            )


def has_reason(file: RustFile, line: int) -> bool:
    """Say whether the comments and attributes above a line give the reason."""
    for above in reversed(file.lines[: line - 1]):
        text = above.strip()
        if text.startswith(REASON) and len(text) > len(REASON):
            return True
        if not text.startswith(("//", "#[")):
            return False
    return False


def string_errors(files: list[RustFile]) -> Iterator[tuple[RustFile, int]]:
    """Give the places of `Result<_, String>`."""
    for file in files:
        for found in re.finditer(r"\bResult<", file.code):
            depth, last = 1, found.end()
            for one in re.compile(r"->|[<>(),\[\]]").finditer(file.code, found.end()):
                depth += (one[0] in "<([") - (one[0] in ">)]")
                if one[0] == "," and depth == 1:
                    last = one.end()
                if depth == 0:
                    if last > found.end() and file.code[last : one.start()].strip() == "String":
                        yield file, file.line(found.start())
                    break


def check_errors(files: list[RustFile]) -> Iterator[Finding]:
    """Find errors that are texts, where no reason is given in `rules.STRING_ERRORS`."""
    for file, line in string_errors(files):
        around = [one.name for one in file.functions() if one.first <= line <= one.last]
        if f"{file.name}::{'::'.join(around[-1:])}" not in STRING_ERRORS:
            yield Finding(
                file.name,
                line,
                "`Result<_, String>`: return an error type that callers can match on",
            )
    for file in files:
        if file.module == ("error",):
            for found in re.finditer(r"^\s*(Native)\s*\(\s*String\s*\)", file.code, re.MULTILINE):
                yield Finding(
                    file.name,
                    file.line(found.start(1)),
                    "`Error::Native(String)`: give it fields or a source to match on",
                )


def check_targets(root: Path) -> Iterator[Finding]:
    """Find targets without a path: the Dockerfile reads the paths to compile the dependencies."""
    path = root / "Cargo.toml"
    targets = re.findall(
        r"^\[(?:lib|\[(?:bin|test|bench|example))\]+\n[^\[]*", path.read_text(), re.M
    )
    if not all(re.search("^path = ", target, re.MULTILINE) for target in targets):
        yield Finding(path.name, 1, "a target has no `path`: the Dockerfile needs it there")
