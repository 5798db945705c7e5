"""Numbers that data decide: what operators make of them, in value and in type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from harness import compare, load

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


def test_sizes_are_tried_within_their_ranges(tmp_path: Any) -> None:
    text = """
        def f(x, groups):
            count = int(groups.max()) + 1 if groups.numel() > 0 else 0     # Dynamo knows a symbolic size as at least 2
            return x.new_zeros(count, 2).index_add(0, groups, x)
        """

    def groups(size: int) -> Any:
        return lambda: (torch.ones(size, 2), torch.arange(size) // 3)

    outcome = compare(load(tmp_path, text), [groups(6), groups(9), groups(7)])
    assert outcome.report["callables"][0]["mode"] == "whole" and outcome.graphs == 2
    compare(load(tmp_path, text), [groups(6), groups(9), groups(0), groups(1)])


def test_answers_about_a_size_hold_where_their_guards_do(tmp_path: Any) -> None:
    text = """
        def f(x):
            if x.isnan().any():
                raise ValueError("NaN")
            windows = x.shape[0] / 4
            return x + 1 if windows.is_integer() else x - windows
        """
    outcome = compare(load(tmp_path, text), [lambda n=n: (torch.ones(n),) for n in (8, 6, 7, 12)], False)
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_a_guard_of_several_facts_is_taken_apart(tmp_path: Any) -> None:
    text = """
        import torch
        down = torch.nn.Conv2d(1, 4, 3, stride=2, padding=1)
        up = torch.nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1)

        def f(x, mask):
            if mask.sum() == 0:
                x = x + 1
            y = up(down(x))
            if mask.shape != y.shape:       # Dynamo guards the sizes at once
                raise ValueError
            return y * mask
        """
    sizes = [(2, 8), (2, 8), (1, 16), (3, 20), (3, 10)]
    inputs = [(torch.ones(n, 1, m, 8), torch.full((n, 2, m, 8), v)) for n, m in sizes for v in (0.0, 1.0)]
    outcome = compare(load(tmp_path, text), [lambda pair=pair: pair for pair in inputs], False)
    assert outcome.report["callables"][0]["mode"] == "whole" and not outcome.report["callables"][0]["reason"]


def test_formulas_that_double_end_the_trace(tmp_path: Path) -> None:
    """Each step of an integrator is at most what is left, and the time is the sum of the steps."""
    text = """
        def f(x, end):
            time, step = 0.0, 0.5
            while time < end:
                step = min(step, end - time)
                if x.abs().max() > 3 and step > 0.01:
                    step = step / 2
                    x = x * 0.9
                    continue
                x, time = x - step * x, time + step
                if x.abs().max() < 1:
                    step *= 1.5
            return x, time
        """
    calls = [lambda n=n, end=end: (torch.full((2,), n), end) for n, end in ((1.0, 1.0), (4.0, 0.8), (0.5, 1.7))]
    compare(load(tmp_path, text), calls, rounds=6)
