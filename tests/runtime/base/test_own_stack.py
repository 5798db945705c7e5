"""Programs that look at the stack of their own calls."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

HEAD = """
import functools
import inspect
import logging
import sys
import traceback
import torch

def whoami():
    return sys._getframe(1).f_code.co_name

def where():
    frame = inspect.currentframe().f_back
    return frame.f_lineno, frame.f_code.co_firstlineno, frame.f_code.co_filename[-10:]

def deco(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)
    return wrapper
"""
WHOLE = {
    "the function itself": """
def f(x):
    names = [frame.name for frame in traceback.extract_stack(limit=1)]
    print(names)
    return x * 2
""",
    "a helper, with lines and text": """
def helper(x):
    (frame,) = traceback.extract_stack(limit=1)
    text = f"{frame.name}:{frame.lineno} {frame.filename[-10:]} {frame.line}"
    print(text)
    return x * 2
def f(x):
    return helper(x) + helper(x + 1)
""",
    "two levels": """
def helper(x):
    names = [(frame.name, frame.lineno) for frame in traceback.extract_stack(limit=2)]
    print(names, len(names))
    return x * 2
@deco
def middle(x):
    y = helper(x)
    return y + helper(y)
def f(x):
    return middle(x)
""",
    "formatted": """
def f(x):
    text = "".join(traceback.format_stack(limit=1))[-80:]
    print(text)
    return x * 2
""",
    "who calls": """
class make(torch.nn.Module):
    def forward(self, x):
        name = whoami()
        print("in", f"{name}", len(name))
        y = self.part(x)
        return y, name
    def part(self, x):
        line, first, file = where()
        print("at", f"{line} {first} {file}")
        return x * (line - first)
""",
    "in a module": """
class Part(torch.nn.Module):
    def forward(self, x):
        names = [frame.name for frame in traceback.extract_stack(limit=1)]
        print(names)
        return x * 2
class make(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
    def forward(self, x):
        return self.part(x) + 1
""",
}
CALLS = [lambda: (torch.rand(3),), lambda: (torch.rand(2),)]


@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, HEAD + WHOLE[name]), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.graphs <= 2 and outcome.mended("GM501") and outcome.mended("GM301"), outcome.report


# What depends on who calls the compiled function, or goes through frames that a trace does not have.
LEFT = {
    "beyond the compiled function": """
def f(x):
    return x * len(traceback.extract_stack(limit=3))
""",
    "through a module": """
class Part(torch.nn.Module):
    def forward(self, x):
        names = [frame.name for frame in traceback.extract_stack(limit=4)]
        return x * len(names), names[-1] == "forward"
class make(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
    def forward(self, x):
        return self.part(x)
""",
    "the frame itself is kept": """
class make(torch.nn.Module):
    def forward(self, x):
        frames = self.look()
        return x * 2, frames[0].name, type(frames).__name__
    def look(self):
        return traceback.extract_stack(limit=1)
""",
    "in a generator": """
def numbers():
    name = sys._getframe(0).f_code.co_name
    yield len(name)
def f(x):
    for number in numbers():
        x = x * number
    return x
""",
    "what a frame holds": """
def look():
    return sorted(sys._getframe(1).f_locals)
def f(x):
    y = x * 2
    return y, len(look())
""",
}


@pytest.mark.parametrize("name", LEFT)
def test_left(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, HEAD + LEFT[name] + "\n\ndef unused(x):\n    print(x)\n"), CALLS)


def test_one_side_of_a_branch(tmp_path: Any) -> None:
    text = """
def helper(x):
    names = [(frame.name, frame.lineno) for frame in traceback.extract_stack(limit=2)]
    return x * names[0][1] + len(names[1][0])
def f(x):
    if x.sum() > 1:
        y = helper(x)
    else:
        y = helper(x) - 1
    return y
"""
    compare(load(tmp_path, HEAD + text), [lambda: (torch.rand(3),), lambda: (-torch.rand(3),)])
