"""Guards: those on the runtime are left out, all of the program and those that its user asks for stay in force."""

from __future__ import annotations

import sys
from typing import Any, Callable

import pytest
import torch
import torch._dynamo
from harness import CountingBackend, load

import graphmend.runtime as _gm
from graphmend.runtime import registry

BRANCH = """
    import torch
    SCALE = 2.0
    KIND = torch.float64
    def helper(x):
        return x + 1
    def f(x, p):
        if p.sum() > 0:
            y = helper(x) * SCALE
        else:
            y = x.abs()
        return torch.sigmoid(y).to(KIND)
    """
CALL = (torch.ones(3), torch.ones(2))


class Program:
    """A mended program, compiled, with the guards that Dynamo looks at in every call."""

    def __init__(self, folder: Any, text: str = BRANCH, **options: Any) -> None:
        torch._dynamo.reset()
        registry.reset()
        self.backend = CountingBackend()
        self.function = load(folder, text)()
        self.module = sys.modules["program"]
        self.compiled = torch.compile(self.function, backend=self.backend, **options)

    def guards(self) -> str:
        """All guards of the code made so far."""
        entries = torch._dynamo.eval_frame._debug_get_cache_entry_list(self.function.__code__)
        return "\n".join(str(entry.guard_manager) for entry in entries)

    def check(self, *args: Any) -> None:
        """Compare a call with eager Python."""
        with torch.no_grad():
            assert torch.equal(self.compiled(*args), self.function(*args))


def test_no_guard_on_functions_of_the_runtime(tmp_path: Any) -> None:
    program = Program(tmp_path)
    program.check(*CALL)
    text = program.guards()
    assert "'SCALE'" in text and "'helper'" in text and "sigmoid" in text
    for name in ("branch", "merge", "truth", "new_key", "markers"):
        assert f"].{name}" not in text, name


CHANGES: dict[str, tuple[str, Any]] = {
    "number": ("SCALE", 3.0),
    "function": ("helper", lambda x: x - 1),
    "dtype": ("KIND", torch.float32),
}


@pytest.mark.parametrize("change", CHANGES)
def test_globals_of_the_program_may_change(tmp_path: Any, change: str) -> None:
    program = Program(tmp_path)
    program.check(*CALL)
    setattr(program.module, *CHANGES[change])
    program.check(*CALL)
    assert len(program.backend.graphs) == 2


def test_torch_of_the_program_may_change(tmp_path: Any, monkeypatch: Any) -> None:
    """Dynamo finds what the program reads from torch under the name by which the runtime knows torch."""
    program = Program(tmp_path)
    program.check(*CALL)
    monkeypatch.setattr(torch, "sigmoid", lambda value: value.tanh())
    program.check(*CALL)
    assert len(program.backend.graphs) == 2


def test_builtins_keep_their_guards(tmp_path: Any) -> None:
    """Dynamo has one guard for a builtin, whoever reads it first, the runtime or the program."""
    program = Program(tmp_path, BRANCH.replace(".to(KIND)", ".to(KIND) * len(x.shape)"))
    program.check(*CALL)
    assert "['len']" in program.guards()


def test_arguments_of_the_dialect_keep_their_guards(tmp_path: Any) -> None:
    """What a test reads is guarded as it is without us: shape, dtype, numbers."""
    text = """
        LIMIT = 0.5
        class Box:
            pass
        BOX = Box()
        def f(x):
            if x.sum() > LIMIT:
                return x[0], 1
            return BOX.value, 2
        """
    torch._dynamo.reset()
    function = load(tmp_path, text)()
    module = sys.modules["program"]
    module.BOX.value = torch.ones(3)
    compiled = torch.compile(function, backend="eager")

    def check(x: torch.Tensor) -> None:
        with torch.no_grad():
            got, want = compiled(x), function(x)
        assert got[1] == want[1] and torch.equal(got[0], want[0]) and got[0].dtype == want[0].dtype

    for x in (torch.ones(3), -torch.ones(3), torch.ones(2, 2), torch.ones(3, dtype=torch.float64)):
        check(x)
    module.LIMIT = 100.0
    check(torch.ones(3))
    module.BOX.value = torch.full((2,), 5.0, dtype=torch.float64)
    check(-torch.ones(3))


def test_taken_of_a_users_value(tmp_path: Any) -> None:
    """A value that is handed to the dialect and comes from a global of the program."""
    torch._dynamo.reset()
    values: dict[str, Any] = {"test": True}

    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if _gm.taken("m.py:1:0:GM105", values["test"]) else x - 1

    compiled = torch.compile(f, backend="eager")
    for test in (True, False, torch.tensor(1.0), torch.tensor(0.0), 0, 3, "", "text"):
        values["test"] = test
        assert torch.equal(compiled(torch.ones(2)), f(torch.ones(2))), test


def test_filter_of_the_user_is_in_force(tmp_path: Any) -> None:
    seen: list[str] = []

    def filter_guards(entries: Any) -> list[bool]:
        seen.extend(entry.name for entry in entries)
        return [entry.name != "G['SCALE']" for entry in entries]

    program = Program(tmp_path, options={"guard_filter_fn": filter_guards})
    program.check(*CALL)
    assert "G['SCALE']" in seen and not any(".merge" in name for name in seen)
    with torch.no_grad():
        before = program.compiled(*CALL)
        program.module.SCALE = 5.0
        assert torch.equal(program.compiled(*CALL), before) and len(program.backend.graphs) == 1
    program.module.helper = lambda x: x - 1
    program.check(*CALL)
    assert len(program.backend.graphs) == 2


@pytest.mark.parametrize("answer", [lambda entries: [], lambda entries: [1 for _ in entries]], ids=["short", "numbers"])
def test_wrong_filter_is_an_error(tmp_path: Any, answer: Callable[[Any], list]) -> None:
    def plain(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    def error_of(function: Callable[..., Any], *args: Any) -> type:
        torch._dynamo.reset()
        with pytest.raises(Exception) as caught:
            function(*args)
        return caught.type

    _gm.uninstall_compile()
    try:
        want = error_of(torch.compile(plain, backend="eager", options={"guard_filter_fn": answer}), torch.ones(2))
    finally:
        _gm.install_compile()
    got = error_of(torch.compile(plain, backend="eager", options={"guard_filter_fn": answer}), torch.ones(2))
    assert got is want


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
    record = registry.callables[-1]
    assert record.mode == "whole" and record.paths == 3, record
