"""Selections written in another way: where they are, that no bit changes, and what has to stay as it is written."""

from __future__ import annotations

import struct
from typing import Any, Callable

import pytest
import torch
from harness import CountingBackend, compare, load

SPECIAL = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e-42, 3.4e38, -1.5]
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int8]


def bits(value: torch.Tensor) -> list[int]:
    """What is in memory, but for the bits of a NaN."""
    found = [struct.unpack("<q", struct.pack("<d", item))[0] for item in value.double().flatten().tolist()]
    return [0 if item != item else number for item, number in zip(value.double().flatten().tolist(), found)]


def check(tmp_path: Any, text: str, calls: list[tuple], backend: str = "eager") -> CountingBackend:
    """Compare a mended and compiled program with itself in eager Python, bit by bit."""
    torch._dynamo.reset()
    counting = CountingBackend(backend)
    make = load(tmp_path, text)
    with torch.no_grad():
        function = torch.compile(make(), backend=counting)
        for args in calls:
            want = make()(*[arg.clone() for arg in args])
            got = function(*[arg.clone() for arg in args])
            assert (got.dtype, got.shape, got.stride()) == (want.dtype, want.shape, want.stride())
            assert bits(got) == bits(want)
    assert len(counting.graphs) == 1
    return counting


def special(dtype: torch.dtype) -> torch.Tensor:
    if not dtype.is_floating_point:
        return torch.arange(-4, 4).to(dtype).reshape(2, 4)
    return torch.tensor(SPECIAL).to(dtype).reshape(2, 4)


def both_ways(x: torch.Tensor) -> list[tuple]:
    return [(x, torch.tensor(1.0)), (x, torch.tensor(-1.0)), (x.t(), torch.tensor(1.0)), (x[:, ::2], torch.tensor(0.0))]


NUMBERS = """
    def f(x, p):
        if p > 0:
            y = x {0} {1}
        else:
            y = x {0} {2}
        return y
    """


