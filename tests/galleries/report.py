"""The table of a whole run, as a document."""

from collections import Counter
from dataclasses import dataclass

HEAD = """# Other people's programs

Written by `build-scripts/test-galleries --report`; `expected.txt` holds the reason of each program
that differs from plain Python in the same venv. A program that needs a network fails in both.

| project | programs | same | fail in both | differ | seconds |
| --- | ---: | ---: | ---: | ---: | ---: |
"""
EARLIER = "\n## Earlier\n"


@dataclass
class Row:
    """What came of a project."""

    project: str
    programs: int
    same: int
    fail: int
    differ: int
    seconds: int

    def line(self) -> str:
        """Give it as a line of the table."""
        cells = [self.project, self.programs, self.same, self.fail, self.differ, self.seconds]
        return f"| {' | '.join(map(str, cells))} |"


def table(rows: list[Row], expected: dict[str, str], former: str) -> str:
    """Give the document; what `former` says of earlier runs stays."""
    numbers = ("programs", "same", "fail", "differ", "seconds")
    total = Row("all", *(sum(getattr(row, name) for row in rows) for name in numbers))
    lines = [row.line() for row in [*rows, total]]
    reasons = Counter(expected.values()).most_common()
    lines += ["", "| reason of a difference | programs |", "| --- | ---: |"]
    lines += [f"| {reason} | {count} |" for reason, count in reasons]
    earlier = former.partition(EARLIER)
    return HEAD + "\n".join(lines) + "\n" + "".join(earlier[1:])
