"""How large files and lines are, and where files lie."""

from collections.abc import Iterator
from pathlib import Path

from .rules import COLUMNS, FILE_LINES, FOLDERS, LONG_LINES, LOOSE_FILES, Finding

LANGUAGES = {".rs": "Rust", ".py": "Python", ".c": "C", ".h": "C", ".sh": "shell"}
LEFT_OUT = {"__pycache__", "node_modules", "out", "target"}


def language(path: Path) -> str:
    """Give the language of a source file by its name or its first line, or nothing."""
    if path.suffix in LANGUAGES:
        return LANGUAGES[path.suffix]
    if path.suffix:
        return ""
    with path.open("rb") as file:
        first = file.readline(100)
    shell = first.startswith(b"#!") and first.rstrip().endswith(b"sh")
    return "shell" if shell else "Python" if first.startswith(b"#!") and b"python" in first else ""


def sources(root: Path, *folders: str) -> Iterator[tuple[Path, str]]:
    """Give the source files below the folders, with their language."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            wanted = path.is_file() and not LEFT_OUT.intersection(path.relative_to(root).parts)
            if wanted and (found := language(path)):
                yield path, found


def lines_of(root: Path, *folders: str) -> int:
    """Count the lines of all source files below the folders."""
    return sum(len(path.read_text("utf-8").splitlines()) for path, _ in sources(root, *folders))


def long_lines(text: str) -> list[int]:
    """Give the numbers of the lines that are too long."""
    return [n for n, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]


def loose_files(root: Path) -> list[str]:
    """Give the files that lie in src/ itself."""
    return sorted(path.name for path in (root / "src").glob("*.rs"))


def check_sizes(root: Path) -> Iterator[Finding]:
    """Find files and lines that are too long; the lines of Python are ruff's."""
    for path, kind in sources(root, *FOLDERS):
        name = str(path.relative_to(root))
        text = path.read_text("utf-8")
        count = len(text.splitlines())
        if count > FILE_LINES:
            what = f"{count} lines, {FILE_LINES} are allowed: split it where it is two ideas"
            yield Finding(name, count, what)
        if kind != "Python" and name not in LONG_LINES:
            for number in long_lines(text):
                yield Finding(name, number, f"longer than {COLUMNS} columns: break it")


def check_places(root: Path) -> Iterator[Finding]:
    """Find files that lie loose in src/, and folders without a file that says what they are."""
    loose = loose_files(root)
    if len(loose) > LOOSE_FILES:
        what = f"{len(loose)} files lie in src/ itself, {LOOSE_FILES} are allowed: move some"
        yield Finding("src", 1, f"{what} into folders: {' '.join(loose)}")
    for folder in sorted(path for path in (root / "src").rglob("*") if path.is_dir()):
        has_code = any(folder.glob("*.rs"))
        if has_code and not any(
            one.exists() for one in (folder / "mod.rs", folder.with_suffix(".rs"))
        ):
            name = folder.relative_to(root)
            yield Finding(str(name), 1, f"no `mod.rs` and no `{folder.name}.rs` beside it: add one")
