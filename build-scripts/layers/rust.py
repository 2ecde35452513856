"""Reads Rust files: what is code, which modules it names, what it defines."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

# Comments, strings and characters; a lifetime has no second quote.
NO_CODE = re.compile(
    r"""//[^\n]* | /\*.*?\*/
      | (?<!\w)b?r(?P<hashes>\#*)".*?"(?P=hashes)
      | (?<!\w)[bc]?"(?:\\.|[^"\\])*"
      | (?<!\w)b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'\n])'""",
    re.DOTALL | re.VERBOSE,
)
PATH = re.compile(r"(?<!\w)(?:crate\s*::|(?:super\s*::\s*)+)(?=\s*[\w{])")
NAME = re.compile(r"\s*(?:r#)?(\w+)\s*")
GROUP = re.compile(r"\s*\{\s*")
NEXT = re.compile(r",\s*")
VISIBLE = r"^[ \t]*(?:pub(?:\([^)]*\))? )?(?:unsafe )?"
TYPE = re.compile(VISIBLE + r"(?:struct|enum|union|trait|type)\s+(\w+)", re.MULTILINE)
BLOCK = re.compile(VISIBLE + r"(impl|trait|mod|struct|enum)\b([^;{]*)\{", re.MULTILINE)
FUNCTION = re.compile(r"\bfn\s+(\w+)")

ModulePath = tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """An `impl`, a type or an inline module: its head, and where it begins and ends."""

    kind: str
    head: str
    start: int
    end: int


@dataclass(frozen=True)
class Function:
    """A function, with its first and its last line."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class RustFile:
    """One source file."""

    name: str
    text: str
    module: ModulePath

    @cached_property
    def code(self) -> str:
        """The text with spaces for comments, strings and characters."""
        return NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), self.text)

    @cached_property
    def lines(self) -> list[str]:
        """The text, line by line."""
        return self.text.splitlines()

    @cached_property
    def line_starts(self) -> list[int]:
        """Where each line begins."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    @cached_property
    def ends(self) -> dict[int, int]:
        """For each opening brace where it is closed."""
        ends, open_braces = {}, []
        for found in re.finditer("[{}]", self.code):
            if found[0] == "{":
                open_braces.append(found.start())
            elif open_braces:
                ends[open_braces.pop()] = found.start()
        return ends

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks that are an `impl`, a type or an inline module."""
        found = ((one, self.ends.get(one.end() - 1)) for one in BLOCK.finditer(self.code))
        return [Block(one[1], one[2], one.start(1), end) for one, end in found if end]

    def line(self, at: int) -> int:
        """Give the number of the line at an offset."""
        return bisect_right(self.line_starts, at)

    def inside(self, at: int, *kinds: str) -> list[Block]:
        """Give the blocks around an offset."""
        return [one for one in self.blocks if one.kind in kinds and one.start < at < one.end]

    def mentions(self) -> Iterator[tuple[int, ModulePath]]:
        """Give the paths of the crate that are named, from its root, with their line."""
        for found in PATH.finditer(self.code):
            base: ModulePath = ()
            if supers := found[0].count("super"):
                inline = (one.head.strip() for one in self.inside(found.start(), "mod"))
                base = (*self.module, *inline)[:-supers]
            for at, path in use_tree(self.code, found.end(), base):
                yield self.line(at), path

    def types(self) -> Iterator[tuple[int, str]]:
        """Give the types that are defined, without those of an `impl`, with their line."""
        for found in TYPE.finditer(self.code):
            if not self.inside(found.start(1), "impl", "trait"):
                yield self.line(found.start(1)), found[1]

    def functions(self) -> Iterator[Function]:
        """Give each function that has a body."""
        for found in FUNCTION.finditer(self.code):
            depth = 0
            for one in re.compile(r"[()\[\]{;]").finditer(self.code, found.end()):
                depth += (one[0] in "([") - (one[0] in ")]")
                if depth == 0 and one[0] in "{;":
                    if one[0] == "{" and (end := self.ends.get(one.start())):
                        yield Function(found[1], self.line(found.start()), self.line(end))
                    break


def use_tree(code: str, at: int, base: ModulePath) -> Iterator[tuple[int, ModulePath]]:
    """Give the paths of a `use` tree, or of a plain path, that goes on at an offset."""
    start = at
    while (found := NAME.match(code, at)) and code.startswith("::", found.end()):
        base, at = (*base, found[1]), found.end() + 2
    if found:
        yield start, (*base, found[1])
    elif group := GROUP.match(code, at):
        at = group.end()
        while at < len(code) and code[at] != "}":
            yield from use_tree(code, at, base)
            depth = 0
            while at < len(code) and (depth or code[at] not in ",}"):
                depth += (code[at] == "{") - (code[at] == "}")
                at += 1
            if comma := NEXT.match(code, at):
                at = comma.end()
    elif base:
        yield start, base


def read_crate(root: Path) -> list[RustFile]:
    """Read all files of `root`/src."""
    files = []
    for path in sorted((root / "src").rglob("*.rs")):
        parts = path.relative_to(root / "src").with_suffix("").parts
        module = parts[:-1] if parts[-1] == "mod" else parts
        files.append(RustFile(str(path.relative_to(root)), path.read_text("utf-8"), module))
    return files
