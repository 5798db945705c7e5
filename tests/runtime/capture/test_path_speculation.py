"""Graphs that follow one path: exact on each, undone where a call takes another, given up where that is the rule."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from harness import CountingBackend, compare, load

import graphmend.runtime as _gm
from graphmend.runtime.base import trace_state
from graphmend.runtime.driver import variants
from graphmend.runtime.driver.trace_costs import COSTS, Cost

SITES = [f"m.py:{line}:0:GM105" for line in range(1, 9)]


def taken(value: Any, number: int = 0) -> Any:
    """A decision as the compiler core writes it."""
    return _gm.taken(SITES[number], value)


def ones(*values: float) -> list:
    return [lambda value=value: (torch.full((2, 3), float(value)),) for value in values]


PROGRAMS = {
    "another shape": """
        def f(x):
            if x.sum() > 0:
                return x[0]
            return x
        """,
    "nothing": """
        def f(x):
            if x.sum() > 0:
                return None, x
            return x * 2
        """,
    "the tensor itself": """
        def f(x):
            y = x if x.sum() > 0 else x * 1
            return y, y is x
        """,
    "loop until": """
        def f(x):
            steps = 0
            while not bool(x.norm() < 1):
                x = x * 0.5
                steps += 1
            return x, steps
        """,
    "any of the rows": """
        def f(x):
            if any(row.sum() > 0 for row in x):
                return "some", x
            return "none"
        """,
    "caught": """
        def f(x):
            seen = []
            try:
                if x.sum() > 0:
                    raise ValueError("positive")
                seen.append("fine")
            except ValueError as error:
                seen.append(str(error))
            finally:
                seen.append("end")
            return x + 1, seen
        """,
    "size of a selection": """
        import torch
        def f(x):
            kept = x[x > 0]
            if len(kept) == 0:
                return None
            return kept.mean(), x.new_zeros(2)
        """,
    "equal": """
        import torch
        def f(x):
            if torch.equal(x, x.abs()):
                return "same"
            return x, 1
        """,
    "chain": """
        def f(x):
            s = x.mean()
            if 0 < s < 5:
                return "between"
            return [s]
        """,
    "array": """
        import numpy as np
        def f(x):
            if np.isnan(x.detach().numpy()).any() or (x.detach().numpy() > 5).all():
                return "large", x * 2
            return x
        """,
    "printed on one side": """
        def f(x):
            if x.sum() > 0:
                print("positive", x.mean())
                return "yes"
            return x
        """,
}


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_path_is_one_graph(tmp_path: Any, name: str, grad: bool) -> None:
    outcome = compare(load(tmp_path, PROGRAMS[name]), ones(2, -1, 7, -1), grad, fullgraph=True)
    assert [one["mode"] for one in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.mended("GM105")


@pytest.mark.parametrize("name", ["another shape", "loop until", "caught", "chain"])
def test_inductor(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, PROGRAMS[name]), ones(2, -1), backend="inductor", fullgraph=True)
    assert outcome.mended("GM105")


class Sides(torch.nn.Module):
    """Parameters of one side alone, a buffer and a counter that both sides change."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.left, self.right = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
        self.register_buffer("total", torch.zeros(3))
        self.latest = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.total += x.detach().sum(0)
        if taken(x.sum() > 0):
            self.latest = "left"
            return self.left(torch.nn.functional.dropout(x))
        self.latest = x.detach() * 2
        self.total = torch.ones(3)
        return self.right(x)


def test_state_and_gradients() -> None:
    """Gradients are None where eager Python leaves them None; state is that of the path."""
    outcome = compare(Sides, ones(2, -1, 7, -1), fullgraph=True)
    assert outcome.mended("GM105") and outcome.report["callables"][0]["paths"] >= 2


