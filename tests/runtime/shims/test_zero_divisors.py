"""Divisions by counters, sizes and numbers that data decide, where the divisor is zero in some calls."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import json
    import torch
    from fractions import Fraction

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.left, self.share, self.errors = 3, 2.0, []

        def divided(self, number, divisor):
            try:
                return number / divisor
            except ZeroDivisionError:
                return -1.0

        def forward(self, x):
            if x.sum() > 0:
                x = x + 1
            self.left = 3 if self.left < 0 else self.left - 1
            self.share -= 0.5
            count = (x > 0).sum().item()
            {body}
            return x * self.left, y

    make = Model
    """

BODIES = {
    "modulo": "try:\n y = 7 % self.left == 0\nexcept ZeroDivisionError as error:\n y = str(error)",
    "floor": "try:\n y = -7 // self.left\nexcept ArithmeticError as error:\n y = error.args",
    "quotient": "try:\n y = 6 / self.left\nexcept Exception as error:\n y = type(error).__name__, f'{error}'",
    "of floats": "try:\n y = 1.5 / self.share, 2 % self.share\nexcept ZeroDivisionError as error:\n y = str(error)",
    "in place": "y = 5\ntry:\n y //= self.left\nexcept ZeroDivisionError:\n y = None",
    "both": "try:\n y = divmod(9, self.left)\nexcept ZeroDivisionError as error:\n y = str(error)",
    "in a method": "y = self.divided(6, self.left), self.divided(1, count)",
    "of data": "try:\n y = 12 / count\nexcept ZeroDivisionError as error:\n y = str(error)",
    "modulo of data": "try:\n y = 12 % count, self.left // count\nexcept ZeroDivisionError as error:\n y = str(error)",
    "from": "try:\n y = 6 / self.left\nexcept ZeroDivisionError as error:\n raise RuntimeError('none left') from error",
    "finally": "y = 0\ntry:\n y = 6 % self.left\nexcept ZeroDivisionError:\n y = 1\nelse:\n y += 2\n"
    "finally:\n self.errors.append(y)",
    "uncaught": "y = 6 / self.left",
    "uncaught of data": "y = 6 / count",
    "in a with of a try": "try:\n with torch.no_grad():\n  y = 6 / count\nexcept ZeroDivisionError:\n y = None",
    "in a loop of a try": "y = []\ntry:\n for n in range(2):\n  y.append(n / count)\n"
    "except ZeroDivisionError:\n y.append(None)",
    "in a generator": "try:\n y = [z for z in (6 / n for n in (1, count))]\nexcept ZeroDivisionError:\n y = None",
    "in a with": "with torch.no_grad():\n y = 6 / count",
    "fraction": "try:\n y = float(Fraction(1, self.left))\nexcept ZeroDivisionError as error:\n y = str(error)",
    "fraction of data": "try:\n y = float(Fraction(1, int(count)))\n"
    "except ZeroDivisionError as error:\n y = str(error)",
    "sizes": "try:\n y = 6 // (x.shape[0] - 3)\nexcept ZeroDivisionError:\n y = None",
}
CALLS = [lambda n=n, size=size: (torch.full((size,), float(n)),) for n, size in ((1, 3), (-1, 4), (0, 3), (2, 5))]


def program(name: str) -> str:
    """A program with a body; a space in front of a line of the body is a level."""
    levels = [(len(line) - len(line.lstrip()), line.lstrip()) for line in BODIES[name].split("\n")]
    return PROGRAM.replace("            {body}", "\n".join(f"{' ' * (12 + 4 * level)}{text}" for level, text in levels))


@pytest.mark.parametrize("name", BODIES)
def test_the_program_meets_the_error_where_python_raises_it(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, program(name)), CALLS)


@pytest.mark.parametrize("name", ["modulo", "in a method", "of data", "sizes"])
def test_such_a_program_is_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, program(name)), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"
