"""Facts about ATen operators, held against eager torch: numbers drawn, arguments written to, gradients, failures."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

import pytest
import torch
import torch.nn.functional as F

from graphmend.runtime.analysis import aten_facts
from graphmend.runtime.analysis.node_facts import Recorder

aten = torch.ops.aten
Call = Callable[[], Any]


def calls_of(call: Call) -> list[Any]:
    """The ATen calls behind a call: operator, arguments, keywords, result."""
    with Recorder() as recorder:
        call()
    return recorder.calls


def x() -> torch.Tensor:
    return torch.tensor([[0.5, -1.0], [2.0, 0.0]])


def image() -> torch.Tensor:
    return torch.ones(1, 2, 4, 4)


def heads() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return image(), image(), image()


def norm(training: bool) -> Any:
    return F.batch_norm(image(), torch.zeros(2), torch.ones(2), training=training)


def lstm(p: float, train: bool) -> Any:
    weights = [torch.ones(4, 1), torch.ones(4, 1), torch.ones(4), torch.ones(4)] * 2
    start = (torch.zeros(2, 1, 1), torch.zeros(2, 1, 1))
    return torch.lstm(torch.ones(3, 1, 1), start, weights, True, 2, p, train, False, False)


CALLS: dict[str, Call] = {
    "relu": lambda: x().relu(),
    "rand": lambda: torch.rand(3),
    "rand of a generator": lambda: torch.rand(3, generator=torch.default_generator),
    "randn_like": lambda: torch.randn_like(x()),
    "randint": lambda: torch.randint(0, 9, (3,)),
    "randperm": lambda: torch.randperm(9),
    "normal": lambda: torch.normal(x(), 1.0),
    "normal_": lambda: x().normal_(),
    "uniform_": lambda: x().uniform_(),
    "bernoulli": lambda: torch.bernoulli(x().abs().clamp(0, 1)),
    "multinomial": lambda: torch.multinomial(x().abs() + 1, 1),
    "dropout": lambda: F.dropout(x(), 0.5, True),
    "dropout without training": lambda: F.dropout(x(), 0.5, False),
    "native_dropout": lambda: torch.native_dropout(x(), 0.5, True),
    "native_dropout without training": lambda: torch.native_dropout(x(), 0.5, False),
    "rrelu in training": lambda: F.rrelu(x(), training=True),
    "rrelu": lambda: F.rrelu(x()),
    "attention": lambda: F.scaled_dot_product_attention(*heads()),
    "attention with dropout": lambda: F.scaled_dot_product_attention(*heads(), dropout_p=0.5),
    "lstm": lambda: lstm(0.0, True),
    "lstm with dropout": lambda: lstm(0.5, True),
    "lstm with dropout, no training": lambda: lstm(0.5, False),
    "batch norm in training": lambda: norm(True),
    "batch norm": lambda: norm(False),
    "add_": lambda: x().add_(1),
    "add out": lambda: torch.add(x(), 1, out=torch.empty(2, 2)),
    "max out": lambda: torch.max(x(), 0, out=(torch.empty(2), torch.empty(2, dtype=torch.long))),
    "foreach": lambda: torch._foreach_add_([x(), x()], 1),
    "index_put_": lambda: x().index_put_((torch.tensor([0]),), torch.tensor(3.0)),
    "copy_": lambda: x().copy_(torch.ones(2, 2)),
    "cat": lambda: torch.cat([x(), x()]),
    "where": lambda: torch.where(x() > 0, x(), 2 * x()),
    "renorm_": lambda: F.embedding(torch.tensor([0]), torch.full((2, 2), 9.0), max_norm=1.0),
}


def tensors_of(args: Any, kwargs: Any) -> list[torch.Tensor]:
    leaves = torch.utils._pytree.tree_leaves((args, kwargs))
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


@pytest.mark.parametrize("name", CALLS)
def test_draws_and_writes(name: str) -> None:
    """Each operator, made again on the arguments that it had: what it draws and what it writes is what is said."""
    for overload, args, kwargs, _ in calls_of(CALLS[name]):
        tensors = tensors_of(args, kwargs)
        number = -0.5 if name.startswith("rrelu") else 0.5  # numbers above zero need no slope
        before = [tensor.clone().fill_(number) if tensor.is_floating_point() else tensor.clone() for tensor in tensors]
        for tensor, old in zip(tensors, before):
            tensor.copy_(old)
        state = torch.get_rng_state()
        overload(*args, **kwargs)
        drawn = not torch.equal(state, torch.get_rng_state())
        assert aten_facts.draws(overload, args, kwargs) == drawn, overload
        said = {id(tensor) for tensor in aten_facts.written_tensors(overload, args, kwargs)}
        for tensor, old in zip(tensors, before):
            if tensor.shape != old.shape or not torch.equal(tensor, old):
                assert id(tensor) in said, overload
        assert said == {id(tensor) for tensor in aten_facts.written_tensors(overload, args, kwargs)}


def written_places(overload: Any, *args: Any, **kwargs: Any) -> list[int]:
    given = tensors_of(args, kwargs)
    written = [id(tensor) for tensor in aten_facts.written_tensors(overload, args, kwargs)]
    return [place for place, tensor in enumerate(given) if id(tensor) in written]


def test_written_places() -> None:
    """Exactly those, also where the schema says nothing of them."""
    one = torch.ones(2)
    statistics = [image(), one.clone(), one.clone(), one.clone(), one.clone()]
    assert written_places(aten.add_.Tensor, x(), x()) == [0]
    assert written_places(aten.add.Tensor, x(), x()) == []
    assert written_places(aten.add.out, x(), x(), out=x()) == [2]
    assert written_places(aten._foreach_add_.Scalar, [x(), x()], 1) == [0, 1]
    assert written_places(aten.native_batch_norm.default, *statistics, True, 0.1, 1e-5) == [3, 4]
    assert written_places(aten.native_batch_norm.default, *statistics, False, 0.1, 1e-5) == []
    assert written_places(aten.native_batch_norm.default, image(), one, one, None, None, True, 0.1, 1e-5) == []
    assert written_places(aten.batch_norm_update_stats.default, image(), one, one.clone(), 0.1) == [1, 2]


def test_draws_without_arguments() -> None:
    """Without the arguments of a call an operator draws if some call does."""
    assert aten_facts.draws(aten.native_dropout.default) and aten_facts.draws(aten.dropout.default)
    assert aten_facts.draws(aten.bernoulli.p) and aten_facts.draws(aten.rand.generator)
    assert not aten_facts.draws(aten.relu.default) and not aten_facts.draws(aten.empty.memory_format)


@pytest.mark.parametrize(
    ("overload", "name"),
    [
        (aten.add.Tensor, "add"),
        (aten.add_.Tensor, "add"),
        (aten.__iand__.Tensor, "__iand__"),
        (aten._softmax.default, "_softmax"),
        (torch.ops.prims.add.default, "add"),
    ],
)
def test_names(overload: Any, name: str) -> None:
    assert aten_facts.name_of(overload) == name


TOTAL = [
    ("item of one number", aten._local_scalar_dense.default, (torch.ones(1),)),
    ("add", aten.add.Tensor, (x(), x())),
    ("sqrt of what is negative", aten.sqrt.default, (x(),)),
    ("log", aten.log.default, (x(),)),
    ("mean", aten.mean.default, (x(),)),
    ("mm", aten.mm.default, (x(), x())),
    ("div", aten.div.Tensor, (x(), x())),
    ("remainder", aten.remainder.Tensor, (x(), x())),
    ("pow", aten.pow.Tensor_Tensor, (x(), x())),
    ("one number where a mask is", aten.index_put.default, (x(), [x() > 0], torch.tensor(1.0))),
    ("in rows of a mask", aten.index_put.default, (x(), [None, torch.tensor([True, False])], torch.tensor(1.0))),
    ("a layer that is no training", aten.native_batch_norm.default, (image(), *[torch.ones(2)] * 4, False, 0.1, 1e-5)),
]  # fmt: skip
FAILING = [
    ("inv", aten.linalg_inv.default, (x(),), False),
    ("cholesky", aten.cholesky.default, (x(),), False),
    ("gather", aten.gather.default, (x(), 0, torch.tensor([[9]])), False),
    ("index", aten.index.Tensor, (x(), [torch.tensor([9])]), False),
    ("two numbers where a mask is", aten.index_put.default, (x(), [x() > 0], torch.ones(9)), False),
    ("at places", aten.index_put.default, (x(), [torch.tensor([9])], torch.tensor(1.0)), False),
    ("nonzero", aten.nonzero.default, (x(),), False),
    ("item", aten._local_scalar_dense.default, (torch.ones(2),), False),
    ("masked_select", aten.masked_select.default, (x(), x() > 0), False),
    ("division of integers", aten.floor_divide.default, (torch.tensor([1]), torch.tensor([0])), True),
    ("remainder of integers", aten.remainder.Tensor, (torch.tensor([1]), torch.tensor([0])), True),
    ("power of integers", aten.pow.Tensor_Scalar, (torch.tensor([1]), -1), True),
    ("div of integers", aten.div.Tensor_mode, (torch.tensor([1]), torch.tensor([0])), True),
    ("training", aten.native_batch_norm.default, (image(), None, None, None, None, True, 0.1, 1e-5), False),
    ("too few arguments to tell", aten.index_put.default, (x(), [x() > 0]), False),
]


@pytest.mark.parametrize(("overload", "args"), [row[1:] for row in TOTAL], ids=[row[0] for row in TOTAL])
def test_never_fails(overload: Any, args: Any) -> None:
    """And so it is for the numbers that most operators stumble over."""
    assert not aten_facts.may_fail(overload, False, args)
    for number in (0.0, -1.0, math.inf, math.nan):
        overload(*(arg.clone().fill_(number) if isinstance(arg, torch.Tensor) else arg for arg in args))


@pytest.mark.parametrize("row", FAILING, ids=[row[0] for row in FAILING])
def test_may_fail(row: Any) -> None:
    _, overload, args, integral = row
    assert aten_facts.may_fail(overload, integral, args)


def test_operators_of_other_libraries_may_fail() -> None:
    assert aten_facts.may_fail(torch.ops.quantized.add.default, False, ())
    assert not aten_facts.may_fail(torch.ops.prims.where.default, False, (x() > 0, x(), x()))


GRADIENTS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "relu": (aten.relu.default, ()),
    "add": (aten.add.Tensor, (2.0,)),
    "add infinity": (aten.add.Scalar, (math.inf,)),
    "clamp": (aten.clamp.default, (-1.0, 1.0)),
    "mul": (aten.mul.Tensor, (2.0,)),
    "mul by nothing": (aten.mul.Tensor, (0,)),
    "mul by infinity": (aten.mul.Tensor, (math.inf,)),
    "div": (aten.div.Tensor, (2,)),
    "div by nothing": (aten.div.Tensor, (0.0,)),
    "sqrt": (aten.sqrt.default, ()),
    "log": (aten.log.default, ()),
    "reciprocal": (aten.reciprocal.default, ()),
    "rsqrt": (aten.rsqrt.default, ()),
    "sum": (aten.sum.default, ()),
    "mean": (aten.mean.default, ()),
    "acos": (aten.acos.default, ()),
    "norm": (aten.linalg_vector_norm.default, ()),
    "permute": (aten.permute.default, ([1, 0],)),
    "neg": (aten.neg.default, ()),
}
SCALED = {"add infinity", "mul by infinity", "div by nothing", "sqrt", "log", "reciprocal", "rsqrt", "acos", "norm"}


@pytest.mark.parametrize("name", GRADIENTS)
def test_scaled_gradients(name: str) -> None:
    """A gradient of zero that is not scaled stays zero for all data."""
    overload, rest = GRADIENTS[name]
    assert aten_facts.scales_gradient(overload, (x(), *rest)) == (name in SCALED)
    if name not in SCALED:
        given = torch.tensor([[0.0, 1.0], [math.inf, math.nan]], requires_grad=True)
        result = overload(given, *rest)
        (gradient,) = torch.autograd.grad(result, given, torch.zeros_like(result))
        assert torch.equal(gradient, torch.zeros(2, 2))


def test_scaled_by_tensors() -> None:
    assert aten_facts.scales_gradient(aten.mul.Tensor, (x(), x()))
    assert aten_facts.scales_gradient(aten.mul.Tensor, (x(),))


SAVING: dict[str, Any] = {
    "exp": aten.exp.default,
    "sigmoid": aten.sigmoid.default,
    "tanh": aten.tanh.default,
    "relu": aten.relu.default,
    "sqrt": aten.sqrt.default,
    "neg": aten.neg.default,
    "sin": aten.sin.default,
    "log": aten.log.default,
    "abs": aten.abs.default,
    "reciprocal": aten.reciprocal.default,
    "inv": aten.linalg_inv.default,
}


@pytest.mark.parametrize("name", SAVING)
def test_saved_results(name: str) -> None:
    """A write to a result that the derivative reads is an error in `backward`."""
    given = (torch.eye(2) * 2).requires_grad_()
    result = SAVING[name](given)
    with torch.no_grad():
        result.add_(1)
    try:
        result.sum().backward()
        raised = False
    except RuntimeError:
        raised = True
    assert aten_facts.saves_result(SAVING[name]) or not raised
    assert aten_facts.saves_result(SAVING[name]) == raised or name == "inv"


def test_costs() -> None:
    """Arithmetic operations: elements of the result, times what each of them sums."""
    three = torch.ones(2, 3)
    assert aten_facts.size_of(torch.ones(2, 3, 5)) == 30 and aten_facts.size_of(torch.tensor(1)) == 1
    assert aten_facts.cost_of(aten.relu.default, (three,), three) == 6
    assert aten_facts.cost_of(aten.max.dim, (three, 0), (torch.ones(3), torch.ones(3))) == 3
    assert aten_facts.cost_of(aten.item.default, (three,), 1.0) == 0
    assert aten_facts.cost_of(aten.mm.default, (three, torch.ones(3, 4)), torch.ones(2, 4)) == 2 * 8 * 3
    assert aten_facts.cost_of(aten.addmm.default, (torch.ones(4), three, torch.ones(3, 4)), torch.ones(2, 4)) == 48
    assert aten_facts.cost_of(aten.mv.default, (three, torch.ones(3)), torch.ones(2)) == 2 * 2 * 3
    assert aten_facts.cost_of(aten.dot.default, (torch.ones(5), torch.ones(5)), torch.tensor(5.0)) == 10
    kernel = torch.ones(4, 2, 3, 3)
    convolved = aten_facts.cost_of(aten.convolution.default, (image(), kernel), torch.ones(1, 4, 2, 2))
    assert convolved == 2 * 16 * 18
    attended = aten_facts.cost_of(aten._scaled_dot_product_flash_attention.default, heads(), image())
    assert attended == 4 * 32 * 4
    assert aten_facts.hint_of(object()) == 1024 and aten_facts.hint_of(7) == 1024  # type: ignore[arg-type]


def arguments_with(overload: Any, number: float) -> Optional[tuple[list[Any], dict[str, Any]]]:
    """Arguments of a call, with one number for all numbers; None for an operator without numbers."""
    values: dict[str, Any] = {}
    for argument in overload._schema.arguments:
        kind = str(argument.type)
        if kind == "Tensor":
            values[argument.name] = torch.tensor([1.0, 2.0, 3.0])
        elif kind == "number":
            values[argument.name] = number
        elif not argument.has_default_value():
            values[argument.name] = {"bool": False, "str": "none"}.get(kind, number)
    if number not in [value for value in values.values() if isinstance(value, float)]:
        return None
    named = {argument.name for argument in overload._schema.arguments if argument.kwarg_only}
    return [values[name] for name in values if name not in named], {
        name: values[name] for name in values if name in named
    }


def outcome_with(overload: Any, number: float) -> Optional[str]:
    """How an elementwise operator fails with a number; None for a result, or without numbers."""
    arguments = arguments_with(overload, number)
    if arguments is None:
        return None
    try:
        overload(*arguments[0], **arguments[1])
    except Exception as error:
        return type(error).__name__
    return None


def test_elementwise_operators_that_check_numbers() -> None:
    """Tried with all elementwise operators of this release, on tensors of floats."""
    names = {
        schema.name.partition("::")[2] for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("aten::")
    }
    packets = [getattr(aten, name) for name in sorted(names) if hasattr(aten, name)]
    overloads = [getattr(p, name) for p in packets if hasattr(p, "overloads") for name in p.overloads()]
    numbers = (1.0, 0.5, 2.5, 0.0, -1.0, math.inf, math.nan)
    found = set()
    for overload in overloads:
        if torch.Tag.pointwise in overload.tags and "out" not in overload._overloadname:
            outcomes = {outcome_with(overload, number) for number in numbers}
            if None in outcomes and len(outcomes) > 1:
                found.add(aten_facts.name_of(overload))
    assert found == aten_facts.CHECKS_NUMBERS
