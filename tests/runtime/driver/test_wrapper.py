"""The wrapper around torch.compile: every way to compile, and programs that it must not disturb."""

from __future__ import annotations

import copy
import io
import logging
import threading
from typing import Any

import pytest
import torch
from harness import CountingBackend, compare, observe

import graphmend.runtime as _gm

BRANCH, EFFECT, GUARD = "m.py:1:0:GM101", "m.py:2:0:GM301", "m.py:3:0:GM401"


def body(x: torch.Tensor) -> torch.Tensor:
    """One site of each kind."""
    y = x * 2
    if _gm.on(BRANCH):
        y = _gm.branch(BRANCH, x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (y,))
    else:
        y = y + 1 if x.sum() > 0 else y - 1
    if _gm.on(EFFECT):

        def _gm_sink__body(a):
            print("sum", round(float(a), 3))

        _gm.defer(EFFECT, _gm_sink__body, (y.sum(),))
    else:
        print("sum", round(float(y.sum()), 3))
    if _gm.on(GUARD) and _gm.check(GUARD, y.max() > 50):
        pass
    else:
        if y.max() > 50:
            raise ValueError("too large")
    return y * 3


class Model(torch.nn.Module):
    """A module around `body`."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)
        self.register_buffer("total", torch.zeros(()))

    def forward(self, x):
        return self.linear(body(x))


class Inner(torch.nn.Module):
    """A module inside a module, called several times."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([Model() for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


CALLS = [
    lambda: (torch.tensor([1.0, 2.0]),),
    lambda: (torch.tensor([-1.0, 0.5]),),
    lambda: (torch.tensor([100.0, 2.0]),),
]


def compile_in_place(module: torch.nn.Module, **options: Any) -> torch.nn.Module:
    """`module.compile()`."""
    module.compile(**options)
    return module


def decorate(function: Any, **options: Any) -> Any:
    """The decorator with arguments."""
    return torch.compile(**options)(function)


