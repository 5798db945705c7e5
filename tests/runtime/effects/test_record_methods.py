"""Methods of the program's own objects whose result nobody asks for: writers, meters, progress bars."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [
    lambda: (torch.tensor([1.0, 2.0, 3.0]),),
    lambda: (torch.tensor([-1.0, -2.0, 0.5]),),
]

START = """
    import io, json, random
    from random import random as drawn
    import torch
    class Writer:
        def __init__(self):
            self.rows, self.total, self.other = [], 0.0, [1]
        def add_scalar(self, tag, value, step=None):
            self.total += value
            self.rows.append((tag, round(value, 3), step))
            self.note(tag)
        def note(self, tag):
            print("noted", tag, len(self.rows))
        def draw(self, value):
            self.rows.append(random.random() + value * 0)
        def draw_too(self, value):
            self.rows.append(drawn() + value * 0)
        def count(self, value):
            global CALLED
            CALLED += 1
            self.rows.append(round(value, 3))
        def scaled(self, value):
            self.rows.append(round(value * SCALE, 3))
        def listed(self, value):
            SEEN.append(round(value, 3))
        def helped(self, value):
            helper(value)
    CALLED, SCALE, SEEN = 0, 1, []
    doubled = [lambda x: x * 2][0]
    def helper(value):
        SEEN.append(round(value, 3))
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            global CALLED, SCALE
            CALLED, SCALE = 0, 1
            SEEN.clear()
            self.writer = Writer()
            self.alias = self.writer.other
            self.stream = io.StringIO()
            self.linear = torch.nn.Linear(3, 3)
        def shown(self):
            return repr((self.writer.rows, self.writer.total, self.writer.other, CALLED, SEEN, self.stream.getvalue()))
    """

# The body of `forward`.
WHOLE = {
    "two writes in order with prints": """
        y = self.linear(x)
        print("before")
        self.writer.add_scalar("mean", y.mean().item(), 1)
        print("between", y.shape)
        self.writer.add_scalar(tag="max", value=float(y.max()))
        return y.tanh()
        """,
    "side of a branch": """
        y = self.linear(x)
        if x.sum() > 0:
            self.writer.add_scalar("positive", y.mean().item())
        return y.tanh()
        """,
    "container that nobody else has": """
        self.writer.listed(x.mean().item())
        return x * 2
        """,
    "stream": """
        print("mean", round(x.mean().item(), 3), file=self.stream, end=";")
        self.stream.write(json.dumps({"max": x.max().item()}))
        return x * 2
        """,
    "a tensor into a stream": """
        y = doubled(x)
        print("y", y, y[0], file=self.stream)
        return y
        """,
    "JSON into a stream": """
        json.dump({"mean": x.mean().item(), "rows": [x.shape[0]]}, self.stream, indent=1)
        json.dump(x.max().item(), fp=self.stream)
        return x * 2
        """,
}

# Programs that only have to do what they do.
EQUAL = {
    "JSON into a stream that is read": """
        json.dump({"mean": x.mean().item()}, self.stream)
        return x * len(self.stream.getvalue())
        """,
    "JSON of what has none": """
        try:
            json.dump({"mean": x.mean().item(), "x": x}, self.stream)
        except TypeError as error:
            print(error)
        return x * 2
        """,
    "JSON with a function for what has none": """
        json.dump({"mean": x.mean().item(), "kind": {1}}, self.stream, default=lambda one: self.writer.rows.append(2))
        return x * len(self.writer.rows)
        """,
    "object that is read": """
        self.writer.add_scalar("mean", x.mean().item())
        return x * len(self.writer.rows)
        """,
    "object that is read in front": """
        rows = len(self.writer.rows)
        self.writer.add_scalar("mean", x.mean().item())
        return x * rows
        """,
    "part that is read under another name": """
        self.writer.add_scalar("mean", x.mean().item())
        self.alias.append(2)
        return x * len(self.alias)
        """,
    "random numbers": """
        self.writer.draw(x.mean().item())
        return x * random.random()
        """,
    "random numbers under another name": """
        self.writer.draw_too(x.mean().item())
        return x * random.random()
        """,
    "global that is written": """
        self.writer.count(x.mean().item())
        return x * CALLED
        """,
    "global that is read": """
        global SCALE
        self.writer.scaled(x.mean().item())
        SCALE = SCALE + 1
        return x * 2
        """,
    "global list": """
        self.writer.listed(x.mean().item())
        return x * len(SEEN)
        """,
    "global list of a helper": """
        self.writer.helped(x.mean().item())
        return x * len(SEEN)
        """,
    "result that is used": """
        y = x * 2
        assert self.writer.add_scalar("mean", x.mean().item()) is None
        return y
        """,
    "another object in its place": """
        self.writer.add_scalar("mean", x.mean().item())
        self.writer = Writer()
        self.writer.add_scalar("max", x.max().item())
        return x * 2
        """,
    "method of the object alone": """
        self.writer.add_scalar = lambda tag, value: SEEN.append(tag)
        self.writer.add_scalar("mean", x.mean().item())
        return x * len(SEEN)
        """,
    "handler": """
        try:
            self.writer.add_scalar("mean", x.mean().item(), *x.tolist())
        except TypeError as error:
            print("caught", error)
        return x * 2
        """,
    "module": """
        self.linear.extra_repr()
        return self.linear(x)
        """,
}


def program(body: str) -> str:
    """A model with this forward function."""
    forward = textwrap.indent(textwrap.dedent(body), "        ")
    return textwrap.dedent(START) + "    def forward(self, x):\n" + forward + "\nmake = Model\n"


@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, program(WHOLE[name])), CALLS)
    assert [item["mode"] for item in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.graphs <= 2, outcome.report


@pytest.mark.parametrize("name", EQUAL)
def test_equal(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, program(EQUAL[name])), CALLS)


def test_what_a_method_reaches() -> None:
    from graphmend.runtime.analysis.reachability import reach_of_method

    class Part:
        def __init__(self) -> None:
            self.rows: list = []

    class Owner:
        def __init__(self) -> None:
            self.part, self.weight = Part(), None

        def write(self) -> None:
            self.part.rows.append(1)

    owner = Owner()
    reason, reach = reach_of_method(owner, "write")
    assert reason is None
    assert {id(owner), id(owner.part), id(owner.part.rows)} <= reach.ids
    assert reach_of_method(owner, "missing")[0] is not None
    assert reach_of_method([], "append")[0] is not None
    assert reach_of_method(torch, "manual_seed")[0] is not None
    owner.weight = torch.ones(1)
    assert "Tensor" in str(reach_of_method(owner, "write")[0])
