"""The command line of `check-layers`."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from . import bootstrap, crate, figures
from .documents import check_documents
from .graph import check_circles, check_floors, read_floors
from .rules import Finding
from .rust import read_crate
from .sizes import check_places, check_sizes

FLOORS = "src/floors.txt"


def findings(root: Path) -> Iterator[Finding]:
    """Give everything that is wrong below `root`."""
    files = read_crate(root)
    graph = crate.graph_of(files)
    yield from check_circles(graph, "modules of src/")
    floors = read_floors(root / FLOORS)
    if floors is None:
        yield Finding(FLOORS, 1, "there is no list of floors: write one, top first")
    else:
        yield from check_floors(graph, floors, FLOORS)
    yield from crate.check_rooms(files)
    yield from crate.check_types(files)
    yield from crate.check_errors(files)
    yield from crate.check_targets(root)
    yield from bootstrap.check_bootstrap(root)
    yield from check_places(root)
    yield from check_sizes(root)
    yield from check_documents(root)


def main() -> int:
    """Run the command line; gives the exit code."""
    parser = argparse.ArgumentParser(prog="check-layers", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--graph", action="store_true", help="print the module graphs instead")
    parser.add_argument("--table", action="store_true", help="print the figures instead")
    options = parser.parse_args()
    if options.graph:
        print("\n".join(figures.graph_lines(options.root, FLOORS)))
    if options.table:
        print("\n".join(figures.table_lines(options.root, FLOORS)))
    if options.graph or options.table:
        return 0
    found = sorted(set(findings(options.root)))
    for one in found:
        print(one)
    return 1 if found else 0
