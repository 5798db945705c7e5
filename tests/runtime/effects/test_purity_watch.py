"""Calls in what effects show: made where they stand, their values kept, the effect itself later."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any, Callable

import pytest
import torch
from harness import Outcome, compare, load

from graphmend.runtime.base import torch_names
from graphmend.runtime.effects.purity_watch import Watch

HEAD = """
import logging
import torch

log = logging.getLogger("program")


class Schedule:
    def __init__(self):
        self.power = 2

    def rate(self):
        return 0.5**self.power


class Meter:
    def __init__(self):
        self.total = 0.0

    def add(self, value):
        self.total += value

    def mean(self):
        return self.total / 2


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.schedule = Schedule()
        self.parts = torch.nn.ModuleList(torch.nn.LayerNorm(3) for _ in range(2))
        self.step = 0
        self.history = []
        self.weights = [1.0, 2.0]
        self.last = None
        self.register_buffer("seen", torch.zeros(3))
        self.register_buffer("factor", torch.tensor(2.0))

    def shown(self):
        return repr((self.step, self.history, self.weights, [row is self.last for row in self.history]))

    def rate(self):
        return 0.1 * 0.5**self.step

    def stats(self, x):
        return {"mean": x.mean().item(), "parts": [x.shape[0], "text"]}

    def kept(self, x):
        self.last = {"mean": x.mean().item()}
        return self.last

    def talk(self, x):
        print("talking", x.sum().item())
        return x.mean()

    def move(self):
        self.weights[0] += 1.0
        return self.weights[0]

    def count(self, x):
        self.seen.add_(1)
        return x.mean()

    def scale_in_place(self, z):
        return z.mul_(self.factor)

    def choose(self, x):
        if x.mean() > 1:
            return x.sum().item()
        return x.mean().item()

    def clip(self, x):
        if x.mean() < 0:
            raise ValueError("negative")
        return x.sum()

    def forward(self, x):
        y = self.linear(x)
