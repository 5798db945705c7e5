"""Values of every kind: calls with two of them in turn give what eager Python gives.

    def f(v, x):
        return v(x)                                 # with `torch.Tensor.sin`, `torch.Tensor.cos`, and again

What a trace reads of a value has to be asked for in each call. Each row of value_kinds.txt is a kind of value, with two
values and an expression; each form is a way in which a program gets a value. In eager Python and compiled, four calls
get the first, the second, the first and the second value. `GRAPHMEND_VALUES=all` runs every kind in every form.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Callable

import pytest
import torch
import value_classes
from harness import load

ROWS = Path(__file__).with_name("value_kinds.txt").read_text(encoding="utf-8").splitlines()
KINDS = [row.split(" | ") for row in ROWS if not row.startswith("#")]
# The program of each form, and how a call gives it the value: arguments, and keyword arguments.
FORMS: dict[str, tuple[str, Callable[[ModuleType, Any], tuple[tuple, dict]]]] = {
    "argument": ("def f(v, x):\n    return {}\n", lambda module, value: ((value,), {})),
    "keyword": ("def f(_, x, **k):\n    v = k['z']\n    return {}\n", lambda module, value: ((None,), {"z": value})),
    "item": ("def f(items, x):\n    v = items[0]\n    return {}\n", lambda module, value: (([value],), {})),
    "key": ("def f(table, x):\n    v = table['z']\n    return {}\n", lambda module, value: (({"z": value},), {})),
    "attribute": (
        "def f(o, x):\n    v = o.z\n    return {}\n",
        lambda module, value: ((SimpleNamespace(z=value),), {}),
    ),
    "global": ("G = None\ndef f(_, x):\n    v = G\n    return {}\n", lambda module, value: put(module, "G", value)),
    "class": (
        "class K: pass\ndef f(_, x):\n    v = K.z\n    return {}\n",
        lambda module, value: put(module.K, "z", value),
    ),
    "branch": (
        "def f(v, x):\n    if x.sum() > -100:\n        x = x + 1\n    return {}\n",
        lambda module, value: ((value,), {}),
    ),
}
CHOSEN = 60  # kinds in other forms than the first
# What Dynamo does not guard, and graphmend neither.
KNOWN = {
    "fh": "hooks of modules that come later: an option of Dynamo, `skip_nnmodule_hook_guards`",
    "retains": "a fake tensor retains no gradient",
    "outnr": "a fake tensor is the first output",
    "base": "a tensor that is no view may come after one that is",
    "sig": "Dynamo takes `_parameters` for the parameters of a module",
    "sigp": "the same",
    "sigk": "the same",
    "sigi": "the same",
    "setint": "items of sets are compared by `==`",
    "fsint": "the same",
    "ann": "annotations of functions",
}


def put(owner: Any, name: str, value: Any) -> tuple[tuple, dict]:
    setattr(owner, name, value)
    return (None,), {}


def pairs() -> list[Any]:
    """The names of forms and kinds to run."""
    first, *others = FORMS
    every = [(form, kind[0]) for form in others for kind in KINDS]
    chosen = every if os.environ.get("GRAPHMEND_VALUES") == "all" else random.Random(1).sample(every, CHOSEN)
    return [
        pytest.param(form, name, marks=[pytest.mark.xfail(reason=KNOWN[name])] if name in KNOWN else [])
        for form, name in [(first, kind[0]) for kind in KINDS] + chosen
    ]


def shown(result: Any) -> Any:
    """A result that can be compared."""
    is_tensor = isinstance(result, torch.Tensor) and not result.is_meta
    return (str(result.dtype), result.detach().tolist()) if is_tensor else repr(result)


def four_calls(made: Any, form: str, values: list[Any], compiled: bool) -> list[Any]:
    torch._dynamo.reset()
    module = sys.modules[made.__module__]
    function = torch.compile(made, backend="eager") if compiled else made
    results, kept = [], []
    for make in values * 2:
        kept.append(make())  # no value gets the address of an earlier one
        arguments, keywords = FORMS[form][1](module, kept[-1])
        try:
            results.append(shown(function(*arguments, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), **keywords)))
        except Exception as error:
            results.append(type(error).__name__)
    return results


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form, name", pairs())
def test_two_values_in_turn(form: str, name: str, tmp_path: Path) -> None:
    first, second, use = next(kind[1:] for kind in KINDS if kind[0] == name)
    make = load(tmp_path, "from value_classes import *\n" + FORMS[form][0].format(use))
    values = [eval(f"lambda: {text}", vars(value_classes)) for text in (first, second)]
    assert four_calls(make(), form, values, True) == four_calls(make(), form, values, False)
