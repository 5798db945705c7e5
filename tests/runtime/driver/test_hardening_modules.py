"""Compiled modules: ways to compile them, copies and pickles, hooks, training, and modes."""

from __future__ import annotations

import copy
import io
import pickle
import sys
from typing import Any, Callable

import pytest
import torch
from harness import captured, compare, differences, load, observe, seed

CALLS = [lambda: (torch.tensor([[1.0, 2.0, 3.0]]),), lambda: (torch.tensor([[-1.0, -2.0, 0.5]]),)]

MODEL = """
    import torch
    class Block(torch.nn.Module):
        def __init__(self, name):
            super().__init__()
            self.name = name
            self.linear = torch.nn.Linear(3, 3)
            self.norm = torch.nn.BatchNorm1d(3, momentum=0.5)
            self.drop = torch.nn.Dropout(0.5)
            self.calls = 0
            self.means = []
            self.register_buffer("seen", torch.zeros(()))
        def forward(self, x):
            self.calls += 1
            print(self.name, "mean", round(x.mean().item(), 3))
            self.means.append(round(x.mean().item(), 3))
            self.seen += x.detach().sum()
            x = self.linear(x)
            if x.sum() > 0:
                x = x.relu() + 0.1
            else:
                x = x.tanh()
            if x.max() > 50:
                raise ValueError(f"{self.name}: {x.max().item():.2f}")
            print(self.name, "ends")
            return self.drop(self.norm(torch.cat([x, x + 1])))[:1]
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = torch.nn.ModuleList([Block("one"), Block("two")])
        def shown(self):
            return repr([(block.calls, block.means) for block in self.blocks])
        def forward(self, x):
            for block in self.blocks:
                x = x + block(x)
            return x
    def make():
        torch.manual_seed(0)
        return Model()
    """


def compiled_blocks(model: Any, **options: Any) -> Any:
    """Each block by itself, in place."""
    for block in model.blocks:
        block.compile(**options)
    return model


def compiled_forward(model: Any, **options: Any) -> Any:
    """The forward function of the instance."""
    model.forward = torch.compile(model.forward, **options)
    return model


def compiled_class(model: Any, **options: Any) -> Any:
    """The forward function of the class of the blocks."""
    kind = type(model.blocks[0])
    kind.forward = torch.compile(kind.forward, **options)
    return model


def replaced_blocks(model: Any, **options: Any) -> Any:
    """Compiled modules as children."""
    for number in range(len(model.blocks)):
        model.blocks[number] = torch.compile(model.blocks[number], **options)
    return lambda *args: model(*args)


def both(model: Any, **options: Any) -> Any:
    """Blocks in place, and the model around them."""
    return torch.compile(compiled_blocks(model, **options), **options)


WAYS = {
    "blocks in place": compiled_blocks,
    "forward of the instance": compiled_forward,
    "forward of the class": compiled_class,
    "blocks and model": both,
}


@pytest.mark.parametrize("grad", [True, False], ids=["grad", "no grad"])
@pytest.mark.parametrize("way", WAYS)
def test_ways(tmp_path: Any, way: str, grad: bool) -> None:
    compare(load(tmp_path, MODEL), CALLS, grad, "eager", WAYS[way])


def runs(make: Callable[[], Any], act: Callable[..., Any]) -> None:
    """Check that `act(compile, model)` gives the same eagerly and compiled, with what it prints."""

    def run(compile: Callable[..., Any]) -> tuple:
        torch._dynamo.reset()
        model = make()
        seed()
        with captured() as events:
            return act(compile, model), events

    expected = run(lambda target: target)
    got = run(lambda target: torch.compile(target, backend="eager"))
    assert expected[1] == got[1]
    assert repr(expected[0]) == repr(got[0])


def numbers(value: Any) -> Any:
    """Tensors as rounded numbers."""
    return (torch.round(value.detach().double(), decimals=4) + 0.0).tolist()


