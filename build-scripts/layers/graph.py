"""A graph of modules, and what its shape must be: no circle, and arrows that only lead down."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .rules import Finding

Place = tuple[str, int]


@dataclass
class Graph:
    """Modules, and for each import the places where it is written."""

    nodes: set[str] = field(default_factory=set)
    arrows: dict[tuple[str, str], list[Place]] = field(default_factory=dict)

    def add(self, source: str, target: str, place: Place) -> None:
        """Note that `source` imports `target`."""
        if source != target:
            self.arrows.setdefault((source, target), []).append(place)

    def targets(self, source: str) -> list[str]:
        """Give the modules that `source` imports."""
        return sorted(target for one, target in self.arrows if one == source)

    def reachable(self, source: str) -> set[str]:
        """Give the modules that `source` imports, also through others."""
        seen: set[str] = set()
        waiting = [source]
        while waiting:
            found = set(self.targets(waiting.pop())) - seen
            seen |= found
            waiting += found
        return seen

    def components(self) -> list[list[str]]:
        """Give the strongly connected components, the largest first."""
        reach = {node: self.reachable(node) | {node} for node in self.nodes}
        groups = {tuple(sorted(m for m in reach[n] if n in reach[m])) for n in self.nodes}
        return sorted(map(list, groups), key=lambda group: (-len(group), group))

    def circle(self, component: list[str]) -> list[str]:
        """Give a shortest circle through the first module of a component."""
        start = component[0]
        before: dict[str, str] = {}
        waiting = deque([start])
        while start not in before:
            one = waiting.popleft()
            for target in self.targets(one):
                if target in component and target not in before:
                    before[target] = one
                    waiting.append(target)
        path = [start]
        while len(path) == 1 or path[-1] != start:
            path.append(before[path[-1]])
        return path[::-1]

    def upward(self, floors: list[list[str]]) -> Iterator[tuple[str, str]]:
        """Give the imports that lead up, or to a sibling on the same floor."""
        height = {name: level for level, names in enumerate(floors) for name in names}
        for source, target in sorted(self.arrows):
            if source in height and target in height and height[source] >= height[target]:
                yield source, target

    def best_order(self) -> list[list[str]]:
        """Give an order with few arrows up: each module moves to where it has the fewest."""
        order = sorted(self.nodes, key=lambda node: len(self.reachable(node)), reverse=True)
        for _ in range(20):
            for node in sorted(self.nodes):
                rest = [other for other in order if other != node]
                ups = [sum((other, node) in self.arrows for other in rest)]
                for other in rest:
                    step = ((node, other) in self.arrows) - ((other, node) in self.arrows)
                    ups.append(ups[-1] + step)
                rest.insert(ups.index(min(ups)), node)
                order = rest
        return [[name] for name in order]


def read_floors(path: Path) -> list[list[str]] | None:
    """Read the list of floors, top first; None where there is none."""
    if not path.exists():
        return None
    lines = (line.partition("#")[0].split() for line in path.read_text("utf-8").splitlines())
    return [names for names in lines if names]


def check_circles(graph: Graph, what: str) -> Iterator[Finding]:
    """Find circles, one for each component that has one."""
    for component in graph.components():
        if len(component) > 1:
            path = graph.circle(component)
            file, line = graph.arrows[path[0], path[1]][0]
            size = f" (one of {len(component)} modules)" if len(path) - 1 < len(component) else ""
            yield Finding(
                file,
                line,
                f"{what} import each other in a circle: {' -> '.join(path)}{size}; cut one",
            )


def check_floors(graph: Graph, floors: list[list[str]], name: str) -> Iterator[Finding]:
    """Find imports that do not lead down, and modules that the list misses or invents."""
    level = {module: number for number, names in enumerate(floors) for module in names}
    for module in sorted(graph.nodes - level.keys()):
        yield Finding(name, 1, f"`{module}` is on no floor: write it where it belongs")
    for module in sorted(level.keys() - graph.nodes):
        yield Finding(name, 1, f"there is no module `{module}`: take it out")
    for source, target in graph.upward(floors):
        beside = level[source] == level[target]
        why = "are siblings" if beside else "is above it"
        subject = (
            f"`{source}` and `{target}`" if beside else f"`{source}` imports `{target}`, which"
        )
        for file, line in graph.arrows[source, target]:
            yield Finding(
                file, line, f"{subject} {why} in {name}: move what both need to a floor below"
            )
