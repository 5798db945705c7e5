"""Objects in prints whose class makes their text in Python."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

START = """
import pprint
import sys
import torch

class Meter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, value):
        self.sum += value
        self.count += 1

    def __str__(self):
        return f"{self.sum / self.count:.2f} of {self.count}"

class Shown(Meter):
    def __repr__(self):
        return f"Shown({self.sum:.2f})"

class Formatted(Meter):
    def __format__(self, spec):
        return f"[{self.count}]"

class Telling(Meter):
    asked = 0

    def __str__(self):
        self.asked += 1
        return f"asked {self.asked}"

def tell(item):
    print(type(item).__name__, item)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.meter = KIND()
        self.meters = [self.meter, self.meter]

    def forward(self, x):
        self.meter.update(x.sum().item())
        PRINT
        self.meter.count += 1
        return x * 2

make = Net
"""
PRINTS = {
    "alone": ("Meter", "print(self.meter)", True),
    "beside a text": ("Meter", "print('loss', self.meter, sep=': ')", True),
    "in an f-string": ("Meter", "print(f'loss {self.meter}!')", True),
    "to stderr": ("Meter", "print(self.meter, file=sys.stderr)", True),
    "twice": ("Shown", "print(self.meter, self.meter)", True),
    "within containers": ("Shown", "print([self.meter], (self.meter, 1), {1: self.meter})", True),
    "items of a container": (
        "Shown",
        "print(f'{1:02d}', self.meters, {'all': self.meters, 'one': (self.meter,)})",
        True,
    ),
    "chosen": ("Shown", "print(self.meter if self.meter.count != 3 else '-', f'{self.meter.sum:.1f}')", True),
    "its text": ("Shown", "print(str(self.meter), repr(self.meter) + '!')", True),
    "counted": ("Shown", "print(len([self.meter]), self.meter.sum / 2)", False),
    "argument of an exception": ("Shown", "print(ValueError(self.meter), [ValueError(self.meter)])", False),
    "a print of the program": ("Shown", "tell(self.meter)", False),
    "with an effect": ("Telling", "print(self.meter)", False),
    "representation": ("Shown", "print(f'{self.meter!r}', repr(self.meter))", True),
    "aligned": ("Meter", "print(f'{self.meter!s:>20}')", True),
    "its own format": ("Formatted", "print(f'{self.meter}', self.meter)", False),
    "pprint": ("Shown", "pprint.pprint(self.meter)", False),
}
CALLS = [lambda: (torch.ones(2),), lambda: (torch.full((2,), -1.25),)]


@pytest.mark.parametrize("name", PRINTS)
def test_the_text_of_the_moment_is_printed(name: str, tmp_path: Any) -> None:
    kind, statement, is_whole = PRINTS[name]
    text = START.replace("KIND", kind).replace("PRINT", statement)
    outcome = compare(load(tmp_path, text), CALLS, grad=False, rounds=4)
    assert not is_whole or outcome.report["callables"][-1]["mode"] == "whole", outcome.report
