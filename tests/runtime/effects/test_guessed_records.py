"""Records of values of which the source does not tell whether they are numbers: parameters of callbacks and meters."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [lambda: (torch.tensor([1.0, 2.0, 3.0]),), lambda: (torch.tensor([-1.0, -2.0, 0.5]),)]

START = """
    import torch

    class Recorder:
        def __init__(self):
            self.rows = []

        def on_step(self, step, value):
            self.rows.append({"step": step, "value": value})

        def keep(self, value):
            self.rows.append(value)

        def copy(self, logs):
            self.rows.append(dict(logs))

        def name(self, logs):
            self.rows.append(dict(logs, step=3))

        def shift(self, step, value):
            self.rows.append((step, value - 1))

    class Printer:
        def on_step(self, step, value):
            print(step, value)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 3)
            self.step = 0
            self.recorder = Recorder()
            self.callbacks = [Printer(), self.recorder]

        def shown(self):
            return repr((self.step, self.recorder.rows))

        def forward(self, x):
            y = self.linear(x)
            {body}
            return y * 2

    make = Model
    """


@pytest.mark.parametrize(
    "body",
    [
        "self.step += 1\n            for callback in self.callbacks: callback.on_step(self.step, y.sum().item())",
        "self.recorder.keep(y.max().item())",
        "self.recorder.keep('text')",
        "self.recorder.shift(3, y.argmax().item())",
        "logs = {'sum': y.sum().item()}; self.recorder.copy(logs); logs['late'] = 1",
        "logs = {'sum': y.sum().item()}; self.recorder.name(logs); logs['late'] = 1",
        "row = [y.sum().item(), 'text']; self.recorder.rows.extend(row); row.append(2)",
        "row = [y.sum().item(), 'text']; self.recorder.rows.append(list(row)); row.append(2)",
        "self.recorder.keep(y.detach())",
        "self.recorder.keep(x)",
        "self.recorder.rows.append(dict(value=y)); y.mul_(2)",
    ],
)
def test_values_are_recorded_when_the_call_has_returned(body: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, START.replace("{body}", body)), CALLS)
    assert outcome.mended("GM304")
    assert outcome.graphs <= 2


@pytest.mark.parametrize(
    "body",
    [
        "self.recorder.keep(self.step); y = y + len(self.recorder.rows)",
        "row = [1]; self.recorder.keep(row); row.append(2); self.recorder.rows = self.recorder.rows[-2:]",
        "row = [[1], 2]; self.recorder.rows.append(list(row)); row[0].append(2)",
        "row = [[1], 2]; self.recorder.rows.extend(row); row[0].append(2)",
        "self.recorder.name({'value': y.detach()})",
        "self.recorder.keep(y.detach().clone()); y = y + self.recorder.rows.pop()",
    ],
)
def test_other_values_are_kept_where_the_program_does(body: str, tmp_path: Any) -> None:
    """Containers go in as themselves, and what is looked at in the same call is there."""
    assert not compare(load(tmp_path, START.replace("{body}", body)), CALLS).mended("GM304")