def train(model: Any, function: Callable[..., Any], steps: int = 6) -> list:
    """Train a little; returns the losses and the weights."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    found = []
    for step in range(steps):
        x = torch.tensor([[1.0, -2.0, float(step)]])
        optimizer.zero_grad(set_to_none=step % 2 == 0)
        loss = (function(x) ** 2).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        found.append(numbers(loss))
    return [*found, [numbers(value) for value in model.state_dict().values()]]


def test_training_and_evaluation(tmp_path: Any) -> None:
    def act(compile: Callable[..., Any], model: Any) -> list:
        function = compile(model)
        found = train(model, function)
        model.eval()
        with torch.inference_mode():
            found += [numbers(function(make()[0])) for make in CALLS]
        with torch.no_grad():
            found += [numbers(function(make()[0])) for make in CALLS]
        model.train()
        return [*found, *train(model, function, 3), model.shown()]

    runs(load(tmp_path, MODEL), act)


def test_training_step_is_compiled(tmp_path: Any) -> None:
    def act(compile: Callable[..., Any], model: Any) -> list:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

        def step(x):
            optimizer.zero_grad()
            loss = (model(x) ** 2).mean()
            print("loss", round(loss.item(), 3))
            loss.backward()
            optimizer.step()
            return loss

        function = compile(step)
        found = [numbers(function(make()[0])) for make in CALLS * 3]
        return [*found, [numbers(value) for value in model.state_dict().values()], model.shown()]

    runs(load(tmp_path, MODEL), act)


def test_checkpoint_accumulation_and_hooks_of_tensors(tmp_path: Any) -> None:
    from torch.utils.checkpoint import checkpoint

    def act(compile: Callable[..., Any], model: Any) -> list:
        function = compile(lambda x: checkpoint(model, x, use_reentrant=False) + model(x))
        model.blocks[0].linear.weight.register_hook(lambda grad: print("hook", tuple(grad.shape)))
        for make in CALLS * 2:
            function(make()[0].requires_grad_()).sum().backward()
        return [*[numbers(value.grad) for value in model.parameters()], model.shown()]

    runs(load(tmp_path, MODEL), act)


def test_copies(tmp_path: Any) -> None:
    def act(compile: Callable[..., Any], model: Any) -> list:
        first = compile(model)
        found = [numbers(first(CALLS[0]()[0]))]
        second = copy.deepcopy(first)
        third = copy.copy(first)
        with torch.no_grad():
            model.blocks[0].linear.weight.mul_(2)
        for function in (first, second, third, second):
            found += [numbers(function(make()[0])) for make in CALLS]
        return [*found, model.shown()]

    runs(load(tmp_path, MODEL), act)


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_pickles(tmp_path: Any, protocol: int) -> None:
    def act(compile: Callable[..., Any], model: Any) -> list:
        sys.modules["program"] = sys.modules[type(model).__module__]
        if compile(len) is len:
            function = model
        else:
            model.compile(backend="eager")
            function = model
        found = [numbers(function(CALLS[0]()[0]))]
        other = pickle.loads(pickle.dumps(function, protocol))
        found += [numbers(function(make()[0])) for make in CALLS]
        stream = io.BytesIO()
        torch.save(function, stream)
        stream.seek(0)
        third = torch.load(stream, weights_only=False)
        seed()
        found += [numbers(other(make()[0])) for make in CALLS]
        seed()
        found += [numbers(third(make()[0])) for make in CALLS]
        return [*found, model.shown(), other.shown(), third.shown()]

    runs(load(tmp_path, MODEL), act)


def test_state_goes_into_other_modules(tmp_path: Any) -> None:
    def act(compile: Callable[..., Any], model: Any) -> list:
        function = compile(model)
        function(CALLS[0]()[0])
        other = copy.deepcopy(model)
        state = {name.removeprefix("_orig_mod."): value for name, value in function.state_dict().items()}
        other.load_state_dict(
            {name: value * 2 for name, value in state.items() if value.is_floating_point()}, strict=False
        )
        model.load_state_dict(other.state_dict())
        x = CALLS[1]()[0]
        found = [numbers(function(x)), numbers(compile(other)(x))]
        called = torch.func.functional_call(model, {"blocks.0.linear.weight": torch.ones(3, 3)}, (x,))
        return [*found, numbers(called), numbers(function(x.double().float()))]

    runs(load(tmp_path, MODEL), act)


def test_dtype_changes_between_calls(tmp_path: Any) -> None:
    def act(compile: Callable[..., Any], model: Any) -> list:
        function = compile(model)
        found = [numbers(function(make()[0])) for make in CALLS]
        model.double()
        found += [numbers(function(make()[0].double())) for make in CALLS]
        model.float().requires_grad_(False)
        return found + [numbers(function(make()[0])) for make in CALLS]

    runs(load(tmp_path, MODEL), act)


def test_hooks_come_and_go(tmp_path: Any) -> None:
    def act(compile: Callable[..., Any], model: Any) -> list:
        function = compile(model)
        block = model.blocks[1]
        found = []
        for _ in range(2):
            found.append(numbers(function(CALLS[0]()[0])))
            handles = [
                block.register_forward_pre_hook(lambda module, args: print("before", module.name)),
                block.register_forward_hook(lambda module, args, output: output + 1),
                model.register_forward_hook(lambda module, args, output: print("behind", tuple(output.shape))),
                block.register_full_backward_hook(lambda module, before, behind: print("backward", module.name)),
            ]
            for make in CALLS:
                y = function(make()[0].requires_grad_())
                y.sum().backward()
                found.append(numbers(y))
            for handle in handles:
                handle.remove()
        return [*found, numbers(function(CALLS[1]()[0])), model.shown()]

    runs(load(tmp_path, MODEL), act)


def test_many_instances_share_a_class(tmp_path: Any) -> None:
    make = load(tmp_path, MODEL)

    def act(compile: Callable[..., Any], model: Any) -> list:
        models = [model, *[copy.deepcopy(model) for _ in range(4)]]
        functions = [compile(each) for each in models]
        found = [numbers(function(case()[0])) for case in CALLS for function in functions]
        return [*found, [each.shown() for each in models]]

    runs(make, act)


def test_children_are_compiled_modules(tmp_path: Any) -> None:
    make = load(tmp_path, MODEL)
    expected = observe(model := make(), model, CALLS * 5)
    torch._dynamo.reset()
    model = make()
    function = replaced_blocks(model, backend="eager")
    got = observe(model, function, CALLS * 5)
    names = ("error", "output", "events", "gradients", "random")
    only = [[{name: record[name] for name in names} for record in records] for records in (expected, got)]
    assert not differences(*only)


def test_failing_calls_leave_the_state_of_eager_python(tmp_path: Any) -> None:
    calls = [lambda value=value: (torch.full((1, 3), value),) for value in (1.0, 400.0, -1.0, -400.0, 2.0)]
    outcome = compare(load(tmp_path, MODEL), calls)
    assert outcome.report["callables"][0]["replays"] > 0
