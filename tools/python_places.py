"""Places of Python sources that a mutant changes, found in the tree: the operators are those of `mutant_places`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from mutant_places import Place, drawn_from

COMPARISONS = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
BOUNDARIES = {ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")}
WHOLE = {"all": "any", "any": "all"}


def segment(lines: list[str], node: ast.AST) -> tuple[int, int]:
    """Offsets of a node. The sources are ASCII, or else columns in bytes are none in characters."""
    spot = [getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")]
    before = [sum(len(line) for line in lines[: spot[at] - 1]) for at in (0, 2)]
    return before[0] + spot[1], before[1] + spot[3]


def between(text: str, lines: list[str], left: ast.AST, right: ast.AST, word: str) -> int:
    """Where a word stands between two nodes; -1 where a comment or a bracket makes that doubtful."""
    start, end = segment(lines, left)[1], segment(lines, right)[0]
    return -1 if "#" in text[start:end] else text.find(word, start, end)


def changes_of(node: ast.AST, text: str, lines: list[str]) -> Iterator[tuple[str, int, str, str]]:
    """Operator, offset, what stands there, and what shall."""

    def spot(operator: str, inner: ast.AST, after: str) -> tuple[str, int, str, str]:
        start, end = segment(lines, inner)
        return operator, start, text[start:end], after.format(text[start:end])

    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for operator, table in (("comparison", COMPARISONS), ("boundary", BOUNDARIES)):
            if type(node.ops[0]) in table:
                before, after = table[type(node.ops[0])]
                yield operator, between(text, lines, node.left, node.comparators[0], before), before, after
    elif isinstance(node, ast.BoolOp):
        before, after = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        yield "and/or", between(text, lines, node.values[-2], node.values[-1], before), before, after
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield spot("condition", node.test, "(not ({}))")
    elif isinstance(node, ast.comprehension):
        yield from (spot("condition", test, "(not ({}))") for test in node.ifs)
    elif isinstance(node, ast.Return) and node.value is not None:
        value = node.value.value if isinstance(node.value, ast.Constant) else ...
        if isinstance(value, bool):
            yield spot("return", node.value, str(not value))
        elif value is not None:
            yield spot("return", node.value, "None")
    elif isinstance(node, (ast.Break, ast.Continue)):
        yield spot("break", node, "pass")
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield spot("constant", node, str(node.value + 1))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield spot("call", node, "pass")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WHOLE:
        yield spot("and/or", node.func, WHOLE[node.func.id])


def places_of(path: Path, name: str) -> Iterator[Place]:
    """The places inside of functions."""
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    if not text.isascii():
        return
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for statement in function.body:
            for node in ast.walk(statement):
                for operator, offset, before, after in changes_of(node, text, lines):
                    if offset >= 0:
                        line = text.count("\n", 0, offset) + 1
                        yield Place(name, offset, line, function.name, operator, before, after)


def draw(root: Path, names: list[str], count: int, seed: int) -> list[Place]:
    """So many different mutants."""
    found: dict[str, dict[tuple[str, int], Place]] = {}
    for name in names:
        for place in places_of(root / name, name):
            found.setdefault(place.operator, {})[name, place.offset] = place
    return drawn_from({operator: list(some.values()) for operator, some in sorted(found.items())}, count, seed)
