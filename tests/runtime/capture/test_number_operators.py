"""Numbers that data decide: what operators make of them, in value and in type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from harness import load

PROGRAM = """
import operator


def f(x):
    flag = (x.sum() > 0).item()
    number = x.argmax().item() + 12345
    other = number > 12345
    return x * 2, {expression}
"""

DIGITS = ["round(number, -1)", "round(number, ndigits=-1)", "number.__round__(-1)", "round(number - 20000, -2)"]
TRUTHS = ["flag & 1", "1 & flag", "flag | 0", "flag ^ 1", "other & 1", "flag.__and__(1)", "operator.or_(flag, 0)"]
TRUTHS += ["type(flag & 1)", "repr(1 & flag)", "isinstance(flag & 1, bool)", "other.__rand__(1)"]
KEPT = ["flag & True", "flag & other", "flag + 1", "-flag", "round(number)", "number % -7, -number // 7", "flag * 3"]


def typed(value: Any) -> Any:
    return [typed(item) for item in value] if isinstance(value, tuple) else (type(value), value)


@pytest.mark.parametrize("expression", [*DIGITS, *TRUTHS, *KEPT])
def test_numbers_are_those_of_python(tmp_path: Path, expression: str) -> None:
    function = load(tmp_path, PROGRAM.format(expression=expression))()
    compiled = torch.compile(function, backend="eager")
    for x in (torch.ones(3), -torch.ones(3), torch.tensor([1.0, 5.0, 2.0])):
        assert typed(compiled(x)[1]) == typed(function(x)[1])
