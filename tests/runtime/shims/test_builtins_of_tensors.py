"""What Dynamo does not do, or does otherwise than Python: done right in the graph of a whole call, or not at all."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest
import torch
from harness import CountingBackend, differences, observe

import graphmend.runtime as runtime
from graphmend.runtime.shims.builtins_of_tensors import groupby


def group(items: list, key: Any, make: Any) -> tuple:
    """Groups in the ways in which a program may come by them; each but the last one ends the one before."""
    kept = [(name, members) for name, members in make(items, key)]
    first = [(name, next(members)) for name, members in make(items, key)]
    return [(name, list(members)) for name, members in kept], first, [list(members) for _, members in make(items, key)]


@pytest.mark.parametrize("items", [[], [1], [1, 1, 2, 2, 1], [0.0, False, 0, 1], list("aabBb")], ids=str)
@pytest.mark.parametrize("key", [None, str, lambda value: value == 1], ids=["itself", "str", "test"])
def test_groups_as_in_python(items: list, key: Any) -> None:
    assert group(items, key, groupby) == group(items, key, itertools.groupby)


def spans(x, n):
    found = []
    for key, members in itertools.groupby(enumerate(n.tolist()), lambda pair: pair[1]):
        members = list(members)
        found.append((key, members[0][0], members[-1][0] + 1))
    return x + 1, found


def lost_groups(x, n):
    return x + 1, [(key, list(members)) for key, members in [*itertools.groupby([1, 1, 2], key=lambda value: value)]]


def named(x, n):
    table = {f"part_{i}": x * i for i in range(5)}
    return [table[f"part_{i}"] for i in n[:3]], f"{n[0]:>4}"


def many(x, n):
    numbers = (n.repeat(20) + 1).tolist()
    return x * numbers[0], len(numbers), sum(numbers)


def chosen(x, n):
    return x[n[n > 0].tolist()], n[n > 1].tolist()


def steps(x, n):
    for i in range(n[1], n.sum(), n[0]):
        x = x + i
    return x, list(range(n[0]))


def first_values(x, n):
    rows = [last := row.sum() for row in x if (index := row.numel())]

    def assign(value):
        nonlocal late
        late = value * 2

    if not index:
        late = 0
    assign(last)
    return torch.stack(rows) - last, late


PROGRAMS = [spans, lost_groups, named, many, chosen, steps, first_values]
CALLS = [
    lambda data=data: (torch.arange(10.0).reshape(5, 2), torch.tensor(data))
    for data in ([1, 1, 2, 0], [1, 1, 2, 0], [3, 3, 3, 3])
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_whole(program: Any, backend: str) -> None:
    runtime.registry.reset()
    found = observe(program, torch.compile(program, backend=CountingBackend(backend)), CALLS * 2, False)
    assert not differences(observe(program, program, CALLS * 2, False), found)
    assert [record["mode"] for record in runtime.report()["callables"]] == ["whole"]


def test_text_of_a_tensor() -> None:
    """What Dynamo would show is the tensor that it traces with."""

    def program(x, n):
        return x + 1, f"{x} {n}", f"{n[0]!r}"

    found = observe(program, torch.compile(program, backend="eager"), CALLS, False)
    assert not differences(observe(program, program, CALLS, False), found)


def told(x, n):
    """The message of a check that holds; the text of a tensor as it is."""
    message = f"{x!r} and {n:d}" if n.dim() == 0 else f"{n} of {x}"
    torch._check(len(n) == 4, message if callable(message) else lambda: "wrong length")
    try:
        raise ValueError(f"cannot be {x}")
    except ValueError:
        return x + len(n)


def looked_up(x, n):
    return x * len({f"{x}", "text", f"{x}"})


def handed_out(x, n):
    return x + 1, [f"<{x.clone()}>"], {f"{n}": x}


@pytest.mark.parametrize("program, whole", [(told, True), (handed_out, False)])
def test_texts_that_nobody_asks_for(program: Any, whole: bool) -> None:
    runtime.registry.reset()
    found = observe(program, torch.compile(program, backend="eager"), CALLS, False)
    assert not differences(observe(program, program, CALLS, False), found)
    assert [record["mode"] == "whole" for record in runtime.report()["callables"]] == [whole]


def test_texts_that_are_looked_up() -> None:
    """Dynamo takes two texts for different ones as long as it does not know them."""
    runtime.registry.reset()
    torch.compile(looked_up, backend="eager")(*CALLS[0]())
    assert [record["mode"] for record in runtime.report()["callables"]] == ["partial"]


SETTINGS = {"numbers": [1, 2], "tensor": torch.ones(2)}


def copied(x, n):
    """A tensor that the graph makes, one from outside, and one that stands in a container twice."""
    made = x.t() * 2
    copies = copy.deepcopy(made), copy.deepcopy(n), copy.deepcopy([x, x]), copy.deepcopy(SETTINGS)
    made += 1
    copies[1].add_(1)
    copies[2][0].mul_(2)
    copies[3]["numbers"].append(3)
    copies[3]["tensor"] += x[0]
    return copies, copies[0].stride(), copies[2][0] is copies[2][1], len(SETTINGS["numbers"]), SETTINGS["tensor"] * 1


def views(x, n):
    """Copies of views of one tensor are views of one copy."""
    found = copy.deepcopy((x, x.t(), n[1:]))
    found[0].add_(1)
    return found, found[2].storage_offset()


@pytest.mark.parametrize("program, whole", [(copied, True), (views, False)])
def test_deep_copies(program: Any, whole: bool) -> None:
    runtime.registry.reset()
    found = observe(program, torch.compile(program, backend="eager"), CALLS * 2, False)
    assert not differences(observe(program, program, CALLS * 2, False), found)
    assert [record["mode"] == "whole" for record in runtime.report()["callables"]] == [whole]
