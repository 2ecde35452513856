"""Files and functions that a document names must exist.

What is checked: words in `backticks`, and in fenced blocks every word, if they
- end in `/` or in a known extension, or begin with a folder of the project: a path, from the root,
  from src/ or from the bootstrap, or beside the last path on the same line;
- have `::` in them: an item of a module of src/, as in `service::execute::run`, `Type::method` or
  `mcp/server::call_tool`; of a Python file, as in `sandbox_bootstrap/session.py::run`.
Not checked: places outside of the checkout, which begin with `$`, `~`, `/` or a name in capitals.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .bootstrap import FOLDER, PACKAGE
from .rules import DOCUMENTS, Finding
from .rust import RustFile, read_crate

EXTENSIONS = "c|h|ini|json|lock|md|mjs|patch|py|rs|sh|service|toml|txt|yaml|yml"
FILE = re.compile(rf"/$|\.({EXTENSIONS})$")
ELSEWHERE = re.compile(r"^[-$~/<.@]|^[A-Z_]+/|[*=<>()$]")
IN_FENCE = re.compile(r"[A-Za-z_][\w.-]*(?:(?:/|::)[\w.-]+)+/?|[\w-]+/(?=\s|$)")
BASES = (".", "src", str(FOLDER), str(FOLDER / PACKAGE))
OUTSIDE = {"std", "core", "alloc"}
# `mcp/stdio` is a module: a file or a folder.
MODULE = ("", ".rs", ".py")


def check_documents(root: Path) -> Iterator[Finding]:
    """Find names in the documents that stand for nothing."""
    files = read_crate(root)
    crates = OUTSIDE | set(re.findall(r"^([\w-]+) *=", (root / "Cargo.toml").read_text(), re.M))
    for document in DOCUMENTS:
        for line, word, beside, fenced in words((root / document).read_text("utf-8")):
            found = partial(files_of, root, beside=beside)
            path, _, item = word.partition("::")
            if not item:
                first = word.partition("/")[0]
                known = any((root / base / first).is_dir() for base in BASES)
                is_path = FILE.search(word) or ("/" in word and (fenced or known))
                if is_path and not found(word):
                    yield Finding(document, line, f"there is no file `{word}`: name what is there")
            elif path.endswith(".py"):
                if not any(defines(one, item) for one in found(path)):
                    yield Finding(document, line, f"there is no `{item}` in `{path}`")
            elif path.partition("/")[0].replace("_", "-") not in crates | OUTSIDE:
                parts = tuple(word.removeprefix("crate::").replace("/", "::").split("::"))
                if not any(has_item(file, parts) for file in files):
                    yield Finding(
                        document, line, f"there is no `{word}` in src/: name what is there"
                    )


def words(text: str) -> Iterator[tuple[int, str, str, bool]]:
    """Give the words to check: line, word, folder named before it on the line, if in a fence."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        beside = ""
        for word in IN_FENCE.findall(line) if fenced else re.findall(r"`([^`\s]+)`", line):
            if ELSEWHERE.search(word.removesuffix("()")) is None:
                yield number, word.removesuffix("()"), beside, fenced
                if FILE.search(word) and "/" in word:
                    beside = word.rpartition("/")[0]


def files_of(root: Path, word: str, beside: str) -> list[Path]:
    """Give what a path may stand for."""
    bases = [root / base for base in BASES]
    places = bases + [base / beside for base in bases if beside]
    tries = (place / f"{word}{ending}" for place in places for ending in MODULE)
    return [path for path in tries if path.exists()]


def defines(path: Path, item: str) -> bool:
    """Say whether a Python file defines a name."""
    name = re.escape(item.rpartition("::")[2])
    defined = rf"^\s*(?:(?:async )?def|class) {name}\b|^{name}\b.*="
    return re.search(defined, path.read_text("utf-8"), re.MULTILINE) is not None


def has_item(file: RustFile, parts: tuple[str, ...]) -> bool:
    """Say whether a path of the crate leads to something in this file."""
    *above, owner, name = parts
    # A module is named in full or by its last names.
    ends = [file.module[start:] for start in range(len(file.module))]
    if owner[0].isupper():
        wanted = rf"\b(?:fn|const|type)\s+{name}\b|^\s*(?:pub(?:\([^)]*\))? )?{name}\b\s*[:,({{=]"
        blocks = [one for one in file.blocks if re.search(rf"\b{owner}\b", one.head)]
        bodies = (file.code[one.start : one.end + 1] for one in blocks if one.kind != "mod")
        below = not above or any(end[: len(above)] == tuple(above) for end in ends)
        return below and any(re.search(wanted, body, re.MULTILINE) for body in bodies)
    defined = rf"\b(?:fn|struct|enum|union|trait|type|const|static|mod|macro_rules!)\s+{name}\b"
    exported = rf"\bpub(?:\([^)]*\))? use [^;]*\b{name}\b"
    here = (*above, owner) in ends
    items = re.finditer(f"{defined}|{exported}", file.code) if here else ()
    return any(not file.inside(one.start(), "impl", "trait") for one in items)
