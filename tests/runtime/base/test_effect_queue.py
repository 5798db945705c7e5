"""How deferred work gets from a graph to the wrapper: what a call of it costs, and that all of it arrives as it was."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from harness import CountingBackend, captured, compare, load

import graphmend.runtime as _gm
from graphmend.runtime.base import effect_queue, trace_state
from graphmend.runtime.effects import flush

COUNTED = """
    import logging
    import torch
    logger = logging.getLogger("counted")
    logger.setLevel(logging.WARNING)
    calls = 0
    def without(x):
        return x * 2
    def make():
        return {"without": without, "counted": counted, "logged": logged}
    def counted(x):
        global calls
        calls += 1
        return x * 2
    def logged(x):
        logger.debug("%s %s", x.shape, calls)
        return x * 2
"""


def names_called(function: Any, *args: Any) -> list[str]:
    """The functions that a call runs, Python's own included."""
    found: list[str] = []

    def note(frame: Any, event: str, value: Any) -> None:
        if event in ("call", "c_call"):
            found.append(frame.f_code.co_name if event == "call" else value.__name__)

    torch._dynamo.eval_frame.skip_code(note.__code__)
    sys.setprofile(note)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return found[:-1]  # `setprofile` itself


def added(names: list[str], base: list[str]) -> list[str]:
    """The names that one list has and another one has not, as often as it has more of them."""
    rest = list(base)
    return [name for name in names if name not in rest or rest.remove(name)]


ASKED = ["hold", "present", "getLogRecordFactory", "len", "len"]  # once for all handlers, next to `isinstance` for each


@pytest.mark.parametrize("name, further", [("counted", []), ("logged", ["debug", "isEnabledFor", *ASKED])])
def test_steps_of_a_call(tmp_path: Any, name: str, further: list[str]) -> None:
    names: dict[str, list[str]] = {}
    x = torch.ones(4)
    for which in ("without", name):
        function = torch.compile(load(tmp_path, COUNTED)()[which], backend=CountingBackend())
        with torch.no_grad():
            for _ in range(3):
                function(x)
            names[which] = names_called(function, x)
    found = [step for step in added(names[name], names["without"]) if step != "isinstance"]
    # Dynamo's hook is off while the effect happens, and the gradient mode that of the effect. Its function is named as
    # the frame of the graph is.
    around = ["carry_out", "set_eval_frame", "is_grad_enabled", "set_eval_frame"]
    assert sorted(found) == sorted([*around, name, name, *further]), found


def test_constant_events_are_constants(tmp_path: Any) -> None:
    entries = []
    function = torch.compile(load(tmp_path, COUNTED)()["counted"], backend=CountingBackend())
    take = flush.carry_out.__code__

    def note(frame: Any, event: str, value: Any) -> None:
        if event == "call" and frame.f_code is take:
            entries.append(frame.f_locals["waiting"][0])

    torch._dynamo.eval_frame.skip_code(note.__code__)
    sys.setprofile(note)
    try:
        for _ in range(3):
            function(torch.ones(4))
    finally:
        sys.setprofile(None)
    assert len(entries) == 3 and entries[0] is entries[1] is entries[2]
    assert entries[0][1:] == ((),) and not entries[0][0].undoes


VALUES = """
    import logging
    import torch
    import warnings
    logger = logging.getLogger("values")
    class make(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.step, self.total, self.seen = 0, 0.0, []
            self.linear = torch.nn.Linear(3, 3)
            self.register_buffer("mean", torch.zeros(3))
        def forward(self, x, scale, name):
            before = self.step
            self.step = self.step + 1
            print("step", before, self.step, name, scale)
            table = {"x": x.shape, "names": [name, name], "pair": (scale, None)}
            print(table, table["names"])
            y = self.linear(x) * scale
            self.mean.add_(y.detach().mean(0))
            print("mean", self.mean.sum().item() > 1e9, [round(float(v), 3) for v in self.mean])
            if y.sum() > 0:
                print("up", y.sum().item() > 0)
                with torch.no_grad():
                    logger.warning("in a branch %s %s", tuple(y.shape), torch.is_grad_enabled())
            else:
                logger.warning("down %s", torch.is_grad_enabled())
            with torch.no_grad():
                z = y * 2
                print("no grad", torch.is_grad_enabled(), z.requires_grad)
            with torch.enable_grad():
                print("grad", torch.is_grad_enabled())
            warnings.warn("again " + str(tuple(x.shape)), stacklevel=2)
            self.seen.append(x.shape[0])
            logger.warning("%s %d", name, len(table))
            return y, z, before
"""


