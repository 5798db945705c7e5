"""Functions that draw from NumPy for what tensors of the graph hold: they run in the graph, in the program's order."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import torch
from harness import compare, load

CALLS = [lambda n=n: (torch.randn(4, 8), torch.randint(0, 2, (4, 8)) * (n + 1)) for n in range(3)]
SCALE = 3


def spans(shape, share, length, mask=None):
    """Random spans of rows, as models of speech mask them."""
    if length < 1:
        raise ValueError("no length")
    chance = numpy.random.rand(1).item()

    def count(size):
        return max(int(share * size / length + chance), 1)

    sizes = mask.detach().sum(-1).tolist() if mask is not None else [shape[1] for _ in range(shape[0])]
    found = numpy.zeros(shape, dtype=bool)
    for row, size in enumerate(sizes):
        places = numpy.arange(max(min(size, shape[1]) - length + 1, 1))
        for place in numpy.random.choice(places, min(count(size), len(places)), replace=False):
            found[row, place : place + length] = True
    return found


def masked(x, mask):
    hidden = x * 1
    hidden[torch.tensor(spans(x.shape, 0.5, 2, mask), dtype=torch.bool, device=x.device)] = 0.0
    return hidden


def shuffled(rows):
    return numpy.random.permutation(rows.numpy()[0]) * SCALE


def written(x, mask):
    """What is written to a tensor comes before or after the call, as in the program."""
    rows = mask + 1
    first = torch.tensor(shuffled(rows))
    rows.add_(10)
    second = torch.tensor(shuffled(rows))
    return x * first - second


def decided(x, mask):
    spanned = torch.tensor(spans(x.shape, 0.5, 2, mask))
    if spanned.sum() > 8:
        x = x * 2
    return x.masked_fill(spanned, 0.0)


@pytest.mark.parametrize("program", [masked, written, decided], ids=lambda program: program.__name__)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_whole(program: Any, backend: str) -> None:
    outcome = compare(lambda: program, CALLS, backend=backend)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"]


def test_traces() -> None:
    """Once it has been found out that a function runs in the graph, no other trace looks into it."""
    torch._dynamo.reset()
    function = torch.compile(decided, backend="eager")
    total = torch._dynamo.utils.counters["frames"]
    traces = []
    for size in (2, 2, 0):
        before = total["total"]
        function(torch.randn(4, 8), torch.full((4, 8), size))
        traces.append(total["total"] - before)
    assert traces == [2, 0, 1]


def writes(rows):
    rows[0, 0] = 7
    return numpy.random.permutation(int(rows.sum()) + 1)[:3]


def lists(found, rows):
    found.append(len(rows))
    return numpy.random.permutation(int(rows.sum()) + 1)[:3]


def prints(rows):
    print("drawn")
    return numpy.random.permutation(int(rows.sum()) + 1)[:3]


def raises(rows):
    if rows.sum() > 12:
        raise ValueError("too many")
    return numpy.random.permutation(int(rows.sum()) + 1)[:3]


def varies(rows):
    return numpy.random.permutation(int(rows.sum()) + 1)


def with_list(x, mask):
    found = [1]
    return x.sum() + torch.as_tensor(lists(found, mask)).sum() + len(found)


def of(function: Any) -> Any:
    """A program that adds up what a function gives, and returns what it was given."""

    def program(x, mask):
        rows = mask * 1
        return x.sum() + torch.as_tensor(function(rows)).sum(), rows

    program.__name__ = function.__name__
    return program


OTHERS = [with_list, *map(of, [writes, prints, raises, varies])]


@pytest.mark.parametrize("program", OTHERS, ids=lambda program: program.__name__)
def test_as_in_python(program: Any) -> None:
    """Whatever else such a function does, or gives, the program behaves as it does without a compiler."""
    compare(lambda: program, CALLS)


def test_order(tmp_path: Any) -> None:
    """Before the function NumPy is asked for a number in front of the graph, after it torch is in the graph."""
    make = load(
        tmp_path,
        """
        import numpy
        import torch

        def chosen(mask):
            return numpy.random.choice(numpy.arange(int(mask.sum()) + 1), 3)

        def f(x, mask):
            scale = numpy.random.uniform()
            first = torch.tensor(chosen(mask)).sum()
            second = torch.from_numpy(chosen(mask=mask * 2)).sum()
            return torch.dropout(x * scale, 0.5, True) + first * 10 + second, torch.rand(1)
        """,
    )
    outcome = compare(make, CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"]