def test_inputs_are_put_back() -> None:
    """A call that leaves the path has changed its input before."""

    def program(x):
        x.add_(1)
        noise = torch.rand(3)
        if taken(x.sum() > 0):
            x.mul_(2)
            return "positive", noise
        return x + noise

    outcome = compare(lambda: program, ones(2, -3, 2, -3), False)
    assert outcome.mended("GM105")


def test_versions_are_put_back() -> None:
    """Nobody can tell how often a call has written to its input before it came to its own path."""

    def program(x):
        x.add_(1)
        if taken(x.sum() > 0):
            return "positive"
        return x * 2

    function, _ = counted(program)
    for value in (1.0, -9.0, 1.0, -9.0):
        x = torch.full((2,), value)
        function(x)
        assert x._version == 1


def test_graph_that_raises_on_another_path() -> None:
    """What the test protects from happens in the graph of the wrong path, and nobody sees it."""

    def program(x, index):
        if taken(index.max() < 3):
            return x[index].sum(), 1
        return None

    calls = [lambda i=i: (torch.arange(3.0), torch.tensor([i])) for i in (1, 7, 2, 9)]
    outcome = compare(lambda: program, calls, False, fullgraph=True)
    assert outcome.mended("GM105") and outcome.report["callables"][0]["replays"] == 0


def counted(program: Any, **options: Any) -> tuple[Any, CountingBackend]:
    """A program compiled with our wrapper, and its graphs."""
    torch._dynamo.reset()
    _gm.registry.reset()
    _gm.install_compile()
    backend = CountingBackend()
    try:
        return torch.compile(program, backend=backend, **options), backend
    finally:
        _gm.uninstall_compile()


def thresholds(x):
    """As many paths as there are thresholds."""
    for number in range(7, -1, -1):
        if taken(x.sum() > number, number):
            return number
    return x


def test_each_path_is_traced_once() -> None:
    function, backend = counted(thresholds)
    for _ in range(3):
        for value in (3.5, 1.5, 9.0):
            assert thresholds(torch.tensor([value])) == function(torch.tensor([value]))
    assert len(backend.graphs) == 3


@pytest.mark.parametrize("trace_seconds, mode", [(0.0, "partial"), (1e9, "whole")])
def test_paths_that_change_too_often(trace_seconds: float, mode: str) -> None:
    """A callable that seldom stays on its path is compiled in parts once that pays, and stays right."""
    function, _ = counted(thresholds)
    for value in (3.5, 1.5) * 20:
        assert function(torch.tensor([value])) == thresholds(torch.tensor([value]))
        for record in trace_state.registry.callables:
            COSTS.begin(record, Cost(trace_seconds))
    assert _gm.report()["callables"][0]["mode"] == mode


def test_trace_ends_where_it_leaves_the_path() -> None:
    """A trace for the variant of another path does not go on behind the decision."""
    traced = []

    @torch.compiler.assume_constant_result
    def note():
        traced.append(torch.compiler.is_compiling())
        return 2

    def program(x):
        if taken(x.sum() > 0):
            x = x * 2
        return x.cos() * note()

    function, backend = counted(program)
    for value in (torch.ones(3), torch.ones(2, 3), -torch.ones(2, 3), -torch.ones(4, 3, 1)):
        result = function(value)
        tracing = len(traced)
        assert torch.equal(result, program(value))
        del traced[tracing:]
    assert len(traced) == len(backend.graphs) == 4


def test_paths_that_change_too_often_in_one_graph() -> None:
    """Whoever wants one graph or an error gets no error from graphmend."""
    function, _ = counted(thresholds, fullgraph=True)
    for value in (3.5, 1.5) * 20:
        assert function(torch.tensor([value])) == thresholds(torch.tensor([value]))


def test_more_paths_than_graphs(monkeypatch: Any) -> None:
    monkeypatch.setattr(variants, "MAX_PATHS", 3)
    function, backend = counted(thresholds, fullgraph=True)
    for _ in range(2):
        for number in range(8):
            assert function(torch.tensor([number + 0.5])) == thresholds(torch.tensor([number + 0.5]))
    assert len(backend.graphs) == 3 and _gm.report()["callables"][0]["replays"] > 0


