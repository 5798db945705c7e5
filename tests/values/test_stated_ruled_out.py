"""What a question about the type of a variable rules out: every question, in front of every use of the variable."""

from __future__ import annotations

import textwrap
from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
HEAD = """import numpy as np
import torch
from typing import Any, Union

Number = (int, float)


class Own:
    pass
"""
FUNCTION = """

@torch.compile
def f{number}(x: torch.Tensor, n: torch.Tensor, m: torch.Tensor, flag=False, rows=()):
{body}
    return x + n.sum() + m.sum()
"""
QUESTIONS = [
    *(f"isinstance(n, {kind})" for kind in ("bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list")),
    *(
        f"isinstance(n, {kind})"
        for kind in ("set", "slice", "str", "tuple", "torch.Size", "torch.Tensor", "Own", "Number")
    ),
    *("isinstance(n, (int, float))", "isinstance(n, (int, torch.Tensor))", "isinstance(n, (torch.Tensor, int))"),
    *(
        "isinstance(n, (int, Own))",
        "isinstance(n, (Own, int))",
        "isinstance(n, (torch.Tensor, Own))",
        "isinstance(n, ())",
    ),
    *(
        "isinstance(n, np.ndarray)",
        "isinstance(n, object)",
        "isinstance(n, (torch.nn.Parameter, list))",
        "torch.is_tensor(n)",
    ),
    *("isinstance(n, int | float)", "isinstance(m, int)", "torch.is_tensor(m)", "type(n) is int", "n is None", "flag"),
    *(
        "isinstance(x, int)",
        "callable(n)",
        "hasattr(n, 'sum')",
        "isinstance(n)",
        "torch.is_tensor()",
        "torch.is_tensor(obj=n)",
    ),
]
USES = [
    *("if {q}:\n    y = int(n)", "if {q}:\n    pass\nelse:\n    y = int(n)", "if {q}:\n    x = x + 1\n    y = int(n)"),
    *(
        "if {q}:\n    return x\ny = int(n)",
        "if {q}:\n    pass\nelse:\n    return x\ny = int(n)",
        "if {q}:\n    raise x\ny = int(n)",
    ),
    *("if {q}:\n    pass\ny = int(n)", "if not {q}:\n    y = int(n)", "if not {q}:\n    return x\ny = int(n)"),
    *("y = int(n) if {q} else 1", "y = 1 if {q} else int(n)", "y = (1 if {q} else 2) + int(n)", "y = {q} and int(n)"),
    *(
        "y = {q} or int(n)",
        "y = flag and {q} and int(n)",
        "y = (flag or {q}) and int(n)",
        "y = (flag and {q}) or int(n)",
    ),
    *("y = not {q} or int(n)", "y = not {q} and int(n)", "y = int(n) and {q}", "y = not (not {q}) and int(n)"),
    *(
        "if {q} and flag:\n    y = int(n)",
        "if {q} or flag:\n    y = int(n)",
        "if {q} and flag:\n    pass\nelse:\n    y = int(n)",
    ),
    *("if {q} or flag:\n    pass\nelse:\n    y = int(n)", "if {q} or flag:\n    return x\ny = int(n)"),
    *(
        "assert {q}\ny = int(n)",
        "assert not {q}\ny = int(n)",
        "assert {q} or flag\ny = int(n)",
        "assert flag, {q}\ny = int(n)",
    ),
    *(
        "if flag:\n    assert {q}\ny = int(n)",
        "if flag:\n    assert {q}\n    y = int(n)",
        "for i in rows:\n    assert {q}\n    y = int(n)",
    ),
    *(
        "for i in rows:\n    if {q}:\n        continue\n    y = int(n)",
        "for i in rows:\n    if {q}:\n        break\n    y = int(n)",
    ),
    *(
        "for i in rows:\n    if {q}:\n        break\ny = int(n)",
        "for i in rows:\n    pass\nelse:\n    assert {q}\n    y = int(n)",
    ),
    *(
        "while {q}:\n    y = int(n)",
        "while flag:\n    assert {q}\n    y = int(n)",
        "while flag:\n    pass\nelse:\n    assert {q}\n    y = int(n)",
    ),
    *(
        "with torch.no_grad():\n    assert {q}\n    y = int(n)",
        "try:\n    assert {q}\n    y = int(n)\nfinally:\n    pass",
    ),
    *(
        "if {q}:\n    n = m\n    y = int(n)",
        "if flag:\n    n = m\nif {q}:\n    y = int(n)",
        "if {q}:\n    if flag:\n        n = m\n    y = int(n)",
    ),
    *("if {q}:\n    for i in rows:\n        y = int(n)\n        n = m", "assert {q}\nif flag:\n    n = m\ny = int(n)"),
    *("k = {q}\nif k:\n    y = int(n)", "if {q}:\n    y = [int(n) for i in rows]", "if {q}:\n    y = lambda: int(n)"),
    *(
        "if flag:\n    y = int(n)\nelif {q}:\n    y = int(n)\nelse:\n    y = int(n)",
        "y = [int(n) for i in rows if {q}]",
    ),
    *("def g():\n    assert {q}\n    return int(n)\ng()", "y = int(n)\nassert {q}", "if (k := {q}):\n    y = int(n)"),
]


def function(question: str, use: str, number: int) -> str:
    body = textwrap.indent(use.format(q=question), "    ")
    return FUNCTION.format(number=number, body=body)


def test_questions(executable: str, tmp_path: Path) -> None:
    hold(STATED / "ruled_out.txt", matrix(executable, tmp_path, HEAD, QUESTIONS, USES, function, "--all"))


def bound(count: int) -> str:
    """A use behind a question, with so many bindings of the variable in front."""
    return "".join(f"if rows[{i}]:\n    n = m\n" for i in range(count)) + "if isinstance(n, int):\n    y = int(n)"


def nested(count: int) -> str:
    """A condition below so many operators."""
    return f"if {'not ' * count}x.any():\n    x = x + 1"


def chained(count: int) -> str:
    return f"if {'(flag and ' * count}x.any(){')' * count}:\n    x = x + 1"


def test_limits(executable: str, tmp_path: Path) -> None:
    """Sixteen bindings are compared, and a condition is looked at a hundred levels deep."""
    rows = [f"{kind} {count}" for kind, counts in LIMITS.items() for count in counts]

    def written(row: str, _: str, number: int) -> str:
        kind, count = row.split()
        body = {"bound": bound, "nested": nested, "chained": chained}[kind](int(count))
        return FUNCTION.format(number=number, body=textwrap.indent(body, "    "))

    hold(STATED / "ruled_out.limits.txt", matrix(executable, tmp_path, HEAD, rows, ["as it is"], written, "--all"))


LIMITS = {"bound": [0, 1, 14, 15, 16, 17], "nested": [1, 2, 99, 100, 101, 102], "chained": [1, 49, 50, 51, 80]}
