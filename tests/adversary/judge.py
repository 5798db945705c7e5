"""Runs a program as it is and mended, and tells what its caller could see differ."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, Optional

import torch
import torch._dynamo
from generator import Program
from torch.utils import _pytree as pytree

sys.path.append(str(Path(__file__).parent.parent / "runtime"))

import harness

import graphmend.runtime as runtime
from graphmend import core, hook

Observation = dict[str, Any]
EXACT = ("eager",)
ADDRESS = re.compile("0x[0-9a-f]+")  # of objects, in what is printed of them


def same(left: Any, right: Any, exact: bool) -> bool:
    """Equality of recorded values in which NaN equals itself."""
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        if not exact:
            low = left.dtype in (torch.float16, torch.bfloat16)
            return torch.allclose(
                left.double(), right.double(), rtol=2e-2 if low else 1e-4, atol=1e-2 if low else 1e-5, equal_nan=True
            )
        return torch.equal(left, right) or torch.equal(left.double().nan_to_num(), right.double().nan_to_num())
    if (type(left).__module__, type(left).__qualname__) != (type(right).__module__, type(right).__qualname__):
        return False
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(same(one, other, exact) for one, other in zip(left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key], exact) for key in left)
    if isinstance(left, float):
        return (
            left == right or repr(left) == repr(right) or (not exact and abs(left - right) <= 1e-4 * abs(left) + 1e-5)
        )
    return bool(left == right)


def tensors_of(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def plain(value: Any) -> Any:
    """Tensors and constants as data; of everything else the kind."""
    if isinstance(value, (torch.Tensor, int, float, str, type(None))):
        return harness.plain(value)
    return type(value).__qualname__


def said(error: Optional[BaseException]) -> Any:
    """An exception as its handler sees it."""
    if error is None:
        return None
    return type(error).__name__, str(error), type(error.__cause__).__name__, type(error.__context__).__name__


def backward(output: Any) -> Optional[BaseException]:
    """Differentiate a weighted sum of everything that a program returned."""
    total = sum(
        (leaf * torch.linspace(0.5, 2.0, leaf.numel(), dtype=leaf.dtype).reshape(leaf.shape)).sum()
        for leaf in tensors_of(output)
        if leaf.requires_grad
    )
    if isinstance(total, torch.Tensor):
        try:
            total.backward()
        except RuntimeError as error:
            return error
    return None


def attributes(target: Any) -> dict[str, Any]:
    """The plain attributes of a module."""
    names = [name for name in vars(target) if not name.startswith("_") and name != "training"]
    return {name: vars(target)[name] for name in names}


def stepping(module: Optional[torch.nn.Module], optimiser: str) -> Callable[[], Any]:
    """A step of an optimiser after each call, or nothing."""
    if module is None or not optimiser:
        return lambda: None
    made = getattr(torch.optim, optimiser)([p for p in module.parameters() if p.requires_grad], 0.01)
    return lambda: made.step()  # its parameters alone: gradients are those of the call


def observe(target: Any, function: Callable[..., Any], program: Program) -> list[Observation]:
    """Call a program with all its arguments, and record after each call all that its caller can see."""
    seen = []
    module = target if isinstance(target, torch.nn.Module) else None
    step = stepping(module, program.optimiser)
    harness.seed()
    for make in program.calls():
        args = make()
        given = tensors_of(args)
        for tensor in given:
            if program.mode == "inputs" and tensor.is_floating_point():
                tensor.requires_grad_(True)
        if module is not None:
            module.zero_grad(set_to_none=True)
        error: Optional[BaseException] = None
        output = wrong = None
        with harness.captured() as events, torch.set_grad_enabled(program.mode != "none"):
            try:
                output = function(*args)
            except Exception as caught:
                error = caught
        known = [*given, *(module.parameters() if module else []), *(module.buffers() if module else [])]
        kept = attributes(module) if module is not None else {}
        leaves = [*tensors_of(output), *tensors_of(kept)]
        record: Observation = {
            "error": said(error),
            "events": [ADDRESS.sub("0x", text) for text in events],
            "output": pytree.tree_map(plain, output),
            "aliases": harness.aliases(leaves, known),
            "aliases of each other": harness.aliases(leaves, leaves),
            "attributes": pytree.tree_map(plain, kept),
        }
        if error is None and program.mode != "none":
            wrong = backward(output)
        record["error of backward"] = said(wrong)
        step()
        record["gradients"] = [plain(tensor.grad) if tensor.is_leaf else None for tensor in given]
        record["inputs"] = [plain(tensor) for tensor in given]
        if module is not None:
            record["state"] = {name: plain(value) for name, value in module.state_dict().items()}
            record["gradients of parameters"] = {n: plain(p.grad) for n, p in module.named_parameters()}
        space = getattr(type(module).forward if module is not None else target, "__globals__", {})
        record["globals"] = pytree.tree_map(plain, [list(space.get("SEEN", [])), space.get("COUNT")])
        record["surroundings"] = pytree.tree_map(plain, space["look"]()) if "look" in space else None
        record["random"] = hash(repr(harness.states()))
        seen.append(record)
    return seen


Difference = tuple[int, str, Any, Any]


def differences(left: list[Observation], right: list[Observation], exact: bool) -> list[Difference]:
    """What differs, as number of the call, kind, and the two values."""
    return [
        (number, key, one[key], other[key])
        for number, (one, other) in enumerate(zip(left, right))
        for key in one
        if not same(one[key], other[key], exact)
    ]


@dataclasses.dataclass
class Verdict:
    """What came out of one program."""

    program: Program
    found: list[tuple[str, Difference]]  # the way to run it, and what differs there
    mended: bool = False  # a mended site is part of a graph
    whole: bool = False  # all calls that compile are one graph, mended sites in it
    sites: int = 0
    excused: int = 0  # differences that the compiler alone makes as well

    def signature(self) -> str:
        """What makes two findings look alike."""
        way, (_, key, one, other) = self.found[0]
        kind = f"{one[0] if one else None}/{other[0] if other else None}" if key.startswith("error") else ""
        return f"{way}: {key} {kind}".strip()

    def describe(self) -> str:
        lines = [f"{way}, call {number}: {key}: {one} != {other}" for way, (number, key, one, other) in self.found[:4]]
        return "\n".join([*lines, repr(self.program).replace(repr(self.program.text), "..."), self.program.text])


def code_of(program: Program, mended: bool) -> tuple[types.CodeType, int]:
    """The code object of a program as it is or mended, and the number of its sites."""
    data = program.text.encode()
    original = compile(data, "program.py", "exec", dont_inherit=True)
    if not mended:
        return original, 0
    result = core.mend_source("program.py", data)
    if not result["mended"]:
        return original, 0
    return hook.compile_mended(result, data, "program.py"), len(result["sites"])


def make(code: types.CodeType) -> Any:
    """A fresh target."""
    harness.seed()
    module = sys.modules["program"] = types.ModuleType("program")
    exec(code, vars(module))
    return module.make() if hasattr(module, "make") else module.f


@contextlib.contextmanager
def mending(on: bool) -> Iterator[None]:
    """The runtime switched on or off, nothing in any cache."""
    torch._dynamo.reset()
    runtime.registry.reset()
    getattr(runtime, "install_compile" if on else "uninstall_compile")()
    try:
        yield
    finally:
        runtime.uninstall_compile()


def compiled(program: Program, code: types.CodeType, on: bool) -> list[Observation]:
    with mending(on), torch._inductor.config.patch(fallback_random=True):
        target = make(code)
        return observe(target, torch.compile(target, backend=program.backend), program)


def judge(program: Program) -> Verdict:
    """Run a program in all ways and compare."""
    verdict = Verdict(program, [])
    exact = program.backend in EXACT
    original, _ = code_of(program, False)
    mended, verdict.sites = code_of(program, True)
    if not verdict.sites:
        return verdict
    target = make(original)
    wanted = observe(target, target, program)
    target = make(mended)
    runtime.add_sites(verdict.sites)
    verdict.found += [("eager", found) for found in differences(wanted, observe(target, target, program), True)]
    found = differences(wanted, compiled(program, mended, True), exact)
    report = runtime.report()
    verdict.mended = any(site["mended"] for site in report["sites"].values())
    verdict.whole = verdict.mended and all(item["mode"] == "whole" for item in report["callables"])
    if found:
        plain = {item[:2] for item in differences(wanted, compiled(program, original, False), exact)}
        ours = [item for item in found if item[:2] not in plain]
        verdict.excused = len(found) - len(ours)
        verdict.found += [(program.backend, item) for item in ours]
    torch._dynamo.reset()
    return verdict
