"""Objects whose end the program notices: their finalizers run when and as often as without graphmend."""

from __future__ import annotations


import pytest
import torch
from harness import compare, load

import graphmend.runtime as runtime

CALLS = [lambda: (torch.tensor([1.0, 2.0]),), lambda: (torch.tensor([-1.0, -5.0]),)]

PROGRAM = """
    import copy, weakref
    import torch

    ENDED, KEPT = [], []

    class Plain:
        pass

    class Ending:
        def __del__(self):
            ENDED.append("end")

    FIRST = Ending()

    def f(x):
        %s
        print("x", x.sum().item(), o is None)
        return x + 1

    class Program(torch.nn.Module):
        def forward(self, x):
            return f(x)

        def shown(self):
            return len(ENDED)

    make = Program
"""


def test_callback_of_a_weak_reference(tmp_path):
    statement = "o = Plain(); KEPT.append(weakref.ref(o, lambda _: ENDED.append(1)))"
    assert compare(load(tmp_path, PROGRAM % statement), CALLS).graphs > 1


@pytest.mark.parametrize("statement", ["o = Ending()", "o = copy.copy(FIRST)", "o = object.__new__(Ending)"])
def test_finalizer(tmp_path, statement):
    """Dynamo finalizes examples of its own, so the numbers are not those of eager Python; a whole graph ends nothing."""
    torch._dynamo.reset()
    runtime.registry.reset()
    program = load(tmp_path, PROGRAM % statement)()
    compiled = torch.compile(program, backend="eager")
    for _ in range(6):
        compiled(torch.ones(2))
    assert program.shown() >= 6
    assert not any(fate["mended"] for fate in runtime.report()["sites"].values())
