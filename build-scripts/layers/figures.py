"""Figures of the whole: the module graphs as text, and a table to compare two states by."""

from collections.abc import Iterator
from pathlib import Path

from . import bootstrap, crate
from .graph import Graph, read_floors
from .rules import COLUMNS, FUNCTION_LINES
from .rust import RustFile, read_crate
from .sizes import lines_of, loose_files


def graph_lines(root: Path, floors: str) -> Iterator[str]:
    """Give both graphs as text."""
    loose = loose_files(root)
    yield f"src/: {len(loose)} loose files ({' '.join(loose)})"
    yield from one_graph(crate.graph_of(read_crate(root)), root / floors)
    modules, tops = bootstrap.graphs(root)
    yield ""
    yield f"{bootstrap.FOLDER / bootstrap.PACKAGE}:"
    yield from one_graph(tops, root / bootstrap.FOLDER / "floors.txt")
    yield f"  circles among the {len(modules.nodes)} modules: {circles(modules)}"


def one_graph(graph: Graph, floors: Path) -> Iterator[str]:
    """Give one graph as text."""
    for node in sorted(graph.nodes):
        yield f"  {node} -> {' '.join(graph.targets(node)) or '(nothing)'}"
    yield f"  {len(graph.nodes)} modules, {len(graph.arrows)} arrows, circles: {circles(graph)}"
    order, said = order_of(graph, floors)
    up = list(graph.upward(order))
    yield f"  upward: {len(up)} {said} {' '.join(f'{a}->{b}' for a, b in up)}".rstrip()


def order_of(graph: Graph, floors: Path) -> tuple[list[list[str]], str]:
    """Give the order of the list, or where there is none the best one that was found."""
    order = read_floors(floors)
    return (graph.best_order(), "(no list: best order found)") if order is None else (order, "")


def circles(graph: Graph) -> str:
    """Give the sizes of the circles."""
    found = [str(len(one)) for one in graph.components() if len(one) > 1]
    return ", ".join(found) or "none"


def table_lines(root: Path, floors: str) -> Iterator[str]:
    """Give the figures, one a line."""
    files = read_crate(root)
    graph = crate.graph_of(files)
    order, said = order_of(graph, root / floors)
    largest = max((len(one) for one in graph.components()), default=1)
    code = [line for file in files for line in code_lines(file)]
    wide = sum(len(line) > COLUMNS for line in code)
    twice = crate.types_twice(files).values()
    reasoned = sum(any(crate.has_reason(*place) for place in places) for places in twice)
    functions = [one for file in files for one in file.functions()]
    long = sum(one.last - one.first + 1 > FUNCTION_LINES for one in functions)
    rows = {
        "loose files in src/": len(loose_files(root)),
        "largest circle of modules": largest if largest > 1 else 0,
        f"upward imports {said}".rstrip(): len(list(graph.upward(order))),
        "arrows between modules": f"{len(graph.arrows)} between {len(graph.nodes)}",
        "`Result<_, String>`": len(list(crate.string_errors(files))),
        "type names defined twice": f"{len(twice)} ({reasoned} with a reason)",
        f"code lines over {COLUMNS} columns": f"{wide} ({100 * wide / len(code):.1f} %)",
        "lines of src/": sum(len(file.lines) for file in files),
        "lines of the bootstrap": lines_of(root, str(bootstrap.FOLDER / bootstrap.PACKAGE)),
        "lines of build scripts": lines_of(root, "build-scripts"),
        f"functions over {FUNCTION_LINES} lines": f"{long} of {len(functions)}",
        "lines of README.md": len((root / "README.md").read_text("utf-8").splitlines()),
    }
    yield "| figure | value |"
    yield "| --- | --- |"
    yield from (f"| {name} | {value} |" for name, value in rows.items())


def code_lines(file: RustFile) -> Iterator[str]:
    """Give the lines that have code on them."""
    for line, code in zip(file.lines, file.code.splitlines(), strict=False):
        if code.strip():
            yield line
