"""Functions that a package or a program allows in graphs: which of them may be called twice."""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any, Callable

import pytest
import torch
from harness import compare

import graphmend.runtime as _gm
from graphmend.runtime.analysis import allowed_functions

GUARD = "m.py:1:0:GM401"
CALLS = [lambda value=value: (torch.full((3,), value),) for value in (1.0, 1.0, -1.0, 2.0)]

SOURCE = """
import functools

seen = []

def double(x):
    return x * 2

@functools.lru_cache
def factor(n):
    return n + 1

def scaled(x):
    return x * factor(x.dim())

def wrapping(function):
    @functools.wraps(function)
    def wrapper(x):
        return function(x)
    return wrapper
"""


def shout(x: torch.Tensor) -> torch.Tensor:
    if type(x) is torch.Tensor:  # while Dynamo traces, the function gets fake tensors
        print("inside")
    return x * 2


@pytest.fixture
def package(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package that lies where pip installs packages."""
    file = tmp_path / "site-packages" / "vouching.py"
    file.parent.mkdir()
    file.write_text(SOURCE)
    module = ModuleType("vouching")
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "vouching", module)
    exec(compile(SOURCE, str(file), "exec"), module.__dict__)
    return module


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    torch.compiler.allow_in_graph(function)

    def f(x: torch.Tensor) -> torch.Tensor:
        x = function(x)
        test = x.sum() < 0
        if _gm.on(GUARD) and _gm.check(GUARD, test):
            pass
        elif test:
            raise ValueError("negative")
        return x + 1

    return f


def test_package_vouches_for_its_functions(package: ModuleType) -> None:
    for function in (package.double, package.scaled, package.wrapping(package.double)):
        assert allowed_functions.is_vouched_for(function)
        outcome = compare(lambda function=function: guarded(function), CALLS)  # type: ignore[misc]
        assert outcome.mended(GUARD), outcome.report


@pytest.mark.parametrize("wrap", [lambda package: shout, lambda package: package.wrapping(shout)])
def test_program_function_is_called_once(package: ModuleType, wrap: Any) -> None:
    function = wrap(package)
    assert not allowed_functions.is_vouched_for(function)
    outcome = compare(lambda: guarded(function), CALLS)
    assert not outcome.mended(GUARD)
    assert any("may have effects" in reason for reason in outcome.refusals(GUARD))


def test_wrapper_leads_to_functions_within(package: ModuleType) -> None:
    inside = functools.partial(package.double)
    assert allowed_functions.is_vouched_for(package.wrapping(inside))
    assert allowed_functions.is_vouched_for(package.wrapping(functools.partial(package.wrapping(package.double))))
    assert not allowed_functions.is_vouched_for(package.wrapping(functools.partial(shout)))
    assert not allowed_functions.is_vouched_for(functools.partial(package.double, shout))
    assert not allowed_functions.is_vouched_for(functools.partial(package.double, x=shout))


def test_name_of_another_module_does_not_vouch() -> None:
    assert not allowed_functions.is_vouched_for(functools.wraps(torch.nn.functional.relu)(shout))
    assert not allowed_functions.is_vouched_for(torch.no_grad()(shout))
    assert allowed_functions.is_vouched_for(torch.nn.functional.relu)
    assert allowed_functions.is_vouched_for(len)


def test_empty_cell_holds_nothing() -> None:
    def outer() -> Any:
        def inner() -> Any:
            return later

        if not CALLS:
            later = None
        return inner

    inner = outer()
    assert allowed_functions.functions_within(inner) == [inner]
