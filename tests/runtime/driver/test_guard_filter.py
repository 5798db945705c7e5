"""Guards: none on the runtime, which nobody changes, and all of those on what the user's program uses."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any, Callable

import pytest
import torch
import torch._dynamo.source
from harness import CountingBackend, load

import graphmend.runtime as _gm
from graphmend.runtime.base import dialect_class, torch_names, trace_state
from graphmend.runtime.driver import guard_filter

SITE, OTHER, GUARD, EFFECT = "m.py:1:0:GM101", "m.py:2:0:GM101", "m.py:3:0:GM401", "m.py:4:0:GM301"
POSITIVE, NEGATIVE = torch.arange(1.0, 5.0), -torch.arange(1.0, 5.0)


SOURCE = """
import torch

def f(x):
    if not torch.isfinite(x).all():
        raise ValueError("not finite")
    y = x + 1 if x.sum() > 0 else x - 1
    print("sum", y.sum().item())
    return y
"""


def helper(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def guards_of(function: Callable[..., Any]) -> str:
    """All guards of what has been compiled of a function."""
    entries = torch._dynamo.eval_frame._debug_get_cache_entry_list(function.__code__)
    assert entries
    return "\n".join(line.partition("  #")[0] for entry in entries for line in str(entry.guard_manager).splitlines())


def check(function: Callable[..., Any], graphs: int, *calls: torch.Tensor) -> Callable[[int], None]:
    """Compile a function; the result calls it, compares it with eager Python, and the number of its graphs."""
    backend = CountingBackend()
    compiled = torch.compile(function, backend=backend)

    def again(graphs: int) -> None:
        for x in calls or (POSITIVE, NEGATIVE):
            assert torch.equal(compiled(x), function(x))
        assert len(backend.graphs) == graphs

    again(graphs)
    return again


def plain_branch(x: torch.Tensor) -> torch.Tensor:
    if _gm.on(SITE):
        (y,) = _gm.branch(SITE, x.sum() > 0, lambda x=x: (x + 1,), lambda x=x: (x - 1,), ())
    else:
        y = x + 1 if x.sum() > 0 else x - 1
    return torch.sigmoid(y)


def several_tests(x: torch.Tensor) -> torch.Tensor:
    if _gm.on(SITE):
        test = _gm.or_(SITE, lambda: _gm.item(SITE, x.max()) > 100.0, lambda: _gm.not_(SITE, (x > -1).all()))
        first, second = _gm.branch(SITE, test, lambda: (x + 1, [x]), lambda: (x - 1, [x * 2]), ())
    else:
        test = x.max().item() > 100.0 or not (x > -1).all()
        first, second = (x + 1, [x]) if test else (x - 1, [x * 2])
    if _gm.on(OTHER):
        y = _gm.branch(OTHER, _gm.member(OTHER, x.max(), [4.0, -1.0]), lambda: first, lambda: second[0], ())
    else:
        y = first if x.max() in [4.0, -1.0] else second[0]
    return y


def guarded(x: torch.Tensor) -> torch.Tensor:
    if _gm.on(GUARD) and _gm.check(GUARD, _gm.not_(GUARD, torch.isfinite(x).all())):
        pass
    else:
        if not torch.isfinite(x).all():
            raise ValueError("not finite")
    return x * 2


@pytest.mark.parametrize("function", [plain_branch, several_tests, guarded])
def test_no_guard_on_the_runtime(function: Callable[..., Any]) -> None:
    check(function, 1)
    found = guards_of(function)
    assert "TENSOR_MATCH" in found
    assert "_gm" not in found and "graphmend" not in found and "builtins" not in found


def test_no_guard_on_the_runtime_in_mended_source(tmp_path: Path) -> None:
    """Mended source finds the runtime by a class among the builtins, and static methods of the class have parts."""
    function = load(tmp_path, SOURCE)()
    check(function, 1)
    found = guards_of(function)
    assert "TENSOR_MATCH" in found
    assert "_gm" not in found and "graphmend" not in found


def test_no_guard_on_the_list_of_deferred_work(capsys: pytest.CaptureFixture[str]) -> None:
    def effect(x: torch.Tensor) -> torch.Tensor:
        if _gm.on(EFFECT):

            def _gm_sink__effect(value):
                print("sum", float(value))

            _gm.defer(EFFECT, _gm_sink__effect, (x.sum(),))
        else:
            print("sum", float(x.sum()))
        return x * 2

    check(effect, 1)
    assert capsys.readouterr().out.splitlines() == [f"sum {value}" for value in (10.0, 10.0, -10.0, -10.0)]
    found = guards_of(effect)
    assert "TENSOR_MATCH" in found
    assert "queue" not in found and "graphmend" not in found and "builtins" not in found


def test_a_changed_function_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    again = check(plain_branch, 1)
    monkeypatch.setattr(torch, "sigmoid", torch.tanh)
    again(2)


def test_a_changed_function_that_the_dialect_uses_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        if _gm.on(SITE):
            y = _gm.branch(SITE, x.sum() > 0, lambda x=x: x + 1, lambda x=x: x - 1, ())
        else:
            y = x + 1 if x.sum() > 0 else x - 1
        return torch.where(y > 0, y, 0.5)

    select = torch.where

    def changed(test: Any, first: Any, second: Any) -> Any:
        return first * 3 if isinstance(second, float) else select(test, first, second)

    again = check(function, 1)
    monkeypatch.setattr(torch, "where", changed)
    again(2)


def test_a_changed_function_of_python_that_the_dialect_uses_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        if _gm.on(SITE):
            y = _gm.branch(SITE, _gm.item(SITE, x.max()) > 0.5, lambda x=x: x + 1, lambda x=x: x - 1, ())
        else:
            y = x + 1 if x.max().item() > 0.5 else x - 1
        return y * abs(-2)

    again = check(function, 1)
    monkeypatch.setattr(builtins, "abs", lambda number: 7)
    again(2)


def test_a_changed_function_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        if _gm.on(SITE):
            return _gm.branch(SITE, x.sum() > 0, lambda x=x: helper(x), lambda x=x: x - 1, ())
        return helper(x) if x.sum() > 0 else x - 1

    again = check(function, 1)
    monkeypatch.setitem(globals(), "helper", lambda x: x * 5)
    again(2)


def test_a_changed_value_that_only_the_dialect_looks_at() -> None:
    class Model(torch.nn.Module):
        doubled = True

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if _gm.on(OTHER):
                x = _gm.branch(OTHER, x.sum() > 0, lambda x=x: x + 1, lambda x=x: x - 1, ())
            else:
                x = x + 1 if x.sum() > 0 else x - 1
            if _gm.on(SITE):
                return _gm.branch(SITE, self.doubled, lambda x=x: x * 2, lambda x=x: x, ())
            return x * 2 if self.doubled else x

    model = Model()
    again = check(model, 1)
    model.doubled = False
    again(2)


def from_global(name: str, *steps: str) -> Any:
    """The source that leads from a global through attributes, the table of a class, and items, which are written
    `[name]`.
    """
    source: Any = torch_names.GlobalSource(name)
    for step in steps:
        if step == "__dict__":
            source = torch._dynamo.source.TypeDictSource(source)
        elif step.startswith("["):
            source = torch_names.DictGetItemSource(source, step[1:-1])
        else:
            source = torch_names.AttrSource(source, step)
    return source


# Where a source leads, and whether the runtime owns the object.
CLASS = ("builtins", "[_gm]")
BRANCH = (*CLASS, "__dict__", "[branch]")
OWNED: dict[tuple[str, ...], bool] = {
    ("own",): True,
    ("own", "branch"): True,
    ("own", "branch", "__code__"): True,
    CLASS: True,
    (*CLASS, "branch"): True,
    BRANCH: True,
    (*BRANCH, "__func__"): True,
    (*BRANCH, "__func__", "__code__"): True,
    (*BRANCH, "__func__", "__defaults__"): True,
    ("state", "local", "queue"): True,
    # What the functions of the dialect look at belongs to the program, to torch, or to Python.
    (*BRANCH, "__func__", "__globals__"): False,
    (*BRANCH, "__func__", "__globals__", "[torch]"): False,
    (*BRANCH, "__func__", "__globals__", "[torch]", "where"): False,
    (*BRANCH, "__globals__", "[torch]", "__code__"): False,
    ("state", "local", "trace"): False,
    ("builtins",): False,
    ("builtins", "[abs]"): False,
    ("other", "[_gm]"): False,
    ("other", "[_gm]", "branch", "__code__"): False,
    ("torch",): False,
    ("torch", "where"): False,
    ("gone",): False,
    ("gone", "branch"): False,
}


@pytest.mark.parametrize("steps", OWNED, ids=" ".join)
def test_what_the_runtime_owns(steps: tuple[str, ...]) -> None:
    """Guards on the runtime are dropped. A guard that is dropped wrongly lets a changed program pass."""
    names = {"own": _gm, "state": trace_state, "torch": torch, "builtins": vars(builtins), "other": {}}
    assert getattr(builtins, dialect_class.NAME) is dialect_class.Dialect
    assert guard_filter.Sources(names).is_own(from_global(*steps)) is OWNED[steps]
