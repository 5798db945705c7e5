"""Numbers that the sides of a branch give, as locals and as attributes: one graph serves both sides."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

MODULE = """
import torch

class State:
    def __init__(self):
        self.lr, self.bad, self.best, self.mode = 0.1, 0, 1e9, "a"

class Slots:
    __slots__ = ("n",)

    def __init__(self):
        self.n = 0

class Counted:
    def __init__(self):
        self._n, self.writes = 0, 0

    @property
    def n(self):
        return self._n

    @n.setter
    def n(self, value):
        self._n = value
        self.writes += 1

class Default:
    n = 2

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lr, self.bad, self.best, self.mode = 0.1, 0, 1e9, "a"
        self.state, self.slots, self.counted, self.default = State(), Slots(), Counted(), Default()
        self.table = {{2: 0.5, 3: 2.0}}

    def up(self, value):
        self.bad += 1
        self.best = value

    def forward(self, x):
        v = x.mean().item()
        {body}

make = Model
"""
WHOLE = {
    "early stopping": """
        if v < self.best - 0.1:
            self.best = v
            self.bad = 0
        else:
            self.bad += 1
        if self.bad > 2:
            print("stop", self.bad, f"{v:.3f}")
        return x * self.bad""",
    "local": """
        best, bad = self.best, self.bad
        if v < best:
            best, bad = v, 0
        else:
            bad += 1
        self.best, self.bad = best, bad
        return x * bad, best""",
    "one side": """
        if v > 0:
            self.lr *= 0.5
            self.bad += 1
        return x * self.lr + self.bad""",
    "ladder": """
        if v > 0.3:
            self.bad = 3
        elif v > 0:
            self.bad = 2
            self.best = v
        else:
            self.bad -= 1
        print("n", self.bad, round(self.best, 3))
        return x * self.bad""",
    "inner branch": """
        if v > 0:
            self.bad += 1
            if v > 0.3:
                self.bad += 5
                x = x * self.bad
        else:
            self.bad = 0
        return x - self.bad""",
    "loop": """
        for row in x:
            if row.sum() > 0:
                self.bad += 1
        return x * self.bad""",
    "result": """
        if v > 0:
            return x * 2, 1
        return x * 3, 2""",
    "division in a side": """
        v = x.sum().relu().item()
        if v != 0:
            self.lr = 1.0 / v
        else:
            self.lr = 0.0
        return x * self.lr""",
    "first read": """
        if v > 0:
            x = x * self.lr
            self.lr *= 0.5
        return x + self.lr""",
    "read by both": """
        if v > 0:
            self.lr = self.lr * 0.5
        else:
            self.lr = self.lr * 2
        return x + self.lr""",
    "test of it": """
        if v > 0:
            n = 3
        else:
            n = 4
        self.bad = n
        if n == 3 and self.bad < 4:
            x = x * 2
        assert n > 2
        return x + n""",
}
ANY = {
    "integer and float": """
        if v > 0:
            self.lr = 1
        else:
            self.lr = 2.5
        return x * self.lr, self.lr""",
    "negative zero": """
        if v > 0:
            self.lr = 0.0
        else:
            self.lr = -0.0
        return x, self.lr""",
    "no number": """
        if v > 0:
            self.best = float("nan")
        else:
            self.best = v
        return x.nan_to_num() + self.bad, str(self.best)""",
    "text": """
        if v > 0:
            self.mode = "up"
            self.bad += 1
        else:
            self.mode = "down"
        return x * self.bad, self.mode""",
    "object": """
        if v > 0:
            self.state.bad += 1
        else:
            self.state.best = v
        return x * self.state.bad + self.state.best""",
    "slots": """
        if v > 0:
            self.slots.n += 1
        return x * self.slots.n""",
    "property": """
        if v > 0:
            self.counted.n = self.counted.n + 1
        else:
            self.counted.n = 0
        return x * self.counted.n + self.counted.writes""",
    "attribute of a class": """
        if v > 0:
            self.default.n = self.default.n + 1
        return x * self.default.n, "n" in vars(self.default)""",
    "new attribute": """
        if v > 0:
            self.extra = 1
        else:
            self.bad = 2
        return x * getattr(self, "extra", 5) * self.bad""",
    "method": """
        if v > 0:
            self.up(v)
        else:
            self.bad = 0
        return x * self.bad + self.best""",
    "beyond 64 bits": """
        if v > 0:
            self.bad = 2**70
        else:
            self.bad = 1
        return x, self.bad""",
    "products": """
        if v > 0:
            self.bad = self.bad * 1103515245 + 12345
        else:
            self.bad += 1
        return x, self.bad""",
    "size": """
        if v > 0:
            n = 2
        else:
            n = 3
        self.bad = n
        return x[:n] * 2, torch.zeros(n), list(range(n)), self.table[n], isinstance(n, int), type(n) is int, str(n)""",
    "raised": """
        if v > 0:
            self.bad = 1
        else:
            self.bad += 1
        if self.bad > 2:
            raise ValueError(f"bad {{self.bad}}")
        return x""",
    "flag": """
        done = False
        for row in x:
            if row.sum() > 1:
                done = True
        if done:
            x = x * 2
        return x, done""",
}
CALLS = [lambda n=n: (torch.full((3, 4), n) + torch.arange(4) / 10,) for n in (0.5, -1.0, 0.1, -0.2, -0.4, 0.0)]


@pytest.mark.parametrize("name", WHOLE)
def test_one_graph(tmp_path: Path, name: str) -> None:
    outcome = compare(load(tmp_path, MODULE.format(body=WHOLE[name].strip())), CALLS, rounds=8)
    assert outcome.graphs == 1


@pytest.mark.parametrize("name", ANY)
def test_equal(tmp_path: Path, name: str) -> None:
    compare(load(tmp_path, MODULE.format(body=ANY[name].strip())), CALLS, rounds=8)


@pytest.mark.parametrize("name", [*WHOLE, "negative zero", "no number", "object"])
def test_compiled(tmp_path: Path, name: str) -> None:
    body = {**WHOLE, **ANY}[name].strip()
    compare(load(tmp_path, MODULE.format(body=body)), CALLS, rounds=8, backend="aot_eager")


def test_many_numbers(tmp_path: Path) -> None:
    body = "for row in x:\n            if row[0] > 0:\n                self.bad += 1\n        return x * self.bad"
    calls = [lambda n=n: (torch.randn(20, 4) + n,) for n in (-1.0, 0.0, 1.0)]
    compare(load(tmp_path, MODULE.format(body=body)), calls, rounds=3)
