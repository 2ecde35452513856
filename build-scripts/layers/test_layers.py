"""Plants each kind of violation in a small tree and sees that it is found once."""

import tempfile
import unittest
from pathlib import Path

from . import rules
from .figures import graph_lines, table_lines
from .main import findings
from .rust import RustFile

BOOTSTRAP = "wasm-python/bootstrap/"
PACKAGE = BOOTSTRAP + "sandbox_bootstrap/"
MCP = """//! `crate::commands` and "crate::commands" are no imports here.
use crate::wasm::{self, run};
use rmcp::Server;
/* wasmtime::Engine */
pub fn serve<'a>(text: &'a str) -> char { let _ = ("landlock::", r#"axum::"#); '"' }
impl Tool { fn call() {} }
"""
CLEAN = {
    "Cargo.toml": '[lib]\npath = "src/lib.rs"\n[[bin]]\nname = "x"\npath = "src/main.rs"\n',
    "README.md": "# x\n",
    "ARCHITECTURE.md": """`src/mcp/` (`tool.rs`), `mcp::serve`, `Tool::call`, `std::fs::read`, `a/b`
`sandbox_bootstrap/job/run.py`, `sandbox_bootstrap/job/run.py::start`, `CACHE/guest/`
```
stdin - mcp/tool - wasm::run
```
""",
    "src/main.rs": "use x::mcp;\nfn main() {}\n",
    "src/lib.rs": "mod mcp; mod wasm; mod native; mod error;\npub use error::Error;\n",
    "src/error.rs": "pub enum Error { Io(String) }\n",
    "src/floors.txt": "# top first\nmcp\nwasm native\nerror # below all\n",
    "src/mcp/mod.rs": MCP,
    "src/mcp/tool.rs": "pub struct Tool;\n#[cfg(test)]\nmod tests { use super::Tool; }\n",
    "src/wasm/mod.rs": "use crate::Error;\nuse wasmtime::Engine;\npub fn run() {}\n",
    "src/native/mod.rs": "use super::error::Error;\npub(crate) fn run() -> Result<(), Error> {}\n",
    BOOTSTRAP + "floors.txt": "job\nhints\n",
    PACKAGE + "__init__.py": "",
    PACKAGE + "job/__init__.py": "",
    PACKAGE + "job/run.py": "from ..hints import words\ndef start(): ...\n",
    PACKAGE + "hints/__init__.py": "",
    PACKAGE + "hints/words.py": "",
}
# What is planted, and the one finding.
PLANTED: dict[str, tuple[dict[str, str], str]] = {
    "upward": (
        {"src/native/up.rs": "\nuse crate::{error::Error, Error, mcp::tool::Tool};\n"},
        "src/native/up.rs:2: `native` imports `mcp`, which is above it",
    ),
    "upward by super": (
        {"src/native/up.rs": "mod tests {\n    use super::super::super::mcp::Tool;\n}\n"},
        "src/native/up.rs:2: `native` imports `mcp`, which is above it",
    ),
    "siblings": (
        {"src/native/x.rs": "fn f() { crate::wasm::run() }\n"},
        "src/native/x.rs:1: `native` and `wasm` are siblings",
    ),
    "no floor": ({"src/vfs/mod.rs": ""}, "src/floors.txt:1: `vfs` is on no floor"),
    "no such module": (
        {"src/floors.txt": "mcp\nwasm native\nvfs\nerror\n"},
        "src/floors.txt:1: there is no module `vfs`",
    ),
    "wasmtime": ({"src/mcp/x.rs": "use wasmtime::Engine;\n"}, "src/mcp/x.rs:1: `wasmtime` may"),
    "landlock": ({"src/wasm/x.rs": "landlock::ABI::V1;\n"}, "src/wasm/x.rs:1: `landlock` may"),
    "rmcp": ({"src/error.rs": "use rmcp as protocol;\n"}, "src/error.rs:1: `rmcp` may"),
    "axum": ({"src/main.rs": "\nuse axum::Router;\n"}, "src/main.rs:2: `axum` may"),
    "clap": ({"src/wasm/x.rs": "#[derive(clap::Parser)]\n"}, "src/wasm/x.rs:1: `clap` may"),
    "a type twice": (
        {"src/wasm/x.rs": "pub(super) struct Tool {}\n"},
        "src/mcp/tool.rs:1: type `Tool` is defined here and at src/wasm/x.rs:1",
    ),
    "a text as error": (
        {"src/wasm/x.rs": "type A = Result<Vec<u8>, u8>;\nfn f() -> Result<[u8; 2], String> {}\n"},
        "src/wasm/x.rs:2: `Result<_, String>`",
    ),
    "a text for native": (
        {"src/error.rs": "pub enum Error {\n    Native(String),\n}\n"},
        "src/error.rs:2: `Error::Native(String)`",
    ),
    "no path": ({"Cargo.toml": '[lib]\nname = "x"\n'}, "Cargo.toml:1: a target has no `path`"),
    "no mod.rs": ({"src/mcp/http/x.rs": ""}, "src/mcp/http:1: no `mod.rs` and no `http.rs`"),
    "a long file": ({"src/wasm/x.rs": "\n" * 401}, "src/wasm/x.rs:401: 401 lines, 400 are"),
    "a long script": (
        {"build-scripts/x": "#!/bin/sh\n" + ":\n" * 400},
        "build-scripts/x:401: 401 lines, 400 are",
    ),
    "a long line": ({"tests/x.rs": "// " + "x" * 98}, "tests/x.rs:1: longer than 100 columns"),
    "a wide line of C": ({"wasm-python/x.c": "\n" + "x" * 101}, "wasm-python/x.c:2: longer than"),
    "no such file": ({"ARCHITECTURE.md": "\n`src/x.rs`\n"}, "ARCHITECTURE.md:2: there is no file"),
    "no such folder": ({"ARCHITECTURE.md": "`src/x/`\n"}, "ARCHITECTURE.md:1: there is no file"),
    "no such file in a fence": (
        {"ARCHITECTURE.md": "```\nin - mcp/tools - out\n```\n"},
        "ARCHITECTURE.md:2: there is no file `mcp/tools`",
    ),
    "no such function": (
        {"ARCHITECTURE.md": "`mcp::serve`, `mcp::call`\n"},
        "ARCHITECTURE.md:1: there is no `mcp::call` in src/",
    ),
    "no such method": (
        {"ARCHITECTURE.md": "`Tool::serve()`\n"},
        "ARCHITECTURE.md:1: there is no `Tool::serve` in src/",
    ),
    "no such Python function": (
        {"ARCHITECTURE.md": "`sandbox_bootstrap/job/run.py::stop`\n"},
        "ARCHITECTURE.md:1: there is no `stop` in `sandbox_bootstrap/job/run.py`",
    ),
    "upward in the bootstrap": (
        {
            PACKAGE + "hints/x.py": "def f():\n    from ..job.run import start\n",
            PACKAGE + "job/run.py": "def start(): ...\n",
        },
        f"{PACKAGE}hints/x.py:2: `hints` imports `job`, which is above it",
    ),
    "a circle of modules in the bootstrap": (
        {PACKAGE + "hints/x.py": "from . import y\n", PACKAGE + "hints/y.py": "from .x import a\n"},
        f"{PACKAGE}hints/x.py:1: modules of the bootstrap import each other in a circle",
    ),
}


