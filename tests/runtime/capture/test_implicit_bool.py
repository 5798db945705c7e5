"""Truth that Python asks of tensors in code that nobody mended: the graph of a whole call follows one path."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import torch
from harness import CountingBackend, compare, differences, load, observe

import graphmend.runtime as _gm
from graphmend import runtime

T = torch.tensor


def either(a, b):
    return (a or b) * 2, a or b or 1


def both(a, b):
    return a and b


def lists(a, b):
    return (a + 1, "same") if [a, 1] == [T(2.0), 1] else b


def chained(a, b):
    return b if 0 < a < 3 else a + 0


def until(a, b):
    steps = 0
    while not a > 9:
        a = a + b
        steps += 1
    return a * steps, steps


def member(a, b):
    return a * 2 if a in (b, 2.0) else a


def not_a_number(a, b):
    if a - a:
        return "inf or nan"
    return a if a else b * 2


def in_place(a, b):
    b = b * 1
    b.add_(1)
    if b > a:
        b.mul_(2)
    return b


def guarded(a, b):
    if a > 3:
        raise ValueError("large")
    return a + b


def drawn(a, b):
    noise = torch.rand(())
    return noise * 2 if noise > 0.5 else torch.rand(3)


PROGRAMS = [either, both, lists, chained, until, member, not_a_number, in_place, guarded, drawn]
VALUES = [(2.0, 3.0), (0.0, 3.0), (5.0, 1.0), (float("nan"), 10.0), (2.0, 2.0)]
CALLS = [lambda pair=pair: (T(pair[0]), T(pair[1])) for pair in VALUES if pair[0] == pair[0]]


def check(program: Any, backend: Any, calls: list, grad: bool) -> None:
    """Run a program twice through the calls and compare all that can be seen."""
    runtime.registry.reset()
    found = observe(program, torch.compile(program, backend=backend), calls * 2, grad)
    assert not differences(observe(program, program, calls * 2, grad), found)


@pytest.mark.parametrize("grad", [False, True], ids=["numbers", "gradients"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_whole(program: Any, grad: bool) -> None:
    check(program, CountingBackend(), CALLS, grad)
    assert [record["mode"] for record in runtime.report()["callables"]] == ["whole"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_compiled(program: Any) -> None:
    check(program, "aot_eager", CALLS, True)


def test_not_a_number() -> None:
    """It is true, and greater than nothing."""
    calls = [lambda value=value: (T(value), T(10.0)) for value in (float("nan"), 1.0, float("inf"))]
    for program in (either, not_a_number, chained):
        check(program, CountingBackend(), calls, False)


@pytest.mark.parametrize("data", [[1.0, 2.0], [], [[1.0], [-1.0], [2.0]]], ids=["two", "none", "three"])
def test_other_than_one_element(data: list) -> None:
    """Python raises; so does the call, and the program may catch it."""

    def program(a):
        return 1 if a else 2

    def catching(a):
        try:
            return 1 if a > 0 else 2
        except RuntimeError as error:
            return a + 1, str(error)

    for tested in (program, catching):
        torch._dynamo.reset()
        compiled = torch.compile(tested, backend="eager", fullgraph=True)
        calls = [lambda value=value: (T(value),) for value in ([1.0], data, [0.0], data)]
        assert not differences(observe(tested, tested, calls, False), observe(tested, compiled, calls, False))


def test_names_that_nobody_has_defined() -> None:
    """The side that uses one raises; the other one is a graph."""

    def program(a):
        return undefined(a) if a > 0 else a * 2  # noqa: F821

    calls = [lambda value=value: (T(value),) for value in (-1.0, 1.0, -2.0, 2.0)]
    compiled = torch.compile(program, backend="eager", fullgraph=True)
    assert not differences(observe(program, program, calls, False), observe(program, compiled, calls, False))


def test_arrays() -> None:
    """A test on an array that NumPy computes from a tensor."""

    def program(a, b):
        if numpy.abs(a.numpy()).max() > 1:
            return a / 2
        return b if a.numpy().any() else a

    check(program, CountingBackend(), CALLS, False)
    assert [record["mode"] for record in runtime.report()["callables"]] == ["whole"]


class Asked:
    """A test that notes how often it is asked."""

    def __init__(self, value: torch.Tensor) -> None:
        self.value = value
        self.times = 0

    def __bool__(self) -> bool:
        self.times = self.times + 1
        return bool(self.value > 1)


@pytest.mark.parametrize("mended", [False, True], ids=["plain", "mended"])
def test_objects_are_asked_once(mended: bool) -> None:
    """An operand that ends a chain of tests is not asked again by the statement that contains it."""
    site = "m.py:1:0:GM101"

    def program(a, b):
        test = Asked(a)
        if mended and _gm.on(site):
            both = _gm.and_(site, lambda: test, lambda: _gm.not_(site, test))
            one = _gm.or_(site, lambda: test, lambda: _gm.or_(site, lambda: Asked(b), lambda: b.sum() > 1))
            y = _gm.branch(site, both, lambda a: a + 10, lambda a: a, (a,))
            y = _gm.branch(site, one, lambda y: y + 20, lambda y: y, (y,))
        else:
            y = a + 10 if test and not test else a
            y = y + 20 if test or (Asked(b) or b.sum() > 1) else y
        return y, test.times

    check(program, CountingBackend(), CALLS, False)


def test_silenced(tmp_path: Any) -> None:
    """A line that is not to be changed breaks the graph as it always did."""
    path = tmp_path / "silenced.py"
    path.write_text("def program(a, b):\n    return a or b  # graphmend: ignore[GM105]\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    check(names["program"], CountingBackend(), CALLS, False)
    assert [record["mode"] for record in runtime.report()["callables"]] == ["partial"]


ASSERTIONS = """
    import torch

    class Chain:
        def __init__(self, *parts):
            assert parts, "'parts' cannot be empty"
            self.parts = parts

        def __len__(self):
            return len(self.parts)

    def f(a, b):
        chain = Chain(*(value for value in (a, b) if isinstance(value, torch.Tensor)))
        assert chain
        table = {"a": a}
        assert table, "nothing is there"
        return chain.parts[-1] * 2
    """


def test_assertions_on_objects(tmp_path: Any) -> None:
    """Dynamo makes an assertion on a tensor of them."""
    outcome = compare(load(tmp_path, ASSERTIONS), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"


def share(low: float, high: float) -> float:
    return (high - low) / 255 or 1.0


def test_numbers_in_code_that_nobody_mended() -> None:
    def f(x: torch.Tensor) -> Any:
        low, high = (v.item() for v in torch.aminmax(x))
        return x / share(low, high), low and 2

    calls = [lambda v=v: (T(v),) for v in ([1.0, 3.0], [2.0, 2.0], [0.0, 5.0], [0.0, 0.0])]
    assert compare(lambda: f, calls, grad=False).graphs == 4
