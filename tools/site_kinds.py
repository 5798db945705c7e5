"""What kind of graph break a line of source is, from the line's place in the tree and Dynamo's reason.

The kinds:

    branch   a test on data: `if`, `while`, conditional expression, `and`/`or`, filter of a comprehension, `assert`,
             or a number from data that a later test of the function reads
    guard    a test on data that only decides on an exception: `if ...: raise`, `torch._check*`, `*_check(...)`
    effect   text that goes out: print, log, warning
    number   a Python number or list from data: `item`, `tolist`, `int`, an index, a size, a range
    shape    a shape from data: masks, `nonzero`, `repeat_interleave`, `unique`
    random   a number from a generator outside torch
    other    the rest: locks, hooks, foreign functions, what follows from another break
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import linecache
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Optional, TypeVar

KINDS = ("branch", "guard", "effect", "number", "shape", "random", "other")
BRANCHING = re.compile(r"data-dependent (branching|assertion)|jump on tensor", re.IGNORECASE)
NUMBER = re.compile(r"Tensor\.item|_local_scalar_dense|non-Tensor output whose value|operator `range`.*Tensor")
SHAPE = re.compile(r"Operator `\w+\.(\w+)[^`]*`'s output shape depends")
EFFECTS = re.compile(r"^(print|warn\w*|.*\b(logger|logging|log|warnings|stdout|stderr)\.\w+)$")
RANDOM = re.compile(r"^(np|numpy)\.random\.|^random\.")
CHECK = re.compile(r"(^|[._])check(_|$|\.)|torch\._check|_check$")
TO_NUMBER = re.compile(r"\.(item|tolist|any|all|numel|sum|max|min|equal|allclose)$|^(int|float|bool)$")
TESTS = (ast.If, ast.While, ast.Assert, ast.IfExp)


@dataclasses.dataclass(frozen=True)
class Role:
    """The kind of a site and, in a few words, its form."""

    kind: str
    form: str


@functools.lru_cache(maxsize=None)
def parse(path: str) -> Optional[ast.Module]:
    """The tree of a file, None where it cannot be had."""
    try:
        return ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None


def covers(node: ast.AST, line: int) -> bool:
    """Whether a node has a part on a line."""
    first = getattr(node, "lineno", None)
    return first is not None and first <= line <= (node.end_lineno or first)  # type: ignore[attr-defined]


def statement_at(path: str, line: int) -> Optional[ast.stmt]:
    """The innermost statement of a file on a line."""
    tree = parse(path)
    if tree is None:
        return None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and covers(node, line)]
    return min(found, key=lambda node: ((node.end_lineno or node.lineno) - node.lineno, -node.lineno), default=None)


def lines_at(path: str, line: int) -> range:
    """The lines of the statement on a line; of a compound statement, those before its body."""
    statement = statement_at(path, line)
    if statement is None:
        return range(line, line + 1)
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(last, statement.lineno) + 1)


def function_around(path: str, line: int) -> Optional[ast.AST]:
    """The innermost function of a file on a line."""
    tree = parse(path)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for node in ast.walk(tree) if isinstance(node, kinds) and covers(node, line)] if tree else []
    return max(found, key=lambda node: node.lineno, default=None)


def own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements inside it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))


def callee(call: ast.Call) -> str:
    """The text of what is called."""
    return ast.unparse(call.func)


def calls_on(statement: ast.stmt, line: int) -> list[str]:
    """What a statement calls in expressions that have a part on a line."""
    return [callee(node) for node in own_parts(statement) if isinstance(node, ast.Call) and covers(node, line)]


def only_raises(body: list[ast.stmt]) -> bool:
    """Whether a body ends in `raise` and does nothing else that counts."""
    return isinstance(body[-1], ast.Raise) and all(isinstance(part, (ast.Assign, ast.Raise)) for part in body)


def is_effect(statement: ast.stmt) -> bool:
    """Whether a statement is a call that prints, logs or warns."""
    value = getattr(statement, "value", None)
    return isinstance(statement, ast.Expr) and isinstance(value, ast.Call) and bool(EFFECTS.match(callee(value)))


def role_of_if(statement: ast.If) -> Role:
    """The role of an `if` whose test is data."""
    if only_raises(statement.body) and not statement.orelse:
        return Role("guard", "if that raises")
    if not statement.orelse and all(is_effect(part) for part in statement.body):
        return Role("branch", "if that only reports")
    return Role("branch", "if")


def gives_number(node: ast.AST) -> bool:
    """Whether an expression makes a number of a tensor in plain sight."""
    return any(isinstance(part, ast.Call) and TO_NUMBER.search(callee(part)) for part in ast.walk(node))


def tests_inside(statement: ast.stmt, line: int) -> Iterator[tuple[str, ast.AST]]:
    """The tests in the expressions of a statement that have a part on a line, innermost last."""
    for node in own_parts(statement):
        if isinstance(node, ast.IfExp) and covers(node.test, line):
            yield "conditional expression", node.test
        elif isinstance(node, ast.comprehension):
            yield from (("filter of a comprehension", test) for test in node.ifs if covers(test, line))
        elif isinstance(node, ast.BoolOp) and covers(node, line):
            yield "and/or", node
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and covers(node, line):
            yield "not", node


def role_of_test(statement: ast.stmt, line: int, branching: bool) -> Optional[Role]:
    """The role of a site whose data decide on what is run next, None where they do not."""
    if isinstance(statement, ast.Assert):
        return Role("branch", "assert")
    if isinstance(statement, (ast.If, ast.While)) and covers(statement.test, line):
        return role_of_if(statement) if isinstance(statement, ast.If) else Role("branch", "while")
    if any(CHECK.search(name) for name in calls_on(statement, line)):
        return Role("guard", "check")
    for form, test in tests_inside(statement, line):
        if branching or gives_number(test):
            return Role("branch", form)
    return Role("branch", "in a builtin") if branching else None


def is_tested_later(path: str, statement: ast.stmt) -> bool:
    """Whether a name that a statement binds is part of a test further down in its function."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    function = function_around(path, statement.lineno)
    tests = [node.test for node in ast.walk(function) if isinstance(node, TESTS)] if function and names else []
    later = (test for test in tests if test.lineno > statement.lineno)
    return any(isinstance(node, ast.Name) and node.id in names for test in later for node in ast.walk(test))


