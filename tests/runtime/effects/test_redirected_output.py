"""Blocks that send what is printed elsewhere, or say which warnings are shown."""

from __future__ import annotations

import io
import warnings
from typing import Any

import pytest
import torch
from harness import compare, load

import graphmend.runtime as runtime
from graphmend.runtime.base import trace_state

START = """
import contextlib, io, logging, sys, torch, warnings
LOG = io.StringIO()

class Log(torch.nn.Module):
    def forward(self, x):
        with contextlib.redirect_stdout(LOG):
            print("kept", x.sum().item())
            y = noisy(x)
        print("after")
        return y
    def shown(self):
        return LOG.getvalue()

def noisy(x):
    print("noise", x.shape[0])
    return x + 1
"""

WHOLE = {
    "a file of the program": "make = Log",
    "a text of the call": """
def f(x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print("inside", x.sum().item())
        y = noisy(x)
    print("outside")
    return y, out.getvalue()
""",
    "a text that nobody reads": """
def f(x):
    with contextlib.redirect_stdout(io.StringIO("start")):
        return noisy(x) * 2
""",
    "shown": """
def f(x):
    with io.StringIO() as out, contextlib.redirect_stdout(out) as same:
        y = noisy(x)
        text = same.getvalue()
    print("captured:", text)
    return y
""",
    "nested": """
def f(x):
    first, second = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(first):
        print("one")
        with contextlib.redirect_stdout(second), contextlib.redirect_stderr(first):
            print("two", x.max())
            logging.warning("three")
        print("four")
    first.write("five")
    return x, [first.getvalue(), {"second": second.getvalue()}]
""",
    "printed into": """
def f(x):
    out = io.StringIO("start ")
    print("sum", x.sum().item(), file=out, end=";", flush=True)
    if x.sum() > 0:
        print("positive", x.max(), file=out)
    out.write("end")
    print(out.getvalue())
    return x * 2, out.getvalue()
""",
    "its text in another form": """
def f(x):
    with io.StringIO() as out:
        print(" sum ", x.sum().item(), file=out)
        text = out.getvalue().strip().upper()
    print(text.replace("SUM", "total"), text)
    return x * 2, text.center(40, "*"), text
""",
    "in a stack": """
def f(x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(contextlib.redirect_stdout(LOG))
        y = noisy(x) * 3
    return y, y.requires_grad, x * 2
""",
    "taken one way": """
def f(x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        if x.sum() > 0:
            print("positive", x.sum().item())
        else:
            print("negative")
    return x, out.getvalue()
""",
    "silent": """
def f(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("not shown")
        y = noisy(x)
    warnings.warn(f"shown {x.shape[0]}")
    return y
""",
    "by category": """
def f(x):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.warn("old", DeprecationWarning)
        warnings.warn("shown")
        warnings.resetwarnings()
    return x * 2
""",
}

LEFT = {
    "its text decides": """
def f(x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print("a")
    return x + 1 if "a" in out.getvalue() else x
""",
    "the text is kept": """
def f(x):
    out = io.StringIO()
    out.write("a")
    return x + 1, type(out).__name__, out.getvalue(), [out][0] is out
""",
    "its length decides": """
def f(x):
    out = io.StringIO()
    print("sum", x.sum().item(), file=out)
    return x * len(out.getvalue().strip())
""",
    "its lines are returned": """
def f(x):
    out = io.StringIO()
    print("sum", x.sum().item(), file=out)
    lines = out.getvalue().splitlines()
    return x + 1, lines, lines
""",
    "a number has no method of texts": """
import time
def f(x):
    start = time.time()
    y = x + 1
    elapsed = time.time() - start
    return y, hasattr(elapsed, "strip")
""",
    "its method gets a wrong argument": """
def f(x):
    out = io.StringIO("abc")
    try:
        found = out.getvalue().center("a")
    except TypeError:
        found = "wrong"
    return x + 1, found
""",
    "its text is no number": """
def f(x):
    out = io.StringIO("abc")
    try:
        found = out.getvalue() - 1
    except TypeError:
        found = "no number"
    return x + 1, found
""",
    "what it can do is asked": """
def f(x):
    out = io.StringIO("abc")
    return x + 1, hasattr(out, "seek"), isinstance(out, io.StringIO), out.read()
""",
    "it prints to a file, too": """
def f(x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print("out")
        print("err", file=sys.stderr)
        sys.stdout.write("direct")
    return x + 1, out.getvalue()
""",
    "warnings are kept": """
def f(x):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.warn("kept")
    return x + 1, [str(item.message) for item in seen]
""",
    "an operator warns": """
def f(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = torch.nn.functional.softmax(x)
    return torch.nn.functional.softmax(y)
""",
    "left open": """
def f(x):
    block = contextlib.redirect_stdout(LOG)
    block.__enter__()
    print("in the block")
    try:
        return x + 1
    finally:
        sys.stdout = OUT
OUT = sys.stdout
""",
    "an object with a method": """
class Target:
    def __init__(self):
        self.parts = []
    def write(self, text):
        self.parts.append(text)
TARGET = Target()
def f(x):
    with contextlib.redirect_stdout(TARGET):
        print("a")
    return x + 1, len(TARGET.parts) > 0
""",
}

