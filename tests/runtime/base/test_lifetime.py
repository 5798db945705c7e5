"""Compiled programs over many calls: nothing grows, nothing is left behind, copies and modes are respected."""

from __future__ import annotations

import contextlib
import copy
import gc
import re
import sys
import weakref
from typing import Any, Iterator

import pytest
import torch
from harness import CountingBackend, captured, load, plain, seed

import graphmend.runtime as _gm
from graphmend.runtime.base import call_stack, trace_state
from graphmend.runtime.base.effect_queue import Work

TRAINED = """
    import logging
    import warnings
    import torch
    logger = logging.getLogger("trained")
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 3)
            self.drop = torch.nn.Dropout(0.25)
            self.steps, self.losses = 0, []
        def forward(self, x):
            self.steps += 1
            y = self.drop(self.linear(x))
            loss = y.pow(2).mean()
            self.losses.append(loss.item())
            logger.warning("loss %.4f", loss.item())
            if torch.isnan(loss).any():
                raise ValueError("NaN")
            if x.sum() > 0:
                warnings.warn("positive")
                loss = loss * 2
            return loss
    make = Model
    """


STEPS = 200


@pytest.fixture
def only_new_objects() -> Iterator[None]:
    """What other tests have left behind is not counted, and not collected in the meantime."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    gc.collect()
    gc.freeze()  # as tests/conftest.py does


def live_tensors() -> int:
    """How many tensors there are, but for frozen ones."""
    gc.collect()
    return sum(issubclass(type(item), torch.Tensor) for item in gc.get_objects())


def train(model: Any, function: Any, steps: int, after: Any = None) -> tuple[list[Any], list[str]]:
    """Losses and events of some steps."""
    seed()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    found = []
    with captured() as events:
        for step in range(steps):
            loss = function(torch.randn(4, 3))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
            if after is not None:
                after(step)
    return found, events


def trained(make: Any) -> tuple[Any, Any, CountingBackend]:
    seed()
    model, backend = make(), CountingBackend()
    return model, torch.compile(model, backend=backend), backend


def test_training_loop(tmp_path: Any, only_new_objects: None) -> None:
    make = load(tmp_path, TRAINED)
    seed()
    eager = make()
    expected = train(eager, eager, STEPS)
    model, compiled, backend = trained(make)
    sizes: dict[int, tuple[int, int, int]] = {}

    def measure(step: int) -> None:
        if step in (20, STEPS - 1):
            sizes[step] = (live_tensors(), len(call_stack.stacks), len(trace_state.local.queue))

    got = train(model, compiled, STEPS, measure)
    assert got[1] == expected[1] and torch.allclose(torch.tensor(got[0]), torch.tensor(expected[0]))
    assert (model.steps, len(model.losses)) == (STEPS, STEPS) and model.losses == pytest.approx(eager.losses)
    assert len(backend.graphs) == 1, _gm.report()
    assert sizes[20][0] >= sizes[STEPS - 1][0] and sizes[20][1:] == sizes[STEPS - 1][1:]
    assert sizes[20][2] == 0 and trace_state.local.waiting == [None] and trace_state.local.pending is None
    assert all(torch.allclose(a, b) for a, b in zip(eager.parameters(), model.parameters()))


def test_what_grows_would_be_seen(tmp_path: Any, only_new_objects: None) -> None:
    make = load(tmp_path, TRAINED.replace("self.losses.append(loss.item())", "self.losses.append(loss)"))
    model, compiled, _ = trained(make)
    found: list[int] = []
    train(model, compiled, 60, lambda step: found.append(live_tensors()) if step in (20, 59) else None)
    assert found[1] - found[0] > 39 // 2  # what was left of compiling may have gone in the meantime


def test_threads_train_apart(tmp_path: Any) -> None:
    import threading

    make = load(tmp_path, TRAINED.replace("torch.nn.Dropout(0.25)", "torch.nn.Identity()"))
    models = [make() for _ in range(4)]
    inputs = [[torch.full((4, 3), float(i + k)) for k in range(10)] for i in range(4)]
    expected = [copy.deepcopy(model) for model in models]
    for model, given in zip(expected, inputs):
        with captured():
            for x in given:
                model(x)

    def work(model: Any, given: list[torch.Tensor]) -> None:
        compiled = torch.compile(model, backend="eager")
        for x in given:
            compiled(x)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(models, inputs)]
    with captured() as events:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [model.losses for model in models] == [pytest.approx(model.losses) for model in expected]
    assert sum(event.startswith("log") for event in events) == 40


def test_copies_of_compiled_modules(tmp_path: Any) -> None:
    make = load(tmp_path, TRAINED)
    model, compiled, _ = trained(make)
    with captured():
        compiled(torch.ones(4, 3))
    other = copy.deepcopy(compiled)
    with captured() as events:
        seed()
        first = other(torch.ones(4, 3))
    with captured() as expected:
        seed()
        second = copy.deepcopy(model)(torch.ones(4, 3))
    assert events == expected and torch.allclose(first, second)
    assert (model.steps, other.steps) == (1, 2)


@pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad])
def test_modes(tmp_path: Any, mode: Any) -> None:
    make = load(tmp_path, TRAINED)
    results = []
    for compile in (False, True):
        seed()
        model = make().eval()
        function = torch.compile(model, backend="eager") if compile else model
        with captured() as events, mode():
            outputs = [function(torch.full((4, 3), sign)) for sign in (1.0, -1.0, 1.0)]
        results.append(([plain(output) for output in outputs], events, model.losses, model.steps))
    (left, right) = results
    assert all(torch.allclose(a[-1], b[-1]) and a[:-1] == b[:-1] for a, b in zip(left[0], right[0]))
    assert left[1] == right[1] and left[2] == pytest.approx(right[2]) and left[3] == right[3]
    with captured(), mode(), pytest.raises(ValueError, match="NaN"):
        function(torch.full((4, 3), float("nan")))
    assert model.steps == 4 and trace_state.local.waiting == [None]


def test_own_failures_leave_the_program_running(tmp_path: Any, monkeypatch: Any) -> None:
    """Whatever of ours fails while a call is traced, the call is compiled as it is written."""
    from graphmend.runtime.capture import trace_time
    from graphmend.runtime.driver import backend
    from graphmend.runtime.effects import object_writes

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a bug")

    make = load(tmp_path, TRAINED.replace("0.25", "0.0"))
    seed()
    model = make()
    with captured() as expected:
        right = model(torch.ones(4, 3))
    places = [
        (backend, "lower"),
        (backend, "inexact_comparison"),
        (object_writes, "unsafe"),
        (trace_time, "key_of"),
    ]
    for module, name in places:
        torch._dynamo.reset()
        with monkeypatch.context() as patch:
            patch.setattr(module, name, broken, raising=False)
            other = make()
            other.load_state_dict(model.state_dict())
            with captured() as events:
                assert torch.allclose(torch.compile(other, backend="eager")(torch.ones(4, 3)), right)
        assert [re.sub(r"torch_dynamo_resume_in_(\w+)_at_\d+", r"\1", event) for event in events] == expected


def test_interrupts_leave_nothing_behind() -> None:
    """Deferred work of an interrupted call does not come out of the next one."""
    interrupt = False

    def program(x: torch.Tensor) -> torch.Tensor:
        if _gm.on("m.py:1:0:GM301"):

            def _gm_sink__program(shape: Any) -> None:
                print("shape", tuple(shape))

            _gm.defer("m.py:1:0:GM301", _gm_sink__program, (x.shape,))
        else:
            print("shape", tuple(x.shape))
        return x * 2

    def backend(module: Any, inputs: Any) -> Any:
        def run(*args: Any) -> Any:
            if interrupt:
                work = Work([(print, torch.is_grad_enabled(), None)])
                trace_state.local.waiting[0] = (work, ("of the interrupted call",))
                raise KeyboardInterrupt
            return module.forward(*args)

        return run

    compiled = torch.compile(program, backend=backend)
    with captured() as events:
        for interrupt in (False, True, False):
            with pytest.raises(KeyboardInterrupt) if interrupt else contextlib.nullcontext():
                compiled(torch.ones(2))
    assert "".join(event.removeprefix("out ") for event in events) == "shape (2,)\n" * 2
    assert trace_state.local.waiting == [None]


class Renewed:
    """Garbage that calls Python functions when it is collected, and leaves new garbage behind."""

    left = 0

    def __init__(self) -> None:
        self.itself = self
        weakref.finalize(self, len, ())

    def __del__(self) -> None:
        if Renewed.left:
            Renewed.left -= 1
            Renewed()


PRINTING = """
    import torch

    class Printing(torch.nn.Module):
        def forward(self, x):
            print("sum", x.sum())
            return x * 2

    make = Printing
    """


def test_the_garbage_collector_calls_no_first_frame(tmp_path: Any, monkeypatch: Any) -> None:
    """Functions that it calls in front of the first frame are none of the call's."""
    unraisable: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda hooked: unraisable.append(hooked.exc_value))
    make = load(tmp_path, PRINTING)
    function = torch.compile(make(), backend=CountingBackend())
    thresholds = gc.get_threshold()
    Renewed.left = 1000
    Renewed()
    try:
        gc.set_threshold(1)
        with captured():
            function(torch.ones(3))
    finally:
        gc.set_threshold(*thresholds)
        Renewed.left = 0
    record = _gm.report()["callables"][-1]
    assert not unraisable and (record["mode"], record["reason"]) == ("whole", None)
