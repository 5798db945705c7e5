"""Programs around one call, in which a mend could be noticed, and how they are compared with plain eager Python.

In front of a guard that fires and of a path that changes the call is undone and made again: it must not have drawn nor
written. Behind a deferred print it runs before what is shown is written. On the side not taken it is not made at all.
"""

from __future__ import annotations

import contextlib
import functools
import io
import sys
import types
import warnings
from typing import Any, Callable, Optional

import torch
import torch._dynamo
from forms import Form, result_tensors

import graphmend.runtime as runtime
from graphmend import core, hook

PROGRAM = """
import torch
import torch.nn.functional as F
{setup}

def total(value):
    {total}


def guard({names}, w, t):
    {inputs}
    r = {text}
    if t.sum() > 0:
        raise ValueError("stop")
    return r


def path({names}, w, t):
    {inputs}
    r = {text}
    if t.sum() > 0:
        z = t.new_zeros(3)
    else:
        z = t.new_ones(4)
    return r, z


def shown({names}, w, t):
    {inputs}
    print({shown}, t.sum().item())
    r = {text}
    print("done")
    return r


def side({names}, w, t):
    {inputs}
    y = t * 2
    if t.sum() > 0:
        r = {text}
        y = t + total(r)
    return y
"""

SETTINGS = ("guard", "path", "shown", "side")
TURNS = (-1.0, 1.0, -1.0, 1.0)


def total_of(result: Any) -> str:
    """How a number is made of what a call gives."""
    if isinstance(result, torch.Tensor):
        real = "value.abs()" if result.is_complex() else "value"
        return f"return {real}.to(torch.float32).sum()" if result.layout == torch.strided else "return 1.0"
    if isinstance(result, (tuple, list)) and result and isinstance(result[0], torch.Tensor):
        return total_of(result[0]).replace("value", "value[0]")
    return "return 1.0"


def program(form: Form, differentiated: bool) -> str:
    """The text of the programs around a call."""
    torch.manual_seed(0)
    places = range(len(form.specs))
    inputs = []
    for place in places if differentiated else ():
        if form.specs[place][0] in ("float", "unit", "double", "complex"):
            inputs.append(f"a{place} = a{place} * w")
    return PROGRAM.format(
        setup=form.setup,
        text=form.text,
        names=", ".join(f"a{place}" for place in places) or "a0",
        inputs="; ".join(inputs) or "pass",
        shown=", ".join(f"a{place}" for place in places) or "1",
        total=total_of(form.call(form.tensors())),
    )


@functools.lru_cache(maxsize=8)
def mended(text: str) -> Any:
    """The code of a program, mended by the core."""
    result = core.mend_source("/operators/program.py", text.encode())
    if not result["mended"]:
        return compile(text, "/operators/program.py", "exec")
    return hook.compile_mended(result, text.encode(), "/operators/program.py")


def load(text: str) -> dict:
    """The program, anew."""
    module = types.ModuleType("operators_program")
    sys.modules[module.__name__] = module
    torch.manual_seed(5)  # for the parameters of layers
    exec(mended(text), vars(module))
    return vars(module)


def plain(value: Any) -> Any:
    """What is compared of a result."""
    if isinstance(value, torch.Tensor):
        return [str(value.dtype), tuple(value.shape), value.requires_grad, value.detach().clone()]
    return [plain(item) for item in value] if isinstance(value, (tuple, list)) else repr(value)


def same(one: Any, other: Any) -> bool:
    """Equality to the last bit, NaN equal to NaN."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        if one.layout != torch.strided or one.is_quantized:
            return str(one) == str(other)
        return one.shape == other.shape and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def record(function: Callable[..., Any], names: dict, form: Form, differentiated: bool) -> list:
    """Everything that the caller of some calls can see."""
    torch.manual_seed(11)
    found = []
    for turn in TURNS:
        inputs = form.tensors() or [torch.ones(2)]
        w = torch.tensor(1.5, requires_grad=differentiated)
        t = torch.full((2,), turn)
        text = io.StringIO()
        result: Any = None
        with contextlib.redirect_stdout(text), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = function(*inputs, w, t)
                made = plain(result)
                outputs = [leaf for leaf in result_tensors(result) if leaf.requires_grad]
                if differentiated and outputs:
                    sum(leaf.abs().sum() for leaf in outputs).backward()
            except Exception as error:
                made = [type(error).__name__, str(error).splitlines()[:1]]
        state = torch.get_rng_state()
        layer = plain([*names["layer"].state_dict().values()]) if "layer" in names else None
        found.append([made, plain(inputs), plain(w.grad), text.getvalue(), state, layer])
    return found


def difference(form: Form, setting: str, differentiated: bool, backend: str = "eager") -> Optional[str]:
    """What somebody could tell a compiled program by from plain Python; None if nothing."""
    text = program(form, differentiated)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = load(text)
        expected = record(names[setting], names, form, differentiated)
    torch._dynamo.reset()
    runtime.registry.reset()
    names = load(text)
    compiled = torch.compile(names[setting], backend=backend)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = record(compiled, names, form, differentiated)
    for turn, (one, other) in enumerate(zip(expected, got)):
        for what, left, right in zip(("result", "inputs", "gradient", "text", "generator", "layer"), one, other):
            if not same(left, right):
                shown = "" if what == "generator" else f": {left} != {right}"
                return f"{form.name} | {form.text} | {setting} | call {turn}: {what}{shown}"[:600]
    return None
