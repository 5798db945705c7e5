"""Context managers of the program with effects, around work of the graph and decisions that data make."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

START = """
import contextlib, logging, sys, torch

@contextlib.contextmanager
def section(name):
    print("begin", name)
    try:
        yield name
    finally:
        print("end", name)

@contextlib.contextmanager
def catching():
    try:
        print("try")
        yield
    except ValueError as error:
        print("caught", str(error))
    else:
        print("fine")

class Step:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        print("enter", self.name)
        return self
    def __exit__(self, *error):
        print("leave", self.name, error[0] is None)

class Target:
    def __init__(self):
        self.parts = []
    def write(self, text):
        self.parts.append(text)
    def flush(self):
        pass

class Captured:
    def __enter__(self):
        self.before, sys.stdout = sys.stdout, Target()
        return sys.stdout
    def __exit__(self, *error):
        sys.stdout = self.before

class Precise:
    def __enter__(self):
        self.before = torch._tensor_str.PRINT_OPTS.precision
        torch._tensor_str.PRINT_OPTS.precision = 1
    def __exit__(self, *error):
        torch._tensor_str.PRINT_OPTS.precision = self.before

def noisy(x):
    print("noise", x.shape[0])
"""

WHOLE = {
    "early return": """
def f(x):
    with section("a"):
        y = x * 2
        if y.sum() > 0:
            return y + 1
    with Step("b"):
        return y
""",
    "exception": """
def f(x):
    with catching(), section("a"):
        y = x * 2
        if y.sum() > 0:
            raise ValueError(f"sum {y.sum():.1f}")
        x = x + 1
    return x * 2
""",
    "loop": """
def f(x):
    for i in range(3):
        with section(i):
            x = x * 2
            if i == 1:
                continue
            print("in", i, x.mean().item())
    return x
""",
    "nested": """
def f(x):
    with Step("out"), contextlib.nullcontext():
        noisy(x)
        with contextlib.suppress(KeyError):
            print("mean", x.mean())
            with contextlib.ExitStack() as stack:
                stack.enter_context(section("in"))
                x = x * 2
    return x
""",
    "decorator": """
@section("all")
def f(x):
    return x * 2
""",
}

PARTIAL = {
    "class": """
def f(x):
    with Captured() as target:
        noisy(x)
        print("hidden")
        y = x * 2
    print("seen")
    return y, len(target.parts)
""",
    "generator": """
@contextlib.contextmanager
def captured():
    before, sys.stdout = sys.stdout, Target()
    print("hidden")
    try:
        yield sys.stdout
    finally:
        sys.stdout = before

def f(x):
    with captured() as target:
        y = x * 2
    print("seen")
    return y, len(target.parts)
""",
    "form of tensors": """
def f(x):
    with Precise():
        print(x)
        y = x * 2
    return y
""",
    "left in the middle": """
def f(x):
    section("a").__enter__()
    return x * 2
""",
}

CALLS = [lambda: (torch.tensor([1.25, 2.5]),), lambda: (torch.tensor([-1.25, -2.5]),)]


@pytest.mark.parametrize("text", WHOLE.values(), ids=list(WHOLE))
def test_what_happens_where_a_context_begins_and_ends_is_postponed(tmp_path: Any, text: str) -> None:
    outcome = compare(load(tmp_path, START + text), CALLS, grad=False)
    assert outcome.mended("GM301")


@pytest.mark.parametrize("text", PARTIAL.values(), ids=list(PARTIAL))
def test_a_function_that_changes_where_effects_go_is_no_one_graph(tmp_path: Any, text: str) -> None:
    outcome = compare(load(tmp_path, START + text), CALLS, grad=False)
    assert not outcome.mended("GM301")


KNOWN = {
    "contexts of torch in a stack": """
def f(x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        y = x * 2
        stack.enter_context(torch.autocast("cpu", dtype=torch.bfloat16))
        z = y.view(1, 2) @ y.view(2, 1)
        stack.enter_context(torch.enable_grad())
        w = x * 3
    return y, z, w, x * 2, (y.requires_grad, torch.is_grad_enabled())
""",
    "a stack that is closed": """
def f(x):
    stack, done = contextlib.ExitStack(), []
    try:
        stack.enter_context(torch.no_grad())
        stack.callback(done.append, "closed")
        raise ValueError
    except ValueError:
        stack.close()
    return x * 2, done
""",
    "devices": """
def f(x):
    with torch.device("meta"), x.device:
        y = torch.arange(2.0)
        with torch.device("meta"):
            z = torch.zeros(2, 3)
    return y * x, z.shape, str(z.device), torch.ones(1)
""",
    "objects from before the call": """
class Depth:
    def __init__(self):
        self.depth, self.ends = 0, []

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, kind, error, place):
        self.depth -= 1
        self.ends.append(None if kind is None else kind.__name__)
        return kind is ValueError

depth = Depth()

def f(x):
    depth.ends = []
    with depth as entered:
        y = x * entered.depth
        with depth:
            y = y + depth.depth
            if x.dim() == 1:
                raise ValueError
        y = y * 3
    return y, depth.depth, depth.ends, entered is depth
""",
    "what NumPy tells of numbers": """
def f(x):
    with np.errstate(all="ignore"):
        y = np.log(x.detach().numpy() * 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return torch.from_numpy(y / 0), x + 1
""",
}

UNKNOWN = {
    "what NumPy tells of numbers": """
def f(x):
    try:
        with np.errstate(divide="raise"):
            return x, np.log(x.detach().numpy() * 0)
    except FloatingPointError:
        return x * 2
""",
    "shown where NumPy tells nothing": """
def show(array):
    print(np.log(array))
def f(x):
    with np.errstate(all="ignore"):
        show(x.detach().numpy() * 0)
    return x + 1
""",
}


@pytest.mark.parametrize("text", KNOWN.values(), ids=list(KNOWN))
def test_contexts_that_change_nothing_but_the_graph(tmp_path: Any, text: str) -> None:
    outcome = compare(load(tmp_path, START.replace("torch", "torch, numpy as np", 1) + text), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=list(UNKNOWN))
def test_contexts_of_which_nothing_is_known(tmp_path: Any, text: str) -> None:
    outcome = compare(load(tmp_path, START.replace("torch", "torch, numpy as np", 1) + text), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] != ["whole"], outcome.report
