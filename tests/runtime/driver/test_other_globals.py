"""Mended code away from its module: with other globals, in a pickle, and what a module shows of itself."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
import types
from typing import Any

import pytest
import torch
from harness import CountingBackend, load

TEXT = """
    import torch

    def f(x):
        y = x + 1
        if y.sum() > 0:
            y = y * 2
        if y.any() and x.max() > 100:
            raise ValueError("too large")
        return y

    def make():
        return f
"""


@pytest.fixture
def function(tmp_path) -> Any:
    return load(tmp_path, TEXT)()


def right(function: Any) -> bool:
    return function(torch.ones(2)).tolist() == [4.0, 4.0] and function(-torch.ones(2)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("names", [{}, {"torch": torch}, {"__name__": "elsewhere"}])
def test_other_globals(function, names):
    other = types.FunctionType(function.__code__, names)
    assert right(other)
    other.__globals__["__builtins__"] = __builtins__  # Dynamo itself asks for them
    backend = CountingBackend()
    assert right(torch.compile(other, backend=backend))
    assert len(backend.graphs) == 1


def test_executed_with_other_globals(function):
    names: dict = {"code": function.__code__, "types": types}
    exec("g = types.FunctionType(code, globals())", names)
    assert right(names["g"])


def test_method_on_another_class(function):
    class Other:
        call = staticmethod(types.FunctionType(function.__code__, {}))

    assert right(torch.compile(Other().call, backend="eager"))


def test_the_module_shows_its_own_names_only(function):
    module = sys.modules[function.__module__]
    assert [name for name in vars(module) if not name.startswith("__")] == ["torch", "f", "make"]
    right(torch.compile(function, backend="eager"))
    assert "_gm" not in vars(module)


def test_what_a_trace_leaves_in_the_module_has_our_name(function):
    module = sys.modules[function.__module__]
    right(torch.compile(function, backend="eager"))
    left = [name for name in vars(module) if not name.startswith("__") and "graphmend" not in name]
    assert left == ["torch", "f", "make"]


@pytest.mark.parametrize("names", [{}, {"print": print}, {"print": print, "__import__": __import__}])
def test_text_with_builtins_of_its_own(names):
    """Nothing is mended where the runtime cannot be found; the program runs."""
    import graphmend

    text = "def f(x):\n    y = x + 1\n    if y.sum() > 0:\n        y = y * 2\n    return y\n"
    module = {"__builtins__": names}
    graphmend.install()
    try:
        exec(compile(text, "<restricted>", "exec"), module)
        assert right(module["f"])
        compiled = torch.compile(module["f"], backend="eager")
        if "__import__" in names:  # Dynamo itself asks for it
            assert right(compiled)
    finally:
        graphmend.uninstall()
    assert right(module["f"]) and "_gm" not in names


RESTRICTED = """
import types
import torch

def base(x):
    if x.sum() > 0:
        x = x * 2
    return x + 1

other = types.FunctionType(base.__code__, {"__builtins__": {}})
"""


def test_a_file_that_chooses_builtins(tmp_path):
    """Code of such a file may run where the runtime cannot be found: the file is left as it is, and that is told."""
    from graphmend import hook, run_summary

    path = str(tmp_path / "restricted.py")
    code = hook.mended_code(path, RESTRICTED.encode()) or compile(RESTRICTED, path, "exec")
    names: dict = {}
    exec(code, names)
    assert names["other"](torch.ones(2)).tolist() == [3.0, 3.0]
    assert names["other"](-torch.ones(2)).tolist() == [0.0, 0.0]
    told = [note for note in run_summary.own_report()["unmended"] if "`__builtins__`" in note]
    assert len(told) == 1
    hook.state.choosing.clear()


class Pickler(pickle.Pickler):
    """Pickles code by its parts, as cloudpickle does."""

    def reducer_override(self, value: Any) -> Any:
        if value is types.CodeType:
            return eval, ("__import__('types').CodeType",)
        if isinstance(value, types.CodeType):
            names = (
                "argcount posonlyargcount kwonlyargcount nlocals stacksize flags code consts names varnames filename"
            )
            names += " name qualname firstlineno linetable exceptiontable freevars cellvars"
            return types.CodeType, tuple(getattr(value, f"co_{name}") for name in names.split())
        return NotImplemented


RECEIVER = """
import pickle, sys, types
import torch
with open(sys.argv[1], "rb") as stream:
    code = pickle.load(stream)
f = types.FunctionType(code, {"torch": torch, "__builtins__": __builtins__})
print(f(torch.ones(2)).tolist(), f(-torch.ones(2)).tolist())
compiled = torch.compile(f, backend="eager")
print(compiled(torch.ones(2)).tolist(), "graphmend.runtime" in sys.modules)
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has other parts")
def test_pickled_to_a_process_without_graphmend(tmp_path, function, warm_python):
    from graphmend.runtime.base import dialect_class

    stream = io.BytesIO()
    Pickler(stream).dump(dialect_class.carrying(function.__code__))
    assert b"graphmend.runtime" not in stream.getvalue()
    (tmp_path / "code.pkl").write_bytes(stream.getvalue())
    (tmp_path / "receiver.py").write_text(RECEIVER)
    ended = subprocess.run(
        [warm_python, "receiver.py", "code.pkl"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.stdout == "[4.0, 4.0] [0.0, 0.0]\n[4.0, 4.0] False\n", ended.stderr


def test_carried_constant_in_this_process(function):
    """It can be marshalled as before, and a pickle that comes back finds the runtime."""
    import builtins
    import marshal

    from graphmend.runtime.base import dialect_class

    code = dialect_class.carrying(function.__code__)
    assert right(types.FunctionType(marshal.loads(marshal.dumps(code)), {}))
    stream = io.BytesIO()
    Pickler(stream).dump(code)
    assert right(torch.compile(types.FunctionType(pickle.loads(stream.getvalue()), {}), backend="eager"))
    assert vars(builtins)["_gm"] is dialect_class.Dialect
    assert hash(code) and code == dialect_class.carrying(function.__code__)