def shrunk(x: Any) -> Any:
    steps = 0
    while taken(x > 1):
        x = x * 0.9
        steps += 1
    return x, steps


def test_more_decisions_than_a_graph_follows() -> None:
    function, _ = counted(shrunk)
    result, steps = function(torch.tensor(1e9))
    assert (result, steps) == shrunk(torch.tensor(1e9)) and steps > 64
    assert any("too many decisions" in reason for site in _gm.report()["sites"].values() for reason in site["refused"])


def test_paths_without_a_graph_are_traced_less_and_less_often() -> None:
    function, backend = counted(shrunk)
    long_calls = traced = 0
    for number in range(200):
        x = torch.tensor(1e9 if number % 10 == 9 else 1.2)
        before = torch._dynamo.utils.counters["frames"]["total"]
        assert function(x) == shrunk(x)
        long_calls += number % 10 == 9
        traced += number % 10 == 9 and torch._dynamo.utils.counters["frames"]["total"] > before
    assert len(backend.graphs) == 1 and _gm.report()["callables"][0]["mode"] == "whole"
    assert 0 < traced < long_calls / 2


def test_shapes_and_paths() -> None:
    """The graphs of one path serve all shapes that they can."""

    def program(x):
        if taken(x.sum() > 0):
            return "positive", x * 2
        return x + 1

    function, backend = counted(program)
    for size in (2, 3, 4, 5, 6, 7):
        for sign in (1, -1):
            x = torch.full((size,), float(sign))
            assert str(function(x)) == str(program(x))
    assert len(backend.graphs) <= 4


def test_random_calls() -> None:
    """Many calls in any order, of several shapes, with and without gradients."""

    def program(x, scale):
        x = x * scale
        steps = 0
        while taken(x.abs().max() > 4):
            x = x / 2
            steps += 1
            if taken((x < 0).any(), 1):
                return x, steps, "negative"
        return x + steps

    function, _ = counted(program)
    choose = random.Random(5)
    for _ in range(60):
        size, scale, seed = choose.choice([2, 3, 5]), choose.choice([1.0, 4.0, 9.0]), choose.randrange(1000)
        results = []
        for way in (program, function):
            torch.manual_seed(seed)
            x = torch.randn(size, requires_grad=seed % 2 == 0)
            result = way(x, scale)
            first = result[0] if isinstance(result, tuple) else result
            if first.requires_grad:
                first.sum().backward()
            results.append(str((result, x.grad, torch.rand(1))))
        assert results[0] == results[1]


def test_own_test_in_a_side(tmp_path: Any) -> None:
    """A decision inside of a side that both are computed of takes the whole branch along."""
    text = """
        def f(x):
            y = x * 2
            if x.sum() > 0:
                if x.max() > 5:
                    y = y[0]
                else:
                    y = y + 1
            return y
        """
    outcome = compare(load(tmp_path, text), ones(2, 7, -1))
    assert outcome.mended("GM105") and not outcome.mended("GM101"), outcome.report


def test_ways_have_limits_of_their_own(tmp_path: Any) -> None:
    """A path is not given up because other paths have been compiled for many shapes."""
    text = """
        def f(x):
            if x.sum() > 0:
                return x[0], "positive"
            if x.sum() < -50:
                return x, "very negative"
            return x * 2
        """
    torch._dynamo.reset()
    counting = CountingBackend()
    function = load(tmp_path, text)()
    made = []
    with torch._dynamo.config.patch(recompile_limit=4), torch.no_grad():
        compiled = torch.compile(function, backend=counting, dynamic=False)
        for _ in range(2):
            for value in (1.0, -0.5, -100.0):
                for size in (2, 3, 4):
                    x = torch.full((size,), value)
                    for _ in range(30):  # a path that changes seldom
                        assert str(compiled(x)) == str(function(x))
            made.append(len(counting.graphs))
    assert made[0] == made[1] >= 9
    record = _gm.registry.callables[-1]
    assert record.mode == "whole" and record.paths == 3, record