WAYS = {
    "function": (lambda: body, torch.compile),
    "decorator": (lambda: body, decorate),
    "method": (lambda: Model().forward, torch.compile),
    "module": (Model, torch.compile),
    "module.compile": (Model, compile_in_place),
    "nested": (Inner, torch.compile),
    "nested in place": (Inner, compile_in_place),
    "no_grad": (lambda: torch.no_grad()(body), torch.compile),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fullgraph", [False, True], ids=["", "fullgraph"])
def test_every_way_to_compile(way: str, fullgraph: bool) -> None:
    make, compile = WAYS[way]
    outcome = compare(make, CALLS, True, "eager", compile, fullgraph=fullgraph)
    assert outcome.graphs == 1, outcome.report
    assert outcome.mended("GM301")


@pytest.mark.parametrize("way", ["module", "module.compile", "function"])
def test_dynamic_shapes(way: str) -> None:
    make, compile = WAYS[way]
    if way != "function":
        return
    calls = [lambda size=size: (torch.ones(size) * (-1) ** size,) for size in range(2, 12)]
    outcome = compare(make, calls, True, "aot_eager", compile, dynamic=True)
    assert outcome.graphs == 1
    outcome = compare(make, calls, True, "aot_eager", compile)
    assert outcome.graphs == 2


def test_decorator_without_arguments() -> None:
    @torch.compile
    def program(x):
        return body(x) + 1

    x = torch.tensor([1.0, 2.0])
    assert torch.equal(program(x), body(x) + 1)
    assert program.__name__ == "program"


def test_module_stays_a_module() -> None:
    model = Model()
    compiled = torch.compile(model, backend="eager")
    assert isinstance(compiled, torch._dynamo.eval_frame.OptimizedModule)
    assert isinstance(compiled, torch.nn.Module)
    assert list(compiled.state_dict()) == [f"_orig_mod.{name}" for name in model.state_dict()]
    assert compiled.linear is model.linear
    compiled.eval()
    assert not model.training
    compiled.label = "x"
    assert model.label == "x"
    x = torch.tensor([1.0, 2.0])
    expected = model(x)
    assert torch.allclose(compiled(x), expected)
    other = copy.deepcopy(compiled)
    assert torch.allclose(other(x), expected)
    assert other.linear is not model.linear


def test_saving_a_compiled_module_works_as_before() -> None:
    def save(module):
        try:
            torch.save(module, io.BytesIO())
            return None
        except Exception as error:
            return type(error)

    class_of_error = save(torch.compile(Model(), backend="eager"))
    _gm.uninstall_compile()
    assert class_of_error == save(torch.compile(Model(), backend="eager"))


def test_hooks_run_once_and_in_order() -> None:
    def make():
        model = Model()
        model.register_forward_pre_hook(lambda module, args: print("before"))
        model.register_forward_hook(lambda module, args, output: print("after"))
        return model

    compare(make, CALLS)
    compare(make, CALLS, True, "eager", compile_in_place)


def test_hooks_added_between_calls() -> None:
    def run(compiled):
        torch.manual_seed(0)
        model = Model()
        function = torch.compile(model, backend="eager") if compiled else model
        first = observe(model, function, CALLS)
        model.register_forward_pre_hook(lambda module, args: print("before"))
        return first + observe(model, function, CALLS)

    from harness import differences

    assert not differences(run(False), run(True))


def test_submodule_hooks() -> None:
    def make():
        model = Inner()
        model.layers[1].register_forward_hook(lambda module, args, output: output * 2)
        return model

    outcome = compare(make, CALLS)
    assert outcome.graphs == 1


def test_compiled_inside_compiled() -> None:
    inner = torch.compile(body, backend="eager")

    def program(x):
        return inner(x) + body(x)

    outcome = compare(lambda: program, CALLS)
    assert outcome.graphs == 1


def test_compiled_inside_broken() -> None:
    inner = torch.compile(body, backend="eager")

    def program(x):
        print("start")
        torch._dynamo.graph_break()
        y = inner(x)
        print("between")
        return y + body(x)

    compare(lambda: program, CALLS)


def test_compiled_in_a_skipped_function() -> None:
    def program(x):
        for index in range(2):
            print("round", index)
            torch._dynamo.graph_break()
            x = torch.tanh(body(x))
        return x

    compare(lambda: program, CALLS)


def test_same_code_at_the_top_and_below() -> None:
    def outer(x):
        print("outer")
        torch._dynamo.graph_break()
        y = body(x)
        print("outer after")
        return y

    backend = CountingBackend()
    top, below = torch.compile(body, backend=backend), torch.compile(outer, backend=backend)
    from harness import differences

    for function, plain in ((top, body), (below, outer), (top, body), (below, outer)):
        assert not differences(observe(plain, plain, CALLS), observe(plain, function, CALLS))


def test_layers_share_compiled_code() -> None:
    model = Inner()
    backend = CountingBackend()
    for layer in model.layers:
        layer.compile(backend=backend)
    with torch.no_grad():
        model(torch.tensor([1.0, 2.0]))
    assert len(backend.graphs) == 1


def test_recursion() -> None:
    def program(x, depth):
        if depth == 0:
            return x
        return program(body(x) / 10, depth - 1)

    calls = [lambda depth=depth: (torch.tensor([1.0, 2.0]), depth) for depth in (2, 1, 2)]
    compare(lambda: program, calls)


def test_threads() -> None:
    compiled = torch.compile(body, backend="eager")
    compiled(torch.ones(2))
    failures: list = []

    def work(number):
        try:
            for step in range(50):
                x = torch.tensor([float(number + 1), 1.0]) * (-1) ** step
                if not torch.allclose(compiled(x), reference(x)):
                    failures.append(number)
            try:
                compiled(torch.full((2,), 100.0))
                failures.append("no error")
            except ValueError:
                pass
        except Exception as error:
            failures.append(error)

    def reference(x):
        y = x * 2
        return (y + 1 if x.sum() > 0 else y - 1) * 3

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_fullgraph_reports_what_cannot_be_mended() -> None:
    def program(x):
        if _gm.on(BRANCH):
            return _gm.branch(BRANCH, x.sum() > 0, lambda x: x.sum(), lambda x: x, (x,))
        return print(x.sum())

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(program, backend="eager", fullgraph=True)(torch.ones(2))


def test_user_errors_are_those_of_plain_compilation() -> None:
    def program(x):
        y = body(x)
        return y.undefined_attribute

    compare(lambda: program, CALLS)


def test_backend_errors_are_those_of_plain_compilation() -> None:
    def broken(module, inputs):
        raise RuntimeError("no backend")

    def error_of(function):
        with pytest.raises(torch._dynamo.exc.BackendCompilerFailed) as caught:
            function(torch.ones(2))
        return str(caught.value).splitlines()[0].split("raised")[1:]

    mended = error_of(torch.compile(lambda x: body(x).sin(), backend=broken))
    _gm.uninstall_compile()
    assert mended == error_of(torch.compile(lambda x: body(x).sin(), backend=broken))


def test_programs_without_sites_behave_as_before() -> None:
    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 2)
            self.count = 0

        def forward(self, x):
            self.count += 1
            print("count", self.count)
            y = self.linear(x)
            if y.sum() > 0:
                y = y * 2
            return torch.nn.functional.dropout(y)

    outcome = compare(Plain, CALLS)
    mended = outcome.graphs
    _gm.uninstall_compile()
    assert compare(Plain, CALLS).graphs == mended


