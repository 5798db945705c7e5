"""Numbers and sizes that data decide and that a trace has to know: assumed, found out, another graph where wrong."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import CountingBackend, compare, differences, load, observe

import graphmend.runtime as runtime

PROGRAMS = {}
CALLS = {}


def program(*calls: Any) -> Any:
    """Register a function with what it is called with, one tensor a call."""

    def register(function: Any) -> Any:
        PROGRAMS[function.__name__] = function
        CALLS[function.__name__] = calls
        return function

    return register


@program([3], [3], [0], [1], [3])
def repeated(x, n):
    for _ in range(int(n.max())):
        x = x * 2
    return x


@program([[1, 2, 3]], [[2, 4, 1], [1, 1, 1]], [[1, 2, 3]])
def grids(x, n):
    parts = [torch.arange(h).unsqueeze(1).expand(-1, w).flatten().repeat(t) for t, h, w in n.tolist()]
    return x.sum() + torch.cat(parts).sum()


@program([1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 1])
def by_size(x, n):
    chosen = x[n > 0]
    if chosen.shape[0] > 2:
        return chosen.sum(0)
    return "few", chosen


@program([2], [0], [1])
def padded(x, n):
    """The operator fetches the number from the tensor."""
    return torch.nn.functional.pad(x, (0, n.sum()))


@program([2, 1], [0, 3], [1, 1], [3, 0])
def padded_twice(x, n):
    """Nothing but operators fetch the numbers; what is written to a tensor later is not its number."""
    left, right = n[0], n[1] * 1
    wide = torch.nn.functional.pad(torch.nn.functional.pad(x, (left, 0)), (0, right))
    if wide.shape[1] > 4:
        return wide.sum(0)
    return wide * 2, left.add_(1)


@program(2, 1, 2, 0)
def padded_by_input(x, n):
    wide = torch.nn.functional.pad(x, (n, 0))
    return wide.sum(0) if wide.shape[1] > 3 else wide * 2


@program([0.5], [1.5], [float("nan")], [2.5], [float("inf")])
def threshold(x, n):
    if n.sum().item() > 1.0:
        return "above", x * 2
    return "below", x + 1


@program([1], [0], [1])
def switch(x, n):
    if (n > 0).all().item():
        return x * 2, "on"
    return x + 1, "off"


@program([3], [4], [3])
def formatted(x, n):
    return x + 1, f"{n.sum().item()} of {x.shape[0]}", {n.sum().item(): "key"}


@program([4], [0], [4])
def divided(x, n):
    return x * (12 // int(n.sum()))


@program([1], [5], [2], [-5])
def picked(x, n):
    return x[n.sum().item()], ["a", "b", "c"][int(n.sum())]


@program([2, 2], [1, 3], [4, 0])
def pieces(x, n):
    return [part.sum(0) for part in x.split(n.tolist())]


@program([3, 2, 0], [3, 1, 0], [3, 3, 3], [3, 2, 3])
def count(x, n):
    """Nothing but its size is asked of a tensor, and numbers are constants, for the sake of the text."""
    x = x[x.sum(1) > 0]
    return x[n.clamp(0, 1)], f"{n[0]}", len(n[n > 1])


def calls(name: str) -> list:
    """What makes the arguments of each call."""
    return [lambda data=data: (torch.arange(1.0, 9.0).reshape(4, 2), torch.tensor(data)) for data in CALLS[name]]


def check(name: str, backend: Any, grad: bool) -> None:
    """Run a program twice through its calls and compare all that can be seen."""
    function = PROGRAMS[name]
    runtime.registry.reset()
    found = observe(function, torch.compile(function, backend=backend), calls(name) * 2, grad)
    assert not differences(observe(function, function, calls(name) * 2, grad), found)


@pytest.mark.parametrize("grad", [False, True], ids=["numbers", "gradients"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_whole(name: str, grad: bool) -> None:
    """No more graphs than there are ways through the program, each of a whole call."""
    backend = CountingBackend()
    check(name, backend, grad)
    assert [record["mode"] for record in runtime.report()["callables"]] == ["whole"]
    assert len(backend.graphs) <= len(CALLS[name])


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled(name: str, backend: str) -> None:
    """What compilers make of a graph finds out, too, whether the call is one for it."""
    check(name, backend, False)


def test_what_fails_is_not_traced_again() -> None:
    """A graph that raises what the program raises is no graph of another path."""
    backend = CountingBackend()

    def function(x, n):
        for _ in range(n.item()):
            x = x + 1
        return x @ torch.ones(3)[: n.item()]

    compiled = torch.compile(function, backend=backend)
    compiled(torch.ones(2, 2), torch.tensor(2))
    traced = len(backend.graphs)
    for _ in range(4):
        with pytest.raises(RuntimeError, match="size mismatch"):
            compiled(torch.ones(2, 2), torch.tensor(3))
    assert len(backend.graphs) <= traced + 1


TEXTS = {
    "divmod": "divmod(n.item(), 60)[1] * y",
    "format": 'f"{int(n):04d}", "%d of %s" % (int(n), n.item()), "{:>5}".format(int(n))',
    "repeated": 'str(n.item()) + "-" * int(n)',
    "bits": "~int(n) + y",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_the_integer_in_an_input_is_a_constant_where_dynamo_has_to_know_it(
    tmp_path: Any, name: str, backend: str
) -> None:
    text = f"import torch\ndef f(x, n):\n    y = x * 2\n    return y, {TEXTS[name]}\n"
    calls = [lambda k=k: (torch.ones(2), torch.tensor(k)) for k in (3, 70, 3)]
    outcome = compare(load(tmp_path, text), calls, False, backend)
    assert outcome.graphs == 2
    assert [item["mode"] for item in outcome.report["callables"]] == ["whole"]


def test_a_few_integers_in_inputs_are_constants(tmp_path: Any) -> None:
    """Calls with others are compiled in parts: Dynamo would run them all in eager Python in the end."""
    text = 'import torch\ndef f(x, n):\n    return x * 2, f"{int(n):04d}"\n'
    calls = [lambda k=k: (torch.ones(2), torch.tensor(k)) for k in range(20)]
    outcome = compare(load(tmp_path, text), calls, False)
    assert 4 < outcome.graphs < 8


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_number_is_what_it_was_where_the_program_asked_for_it(backend: str) -> None:
    def make() -> Any:
        def f(x: torch.Tensor) -> torch.Tensor:
            count = (x > 0).sum()
            for _ in range(int(count)):
                x = x * 2
            count += 5
            return x + count

        return f

    outcome = compare(make, [lambda: (torch.tensor([1.0, 2.0, -1.0]),)], grad=False, backend=backend)
    assert outcome.graphs == 1 and outcome.report["callables"][0]["replays"] == 0


@pytest.mark.parametrize("bound", [0.01, 1])
@pytest.mark.parametrize("largest", [True, False])
def test_the_larger_of_a_number_and_a_constant_is_compared(bound: float, largest: bool) -> None:
    def scaled(x, t):
        number = max(float(t), bound) if largest else min(bound, float(t))
        return x if number == 1.0 else x / number, number > 0.5

    numbers = [0.5, 1.0, 0.0, -1.0, 2.0, float("nan"), float("inf"), 0.01]
    outcome = compare(lambda: scaled, [lambda n=n: (torch.ones(2), torch.tensor(n)) for n in numbers])
    assert outcome.graphs > 0