def role_of_number(path: str, statement: Optional[ast.stmt], line: int) -> Role:
    """The role of a site where a number is taken from data and no test is on the same line."""
    calls = calls_on(statement, line) if statement is not None else []
    forms = ("item", "tolist", "int", "float", "bool", "range", "split", "arange", "linspace")
    form = next((form for form in forms for name in calls if re.search(rf"(^|\.){form}$", name)), "index or size")
    if statement is not None and form in ("item", "int", "float", "bool") and is_tested_later(path, statement):
        return Role("branch", f"{form} that a test reads")
    return Role("number", form)


def role_of_shape(statement: Optional[ast.stmt], line: int, operator: str) -> Role:
    """The role of a site where an operator's shape follows from data."""
    calls = calls_on(statement, line) if statement is not None else []
    named = any(re.search(r"(nonzero|where|argwhere)$", name) for name in calls)
    return Role("shape", "mask as index" if operator == "nonzero" and not named else operator)


def classify(path: str, line: int, reason: str) -> Role:
    """The role of the site on a line of a file that breaks for the reason that Dynamo gives."""
    statement = statement_at(path, line)
    calls = calls_on(statement, line) if statement is not None else []
    branching, shape = bool(BRANCHING.search(reason)), SHAPE.search(reason)
    if not branching and any(RANDOM.search(name) for name in calls):
        return Role("random", "call")
    if branching or shape or NUMBER.search(reason):
        role = role_of_test(statement, line, branching) if statement is not None else None
        if role is not None:
            return role
        return role_of_shape(statement, line, shape.group(1)) if shape else role_of_number(path, statement, line)
    if statement is not None and is_effect(statement):
        return Role("effect", callee(statement.value).rpartition(".")[2])  # type: ignore[attr-defined]
    return Role("other", "")


Line = TypeVar("Line", bound="BrokenLine")


@dataclasses.dataclass
class BrokenLine:
    """One line where plain runs break."""

    path: str
    line: int
    text: str
    kind: str
    form: str
    cause: str

    @classmethod
    def at(cls: type[Line], path: str, line: int, cause: str) -> Line:
        """The line that a break with this cause was at."""
        role = classify(path, line, cause)
        return cls(path, line, linecache.getline(path, line).strip(), role.kind, role.form, cause)

    def order(self) -> tuple[int, str, int]:
        """Its place in a list: kind by kind, then by file."""
        return KINDS.index(self.kind), self.path, self.line
