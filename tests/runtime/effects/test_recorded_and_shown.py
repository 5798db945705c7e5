"""Containers that a call records into and shows: one graph, however long they are."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest
import torch
from harness import Outcome, compare, load

HEAD = """
import collections
import logging
import torch

log = logging.getLogger("program")
ROWS = []


class Meter:
    def __init__(self):
        self.rows = []

    def add(self, value):
        self.rows.append(value)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.history = []
        self.means = []
        self.recent = collections.deque(maxlen=3)
        self.table = {"loss": [], "norm": []}
        self.meter = Meter()
        self.first = {"late": 0}
        self.nested = [self.first]
        self.step = 0

    def shown(self):
        return repr((self.step, self.history, self.means, self.recent, self.table, self.meter.rows, self.first, ROWS))

    def forward(self, x):
        y = self.linear(x)
        loss = y.pow(2).mean()
"""
TAIL = "        return loss\n\n\ndef make():\n    ROWS.clear()\n    return Model()\n"


def calls() -> list[Callable[[], tuple]]:
    return [lambda i=i: (torch.full((2, 3), float(i + 1)),) for i in range(3)]


def run(folder: Path, body: str) -> Outcome:
    text = HEAD + "".join(f"        {line}\n" for line in body.splitlines()) + TAIL
    return compare(load(folder, text), calls())


@pytest.mark.parametrize(
    "body",
    [
        "self.history.append(loss.item())\nprint('mean %.3f' % (sum(self.history[-4:]) / 4))",
        "self.history.append(loss.item())\nif len(self.history) % 3 == 0:\n    print('seen', len(self.history))",
        "self.recent.append(loss.item())\nprint('mean %.3f' % (sum(self.recent) / len(self.recent)))",
        "self.history.append(loss.item())\nif self.history[-1] > min(self.history):\n    print('worse', self.history)",
        "self.history.append(1)\nprint(self.history)\nself.history.append(loss.item())\nlog.info('%s', self.history)",
        "self.table['loss'].append(loss.item())\nprint(self.table['loss'][-2:])",
        "self.history.append(loss.item())\nself.means.append(sum(self.history[-3:]) / 3)\nprint(self.means[-1])",
        "self.meter.add(loss.item())\nprint(self.meter.rows[-1])",
        "ROWS.append(loss.item())\nprint(len(ROWS), ROWS[-1])",
        "self.history.append(loss.item())\nif loss > 2:\n    print('large', self.history[-1])",
        "parts = ('loss', loss.item())\nself.history.append(' '.join(map(str, parts)))\nprint(*map(repr, parts))",
        "self.history.append({'loss': loss.item(), 'size': x.shape[0]})\nprint(self.history[-1]['size'])",
    ],
)
def test_one_graph_for_all_lengths(tmp_path: Path, body: str) -> None:
    outcome = run(tmp_path, body)
    assert outcome.graphs == 1, outcome.report
    assert outcome.mended("GM304")


@pytest.mark.parametrize(
    "body",
    [
        "print(self.history[-1:])\nself.history.append(loss.item())",
        "self.history.append(loss.item())\nprint(self.history[-1])\nself.history = self.history[-2:]",
        "self.history.append(loss.item())\nprint(self.history[-1])\nloss = loss * len(self.history)",
        "self.history.append(loss.item())\nprint(self.history[-2:])\nself.history.pop()",
        "row = {'late': 0}\nself.history.append(row)\nprint(self.history[-1])\nrow['late'] = 1",
        "self.history.append(self.first)\nself.history.append(2)\nprint(self.history[:1])\nself.first['late'] += 1",
        "self.nested.append(3)\nprint(self.nested[0])\nself.first['late'] += 1",
        "self.history.append(loss.item())\nrows = self.history\nprint(self.history[-2:])\nrows.append(3)",
        "self.history.append(loss.item())\nboth = [self.history]\nprint(self.history[-2:])\nboth[0].append(4)",
        "self.history.append(loss.detach())\nself.history.append(5)\nprint(len(self.history), self.history[-1])",
    ],
)
def test_what_else_happens_to_them(tmp_path: Path, body: str) -> None:
    """What is shown is what the program finds there, whatever it costs."""
    run(tmp_path, body)


def test_an_effect_that_fails_on_what_it_finds(tmp_path: Path) -> None:
    body = "self.history.append(loss.item())\nprint('%d' % (1 / (len(self.history) - 2)))\nself.history.append(7)"
    run(tmp_path, body)