@pytest.mark.parametrize("backend", ["eager", "inductor"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("symbol", ["*", "+", "-"])
@pytest.mark.parametrize("numbers", [("0.1", "2.0"), ("-0.0", "0.0")], ids=" ".join)
def test_number_is_chosen(tmp_path: Any, symbol: str, numbers: tuple, dtype: torch.dtype, backend: str) -> None:
    x = special(dtype)
    counting = check(tmp_path, NUMBERS.format(symbol, *numbers), both_ways(x)[:2], backend)
    name = {"*": "mul", "+": "add", "-": "sub"}[symbol]
    assert counting.targets().count(name) == 1
    assert counting.targets()[-2:] == ["where", name]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_strides(tmp_path: Any, dtype: torch.dtype) -> None:
    for x in (special(dtype).t(), special(dtype)[:, ::2], special(dtype)[:, :1].expand(2, 4)):
        check(tmp_path, NUMBERS.format("*", "0.1", "2.0"), [(x, torch.tensor(1.0)), (x, torch.tensor(-1.0))])


@pytest.mark.parametrize("default", [torch.float64, torch.bfloat16], ids=str)
def test_default_dtype_decides_nothing(tmp_path: Any, default: torch.dtype) -> None:
    torch.set_default_dtype(default)
    try:
        counting = check(tmp_path, NUMBERS.format("*", "0.1", "0.3"), both_ways(special(torch.float32))[:2])
    finally:
        torch.set_default_dtype(torch.float32)
    assert counting.targets().count("mul") == 1


KEPT = {
    "division": (NUMBERS.format("/", "3.0", "7.0"), torch.float32),
    "integers": (NUMBERS.format("*", "2", "3"), torch.float32),
    "too large": (NUMBERS.format("*", "1e300", "2.0"), torch.float32),
    "too small": (NUMBERS.format("*", "1e-42", "2.0"), torch.float32),
    "infinite": (NUMBERS.format("*", "1e999", "2.0"), torch.float32),
    "two operators": (NUMBERS.replace("{0}", "*", 1).replace("{0}", "+").format("", "0.5", "2.0"), torch.float32),
    "half": (NUMBERS.format("*", "0.1", "0.3"), torch.float16),
    "brain": (NUMBERS.format("*", "0.1", "0.3"), torch.bfloat16),
    "integer tensors": (NUMBERS.format("*", "2", "3"), torch.int64),
    "promotion": (NUMBERS.format("*", "0.1", "0.3"), torch.int64),
}


@pytest.mark.parametrize("name", KEPT)
def test_kept_as_written(tmp_path: Any, name: str) -> None:
    text, dtype = KEPT[name]
    counting = check(tmp_path, text, both_ways(special(dtype))[:2])
    assert counting.targets()[-1] == "where", counting.targets()


WRITTEN = {
    "side": """
        def f(x, p):
            if p > 0:
                y = x * 0.5
                y.add_(1)
            else:
                y = x * 2.0
            return y
        """,
    "operand": """
        def f(x, p):
            z = x + 1
            if p > 0:
                y = z * 0.5
            else:
                y = z * 2.0
            z.add_(7)
            return y + z
        """,
    "result": """
        def f(x, p):
            if p > 0:
                y = x * 0.5
            else:
                y = x * 2.0
            y.add_(7)
            return y
        """,
}


@pytest.mark.parametrize("name", WRITTEN)
def test_writes_keep_the_selection(tmp_path: Any, name: str) -> None:
    counting = check(tmp_path, WRITTEN[name], both_ways(special(torch.float32))[:2])
    assert counting.targets().count("mul") == 2


def test_gradients_keep_the_selection(tmp_path: Any) -> None:
    make = load(tmp_path, NUMBERS.format("*", "0.1", "2.0"))
    calls = [lambda: (torch.ones(3), torch.tensor(1.0)), lambda: (torch.ones(3), torch.tensor(-1.0))]
    assert compare(make, calls).backend.targets().count("mul") == 2


FILL = """
    def f(x, mask):
        s = x * {0}
        if {1}.any():
            s = s.masked_fill(mask, {2})
        return s{3}
    """


def masks(x: torch.Tensor) -> list[tuple]:
    some = torch.zeros(x.shape, dtype=torch.bool)
    some[0, 1] = True
    return [(x, torch.zeros_like(some)), (x, some), (x, ~some), (x, torch.ones_like(some))]


@pytest.mark.parametrize("backend", ["eager", "inductor"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_fill_needs_no_test(tmp_path: Any, dtype: torch.dtype, backend: str) -> None:
    counting = check(tmp_path, FILL.format("1", "mask", "-3", ""), masks(special(dtype)), backend)
    assert "where" not in counting.targets()


FILLS = {
    "another mask": FILL.format("1", "(~mask)", "-3", ""),
    "other side": FILL.format("1", "mask", "-3", "").replace("if mask.any()", "if not mask.any()"),
    "all": FILL.format("1", "mask", "-3", "").replace(".any()", ".all()"),
    "mask written": FILL.format("1", "mask", "-3", " + mask")
    .replace("s = x", "mask = mask.clone(); s = x")
    .replace("        return", "        mask.logical_not_()\n        return"),
    "result written": FILL.format("1", "mask", "-3", "").replace("        return", "        s.add_(2)\n        return"),
    "fill changed": FILL.format("1", "mask", "-3", "").replace("-3)", "-3).clone()"),
}


@pytest.mark.parametrize("name", FILLS)
def test_fill_keeps_its_test(tmp_path: Any, name: str) -> None:
    counting = check(tmp_path, FILLS[name], masks(special(torch.float32)))
    assert "where" in counting.targets()


def test_wider_fill_keeps_its_shape(tmp_path: Any) -> None:
    """A mask that is wider than what it fills would change the shape."""
    text = FILL.format("1", "mask", "-3", "")
    torch._dynamo.reset()
    make: Callable[[], Any] = load(tmp_path, text)
    function, x = torch.compile(make(), backend="eager"), torch.ones(1, 4)
    for mask in (torch.zeros(2, 4, dtype=torch.bool), torch.ones(2, 4, dtype=torch.bool)):
        with torch.no_grad():
            assert function(x, mask).shape == make()(x, mask).shape


def test_one_flag_leaves_the_graph_as_it_is(tmp_path: Any) -> None:
    counting = CountingBackend()
    torch._dynamo.reset()
    text = """
        def f(x):
            if x.sum() > 0:
                raise ValueError("positive")
            return x * 2
        """
    function = torch.compile(load(tmp_path, text)(), backend=counting)
    assert torch.equal(function(-torch.ones(3)), -2 * torch.ones(3))
    assert "stack" not in counting.targets()
    with pytest.raises(ValueError, match="positive"):
        function(torch.ones(3))
    assert len(counting.graphs) == 1
