"""`del` of a variable that an inner function reads is part of the graph."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAMS = {
    "a variable of a helper": """
        def helper(x):
            parts = {"a": x, "b": 2 * x}
            first = next((parts[name] for name in ("c", "b") if name in parts), None)
            del parts
            return first

        def f(x):
            return helper(x) + 1
        """,
    "in a loop that sets it again": """
        def helper(x):
            for scale in (2, 3):
                part = x * scale
                total = sum(part[i] for i in range(2))
                del part
            return total

        def f(x):
            return helper(x) + 1
        """,
    "of the call's own frame": """
        def f(x):
            part = x * 2
            read = lambda: part + 1
            y = read()
            del part
            return y
        """,
}
READ = """
    def helper(x):
        part = x * 2
        read = lambda: part + 1
        y = read()
        del part
        {after}

    def f(x):
        return helper(x) + 1
    """


def inputs() -> Any:
    return (torch.arange(3.0),)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_deleted_variable(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, PROGRAMS[name]), [inputs, inputs])
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("after", ["return y + read()", "del part\n        return y"])
def test_a_variable_that_is_gone(tmp_path: Any, after: str) -> None:
    compare(load(tmp_path, READ.format(after=after)), [inputs, inputs])  # the same NameError as in eager Python


def test_a_closure_that_leaves_the_call(tmp_path: Any) -> None:
    text = """
        def helper(x):
            part = x * 2
            read = lambda: part + 1
            y = read()
            del part
            return y, read

        def f(x):
            y, read = helper(x)
            try:
                read()
            except NameError:
                return y
            return x
        """
    compare(load(tmp_path, text), [inputs, inputs])
