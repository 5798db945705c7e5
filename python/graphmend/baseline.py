"""Baselines: the known breaks of a project, so that only new breaks are reported. docs/guard.md describes the file.

    {"path": "gate.py", "function": "Gate.forward", "code": "GM101", "text": "if x.sum() > 0:", "number": 1}

An entry identifies a break by content, because line numbers move: by the enclosing function, the text of the statement,
the kind of break, and a number among equal entries. `graphmend check --baseline` has files of the same form.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import io
import json
import os
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Callable, Optional, Union

from graphmend import files

VERSION = 1
MODULE = "<module>"
_LAYOUT = str.maketrans("", "", " \t\r\n()',\"\\")  # characters that formatters change
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


class BaselineError(Exception):
    """The baseline cannot be used; the message has the reason."""


@dataclasses.dataclass(frozen=True)
class Site:
    """A breaking place, as an entry of a baseline."""

    path: str  # below the folder of the baseline, with slashes
    function: str  # "Gate.forward", "outer.<locals>.inner", "<module>"
    code: str  # "GM101" in baselines of `check`, "GB0170" in baselines of observed breaks
    text: str  # the statement; for a statement with a body, the head
    number: int = 1  # the number among equal sites of the function, from 1

    def key(self) -> tuple[str, str, str, str, int]:
        return self.path, self.function, self.code, self.text.translate(_LAYOUT), self.number

    def __str__(self) -> str:
        again = f" (number {self.number})" if self.number > 1 else ""
        return f"{self.path} {self.function}: {self.code} `{self.text}`{again}"


# ---- From lines to sites


def _tokens(text: str, head_only: bool) -> Iterable[tokenize.TokenInfo]:
    """The tokens of a statement; of its head alone, up to the first colon outside of brackets."""
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _SKIPPED:
            continue
        yield token
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if head_only and depth == 0 and token.string == ":":
                return


def normalise(text: str, head_only: bool = False) -> str:
    """A statement without comments, on one line, with every gap between tokens as one space."""
    parts: list[str] = []
    end = None
    try:
        for token in _tokens(text, head_only):
            parts.append(" " if end is not None and end != token.start else "")
            parts.append(token.string)
            end = token.end
    except (tokenize.TokenError, SyntaxError):
        return " ".join(text.split())
    return "".join(parts)


def _text_of(statement: ast.stmt, source: str) -> str:
    has_body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    return normalise(ast.get_source_segment(source, statement) or "", bool(has_body))


def _covers(node: ast.stmt, line: int) -> bool:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorators)])
    return first <= line <= (node.end_lineno or node.lineno)


def _blocks(node: ast.AST) -> Iterable[ast.stmt]:
    """Statements directly below a node, those of `except` and `case` too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif not isinstance(child, ast.expr):
            yield from _blocks(child)


@functools.lru_cache(maxsize=64)
def _parsed(path: str, stamp: tuple[int, int]) -> Optional[tuple[ast.Module, str]]:
    try:
        with tokenize.open(path) as stream:
            source = stream.read()
        return ast.parse(source), source
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def _parse(path: str) -> Optional[tuple[ast.Module, str]]:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return _parsed(path, (status.st_mtime_ns, status.st_size))


def _within(scope: ast.AST) -> Iterable[ast.stmt]:
    """The statements of a scope in order, also inside blocks, but not inside nested functions and classes."""
    for child in _blocks(scope):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _within(child)


@dataclasses.dataclass(frozen=True)
class Statement:
    """A statement by its content."""

    function: str = MODULE
    text: str = ""
    number: int = 1  # the number among equal statements of the function, from 1


def statement_at(path: str, line: int) -> Statement:
    """The innermost statement at a line of a file; a `Statement` without text where the line has none."""
    parsed = _parse(path)
    if parsed is None:
        return Statement()
    scope: ast.AST
    scope, source = parsed
    names: list[str] = []
    inside: ast.AST = scope
    while True:
        below = next((child for child in _blocks(inside) if _covers(child, line)), None)
        if below is None:
            break
        if isinstance(inside, _SCOPES):
            names += [inside.name] if isinstance(inside, ast.ClassDef) else [inside.name, "<locals>"]
            scope = inside
        inside = below
    if not isinstance(inside, ast.stmt):
        return Statement()
    function = ".".join(names[:-1] if names[-1:] == ["<locals>"] else names)
    text = _text_of(inside, source)
    alike = [one for one in _within(scope) if type(one) is type(inside) and _same(_text_of(one, source), text)]
    return Statement(function or MODULE, text, alike.index(inside) + 1)


def _same(left: str, right: str) -> bool:
    return left.translate(_LAYOUT) == right.translate(_LAYOUT)


def site_at(path: str, line: int, code: str, folder: Union[str, os.PathLike[str]]) -> Site:
    """The site of a break at a line of a file, for a baseline in a folder."""
    found = statement_at(path, line)
    below = os.path.relpath(os.path.realpath(path), os.path.realpath(folder)).replace(os.sep, "/")
    return Site(below, found.function, code, found.text, found.number)


# ---- Files


def write(path: Union[str, os.PathLike[str]], of: str, sites: Iterable[Site]) -> None:
    """Write a baseline, one site a line, in sorted order."""
    once = {site.key(): site for site in sites}
    lines = ",\n".join(json.dumps(dataclasses.asdict(once[key]), ensure_ascii=False) for key in sorted(once))
    text = (
        f'{{"baseline": {VERSION}, "of": {json.dumps(of)}, "sites": [{chr(10) + lines + chr(10) if lines else ""}]}}\n'
    )
    files.replace(path, text)


def read(path: Union[str, os.PathLike[str]], of: str) -> list[Site]:
    """The sites of a baseline of the command `of`."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        version, made_by = data["baseline"], data["of"]
        kinds: dict[str, Callable[[Any], Any]]
        kinds = {field.name: str if field.name != "number" else int for field in dataclasses.fields(Site)}
        sites = [Site(**{name: kind(site[name]) for name, kind in kinds.items()}) for site in data["sites"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "it is no baseline"
        raise BaselineError(f"`{os.fspath(path)}`: {why}") from error
    if version != VERSION or made_by != of:
        raise BaselineError(f"`{os.fspath(path)}`: it is a baseline of `{made_by}`, version {version}")
    return sites


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The breaks of a run beside a baseline: new breaks fail, stale entries are only reported."""

    new: list[Site]
    known: list[Site]
    stale: list[Site]


def compare(baseline: Iterable[Site], found: Iterable[Site]) -> Comparison:
    """Match sites by content."""
    before = {site.key(): site for site in baseline}
    after = {site.key(): site for site in found}
    return Comparison(
        new=[site for key, site in after.items() if key not in before],
        known=[site for key, site in after.items() if key in before],
        stale=[site for key, site in before.items() if key not in after],
    )
