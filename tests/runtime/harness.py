"""Runs mended functions, eagerly and compiled, and records all that their caller can observe."""

from __future__ import annotations

import array
import contextlib
import io
import itertools
import logging
import os
import random
import sys
import textwrap
import types
import warnings
from typing import Any, Callable, Optional

import numpy
import torch
import torch._dynamo
from torch.utils import _pytree as pytree

import graphmend.runtime as runtime
from graphmend.runtime.base import torch_names

SEED = 1234
TORCH_FOLDER = os.path.dirname(torch.__file__)
BACKENDS = ("eager", "aot_eager")


class TwoLayers(torch.nn.Module):
    """What small programs are made of."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(4, 4)
        self.second = torch.nn.Linear(4, 4)


class CountingBackend:
    """A backend that counts graphs and runs them with another one."""

    def __init__(self, inner: str = "eager") -> None:
        self.inner = torch._dynamo.backends.registry.lookup_backend(inner)
        self.graphs: list[torch.fx.GraphModule] = []

    def __call__(self, module: torch.fx.GraphModule, inputs: Any) -> Any:
        self.graphs.append(module)
        return self.inner(module, inputs)

    def targets(self) -> list[str]:
        """Names of everything that the graphs call."""
        return [
            str(getattr(node.target, "__name__", node.target))
            for graph in self.graphs
            for node in graph.graph.nodes
            if node.op.startswith("call")
        ]


def plain(value: Any) -> Any:
    """Tensors as comparable data, everything else as it is."""
    if isinstance(value, torch.Tensor):
        return (
            "tensor",
            str(value.dtype),
            tuple(value.shape),
            value.stride(),
            value.requires_grad,
            value.detach().clone(),
        )
    return value


def same(left: Any, right: Any) -> bool:
    """Equality of recorded values; tensors within floating point tolerance, NaN equal to NaN."""
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        return torch.allclose(left.double(), right.double(), rtol=1e-4, atol=1e-5, equal_nan=True)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return type(left) is type(right) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    return type(left) is type(right) and left == right


def seed() -> None:
    """Seed every generator."""
    torch.manual_seed(SEED)
    random.seed(SEED)
    numpy.random.seed(SEED)


def states() -> tuple:
    """State of every generator, each as one value: `same` compares a list of 5,000 numbers in 37 ms, bytes in 0.5."""
    version, words, gauss = random.getstate()
    own = array.array("L", words).tobytes() + repr((version, gauss)).encode()
    return torch.get_rng_state().numpy().tobytes(), own, numpy.random.get_state()[1].tobytes()


@contextlib.contextmanager
def captured() -> Any:
    """What is printed, warned and logged, as one list in order."""
    events: list[str] = []

    class Writer(io.TextIOBase):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def write(self, text: str) -> int:
            events.append(f"{self.name} {text}")
            return len(text)

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if not record.name.startswith("torch"):
                name = record.funcName.removeprefix("_gm_sink__")
                events.append(f"log {record.levelname} {name} {record.getMessage()}")

    def show(message: Any, category: type, filename: str, *_: Any) -> None:
        if not filename.startswith(TORCH_FOLDER) and "Triggered internally" not in str(message):
            events.append(f"warning {category.__name__} {message}")

    handler = Handler()
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        streams = contextlib.redirect_stdout(Writer("out")), contextlib.redirect_stderr(Writer("err"))
        with warnings.catch_warnings(), streams[0], streams[1]:
            warnings.simplefilter("always")
            warnings.showwarning = show
            yield events
    finally:
        root.removeHandler(handler)


def aliases(output: Any, known: list) -> list:
    """Which known tensors each tensor of an output is, or shares memory with."""
    found = []
    for leaf in pytree.tree_leaves(output):
        if isinstance(leaf, torch.Tensor):
            memory = leaf.untyped_storage().data_ptr()
            found.append(
                [(i, leaf is other, other.untyped_storage().data_ptr() == memory) for i, other in enumerate(known)]
            )
    return [[item for item in row if item[2]] for row in found]


def observe(target: Any, function: Callable[..., Any], calls: list, grad: bool = True) -> list[dict]:
    """Make the calls; a call is a function that returns fresh arguments."""
    records = []
    module = target if isinstance(target, torch.nn.Module) else None
    seed()
    for make in calls:
        args = make()
        tensors = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor)]
        if grad:
            for leaf in tensors:
                if leaf.is_floating_point():
                    leaf.requires_grad_(True)
        if module is not None:
            module.zero_grad(set_to_none=True)
        record: dict = {"error": None, "output": None}
        output: Any = None
        with captured() as events, torch.set_grad_enabled(grad):
            try:
                output = function(*args)
            except Exception as error:
                record["error"] = (type(error).__name__, str(error), type(error.__cause__), type(error.__context__))
        record["events"] = events
        record["output"] = pytree.tree_map(plain, output)
        parameters = list(module.parameters()) + list(module.buffers()) if module is not None else []
        record["aliases"] = aliases(output, tensors + parameters)
        if grad and record["error"] is None:
            total = sum(
                (leaf * torch.arange(1.0, leaf.numel() + 1).reshape(leaf.shape)).sum()
                for leaf in pytree.tree_leaves(output)
                if isinstance(leaf, torch.Tensor) and leaf.requires_grad
            )
            if isinstance(total, torch.Tensor):
                total.backward()
        record["gradients"] = [plain(leaf.grad) for leaf in tensors]
        record["inputs"] = pytree.tree_map(plain, args)
        if module is not None:
            record["state"] = {name: plain(value) for name, value in module.state_dict().items()}
            record["parameter gradients"] = {name: plain(value.grad) for name, value in module.named_parameters()}
        record["shown"] = target.shown() if hasattr(target, "shown") else None
        record["random"] = states()
        records.append(record)
    return records


def start(make: Callable[[], Any], backend: Optional[str]) -> tuple[Any, Callable[..., Any]]:
    """A program made anew, and what calls it: compiled, or eager without a backend."""
    torch._dynamo.reset()
    runtime.registry.reset()
    torch.manual_seed(0)
    program = make()
    return program, program if backend is None else torch.compile(program, backend=backend)


def differences(left: list[dict], right: list[dict]) -> list[str]:
    """What differs between two recordings, in words."""
    found = []
    for number, (one, other) in enumerate(zip(left, right)):
        for key in one:
            if not same(one[key], other[key]):
                found.append(f"call {number}: {key}: {one[key]} != {other[key]}")
    return found


LOOP = """
import torch
{module}
def f(x):
    out = []
    for step in range(2):
        if x.sum() > step:
            x = x + 1
{body}
        out.append(repr(r))
    return x, out
