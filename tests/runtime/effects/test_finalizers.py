"""Objects whose end the program notices: their finalizers run when and as often as without graphmend."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
import torch
from harness import captured, compare, load

import graphmend.runtime as runtime

CALLS = [lambda: (torch.tensor([1.0, 2.0]),), lambda: (torch.tensor([-1.0, -5.0]),)]


@pytest.fixture(autouse=True)
def objects_end_here() -> Iterator[None]:
    """The objects of a test end with it, not in one that follows."""
    yield
    torch._dynamo.reset()
    runtime.registry.reset()
    gc.collect()


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
    outcome = compare(load(tmp_path, PROGRAM % statement), CALLS)
    assert outcome.report["callables"][0]["mode"] != "whole"


@pytest.mark.parametrize("statement", ["o = Ending()", "o = copy.copy(FIRST)", "o = object.__new__(Ending)"])
def test_finalizer(tmp_path, statement):
    """Dynamo finalizes examples of its own, so the numbers are not those of eager Python; a graph ends nothing."""
    torch._dynamo.reset()
    runtime.registry.reset()
    program = load(tmp_path, PROGRAM % statement)()
    compiled = torch.compile(program, backend="eager")
    for _ in range(6):
        compiled(torch.ones(2))
    assert program.shown() >= 6
    assert not any(fate["mended"] for fate in runtime.report()["sites"].values())


REPLACED = """
    import torch

    class Ending:
        def __del__(self):
            print("end")

    def steps():
        try:
            yield 1
        finally:
            print("end of steps")

    def begun():
        made = steps()
        next(made)
        return made

    class Program(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.numbers = {}, [1, 2, 3]

        def fill(self):
            self.item, self.table["item"], self.table["more"] = (%s), [(%s)], 1

        def forward(self, x):
            print("before", x.sum().item())
            %s
            print("behind")
            return x + 1

    make = Program
"""


@pytest.mark.parametrize("made", ["Ending()", "begun()", "{'a': [Ending()]}"])
@pytest.mark.parametrize("statement", ["self.item = None", "self.table['item'] = 1", "self.table.clear()"])
def test_object_that_is_replaced(tmp_path, made, statement):
    make = load(tmp_path, REPLACED % (made, made, statement))
    torch._dynamo.reset()
    texts = []
    for compiled in (False, True):
        program = make()
        run = torch.compile(program.forward, backend="eager") if compiled else program.forward
        for value in (1.0, 2.0, -1.0, 3.0):
            program.fill()
            with captured() as events:  # of the last call: Dynamo itself holds objects of the first
                run(torch.full((2,), value))
        texts.append(events)
    assert texts[0] == texts[1]
    assert any("end" in line for line in texts[0])


def test_numbers_that_are_replaced(tmp_path):
    """Objects without a finalizer cost nothing."""
    make = load(tmp_path, REPLACED % ("1", "2", "self.numbers.append(len(self.numbers)); self.item = x.shape[0]"))
    program = make()
    runtime.registry.reset()
    compiled = torch.compile(program.forward, backend="eager")
    for _ in range(4):
        compiled(torch.ones(2))
    assert runtime.report()["callables"][0]["mode"] == "whole"
