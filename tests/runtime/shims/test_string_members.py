"""Members of enumerations of texts, and names of torch's classes, are texts of the trace."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
    import enum
    import torch

    class Mode(str, enum.Enum):
        MEAN = " Mean "
        SUM = "sum"

    class Loud(str, enum.Enum):
        MEAN = "mean"

        def strip(self):
            calls.append(self)
            return "other"

    calls = []

    class Model:
        def __init__(self, mode):
            self.mode = mode

        def __call__(self, x):
            return x.mean() if self.mode.strip().lower() == "mean" else x.sum()

    model = Model(Mode.MEAN)
    weight = torch.nn.Parameter(torch.ones(3))

    def f(x):
        return {expression}
    """
CALLS = [lambda: (torch.ones(3),), lambda: (torch.zeros(3),)]


@pytest.mark.parametrize(
    "expression",
    [
        "model(x)",
        'x * (Mode.MEAN.strip().lower() == "mean")',
        "x * len(Mode.SUM.upper().split())",
        'x * Mode.SUM.replace("s", "r").count("r")',
        'x if Mode.MEAN.startswith(" ") else -x',
        'x if type(x).__module__.startswith("torch") else -x',
        'x if torch.nn.Parameter.__name__ == "Parameter" else -x',
        'x if torch.nn.Parameter.__module__.startswith("torch.") else -x',
        'x if type(weight).__qualname__.lower().endswith("meter") else -x',
    ],
)
def test_texts_are_part_of_the_graph(tmp_path: Any, expression: str) -> None:
    outcome = compare(load(tmp_path, TEXT.format(expression=expression)), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_an_own_method_is_called(tmp_path: Any) -> None:
    compare(load(tmp_path, TEXT.format(expression="(x, Loud.MEAN.strip(), len(calls))")), CALLS)


def test_another_member_is_another_graph(tmp_path: Any) -> None:
    text = (
        TEXT.format(expression="model(x)")
        + """
    def make():
        def run(x, mode):
            model.mode = mode
            return f(x)

        return run
    """
    )
    modes = [" Mean ", "sum", " Mean "]
    compare(
        load(tmp_path, text.replace("model.mode = mode", "model.mode = Mode(mode)")),
        [lambda mode=mode: (torch.ones(3), mode) for mode in modes],
    )


def test_what_a_method_raises(tmp_path: Any) -> None:
    compare(load(tmp_path, TEXT.format(expression="x * Mode.SUM.index('z')")), CALLS)