CALLS = [lambda: (torch.rand(3),), lambda: (-torch.rand(3),)]


@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, START + WHOLE[name]), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report
    assert trace_state.local.entered == []


@pytest.mark.parametrize("name", LEFT)
def test_left(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, START + LEFT[name]), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] != ["whole"]
    assert trace_state.local.entered == []


FAILING = """
class make(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(LOG):
                print("kept", x.sum().item())
            with contextlib.redirect_stdout(out):
                print("inside", x.sum().item())
                logging.warning("logged")
                warnings.warn("raised in some calls")
                print("behind")
                y = x + 1
        except UserWarning:
            y = x - 1
        print("last")
        return y, out.getvalue(), self.calls
    def shown(self):
        return LOG.getvalue()
"""


def test_deferred_work_that_raises_in_a_block(tmp_path: Any) -> None:
    """What went into the text of the call goes there once more, everything else happens once."""

    def call(raises: bool) -> Any:
        warnings.simplefilter("error" if raises else "always")
        return (torch.ones(2),)

    with warnings.catch_warnings():
        outcome = compare(load(tmp_path, START + FAILING), [lambda i=i: call(i % 3 == 2) for i in range(6)])
    assert outcome.mended("GM303") and trace_state.local.entered == []


CLOSED_LATER = """
def f(x, stream):
    out = io.StringIO()
    y = x + 1
    try:
        print("kept", x.sum().item())
        with contextlib.redirect_stdout(out):
            print("inside", x.sum().item())
        print("into", x.max().item(), file=out)
        print("then")
        print("may fail", file=stream)
        print("behind", file=out)
    except ValueError:
        y = x - 1
        print("caught", file=out)
    print("last")
    return y, out.getvalue()
"""


def test_texts_of_the_call_before_an_effect_that_raises(tmp_path: Any) -> None:
    """The call runs again: what is printed into a text of its own comes there again, all else once."""
    closed, opened = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    closed.close()
    calls = [lambda i=i: (torch.ones(2), closed if i % 3 == 2 else opened) for i in range(6)]
    outcome = compare(load(tmp_path, START + CLOSED_LATER), calls)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.report["callables"][0]["replays"]


def test_a_graph_that_warns_in_some_calls() -> None:
    """Where the graph itself warns, the block of the program decides what is shown: the call is run again."""
    runs: list[int] = []

    def backend(module: Any, inputs: Any) -> Any:
        def run(*values: Any) -> Any:
            runs.append(1)
            if len(runs) == 2:
                warnings.warn("from an operator", stacklevel=2)
            return module(*values)

        return run

    def program(x: torch.Tensor) -> torch.Tensor:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return x * 2

    compiled = torch.compile(program, backend=backend)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        results = [compiled(torch.full((2,), float(i))) for i in range(4)]
    assert [result.tolist() for result in results] == [[2.0 * i] * 2 for i in range(4)]
    assert not seen and len(runs) >= 3
    assert runtime.report()["callables"][-1]["mode"] == "whole"


def test_a_closed_file(tmp_path: Any) -> None:
    text = """
CLOSED = io.StringIO()
CLOSED.close()
def f(x, closed):
    try:
        with contextlib.redirect_stdout(CLOSED if closed else LOG):
            print("inside", x.sum().item())
            return x + 1
    except ValueError:
        return x - 1
"""
    compare(load(tmp_path, START + text), [lambda i=i: (torch.ones(2), i % 3 == 1) for i in range(6)])
    assert trace_state.local.entered == []