def test_break_log_is_that_of_the_final_attempt() -> None:
    def program(x):
        y = body(x)
        torch._dynamo.graph_break()
        return y.sin()

    def breaks(function):
        records: list = []
        handler = logging.Handler()
        handler.emit = records.append
        torch._logging.set_logs(graph_breaks=True)
        try:
            logger = logging.getLogger("torch._dynamo.symbolic_convert.__graph_breaks")
            before, logger.handlers, logger.propagate = logger.handlers, [handler], False
            function(torch.ones(2))
            logger.handlers = before
        finally:
            torch._logging.set_logs()
        return len(records)

    mended = breaks(torch.compile(program, backend="eager"))
    torch._dynamo.reset()
    _gm.uninstall_compile()
    plain = breaks(torch.compile(program, backend="eager"))
    assert 0 < mended < plain


def test_stances_and_reset() -> None:
    compiled = torch.compile(body, backend="eager")
    x = torch.ones(2)
    expected = body(x)
    assert torch.equal(compiled(x), expected)
    with torch.compiler.set_stance("force_eager"):
        assert torch.equal(compiled(x), expected)
    torch._dynamo.reset()
    assert torch.equal(compiled(x), expected)


def test_environment_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEND", "0")
    outcome = compare(lambda: body, CALLS)
    assert not outcome.report["sites"]


def test_export_and_trace_see_the_original() -> None:
    def smooth(x):
        if _gm.on(BRANCH):
            raise AssertionError("mended code must not run")
        return x * 2

    class Smooth(torch.nn.Module):
        def forward(self, x):
            return smooth(x)

    x = torch.ones(2)
    exported = torch.export.export(Smooth(), (x,))
    assert torch.equal(exported.module()(x), x * 2)
    assert torch.equal(torch.jit.trace(Smooth(), (x,))(x), x * 2)


def test_logging_does_not_wait_for_the_compiler() -> None:
    """Another thread may compile, and wait for the lock that `logging` holds."""
    logger = logging.getLogger("graphmend.test.lock")
    logger.propagate = False
    shown = io.StringIO()
    handler = logging.StreamHandler(shown)

    def program(x: torch.Tensor) -> torch.Tensor:
        logger.warning("sum %.1f", x.sum().item())
        return x + 1

    logger.addHandler(logging.NullHandler())
    compiled = torch.compile(program, backend="eager")
    for _ in range(3):
        compiled(torch.ones(2))
    logger.addHandler(handler)  # from here on functions run that Dynamo has not seen before
    results: list[torch.Tensor] = []
    worker = threading.Thread(target=lambda: results.append(compiled(torch.ones(2))), daemon=True)
    try:
        with torch._dynamo.convert_frame.compile_lock:
            worker.start()
            worker.join(60)
            waiting = worker.is_alive()
        worker.join()
    finally:
        logger.removeHandler(handler)
    assert not waiting and torch.equal(results[0], torch.full((2,), 2.0)) and shown.getvalue() == "sum 2.0\n"


async def later(x: torch.Tensor) -> torch.Tensor:
    """A guard in a coroutine, whose body runs behind the wrapper."""
    if _gm.on(GUARD) and _gm.check(GUARD, torch.isnan(x).any()):
        pass
    else:
        if torch.isnan(x).any():
            raise ValueError("nan")
    return x * 2


def drive(function: Any, value: float) -> Any:
    """The result of a coroutine function, or the kind of its exception: an error of Dynamo for plain PyTorch."""
    try:
        function(torch.ones(2) * value).send(None)
    except StopIteration as stopped:
        return stopped.value.tolist()
    except Exception as error:
        return type(error).__name__
    return None


def test_coroutines_are_compiled_as_without_graphmend() -> None:
    found = []
    for enabled in (True, False):
        torch._dynamo.reset()
        if not enabled:
            _gm.uninstall_compile()
        try:
            compiled = torch.compile(later, backend="eager")
            found.append([drive(compiled, value) for value in (1.0, float("nan"), 2.0)])
        finally:
            _gm.install_compile()
    assert found[0] == found[1]
