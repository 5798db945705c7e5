"""Graphs that are made for one set of numbers, where a compiler is given them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

START = """
import torch
"""

# More numbers than a compiler is to have as symbols.
PROGRAMS = {
    "sizes of parts": """
def f(x, counts):
    sizes = counts.tolist()
    total = sum(sizes) * 2 // 2
    parts = x[:total].split(sizes)
    return torch.stack([part.sum() * size for part, size in zip(parts, sizes)]), total
""",
    "masks": """
def f(x, counts):
    found = [x[x > count].sum() for count in counts]
    rows = (x > 0.5).nonzero()
    values, places = torch.unique((x * 4).long(), return_inverse=True)
    return torch.stack(found) * rows.shape[0], rows, values, places
""",
    "repeated": """
def f(x, counts):
    long = torch.repeat_interleave(x[:20], counts)
    unused = torch.repeat_interleave(counts, counts)
    chosen = long[long > 0.5]
    chosen = chosen + 1
    chosen += 2
    return long * 2, chosen, [int(count) for count in counts][::-1]
""",
}


def call() -> Any:
    torch.manual_seed(0)
    return torch.rand(64), torch.randint(1, 4, (20,))


@pytest.mark.parametrize("name", PROGRAMS)
def test_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, START + PROGRAMS[name]), [call], backend="aot_eager")
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report["callables"][0][
        "reason"
    ]


FEW = """
def f(x, counts):
    count = int((x > 0.5).sum())
    return x.exp().sum() / (count + 1)
"""


def test_a_function_that_compiles_is_a_compiler(tmp_path: Any) -> None:
    """A backend may be any function. Once it begins to compile it gets constants: sums of integers have no limit."""
    outcome = compare(load(tmp_path, START + FEW), [call], backend="aot_eager")
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"]
    assert outcome.graphs == 2  # the one with symbols is refused
    assert sum(record["replays"] for record in outcome.report["callables"]) == 0


def test_a_function_that_runs_the_graph_keeps_symbols(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, START + FEW), [call, lambda: (torch.rand(30), torch.ones(3))], backend="eager")
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"]
    assert outcome.graphs <= 2


def test_a_compiler_gets_few_sets_of_numbers(tmp_path: Any) -> None:
    """Where each call has others, the frames are compiled one by one."""
    calls = [lambda k=k: (torch.arange(20) * 0.04 + k * 0.01, torch.ones(3)) for k in range(20)]
    outcome = compare(load(tmp_path, START + FEW), calls, backend="aot_eager")
    (record,) = outcome.report["callables"]
    assert record["mode"] == "partial" and "cannot be left open" in record["reason"]
    assert record["paths"] == 3


@pytest.mark.parametrize("count", [20, 40])
def test_many_numbers_do_not_end_the_trace(tmp_path: Any, count: int) -> None:
    """More of them than there may be symbols, and than a list is read one by one."""
    text = """
def f(x, counts):
    wide = torch.cat([x[:4].repeat(count) for count in counts.tolist()])
    return wide.sum(), [x[x > count / 4].mean() for count in counts]
"""

    def numbers() -> Any:
        return torch.arange(64.0) / 64, torch.arange(count) % 3 + 1

    torch._dynamo.reset()
    function = torch.compile(load(tmp_path, START + text)(), backend="eager")
    before = torch._dynamo.utils.counters["frames"]["total"]
    function(*numbers())
    assert torch._dynamo.utils.counters["frames"]["total"] - before == 1
    outcome = compare(load(tmp_path, START + text), [numbers], backend="aot_eager")
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"]
