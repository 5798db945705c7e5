"""Records in calls that set other attributes: torch looks through the module's table, the program does not."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest
import torch
from harness import compare, load

HEAD = """
import torch


class Meter:
    def __init__(self):
        self.total = 0.0
        self.values = []

    def update(self, value):
        self.total += value
        self.values.append(value)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.meter = Meter()
        self.step = 0
        self.history = []

    def forward(self, x):
        loss = self.linear(x).mean()
"""
TAIL = "\n\ndef make():\n    return Model()\n"


def program(folder: Path, body: str) -> Callable:
    return load(folder, HEAD + "".join(f"        {line}\n" for line in body.splitlines()) + TAIL)


def calls() -> list[Callable[[], tuple]]:
    return [lambda i=i: (torch.full((2, 3), float(i)),) for i in range(3)]


@pytest.mark.parametrize(
    "body",
    [
        "self.step += 1\nself.history.append(loss.item())\nif self.step % 4 == 0:\n    print(self.step)\nreturn loss",
        "self.history.append(loss.item())\nself.step += 2\nif self.step > 9:\n    self.step = 0\nreturn loss",
    ],
)
def test_a_record_beside_a_counter(tmp_path: Path, body: str) -> None:
    """One graph before the counter is known for one, and one for each way then; the record needs none."""
    outcome = compare(program(tmp_path, body), calls())
    assert outcome.mended("GM304") and outcome.graphs <= 4


@pytest.mark.parametrize(
    "look",
    [
        "len(vars(self)['history'])",
        "[len(value) for name, value in self.__dict__.items() if name == 'history'][0]",
        "sum(len(value) for value in vars(self).values() if isinstance(value, list))",
        "len(getattr(self, 'his' + 'tory'))",
    ],
)
@pytest.mark.parametrize("first", ["self.step += 1", ""])
def test_a_record_that_the_program_looks_at_by_way_of_the_table(tmp_path: Path, look: str, first: str) -> None:
    lines = (
        first or "pass",
        "self.history.append(loss.item())",
        f"return loss + {look} if self.step < 4 else loss * {look}",
    )
    body = "\n".join(lines)
    assert not compare(program(tmp_path, body), calls()[:1]).mended("GM304")


@pytest.mark.parametrize("shown", ["self.meter.total", "sum(self.meter.values[-2:])"])
def test_a_meter_that_counts_and_records(tmp_path: Path, shown: str) -> None:
    """Dynamo has the whole table of the object where one attribute is set; the program has not."""
    body = f"self.meter.update(loss.item())\nprint('%.3f' % {shown})\nreturn loss"
    outcome = compare(program(tmp_path, body), calls())
    assert outcome.mended("GM304") and outcome.graphs <= 2, outcome.report


@pytest.mark.parametrize(
    "first", ["self.meter.update(loss.item())", "self.meter.values.append(3)\nself.meter.total += 1"]
)
@pytest.mark.parametrize("look", ["len(vars(self.meter)['values'])", "len(self.meter.__dict__['values'])"])
def test_a_meter_that_the_program_looks_into(tmp_path: Path, first: str, look: str) -> None:
    compare(program(tmp_path, f"{first}\nreturn loss * {look}"), calls()[:1])
