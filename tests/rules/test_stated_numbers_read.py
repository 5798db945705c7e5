"""A test of a number that was read out of a tensor before breaks no graph again: every such number in every test."""

from __future__ import annotations

import textwrap
from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
HEAD = """import numpy as np
import torch
from typing import Optional


class Config:
    limit = 3


def helper(a):
    return a
"""
FUNCTION = """

@torch.compile
def f{number}(x: torch.Tensor, y: torch.Tensor, a, b=None, flag=False, size: Optional[int] = None, config=Config()):
{lines}
"""
# What makes `n`.
NUMBERS = [
    *("n = x.sum().item()", "n = float(x.sum())", "n = int(x.argmax()) + 1", "n = x.tolist()", "n = x.shape[0]"),
    *("n = [v.item() for v in x]", "n = {'k': x.sum().item()}", "n = x.sum().item(), x.mean().item()"),
    *("n = x.numpy()", "n = x.sum()", "n = a", "n = b", "n = config.limit", "n = size", "n = helper(x.sum().item())"),
    *("if b is None:\n    b = x.sum().item()\nn = b", "n = b\nif n is None:\n    n = x.sum().item()"),
    *(
        "n = b\nif n is None:\n    n = x.sum()",
        "n = b\nif n is None:\n    n = a",
        "n = 1\nif flag:\n    n = x.sum().item()",
    ),
    *("n = float(x.min()) if isinstance(x, torch.Tensor) else min(x)", "n = float(x.min()) if flag else a"),
    *(
        "n = a if flag else float(x.min())",
        "n = a if flag else b",
        "n, m = x.tolist()",
        "for n in x.tolist():\n    pass",
    ),
    *("n = bool(x.any())", "n = str(x.sum().item())", "n = x.sum().item()\nn = a", "n = x.sum().item()\nn += a"),
    *("with torch.no_grad():\n    n = x.sum().item()", "n: float = x.sum().item()", "(n := x.sum().item())"),
    *("n = max(x.tolist())", "n = sorted(x.tolist())[-1]", "n = x.sum().item() or 1", "n = None"),
]
# What is asked of `n`.
TESTS = [
    *("n > 0", "n", "not n", "n is None", "-n > 0", "n > a", "a > n", "n > y.sum()", "y.sum() > n", "n > a > 0"),
    *("a > b", "n > 0 and flag", "flag and n > 0", "flag or n", "n > 0 or y.any()", "flag and a > 0", "flag and flag"),
    *(
        "n + 1 > a",
        "n * y.sum() > 0",
        "n + a",
        "a + b",
        "abs(n) > 1",
        "abs(a) > 1",
        "max(n, 1) > a",
        "max(n, key=a) > 1",
    ),
    *("round(n, 2) > 1", "len(n) > 1", "len(n, 1)", "len([n]) > 1", "n[0] > 1", "n[a] > 1", "n[y] > 1", "n['k'] > 1"),
    *(
        "n[0][0] > 1",
        "a[0] > n",
        "n.limit > 1",
        "helper(n).limit > 1",
        "n.size > 1",
        "n.count(1) > 0",
        "n.get('k') > 1",
    ),
    *("n.get(y) > 1", "n.index(a)", "n.numel() > 1", "(n + 1).size(0) > 1", "helper(n)", "helper(n) > 1", "a.b > n"),
    *(
        "any(v > 0 for v in n)",
        "any([v > 0 for v in n])",
        "all(v > y.sum() for v in n)",
        "any(v > 0 for v in n if y.any())",
    ),
    *("any(v > 0 for v in y)", "{v for v in n}", "[v for v in n]", "(n, y.any())", "f'{n}'", "n == 'a'", "n in (1, 2)"),
    *("n in n", "isinstance(n, float)", "1", "y.any()", "lambda: n", "n if flag else a", "n if n else y.any()"),
]


def function(body: str, number: int) -> str:
    return FUNCTION.format(number=number, lines=textwrap.indent(body, "    "))


def asked(made: str, test: str, number: int) -> str:
    return function(f"{made}\nif {test}:\n    y = y + 1\nreturn y", number)


def chosen(made: str, test: str, number: int) -> str:
    return function(f"{made}\ny = 1 if ({test}) else 2\nreturn x + y", number)


def test_tests_of_numbers(executable: str, tmp_path: Path) -> None:
    hold(STATED / "numbers_read.txt", matrix(executable, tmp_path, HEAD, NUMBERS, TESTS, asked))


def test_choices_by_numbers(executable: str, tmp_path: Path) -> None:
    hold(STATED / "numbers_read.choices.txt", matrix(executable, tmp_path, HEAD, NUMBERS[::3], TESTS, chosen))
