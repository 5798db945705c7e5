"""The text of a condition in the runtime dialect: each form of a test, and what it is worth to plain Python.

The second half runs the emitted text with the calls of the dialect as Python has them (`and_` is `and`, `item` is
`.item()`), beside the condition itself, over values that decide each operand both ways.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

import pytest

PROGRAM = """import torch


def f(x: torch.Tensor, y: torch.Tensor, flag, n, pair, options):
    v = x.sum()
    if {}:
        x = x + 1
    return x
"""
EMITTED = re.compile(r'_gm\.branch\("a\.py:6:4:GM101", (.*), _gm_then, _gm_else, \(x,\)\)')
CONDITIONS = {
    "x.sum() > 0": "(x.sum() > 0)",
    "x.any() and y.any()": "_gm.and_(SITE, lambda x=x: (x.any()), lambda y=y: (y.any()))",
    "x.any() or flag": "_gm.or_(SITE, lambda x=x: (x.any()), lambda flag=flag: (flag))",
    "x.any() and y.any() and flag": (
        "_gm.and_(SITE, lambda x=x: (x.any()), lambda y=y: (y.any()), lambda flag=flag: (flag))"
    ),
    "not x.any()": "_gm.not_(SITE, (x.any()))",
    "bool(x.any())": "_gm.truth(SITE, (x.any()))",
    "x.sum().item() > 0": "(_gm.item(SITE, (x.sum())) > (0))",
    "x.sum().item() >= 0": "(_gm.item(SITE, (x.sum())) >= (0))",
    "x.sum().item() < 0": "(_gm.item(SITE, (x.sum())) < (0))",
    "x.sum().item() <= 0": "(_gm.item(SITE, (x.sum())) <= (0))",
    "x.sum().item() == 0": "(_gm.item(SITE, (x.sum())) == (0))",
    "x.sum().item() != 0": "(_gm.item(SITE, (x.sum())) != (0))",
    "0 < x.sum().item()": "((0) < _gm.item(SITE, (x.sum())))",
    "torch.equal(x, y)": "_gm.equal(SITE, (x), (y))",
    "torch.allclose(x, y)": "_gm.allclose(SITE, (x), (y))",
    "torch.allclose(x, y, rtol=1e-3)": "_gm.allclose(SITE, (x), (y), rtol=(1e-3))",
    "torch.allclose(*pair)": "_gm.allclose(SITE, *pair)",
    "torch.allclose(x, y, **options)": "_gm.allclose(SITE, (x), (y), **(options))",
    "v in (1, 2)": "_gm.member(SITE, (v), ((1, 2)))",
    "v not in [1, 2]": "_gm.not_(SITE, _gm.member(SITE, (v), ([1, 2])))",
    "0 < v < 1": "_gm.and_(SITE, lambda v=v: (0) < (v), lambda v=v: (v) < (1))",
    "0 < v <= n": "_gm.and_(SITE, lambda v=v: (0) < (v), lambda v=v, n=n: (v) <= (n))",
    "0 == v < 2 != n": ("_gm.and_(SITE, lambda v=v: (0) == (v), lambda v=v: (v) < (2), lambda n=n: (2) != (n))"),
    "0 >= v > n": "_gm.and_(SITE, lambda v=v: (0) >= (v), lambda v=v, n=n: (v) > (n))",
    "v == 0 or v in (1, 2)": ("_gm.or_(SITE, lambda v=v: (v == 0), lambda v=v: _gm.member(SITE, (v), ((1, 2))))"),
    "x.any() and (y.any() or not x.all())": (
        "_gm.and_(SITE, lambda x=x: (x.any()), lambda y=y, x=x: "
        "_gm.or_(SITE, lambda y=y: (y.any()), lambda x=x: _gm.not_(SITE, (x.all()))))"
    ),
    "x.any() and y.sum().item() > 0 and torch.equal(x, y)": (
        "_gm.and_(SITE, lambda x=x: (x.any()), lambda y=y: (_gm.item(SITE, (y.sum())) > (0)), "
        "lambda x=x, y=y: _gm.equal(SITE, (x), (y)))"
    ),
}


def emitted(executable: str, folder: Path, condition: str) -> str:
    (folder / "a.py").write_text(PROGRAM.format(condition))
    command = [executable, "debug", "mend", "a.py"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    found = EMITTED.search(ran.stdout)
    assert found is not None, ran.stdout
    return found.group(1).replace('"a.py:6:4:GM101"', "SITE")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_text(executable: str, tmp_path: Path, condition: str) -> None:
    assert emitted(executable, tmp_path, condition) == CONDITIONS[condition]


class AsPython:
    """The calls of the dialect as plain Python has them."""

    def __init__(self, torch: object) -> None:
        self.torch = torch

    def and_(self, _: str, *operands):
        return all(operand() for operand in operands)

    def or_(self, _: str, *operands):
        return any(operand() for operand in operands)

    def not_(self, _: str, value):
        return not value

    def truth(self, _: str, value):
        return bool(value)

    def item(self, _: str, value):
        return value.item()

    def member(self, _: str, value, numbers):
        return value in numbers

    def equal(self, _: str, *arguments):
        return self.torch.equal(*arguments)

    def allclose(self, _: str, *arguments, **named):
        return self.torch.allclose(*arguments, **named)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_worth(executable: str, tmp_path: Path, condition: str) -> None:
    """Over all of these values, the text is worth what the condition is, and both answers occur."""
    torch = pytest.importorskip("torch")
    text = emitted(executable, tmp_path, condition)
    values = [torch.tensor(numbers) for numbers in ([0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [-2.0, 1.0], [0.5, 0.0])]
    answers = set()
    for x, y, flag, n in itertools.product(values, values, (False, True), (-2, 0, 2)):
        names = {"x": x, "y": y, "v": x.sum(), "flag": flag, "n": n, "pair": (x, y), "options": {"atol": 0.1}}
        spaces = {"torch": torch, "_gm": AsPython(torch), "SITE": "", **names}
        meant = bool(eval(condition, dict(spaces)))
        assert bool(eval(text, dict(spaces))) is meant, names
        answers.add(meant)
    assert answers == {False, True}
