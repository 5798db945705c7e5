"""`verify MODULE:CALLABLE`: the compiled callable, and the calls.

The function `inputs` of the same file returns the inputs: a list with an item for each call, in which a tuple holds
positional arguments, a dictionary keyword arguments, and any further object is a single argument. A result without a
list is a single call. Without `inputs`, the calls have no arguments.

A callable with matching parameters is compiled itself. A class, or a function without matching parameters, is called
once without arguments, and the result is compiled.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import random
import sys
from typing import Any, Callable

from graphmend import launch, terminal

from .settings import Settings


class SubjectError(Exception):
    """The callable or the inputs are missing, or of the wrong kind."""


def load_module(name: str) -> Any:
    """A module by name or by path."""
    if not name.endswith(".py"):
        launch.prepend_path(os.getcwd())
        return importlib.import_module(name)
    path = os.path.abspath(name)
    launch.prepend_path(os.path.dirname(path))
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    if spec is None or spec.loader is None:
        raise SubjectError(f"`{name}` is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def find(module: Any, name: str) -> Any:
    """What a dotted name stands for in a module."""
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise SubjectError(f"`{module.__name__}` has no `{name}`")
        found = getattr(found, part)
    return found


def takes(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the signature of a function allows a call with the arguments."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def build(found: Any, call: Any) -> Any:
    """What is to be compiled, given the first of the inputs."""
    import torch

    args, kwargs = arguments_of(call)
    if inspect.isclass(found) or (inspect.isroutine(found) and not takes(found, args, kwargs)):
        if not takes(found, (), {}):
            raise SubjectError(f"`{found.__name__}` takes neither the inputs nor no arguments")
        found = found()
    if not callable(found):
        raise SubjectError(f"a {type(found).__name__} cannot be called")
    return found if inspect.isroutine(found) or isinstance(found, torch.nn.Module) else found.__call__


def arguments_of(call: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments of one item of the inputs."""
    if isinstance(call, dict):
        return (), call
    return (call if isinstance(call, tuple) else (call,)), {}


def calls_of(inputs: Any) -> list[Any]:
    """The calls that a function for inputs asks for."""
    return inputs if isinstance(inputs, list) else [inputs]


def seed(number: int) -> None:
    """Seed the generators of torch, Python and NumPy."""
    import torch

    torch.manual_seed(number)
    random.seed(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number % (1 << 32))


def differentiate(output: Any) -> None:
    """Run backward from a weighted sum of everything in a result that has a gradient."""
    import torch

    from .values import tensors_in

    total: Any = None
    for weight, tensor in enumerate(tensors_in(output), start=1):
        if tensor.requires_grad and tensor.is_floating_point():
            dense = tensor if tensor.layout == torch.strided else tensor.to_dense()
            scale = torch.linspace(0.5, 1.5, dense.numel(), dtype=torch.float64, device=dense.device)
            term = (dense.double() * scale.reshape(dense.shape)).sum() * weight
            total = term if total is None else total + term
    if total is not None:
        total.backward()


def call_subject(settings: Settings) -> None:
    """Compile the callable, and call it with all inputs in turn, each at least twice."""
    import torch

    home, _, name = settings.name.rpartition(":")
    module = load_module(home)
    make_inputs: Callable[[], Any] = getattr(module, settings.inputs, tuple)
    seed(settings.seed)
    calls = calls_of(make_inputs())
    if not calls:
        raise SubjectError(f"`{settings.inputs}` returns no inputs")
    seed(settings.seed)
    subject = build(find(module, name), calls[0])
    options: dict[str, Any] = {} if settings.backend is None else {"backend": settings.backend}
    compiled: Callable[..., Any] = torch.compile(subject, **options)
    made = rounds = 0
    while made < settings.rounds or rounds < 2:
        seed(settings.seed)
        for call in calls_of(make_inputs()):
            args, kwargs = arguments_of(call)
            if isinstance(subject, torch.nn.Module):
                subject.zero_grad(set_to_none=True)
            try:
                output = compiled(*args, **kwargs)
            except Exception as error:
                terminal.say(*f"{type(error).__name__}: {error}".split("\n"))
            else:
                differentiate(output)
            made += 1
        rounds += 1
