"""From the code as it was sent to code objects that can run.

Code that Python accepts is compiled as it is. Only after a SyntaxError are the habits of models
considered (Markdown fences, notebook magics, an indented block): see `source_repair`.
"""

import _ast as ast  # the C half: all that is needed, and free
import linecache
from types import CodeType
from typing import Any

from ..host import report, source_lines
from ..host.request import Request

_BOM = "\ufeff"


class Program:
    """A compiled job: the module's body and, separately, the expression whose value is shown."""

    def __init__(self, tree: ast.Module, body: CodeType | None, last: CodeType | None) -> None:
        self.tree = tree
        self.body = body
        self.last = last

    @property
    def codes(self) -> list[CodeType]:
        """The code objects of the module level, in the order in which they run."""
        return [code for code in (self.body, self.last) if code is not None]


def load(request: Request) -> Program:
    """Compile the job of `request`; raises what Python raises for code that does not compile."""
    text = _normalised(request.code)
    _remember_lines(request, text)
    tree: ast.Module | None
    try:
        tree = _parse(text, request.filename)
    except SyntaxError as error:
        from . import source_repair

        tree, text = source_repair.repair(text, error, lambda text: _parse(text, request.filename))
        _remember_lines(request, text)
    except RecursionError:
        tree = None
    try:
        return _compiled(tree, text, request)
    except SyntaxError as error:
        # Unlike the parser, the compiler has no text (or takes that of a file of the same name).
        _set_line(error, text)
        raise


def _normalised(code: str) -> str:
    """The text as the tokenizer sees it: no BOM, line feeds only, nothing that is not Unicode."""
    text = code.removeprefix(_BOM)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            report.note("lone surrogates in the code were replaced by U+FFFD")
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _remember_lines(request: Request, text: str) -> None:
    """Let tracebacks, warnings and `inspect.getsource` find the source, which is in no file."""
    lines = [line + "\n" for line in text.split("\n")]
    source_lines.remember(request.filename, lines)
    entry = (len(text), None, lines, request.filename)
    linecache.cache[request.filename] = entry
    linecache.cache[f"{request.workdir}/{request.filename}"] = entry


def _parse(text: str, filename: str) -> ast.Module:
    return _compile(text, filename, "exec", ast.PyCF_ONLY_AST)


def _compiled(tree: ast.Module | None, text: str, request: Request) -> Program:
    if tree is not None:
        try:
            return _compiled_tree(tree, text, request)
        except RecursionError:
            pass
    # A tree of Python objects nests deeper than the compiler's own; without it this may work.
    return Program(ast.Module([], []), _compile(text, request.filename, "exec"), None)


def _compiled_tree(tree: ast.Module, text: str, request: Request) -> Program:
    last = _value_statement(tree, text) if request.show_value else None
    if last is None:
        return Program(tree, _compile(tree, request.filename, "exec"), None)
    rest = ast.Module(tree.body[:-1], tree.type_ignores)
    body = _compile(rest, request.filename, "exec") if rest.body else None
    return Program(tree, body, _compile(ast.Interactive([last]), request.filename, "single"))


def _value_statement(tree: ast.Module, text: str) -> ast.Expr | None:
    """The last statement if its value is to be shown: an expression without a semicolon."""
    if not tree.body:
        return None
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        return None
    line = text.split("\n")[(last.end_lineno or 1) - 1].encode()
    if line[last.end_col_offset :].lstrip().startswith(b";"):
        return None
    return last


def _compile(source: Any, filename: str, mode: str, flags: int = 0) -> Any:
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return compile(source, filename, mode, flags, dont_inherit=True)


def _set_line(error: SyntaxError, text: str) -> None:
    lines = text.split("\n")
    if isinstance(error.lineno, int) and 0 < error.lineno <= len(lines):
        error.text = lines[error.lineno - 1]
