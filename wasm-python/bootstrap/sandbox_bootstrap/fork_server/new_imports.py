"""Which modules a job names that the parent does not have; the next parent may import them."""

import ast
import json
import sys

MAX_CODE_TO_READ = 64 << 10  # characters
MAX_NAMES = 64


def named_in(request: bytes) -> list[str]:
    """The names, sorted."""
    code = json.loads(request).get("code", "")
    if "import" not in code or len(code) > MAX_CODE_TO_READ:
        return []
    names: set[str] = set()
    try:
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module)
                taken = [alias.name for alias in node.names if alias.name.islower()]
                names.update(f"{node.module}.{name}" for name in taken)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # the job's own run reports what is wrong with the code
    # An attribute of a module is no module, and a name with capitals is a class.
    new = [name for name in names if name not in sys.modules and not _is_attribute(name)]
    return sorted(new)[:MAX_NAMES]


def _is_attribute(name: str) -> bool:
    package, _, last = name.rpartition(".")
    return package in sys.modules and hasattr(sys.modules[package], last)