class Planted(unittest.TestCase):
    """Each tree lies in a folder of its own."""

    def setUp(self) -> None:
        self.maxDiff = None
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def found(self, name: str, planted: dict[str, str]) -> list[str]:
        """Check the clean tree with what is planted in it."""
        root = self.root / name.replace(" ", "-")
        for file, text in (CLEAN | planted).items():
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return [str(one) for one in findings(root)]

    def test_a_clean_tree_passes(self) -> None:
        self.assertEqual(self.found("clean", {}), [])

    def test_each_violation_is_found_once(self) -> None:
        for name, (planted, wanted) in PLANTED.items():
            with self.subTest(name):
                found = self.found(name, planted)
                self.assertEqual([line[: len(wanted)] for line in found], [wanted])

    def test_a_circle_is_printed_and_leads_up(self) -> None:
        up = {"src/error.rs": "use crate::wasm::run;\n"}
        circle, upward = self.found("circle", up)
        self.assertIn("in a circle: error -> wasm -> error; cut one", circle)
        self.assertIn("src/error.rs:1: `error` imports `wasm`, which is above it", upward)

    def test_loose_files_are_counted(self) -> None:
        more = {"src/a.rs": "", "src/b.rs": "", "src/floors.txt": "mcp\nwasm native a b\nerror\n"}
        (found,) = self.found("loose", more)
        self.assertTrue(found.startswith("src:1: 5 files lie in src/ itself, 4 are allowed"), found)

    def test_reasons_are_heard(self) -> None:
        twice = (
            "// same name: the other is for clients\n/// A tool.\n#[derive(Debug)]\nstruct Tool;\n"
        )
        self.assertEqual(self.found("reason", {"src/wasm/x.rs": twice}), [])
        text = {"src/wasm/x.rs": "fn f() -> Result<(), String> {\n    todo!()\n}\n"}
        rules.STRING_ERRORS["src/wasm/x.rs::f"] = "the model reads it"
        self.addCleanup(rules.STRING_ERRORS.clear)
        self.assertEqual(self.found("text", text), [])

    def test_missing_lists_are_told(self) -> None:
        self.found("lists", {})
        for name in ("src/floors.txt", BOOTSTRAP + "floors.txt"):
            (self.root / "lists" / name).unlink()
        found = [str(one) for one in findings(self.root / "lists")]
        self.assertEqual(
            [line.partition(":")[2][:30] for line in found], ["1: there is no list of floors:"] * 2
        )

    def test_figures_need_no_lists(self) -> None:
        self.found("figures", {"src/wasm/up.rs": "use crate::mcp;\n"})
        root = self.root / "figures"
        (root / "src/floors.txt").unlink()
        table = "\n".join(table_lines(root, "src/floors.txt"))
        self.assertIn("| largest circle of modules | 2 |", table)
        self.assertIn("| upward imports (no list: best order found) | 1 |", table)
        graph = "\n".join(graph_lines(root, "src/floors.txt"))
        self.assertIn("  mcp -> wasm\n", graph)
        self.assertIn("  job -> hints\n", graph)

    def test_use_trees_are_read(self) -> None:
        text = "use crate::{a::{b, c as d}, e::*, self::f};\nmod m { use super::super::g; }\n"
        found = {path for _, path in RustFile("x", text, ("h", "i")).mentions()}
        wanted = {("a", "b"), ("a", "c"), ("e",), ("self", "f"), ("h", "g")}
        self.assertEqual(found, wanted)


if __name__ == "__main__":
    unittest.main()