"""


def in_loop(module: str, body: str) -> str:
    """A program that plain Dynamo leaves to Python, as data decide in a loop, and that is whole when mended."""
    indented = textwrap.indent(textwrap.dedent(body).strip("\n"), 8 * " ")
    return LOOP.format(module=textwrap.dedent(module), body=indented)


numbers = itertools.count()


def load(folder: Any, text: str) -> Callable[[], Any]:
    """Makes the program of a source text, mended by the core, anew: what `make` gives in it, or else `f`."""
    from graphmend import core, hook

    path = folder / "program.py"
    data = textwrap.dedent(text).encode()
    path.write_bytes(data)
    result = core.mend_source(str(path), data)
    code = hook.compile_mended(result, data, str(path)) if result["mended"] else compile(data, str(path), "exec")
    name = f"program_{next(numbers)}"  # Dynamo keeps modules by their names

    def make() -> Any:
        module = types.ModuleType(name)
        sys.modules[name] = module
        exec(code, vars(module))
        return module.make() if hasattr(module, "make") else module.f

    return make


class Outcome:
    """What a compiled program did, next to the numbers of graphs."""

    def __init__(self, backend: CountingBackend, report: dict) -> None:
        self.backend = backend
        self.graphs = len(backend.graphs)
        self.report = report

    def mended(self, code: str) -> bool:
        """Whether the site with a code is part of a graph."""
        return any(site.endswith(code) and fate["mended"] for site, fate in self.report["sites"].items())

    def refusals(self, code: str) -> list[str]:
        """Reasons why the site with a code was left as written."""
        return [
            reason for site, fate in self.report["sites"].items() if site.endswith(code) for reason in fate["refused"]
        ]


def by_name(backend: str) -> Callable[..., Any]:
    """`torch.compile` with a compiler that is known by its name, for `compare`."""
    return lambda function, **options: torch.compile(function, backend=backend)


def compare(
    make: Callable[[], Any],
    calls: list,
    grad: bool = True,
    backend: str = "eager",
    compile: Optional[Callable[..., Any]] = None,
    rounds: int = 20,
    **options: Any,
) -> Outcome:
    """Run a program eagerly and compiled, some calls each, and check that nobody can tell them apart."""
    torch._dynamo.reset()
    runtime.registry.reset()
    calls = (calls * rounds)[: max(rounds, len(calls))]
    seed()
    target = make()
    with torch.compiler.set_stance("force_eager"):  # a program may compile parts of itself
        expected = observe(target, target, calls, grad)
    torch._dynamo.reset()
    counting = CountingBackend(backend)
    seed()
    target = make()
    function = (compile or torch.compile)(target, backend=counting, **options)
    got = observe(target, function, calls, grad)
    found = differences(expected, got)
    assert not found, "\n".join(found[:5])
    return Outcome(counting, runtime.report())


IN_LOOP = [lambda n=n: (torch.full((4, 2), n),) for n in (0.5, -1.0, 0.7)]


def compare_in_loop(folder: Any, module: str, body: str, is_whole: bool) -> None:
    """Compare a program of `in_loop`, which may have to be one graph: since torch 2.13, Dynamo traces what it needs."""
    outcome = compare(load(folder, in_loop(module, body)), IN_LOOP, grad=False, rounds=3)
    if is_whole and torch_names.release().version >= (2, 13):
        assert outcome.graphs and [entry["mode"] for entry in outcome.report["callables"]] == ["whole"]