@pytest.mark.parametrize("gradients", [False, True])
def test_values(tmp_path: Any, gradients: bool) -> None:
    make = load(tmp_path, VALUES)
    shapes = ((2, 1.5, "a"), (2, -0.5, "b"), (4, 2.0, "c"), (4, -3, "c"), (2, 1.5, "a"))
    calls = [lambda n=n, scale=scale, name=name: (torch.rand(n, 3), scale, name) for n, scale, name in shapes]
    outcome = compare(make, calls, gradients)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report
    assert not trace_state.local.queue and trace_state.local.waiting == [None] and trace_state.local.pending is None


RAISING = """
    import torch
    class make(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.calls, self.table = 0, torch.nn.Embedding(4, 2)
        def forward(self, ids):
            self.calls += 1
            print("before", ids.shape)
            y = self.table(ids)
            print("after", y.shape)
            return y
"""


def test_a_graph_that_raises(tmp_path: Any) -> None:
    """An index is out of range: what comes before it has happened, what comes behind it has not."""
    make = load(tmp_path, RAISING)
    calls = [lambda ids=ids: (torch.tensor(ids),) for ids in ([1, 2], [1, 9], [3, 0], [-7, 1], [0, 0])]
    outcome = compare(make, calls, False)
    assert outcome.graphs == 1, _gm.report()
    assert trace_state.local.waiting == [None] and trace_state.local.pending is None


INSIDE = """
    import torch
    @torch.compile(backend="eager")
    def inner(x):
        print("inner", x.shape)
        return x + 1
    def show(value):
        print("shown", inner(value).sum().item() > 0)
    class Shown:
        def __init__(self, value):
            self.value = value
        def __str__(self):
            return "sum " + str(inner(self.value).sum().item() > 0)
    shown = Shown(torch.ones(3))
    def f(x):
        y = x * 2
        print("first", shown)
        print("second")
        return y
"""


def test_work_that_calls_what_is_compiled(tmp_path: Any) -> None:
    program = load(tmp_path, INSIDE)()
    with torch.compiler.set_stance("force_eager"), captured() as expected:
        program(torch.ones(3))
    compiled = torch.compile(program, backend=CountingBackend())
    for _ in range(2):
        with captured() as events:
            compiled(torch.ones(3))
        assert events == expected
    assert trace_state.local.waiting == [None]


def test_forms_of_events() -> None:
    done = []
    work = effect_queue.Work(
        [
            (done.append, True, "a"),
            (effect_queue.INDENT, None, None),
            (done.append, True, "b"),
            (effect_queue.INDENT, None, None),
            (done.append, True, "c"),
            (effect_queue.DEDENT, None, None),
            (effect_queue.DEDENT, None, None),
            (effect_queue.apply, True, None),
        ]
    )
    for first, second, expected in ((True, True, "1235"), (True, False, "125"), (False, True, "15")):
        done.clear()
        entry = (work, ("1",), (torch.tensor(first), True), ("2",), (second, True), ("3",), (), (), (done.append, "5"))
        waiting = [entry]
        work.undoes = False
        assert flush.carry_out(waiting) is None and waiting == [None]
        assert "".join(done) == expected
        assert flush.sites_before(entry, 8) == [name for name, mark in zip("abc", "123") if mark in expected]
