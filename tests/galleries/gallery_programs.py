"""Finds the programs: those of the galleries in unpacked archives, and those made of docstrings."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from seaborn_data import tables

HERE = Path(__file__).resolve().parent
MAX_FILES = 90
# Folders of examples, by project.
GALLERIES = {
    "matplotlib": ["matplotlib-*/galleries/examples", "matplotlib-*/galleries/plot_types"],
    "scikit-learn": ["scikit_learn-*/examples"],
    "networkx": ["networkx-*/examples"],
    "seaborn": ["seaborn-*/examples", "seaborn-*/doc/_docstrings", "seaborn-*/doc/_tutorial"],
}
# Packages whose docstrings are played, by project.
DOCS = {f"{name}.doc": name for name in "networkx numpy pandas scipy sklearn sympy".split()}
# seaborn looks for its data sets here before it would load them from the network.
SEABORN = 'import os; os.environ["SEABORN_DATA"] = "."\n'


@dataclass
class Program:
    """One program, and the files that it finds beside itself."""

    project: str
    name: str
    code: str
    files: dict[str, bytes] = field(default_factory=dict)
    by_output: bool = False  # whether both sides must print the same

    @property
    def title(self) -> str:
        return f"{self.project}/{self.name}"


def programs(project: str, sources: Path) -> Iterator[Program]:
    """Give the programs of a project, in the order of their names."""
    if project in DOCS:
        yield from of_docstrings(project)
        return
    data = tables() if project == "seaborn" else {}
    for pattern in GALLERIES[project]:
        for root in sorted(sources.glob(pattern)):
            for path in sorted([*root.rglob("*.py"), *root.rglob("*.ipynb")]):
                code = notebook(path) if path.suffix == ".ipynb" else path.read_text()
                name = f"{root.name}/{path.relative_to(root).with_suffix('')}"
                if project == "seaborn":
                    code = SEABORN + code
                yield Program(project, name, code, neighbours(path, code) | used(data, code))


def of_docstrings(project: str) -> Iterator[Program]:
    """Give the programs of a package's docstrings; a process of its own imports all of it."""
    command = [sys.executable, "-B", str(HERE / "doc_programs.py"), DOCS[project]]
    made = subprocess.run(command, check=True, capture_output=True, text=True)
    for line in made.stdout.splitlines():
        found = json.loads(line)
        yield Program(project, found["name"], found["code"], by_output=True)


def notebook(path: Path) -> str:
    """Give the cells of a notebook as one program that shows the value of each."""
    cells = json.loads(path.read_text())["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return "\n".join(shown(code) for code in codes)


def shown(code: str) -> str:
    """Give a cell without magic commands, its last value displayed and its figures shown."""
    code = re.sub(r"^[%!].*$", "", code, flags=re.MULTILINE)
    tree = ast.parse(code)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr) and not code.rstrip().endswith(";"):
        # `plt.plot()` gives a list of lines, for which a notebook shows nothing but the figure.
        value = ast.parse("value = 0\nif hasattr(value, '_repr_png_'):\n    display(value)").body
        assert isinstance(value[0], ast.Assign)
        value[0].value = last.value
        tree.body[-1:] = value
    return f"{ast.unparse(tree)}\nimport matplotlib.pyplot\nmatplotlib.pyplot.show()"


def neighbours(path: Path, code: str) -> dict[str, bytes]:
    """Give the files of the example's folder that it names."""
    found: dict[str, bytes] = {}
    for file in sorted(path.parent.rglob("*")):
        named = file.stem in code if file.suffix == ".py" else file.name in code
        if named and file.is_file() and file != path and len(found) < MAX_FILES:
            found[str(file.relative_to(path.parent))] = file.read_bytes()
    return found


def used(data: dict[str, str], code: str) -> dict[str, bytes]:
    """Give the tables that a program loads by their names."""
    words = set(re.findall(r"""["'](\w+)["']""", code))
    return {f"{name}.csv": text.encode() for name, text in data.items() if name in words}