BLOCKS = """
    import torch
    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16), torch.inference_mode():
            y = x @ x.t()
            if y.sum() > 4:
                return y
            z = x @ x.t()
        if z.sum() > 2:
            z = [z]
        return z, x @ x.t()
    """


def test_blocks_are_left_while_the_path_is_foretold(tmp_path: Any) -> None:
    compare(load(tmp_path, BLOCKS), ones(2, 0.5, 0.7, -1), False)
    assert torch.autocast_increment_nesting() == 1 and torch.autocast_decrement_nesting() == 0
    assert not torch._C._dispatch_tls_is_dispatch_key_excluded(torch._C.DispatchKey.Python)


def test_an_early_decision_that_raises_is_left_to_the_graph(tmp_path: Any) -> None:
    """Dynamo's arrays cannot subtract a truth value from a number; Python's call goes on without an error."""
    text = """
        import numpy as np
        def f(x):
            cost, left, path = x.detach().numpy(), 4, []
            while left > 0:
                step = np.argmin([cost[left - 1], cost[0], cost[1]])
                path.append(int(step))
                left = left - 1 - (step != 2)
            return x * len(path), path
        """
    calls = [lambda: (torch.tensor([1.0, 2.0, 0.5, 3.0]),), lambda: (torch.zeros(4),)]
    compare(load(tmp_path, text), calls, grad=False)


def test_writes_of_the_other_side_are_not_foretold(tmp_path: Any) -> None:
    """The sizes behind the loop are those of the path: no call runs twice, and a loop over sizes comes to its end."""
    text = """
        import torch
        def f(ids):
            rounds = 0
            while ids.numel() > 1:
                rounds += 1
                hit = (ids[:-1] == 1) & (ids[1:] == 2)
                if not hit.any():
                    break
                for i in range(1, len(hit)):
                    if hit[i] and hit[i - 1]:
                        hit[i] = False
                    elif ids[i] == 9:
                        if ids[i + 1] > 0:
                            hit[i].logical_not_()
                keep = torch.ones_like(ids, dtype=torch.bool)
                keep[1:][hit] = False
                ids = ids.clone()
                ids[:-1][hit] = 10
                ids = ids[keep]
            return ids, rounds
        """
    rows = [[1, 2, 3, 1, 2], [4, 4, 4], [1, 2], [1, 2, 9, 3, 1, 2], [3]]
    outcome = compare(load(tmp_path, text), [lambda row=row: (torch.tensor(row),) for row in rows], grad=False)
    (record,) = outcome.report["callables"]
    assert (record["mode"], record["replays"]) == ("whole", 0), record["reason"]


RAISING = """
import math
import torch

def make():
    def f(x, table, counts):
        if x.max() >= 4:
            raise ValueError("beyond the table")
        rows = table[x]
        limit = math.exp(min(rows.mean().item(), 20))
        width = int(rows.argmax())
        if limit > 2:
            counts.append(limit)
            return rows[:, :width].sum() * limit
        return rows.sum() + width
    return f
"""


def test_numbers_behind_a_guard_that_fails(tmp_path: Any) -> None:
    """The table has no row for the index that the guard refuses, and no shadow run comes to the numbers behind it."""
    table, first, last = torch.arange(12.0).reshape(4, 3), torch.tensor([0, 1]), torch.tensor([3, 2, 3])
    calls = [lambda x=x: (x, table, []) for x in (first, torch.tensor([1, 7, 2]), last, torch.tensor([9, 0]), first)]
    outcome = compare(load(tmp_path, RAISING), calls, grad=False, fullgraph=True)
    assert [entry["mode"] for entry in outcome.report["callables"]] == ["whole"]
