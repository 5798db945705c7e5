"""Recurrent layers in graphs."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import CountingBackend, compare, differences, load, observe
from torch._dynamo.backends.registry import lookup_backend

import graphmend.runtime as runtime

LAYERS = {
    "lstm": lambda: torch.nn.LSTM(6, 5, 2, batch_first=True),
    "gru": lambda: torch.nn.GRU(6, 5, bidirectional=True, bias=False),
    "rnn": lambda: torch.nn.RNN(6, 5, 2, nonlinearity="relu", dropout=0.5),
    "tanh": lambda: torch.nn.RNN(6, 5, batch_first=True),
}


class Tagger(torch.nn.Module):
    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor, states: Any = None) -> tuple:
        found, states = self.layer(x.relu(), states)
        return found * 2, found, states


def made(layer: Any) -> Tagger:
    torch._dynamo.reset()
    runtime.registry.reset()
    torch.manual_seed(0)
    return Tagger(layer()).eval()


@pytest.mark.parametrize("backend", ["eager", "inductor"])
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_without_gradients(layer: Any, backend: str) -> None:
    """Batches, sequences of several lengths, one without a batch, and states from the call before."""
    model = made(layer)
    counting = CountingBackend(backend)
    compiled = torch.compile(model, backend=counting, fullgraph=True)
    calls = [lambda shape=shape: (torch.ones(shape).cumsum(0),) for shape in ((4, 3, 6), (4, 7, 6), (2, 3, 6), (3, 6))]
    with torch.no_grad():
        states = model(torch.ones(4, 4, 6))[2]
        calls.append(lambda: (torch.zeros(4, 4, 6), states))
        assert not differences(observe(model, model, calls, False), observe(model, compiled, calls, False))
    assert counting.targets().count("recurrent.default") == len(counting.graphs) > 0
    assert [record["mode"] for record in runtime.report()["callables"]] == ["whole"]


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_gradients_where_nobody_trains(layer: Any, backend: str) -> None:
    model = made(layer)
    counting = CountingBackend(backend)
    compiled = torch.compile(model, backend=counting, fullgraph=True)
    calls = [lambda shape=shape: (torch.ones(shape).cumsum(0),) for shape in ((4, 3, 6), (4, 7, 6), (3, 6))]
    assert not differences(observe(model, model, calls, True), observe(model, compiled, calls, True))
    assert counting.targets().count("recurrent.default") == len(counting.graphs) > 0


def test_gradients_of_one_result() -> None:
    """Nobody uses the sequence, and only some of the tensors need gradients."""
    model = made(LAYERS["lstm"]).requires_grad_(False)
    model.layer.weight_hh_l0.requires_grad_()

    def program(x: torch.Tensor) -> torch.Tensor:
        return model(x)[2][1] * 2

    counting = CountingBackend("aot_eager")
    compiled = torch.compile(program, backend=counting, fullgraph=True)
    found = []
    for function in (program, compiled):
        model.zero_grad()
        function(torch.ones(4, 3, 6)).sum().backward()
        found.append([parameter.grad for parameter in model.parameters()])
    assert torch.equal(found[0][1], found[1][1]) and counting.targets().count("recurrent.default") == 1
    assert [gradient is None for gradient in found[0]] == [gradient is None for gradient in found[1]]


def test_gradients_of_gradients() -> None:
    model = made(LAYERS["lstm"])
    found = []
    for function in (model, torch.compile(model, backend="eager", fullgraph=True)):
        model.zero_grad()
        x = torch.ones(4, 3, 6).cumsum(0).requires_grad_()
        (gradient,) = torch.autograd.grad(function(x)[1].square().sum(), x, create_graph=True)
        gradient.square().sum().backward()
        found.append([x.grad, *(parameter.grad for parameter in model.parameters())])
    for one, other in zip(*found):
        torch.testing.assert_close(one, other)


def unlike(kind: str) -> tuple[Tagger, bool, bool]:
    """A layer that is no operator, whether gradients are recorded, and whether autocast is on."""
    if kind == "projections":
        return made(lambda: torch.nn.LSTM(6, 5, proj_size=3)), False, False
    model = made(lambda: torch.nn.LSTM(6, 5, 2, dropout=0.5))
    return model.train(kind in ("dropout", "training")), kind == "training", kind == "autocast"


KINDS = ["training", "dropout", "autocast", "projections"]


def records_of(kind: str, backend: Any) -> list[dict[str, Any]]:
    """The records of the compiled callables, after three calls that nobody can tell from those of eager Python."""
    model, grad, autocast = unlike(kind)
    compiled = torch.compile(model, backend=backend)
    calls = [lambda: (torch.ones(4, 3, 6),)] * 3
    with torch.set_grad_enabled(grad), torch.autocast("cpu", enabled=autocast):
        assert not differences(observe(model, model, calls, grad), observe(model, compiled, calls, grad))
    found: list[dict[str, Any]] = runtime.report()["callables"]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_compilers_get_no_such_layer(kind: str) -> None:
    reasons = {record["reason"] for record in records_of(kind, "aot_eager") if record["mode"] != "whole"}
    assert any(kind in str(reason) and str(reason).startswith("a recurrent layer with ") for reason in reasons)


def own_compiler(module: Any, inputs: Any) -> Any:
    """A backend of the user that compiles, which nobody knows before its call."""
    return lookup_backend("aot_eager")(module, inputs)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("backend", ["eager", own_compiler], ids=["eager", "compiler"])
def test_backends_that_return_the_graph_get_the_layer_itself(kind: str, backend: Any) -> None:
    whole = {record["mode"] == "whole" for record in records_of(kind, backend)}
    assert whole == {backend == "eager" and kind != "projections"}


TRAINED = """
    import torch

    class Program(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.LSTM(6, 5, 2, dropout=0.5)

        def forward(self, x):
            found, (hidden, cell) = self.layer(x)
            print("norm", found.norm().item())
            if found.mean() > 0.02:
                found = found * torch.rand(5)
            return found.tanh(), hidden.sum()

    make = Program
    """


@pytest.mark.parametrize("grad", [False, True], ids=["values", "gradients"])
def test_dropout_draws_as_in_python(tmp_path: Any, grad: bool) -> None:
    outcome = compare(
        load(tmp_path, TRAINED), [lambda n=n: (torch.full((4, 3, 6), n),) for n in (0.1, -2.0, 3.0)], grad=grad
    )
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_packed_sequences() -> None:
    model = made(LAYERS["gru"])
    packed = torch.nn.utils.rnn.pack_padded_sequence(torch.ones(4, 2, 6), torch.tensor([4, 2]))

    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.utils.rnn.pad_packed_sequence(model.layer(packed)[0])[0] * x

    calls = [lambda: (torch.ones(()),)] * 3
    with torch.no_grad():
        compiled = torch.compile(program, backend="eager")
        assert not differences(observe(program, program, calls, False), observe(program, compiled, calls, False))
