"""Compiles mended text with the positions of the user's file.

    if x.sum() > 0:                             # line 3 of the user's file
    if _gm.on(SITE): ...                        # line 7 of the mended text
    File "model.py", line 3, in forward         # the line of a traceback through either form

The core says, for each line of the mended text, the matching line of the user's file. Columns match where the text of
the mended line occurs in the user's line. Elsewhere a node covers its whole line, and tracebacks draw no markers.
"""

from __future__ import annotations

import ast
import types

SINK_PREFIX = "_gm_sink__"
RUNTIME = "_gm"
Span = tuple[int, int, int, int]


def split_lines(text: str) -> list[bytes]:
    """The lines of a text by CPython's count, in UTF-8, CPython's unit of columns."""
    return text.encode("utf-8", "surrogatepass").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def indentation(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t\f"))


class PositionMap:
    """From positions in the mended text to positions in the user's text."""

    def __init__(self, mended: str, original: str, lines: list[int]) -> None:
        self.mended = split_lines(mended)
        self.original = split_lines(original)
        self.lines = lines
        self.shifts = [self._shift(index) for index in range(len(self.mended))]

    def line(self, line: int) -> int:
        """The user's line of a mended line (both from 1)."""
        mapped = self.lines[min(line, len(self.lines)) - 1]
        return max(1, min(mapped, len(self.original)))

    def _shift(self, index: int) -> int | None:
        """The offset of the columns of a mended line; None where the line reads differently in the user's file."""
        if index >= len(self.lines):
            return None
        mended, original = self.mended[index], self.original[self.line(index + 1) - 1]
        if mended == original:
            return 0
        if mended.strip() != original.strip():
            return None
        return indentation(original) - indentation(mended)

    def _whole(self, first: int, last: int) -> Span:
        last = max(first, last)
        return first, indentation(self.original[first - 1]), last, len(self.original[last - 1].rstrip())

    def _found(self, line: int, start: int, end: int) -> Span | None:
        """The place of a piece of a mended line in the user's line, if the piece occurs there exactly once."""
        piece, user_line = self.mended[line - 1][start:end], self.line(line)
        original = self.original[user_line - 1]
        if not piece or original.count(piece) != 1:
            return None
        column = original.index(piece)
        return user_line, column, user_line, column + len(piece)

    def span(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        """The user's span of a mended span."""
        first, last = self.line(line), self.line(end_line)
        shift, end_shift = self.shifts[line - 1], self.shifts[end_line - 1]
        if shift is not None and end_shift is not None and first <= last:
            span = (first, column + shift, last, end_column + end_shift)
            if span[1] >= 0 and span[3] >= 0 and (first, span[1]) <= (last, span[3]):
                return span
        found = self._found(line, column, end_column) if line == end_line else None
        return found or self._whole(first, last)


def relocate(tree: ast.Module, positions: PositionMap) -> None:
    """Give every node of the tree of the mended text the user's positions."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", None)
        if line is None:
            continue
        span = positions.span(line, node.col_offset, node.end_lineno or line, node.end_col_offset or 0)  # type: ignore[attr-defined]
        for name, value in zip(("lineno", "col_offset", "end_lineno", "end_col_offset"), span):
            setattr(node, name, value)


def name_sinks(code: types.CodeType, outer: str = "") -> types.CodeType:
    """The code with every sink renamed to the function of its statement: log records show function names."""
    name = code.co_name
    qualified: str = getattr(code, "co_qualname", name)
    if name.startswith(SINK_PREFIX):
        name = name[len(SINK_PREFIX) :]
        qualified = outer if outer.rpartition(".")[2] == name else name
    constants = tuple(
        name_sinks(item, qualified) if isinstance(item, types.CodeType) else item for item in code.co_consts
    )
    changes: dict[str, object] = {}
    if any(new is not old for new, old in zip(constants, code.co_consts)):
        changes["co_consts"] = constants
    if name != code.co_name:
        changes["co_name"] = name
        if hasattr(code, "co_qualname"):
            changes["co_qualname"] = qualified
    return code.replace(**changes) if changes else code  # type: ignore[arg-type]


def is_runtime_import(statement: ast.stmt) -> bool:
    """Whether a statement imports the runtime; code that runs in memory has the runtime as a builtin."""
    return isinstance(statement, ast.Import) and any(alias.asname == RUNTIME for alias in statement.names)


def parse_mended(mended: str, original: str, lines: list[int], filename: str) -> ast.Module:
    """The tree of the mended text, with the user's positions."""
    tree = ast.parse(mended, filename)
    tree.body = [statement for statement in tree.body if not is_runtime_import(statement)]
    relocate(tree, PositionMap(mended, original, lines))
    return tree
