"""What is allowed, each exception with its reason."""

from dataclasses import dataclass

# A crate, and the only places in src/ that may name it.
ROOMS = {
    "wasmtime": ("wasm",),
    "wasmtime_wasi": ("wasm",),
    "wasmparser": ("wasm",),
    "wasm_encoder": ("wasm",),
    "landlock": ("native",),
    "seccompiler": ("native",),
    "rmcp": ("mcp",),
    "axum": ("mcp",),
    "hyper": ("mcp",),
    "hyper_util": ("mcp",),
    "tower": ("mcp",),
    "tower_http": ("mcp",),
    "tower_service": ("mcp",),
    "httparse": ("proxy",),
    # `main` parses the command line; completions and manual pages are commands.
    "clap": ("cli", "commands", "main"),
    "clap_complete": ("cli", "commands"),
    "clap_mangen": ("commands",),
}

# Files of src/ itself: main.rs, lib.rs, error.rs and one more.
LOOSE_FILES = 4
FILE_LINES = 400
COLUMNS = 100
FUNCTION_LINES = 60

# Where code and documents are checked for their size.
FOLDERS = ("benches", "build-scripts", "examples", "fuzz", "src", "tests", "wasm-python")

# `file::function` whose product is a text for the model, with the reason: these may return
# `Result<_, String>`.
STRING_ERRORS: dict[str, str] = {}

# Files in which lines may be longer, with the reason.
LONG_LINES: dict[str, str] = {}

# The documents that name files and functions.
DOCUMENTS = ("ARCHITECTURE.md",)


@dataclass(frozen=True, order=True)
class Finding:
    """One thing that is wrong: where, and what to do about it."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"
