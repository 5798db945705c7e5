"""Makes a program that differs smaller, as long as it differs in the same way."""

from __future__ import annotations

import ast
import copy
import dataclasses
import time
from collections.abc import Iterator

from generator import Program
from judge import Verdict, judge


def bodies(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Every list of statements, as its owner and the name of its field."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, field, None), list):
                yield node, field


def parts(node: ast.expr) -> list[ast.expr]:
    """The expressions right inside an expression."""
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]


def smaller_trees(tree: ast.Module) -> Iterator[ast.Module]:
    """Trees with a statement less, a block instead of its statement, or an expression instead of one around it."""
    for index, (owner, field) in enumerate(bodies(tree)):
        for place in range(len(getattr(owner, field)) - 1, -1, -1):
            statement = getattr(owner, field)[place]
            insides = [
                getattr(statement, name) for name in ("body", "orelse", "finalbody") if getattr(statement, name, [])
            ]
            nested = [] if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else insides
            for new in [[], *nested]:
                fresh = copy.deepcopy(tree)
                owner_of_fresh, _ = list(bodies(fresh))[index]
                getattr(owner_of_fresh, field)[place : place + 1] = copy.deepcopy(new)
                yield fresh
    for index, node in enumerate(ast.walk(tree)):
        for field, value in ast.iter_fields(node):
            values = value if isinstance(value, list) else [value]
            for place, expression in enumerate(values):
                for part in parts(expression) if isinstance(expression, ast.expr) else []:
                    fresh = copy.deepcopy(tree)
                    target = list(ast.walk(fresh))[index]
                    if isinstance(value, list):
                        getattr(target, field)[place] = copy.deepcopy(part)
                    else:
                        setattr(target, field, copy.deepcopy(part))
                    yield fresh


def smaller(program: Program) -> Iterator[Program]:
    """Programs that are simpler in one respect."""
    for place in range(len(program.samples)):
        if len(program.samples) > 1:
            samples = program.samples[:place] + program.samples[place + 1 :]
            yield dataclasses.replace(program, samples=samples)
    for field, value in (("backend", "eager"), ("mode", "none"), ("mode", "leaves"), ("dtype", "float32")):
        if getattr(program, field) != value and not (field == "mode" and program.mode == "none"):
            yield dataclasses.replace(program, **{field: value})
    for tree in smaller_trees(ast.parse(program.text)):
        try:
            text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            compile(text, "program.py", "exec")
        except (SyntaxError, ValueError, TypeError, AttributeError):
            continue
        if len(text) < len(program.text):
            yield dataclasses.replace(program, text=text)


def still(program: Program, signature: str) -> Verdict | None:
    """The verdict on a program that differs in the way that is looked for."""
    try:
        verdict = judge(program)
    except Exception:
        return None
    return verdict if verdict.found and verdict.signature() == signature else None


def reduced(verdict: Verdict, seconds: float = 90) -> Verdict:
    """The smallest program that was found in a time."""
    end, signature = time.monotonic() + seconds, verdict.signature()
    found = True
    while found and time.monotonic() < end:
        found = False
        for candidate in smaller(verdict.program):
            if time.monotonic() > end:
                break
            other = still(candidate, signature)
            if other is not None:
                verdict, found = other, True
                break
    return verdict
