"""What is said of values is true: every expression of a program is looked at while it runs."""

from __future__ import annotations

import ast
import logging
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

PROGRAMS = [Path(__file__).with_name(name) for name in ("tensors.py", "declared.py", "narrowed.py")]
LINE = re.compile(r"(\d+):(\d+)-(\d+):(\d+) .* \| (\w+) (\w+)((?: [\w-]+)*) \| (.*)")
Place = tuple[int, int, int, int]

KINDS = {
    "bool": lambda dtype: dtype == torch.bool,
    "integer": lambda dtype: not dtype.is_floating_point and not dtype.is_complex and dtype != torch.bool,
    "floating": lambda dtype: dtype.is_floating_point,
    "complex": lambda dtype: dtype.is_complex,
}
FORMS = {
    "none": type(None),
    "bool": bool,
    "int": int,
    "float": (int, float),
    "number": (int, float, complex),
    "string": str,
    "bytes": (bytes, bytearray),
    "size": (tuple, list),
    "tuple": tuple,
    "list": list,
    "dict": dict,
    "set": (set, frozenset),
    "dtype": (torch.dtype, torch.finfo, torch.iinfo),
    "device": torch.device,
    "class": type,
    "logger": (logging.Logger, logging.LoggerAdapter),
    "module": torch.nn.Module,
    "modules": (torch.nn.Module, list, tuple),
}


def is_wrong(value: object, class_: str, form: str, words: set[str]) -> bool:
    """Whether a value is not what it was said to be."""
    if isinstance(value, torch.Tensor):
        dtypes = [KINDS[word](value.dtype) for word in words & KINDS.keys()]
        return class_ == "not" or not all(dtypes) or ("scalar" in words and value.dim() != 0)
    if class_ == "not" and form == "tensors":
        return isinstance(value, (list, tuple)) and not all(isinstance(item, torch.Tensor) for item in value)
    return class_ == "tensor" or (class_ == "not" and form in FORMS and not isinstance(value, FORMS[form]))


def read_claims(executable: str, path: Path) -> dict[Place, tuple[str, str, set[str], str]]:
    command = [executable, "debug", "facts", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    claims = {}
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        assert match, line
        first, column, last, end, class_, form, words, reason = match.groups()
        claims[int(first), int(column), int(last), int(end)] = (class_, form, set(words.split()), reason)
    return claims


class Watch(ast.NodeTransformer):
    """Hands the value of every expression in a function to `_look`, with its place."""

    SKIPPED = (ast.Starred, ast.Slice, ast.Constant, ast.Lambda, ast.NamedExpr, ast.GeneratorExp, ast.JoinedStr)

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.arguments, ast.JoinedStr)) or (isinstance(node, ast.AnnAssign) and node.value is None):
            return node
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            node.body = [self.visit(statement) for statement in node.body]
            return node
        stored = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        sliced = isinstance(node, ast.Tuple) and any(isinstance(item, ast.Slice) for item in node.elts)
        changed = self.generic_visit(node)
        if not isinstance(node, ast.expr) or stored or sliced or isinstance(node, self.SKIPPED):
            return changed
        place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        arguments = [ast.Constant(place), changed]
        return ast.copy_location(ast.Call(ast.Name("_look", ast.Load()), arguments, []), node)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_claims(executable: str, program: Path) -> None:
    claims = read_claims(executable, program)
    tree = ast.parse(program.read_text())
    definitions = (ast.FunctionDef, ast.ClassDef)
    watch = Watch()
    tree.body = [watch.visit(node) if isinstance(node, definitions) else node for node in tree.body]
    problems: dict[Place, str] = {}
    seen: dict[str, set[Place]] = {}

    def look(place: Place, value: object) -> object:
        claim = claims.get(place)
        if claim is not None:
            class_, form, words, reason = claim
            seen.setdefault(class_, set()).add(place)
            if is_wrong(value, class_, form, words):
                problems[place] = (
                    f"{place}: {type(value).__name__}, said to be {class_} {form} {sorted(words)}: {reason}"
                )
        return value

    scope: dict[str, Any] = {"_look": look, "__name__": program.stem}
    exec(compile(ast.fix_missing_locations(tree), str(program), "exec", dont_inherit=True), scope)
    scope["run"]()
    assert not problems, "\n".join(problems.values())
    assert len(seen["tensor"]) > 100 and len(seen["not"]) > 100, {
        class_: len(places) for class_, places in seen.items()
    }
    assert len(seen["unknown"]) < (len(seen["tensor"]) + len(seen["not"]) + len(seen["maybe"])) / 2
