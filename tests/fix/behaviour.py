"""What a caller can see of a function: results, gradients, what it did to its arguments, what it printed and raised."""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import random
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any, Callable

import torch
import torch._dynamo

SEED = 7
INF, NAN = float("inf"), float("nan")
Seen = dict[str, Any]


def samples() -> list[torch.Tensor]:
    """Tensors of every kind that a proof could have forgotten."""
    generator = torch.Generator().manual_seed(SEED)
    plain = torch.randn(3, 4, generator=generator)
    return [
        plain,
        plain.abs() + 1,
        -plain.abs() - 1,
        plain * 30,
        torch.zeros(3, 4),
        torch.tensor([[1.0, INF, -1.0], [0.0, 2.0, -INF]]),
        torch.tensor([[NAN, 1.0, -3.0]]),
        torch.tensor([INF, 5.0]),
        torch.tensor(0.5, dtype=torch.float64),
        torch.tensor(-2.5),
        torch.empty(0, 3),
        plain.t(),
        plain.half() * 1000,
        torch.tensor([60000.0, INF, -INF, 1.0], dtype=torch.float16),
        torch.tensor([1.0, NAN], dtype=torch.bfloat16),
        torch.tensor([3, -1, 4]),
        torch.tensor([200, 3], dtype=torch.uint8),
        torch.tensor([True, False]),
        torch.tensor([1 + 2j, 0.5 - 1j]),
    ]


def is_tensor(parameter: inspect.Parameter) -> bool:
    return parameter.annotation is parameter.empty or "Tensor" in str(parameter.annotation)


def argument_lists(function: Callable[..., Any], floating: bool) -> Iterator[list[Any]]:
    """Arguments for a function by its annotations; two tensors have one shape, and every other time a broadcast one."""
    parameters = list(inspect.signature(function).parameters.values())
    tensors = [parameter for parameter in parameters if is_tensor(parameter)]
    given = [sample for sample in samples() if sample.is_floating_point() or not floating]
    for sample, narrow in itertools.product(given, (False, True) if len(tensors) > 1 else (False,)):
        arguments: list[Any] = []
        for parameter in parameters:
            if parameter not in tensors:
                arguments.append({"int": 3, "bool": True}.get(str(parameter.annotation), 0.5))
            elif parameter is tensors[0]:
                arguments.append(sample)
            else:
                other = sample.flip(0) if sample.dim() else sample * 2
                arguments.append(other[:1] if narrow and other.dim() else other)
        yield arguments


def differentiable(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def picture(value: Any, arguments: list[Any]) -> Any:
    """A result as plain data, with the argument that it shares memory with."""
    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage().data_ptr()
        shared = [
            index
            for index, argument in enumerate(arguments)
            if isinstance(argument, torch.Tensor)
            and argument.numel()
            and argument.untyped_storage().data_ptr() == storage
        ]
        same = [index for index, argument in enumerate(arguments) if argument is value]
        # A step along a dimension of one element leads nowhere.
        layout = [step for step, size in zip(value.stride(), value.shape) if size > 1] if value.numel() else None
        return (value.dtype, value.shape, layout, value.requires_grad, shared, same, value.detach().clone())
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *(picture(item, arguments) for item in value)]
    return repr(value)


def leaves(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value] if value.requires_grad else []
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (tuple, list)) else []


def gradients(result: Any, arguments: list[Any]) -> Any:
    inputs = [argument for argument in arguments if differentiable(argument) and argument.requires_grad]
    outputs = leaves(result)
    if not inputs or not outputs:
        return None
    weights = [torch.linspace(0.5, 2.0, output.numel()).reshape(output.shape).to(output.dtype) for output in outputs]
    found = torch.autograd.grad(outputs, inputs, weights, allow_unused=True)
    return [picture(one if one is None else one.contiguous(), []) for one in found]


def observe(function: Callable[..., Any], given: list[Any], grad: bool, touch: bool = False) -> Seen:
    """One call; `touch` changes the arguments in place before the backward pass, to the values that they have."""
    arguments: list[Any] = []
    for value in given:
        if isinstance(value, torch.Tensor):
            fresh = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype).copy_(value)
            value = fresh.requires_grad_(grad and differentiable(value))
        arguments.append(value)
    seen: Seen = {}
    printed = io.StringIO()
    torch.manual_seed(SEED)
    random.seed(SEED)
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        torch.set_warn_always(True)
        try:
            result = function(*arguments)
            seen["result"] = picture(result, arguments)
            if touch:
                with torch.no_grad():
                    for argument in arguments:
                        if isinstance(argument, torch.Tensor):
                            argument.mul_(1)
            seen["gradients"] = gradients(result, arguments)
        except Exception as error:
            seen["raised"] = (type(error), "in place" if "by an inplace operation" in str(error) else str(error))
    seen["printed"] = printed.getvalue()
    seen["warned"] = [str(warning.message) for warning in warned]
    seen["arguments"] = [picture(argument, []) for argument in arguments]
    seen["random"] = (torch.rand(1).item(), random.random())
    return seen


def same(left: Any, right: Any) -> bool:
    """Equality in which NaN equals itself."""
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        return (
            left.dtype == right.dtype
            and torch.equal(torch.nan_to_num(left), torch.nan_to_num(right))
            and (not (left.is_floating_point() or left.is_complex()) or torch.equal(left.isnan(), right.isnan()))
        )
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return bool(left == right)


def functions(text: str, name: str) -> dict[str, Callable[..., Any]]:
    """The functions of a module, and the `forward` of its classes, with torch.compile standing aside."""
    module = sys.modules[name] = types.ModuleType(name)  # where the compiler looks for it, too
    space = module.__dict__
    exec(compile(text, name, "exec"), space)
    found: dict[str, Callable[..., Any]] = {}
    for key, value in list(space.items()):
        if key.startswith("_") or getattr(value, "__module__", None) != name:
            continue
        if isinstance(value, type) and issubclass(value, torch.nn.Module):
            torch.manual_seed(SEED)
            found[key] = value().forward
        elif callable(value) and not isinstance(value, type):
            found[key] = value
    return found


def compare(before: str, after: str, floating: bool = False) -> int:
    """Call every function of two modules with every kind of arguments (`floating`: what is assumed
    holds, tensors are floating point and are not changed in place); returns how many calls were compared."""
    calls = 0
    with torch.compiler.set_stance("force_eager"):
        left, right = functions(before, "before"), functions(after, "after")
        assert left.keys() == right.keys()
        for name, function in left.items():
            for arguments in argument_lists(function, floating):
                for grad, touch in ((False, False), (True, False), (True, True))[: 2 if floating else 3]:
                    wanted = observe(function, arguments, grad, touch)
                    found = observe(right[name], arguments, grad, touch)
                    assert same(wanted, found), f"{name}{tuple(arguments)}, grad={grad}:\n{wanted}\n{found}\n{after}"
                    calls += 1
    return calls


def in_one_graph(function: Callable[..., Any]) -> bool:
    """Whether torch.compile captures a function as a whole."""
    plain = getattr(function, "_torchdynamo_orig_callable", function)
    for dtype in (torch.float32, torch.float16):
        torch._dynamo.reset()
        arguments = [
            argument.to(dtype) if isinstance(argument, torch.Tensor) else argument
            for argument in next(argument_lists(function, floating=True))
        ]
        owner = getattr(plain, "__self__", None)
        if owner is not None:
            owner.to(dtype)
        try:
            torch.compile(plain, backend="eager", fullgraph=True)(*arguments)
        except torch._dynamo.exc.TorchDynamoException:
            return False
    return True