"""
TAIL = "        return y * 2\n\n\ndef make():\n    return Model()\n"


def calls() -> list[Callable[[], tuple]]:
    return [lambda i=i: (torch.full((2, 3), float(i + 1)),) for i in range(3)]


def run(folder: Path, body: str, **options: bool) -> Outcome:
    text = HEAD + "".join(f"        {line}\n" for line in body.splitlines()) + TAIL
    return compare(load(folder, text), calls(), **options)


@pytest.mark.parametrize(
    "body",
    [
        "print('rate', self.rate(), self.schedule.rate())",
        "log.info('rate %s %s', self.rate(), y.mean().item())",
        "log.info('stats %s', self.stats(y.detach()))",
        "print(f'{y.mean():.3f} {self.rate():.3f} {self.stats(y)[\"mean\"]:.2f}')",
        "print('talk', self.talk(y).shape, self.talk(x).item())",
        "print(self.linear(y).mean().item(), torch.nn.functional.dropout(y).sum().item())",
        "print([self.rate() * i for i in range(3)], sum(self.rate() for _ in range(2)))",
        "print(self.rate() if self.training else self.talk(y), self.training and self.rate())",
        "print('clip', self.clip(x.detach()).item())",
        "print(self.weights, self.move(), self.weights)",
        "print(f'{y.mean():.3f}', [round(p.mean().item(), 3) for p in self.linear.parameters()])",
        "print(f'{y.mean():.3f} {[part.training for part in self.parts]}', sum(part.eps for part in self.parts))",
    ],
)
def test_calls_are_made_where_they_stand(tmp_path: Path, body: str) -> None:
    outcome = run(tmp_path, body)
    assert all(site["mended"] for name, site in outcome.report["sites"].items() if name[-5:] in ("GM301", "GM302"))
    assert outcome.graphs <= 2, outcome.report


@pytest.mark.parametrize(
    "body",
    [
        "self.history.append(self.rate())",
        "self.history.append({'rate': self.schedule.rate(), 'mean': y.mean().item()})",
        "self.history.append(self.stats(y.detach()))",
        "self.history.append((self.step, self.stats(y.detach())))",
        "self.history.append(self.kept(y.detach()))\nself.last['late'] = y.sum().item()",
        "row = self.stats(y.detach())\nself.history.append(row)\nrow['parts'].append(3)",
    ],
)
def test_what_calls_give_is_recorded(tmp_path: Path, body: str) -> None:
    """A container goes in as itself, with what the call does to it afterwards."""
    outcome = run(tmp_path, body)
    assert outcome.mended("GM304") and outcome.graphs == 1, outcome.report


@pytest.mark.parametrize(
    "body",
    [
        "print(y.sum().item(), self.talk(y).item())",
        "print(f'{self.weights[0]:.1f} {self.move():.1f} {self.weights[0]:.1f}')",
        "print(f'{y.sum():.1f}', self.count(y).item())",
        "print(y.sum().item(), torch.rand(3))",
        "parts = [1]\nprint(f'{parts[0]:.1f}', parts.append(2))",
        "z = torch.relu(x.detach())\nprint(f'{z.sum():.1f}', self.scale_in_place(z).sum().item())",
    ],
)
def test_calls_that_others_would_notice_behind_something_that_is_computed(tmp_path: Path, body: str) -> None:
    outcome = run(tmp_path, body)
    assert any("does more than to compute" in reason for reason in outcome.refusals("GM301")), outcome.report


def test_an_effect_that_fails_behind_a_call(tmp_path: Path) -> None:
    """What the call has done has happened, what comes later has not."""
    run(tmp_path, "print('%d' % (self.talk(y).item() / 0 * 0 if self.step else 1))\nself.step += 1")
    run(tmp_path, "print('sum', self.talk(y).item(), '%d' % (y.sum().item() * float('nan')))\nself.step += 1")


@pytest.mark.parametrize(
    "body",
    [
        "row = [1]\nself.history.append(row)\nself.history.append(row)\nprint(self.history[-1] is self.history[-2])",
        "row = [1]\nprint(row is self.history, [row][0] is row, row is not None)",
        "row = [1]\nrows = {'a': row}\nprint(id(rows['a']) == id(row))",
    ],
)
def test_questions_for_objects_that_are_shown(tmp_path: Path, body: str) -> None:
    """What is kept are copies."""
    run(tmp_path, body)


def test_calls_in_a_side_are_part_of_it(tmp_path: Path) -> None:
    run(tmp_path, "if y.sum() > 0:\n    print('rate', self.rate())")
    run(tmp_path, "if y.sum() > 0:\n    print('clip', self.clip(x - 5).item())")
    run(tmp_path, "if y.sum() > 0:\n    print('moved', self.move())")


def test_what_a_side_changes_behind_a_watched_call(tmp_path: Path) -> None:
    shown = "print(f'{y.sum():.1f}', self.choose(x.detach()))\n"
    run(tmp_path, shown + "if y.sum() > 0:\n    self.weights[0] = 5.0")
    run(tmp_path, shown + "if y.sum() > 0:\n    self.weights.append(1.0)\nelse:\n    y = y + 1")


@pytest.mark.parametrize("shown", ["meter.mean()", "'%.1f' % meter.mean()"])
def test_methods_of_objects_that_have_the_names_of_operators(tmp_path: Path, shown: str) -> None:
    """What `mean` gives later is another number, though the text of the object is the same."""
    text = f"""
{HEAD.split("class Model")[0]}
meter = Meter()

def add(meter, x):
    print("mean", {shown})
    meter.add(2.0)
    return x * 2

def f(x):
    return add(meter, x)
"""
    compare(load(tmp_path, text), calls())


@pytest.mark.parametrize(("made", "known"), [(None, True), (1, True), (4, True), (5, False), (9, False)])
def test_objects_that_are_older_than_a_watch(made: Any, known: bool) -> None:
    """Objects of the trace are numbered as they are made; the fourth is the last one in front of the watch."""
    output = types.SimpleNamespace(side_effects=None, graph=torch.fx.Graph(), random_calls=[])
    mutation: Any = torch_names.ValueMutationExisting() if made is None else torch_names.ValueMutationNew()
    mutation.birth = made
    assert Watch(output, 4).knows(types.SimpleNamespace(mutation_type=mutation)) is known
