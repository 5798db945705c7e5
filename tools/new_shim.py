"""Make the files of a new shim: its module, its line in the order of features, and its test.

What is written works as it stands: calls of one C function with constants alone are made while Dynamo traces, and
their result is a constant of the graph. From there, change the hook to the gap that the shim is to close, and the test
to the programs that it must make whole and must leave alone.

usage: new_shim.py NAME --call FUNCTION --args ARGUMENTS
       new_shim.py checksums --call binascii.crc_hqx --args 'b"abc", 0'

The function has to be one that Dynamo does not look into, whose result depends on its arguments alone, and that changes
nothing.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import keyword
import re
import sys
from pathlib import Path

SHIM = '''\
"""Calls of `{call}` with constants alone, made while Dynamo traces.

Dynamo does not look into the function, so the graph breaks at its call:

    return x * {call}({args})

The result depends on the arguments alone, and the call changes nothing: the result is a constant of the graph. A call
that raises an exception is left to Dynamo, and so to eager Python.
"""

from __future__ import annotations

import {module}
from typing import Any

from ..base import hooks, trace_state
from .constant_folding import fold_call

FEATURE = hooks.Feature(__name__, hooks.GAIN, "calls of `{call}` with constants alone")


@FEATURE.hook("skipped.call")
def fold(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make the call; decline it where an argument is no constant."""
    result = fold_call(tx, self.value, args, kwargs) if self.value is {call} else None
    return hooks.DECLINED if result is None else result
'''

TEST = '''\
"""Calls of `{call}` with constants alone, and with arguments that are none."""

from __future__ import annotations

import {module}
from typing import Any

import pytest
import torch
from harness import BACKENDS, compare


def calls() -> list:
    return [lambda: (torch.tensor([1.0, 2.0]),), lambda: (torch.tensor([-1.0, 0.5]),)]


def constants(x: Any) -> Any:
    return x * {call}({args})


def wrong_constants(x: Any) -> Any:
    try:
        return x * {call}(None, object())
    except TypeError as error:
        return x, str(error)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_with_constants_is_part_of_the_graph(backend: str) -> None:
    outcome = compare(lambda: constants, calls(), backend=backend)
    assert outcome.graphs == 1 and outcome.report["callables"][0]["mode"] == "whole"


def test_a_call_that_raises_does_so_as_in_eager_python() -> None:
    compare(lambda: wrong_constants, calls())
'''


def fail(text: str) -> None:
    raise SystemExit(f"new_shim: {text}")


def check(root: Path, options: argparse.Namespace) -> None:
    """Refuse names that are taken, and calls that cannot be made."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", options.name) or keyword.iskeyword(options.name):
        fail(f"`{options.name}` is no name of a module, such as `checksums`")
    for room in sorted((root / "python/graphmend/runtime").iterdir()):
        if (room / f"{options.name}.py").exists():
            fail(f"`{options.name}` is taken by {(room / options.name).relative_to(root)}.py")
    if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", options.call):
        fail(f"`{options.call}` is no qualified name, such as `binascii.crc_hqx`")
    module, _, function = options.call.rpartition(".")
    try:
        callable_here = callable(getattr(importlib.import_module(module), function, None))
    except ImportError:
        callable_here = False
    if not callable_here:
        fail(f"there is no function `{options.call}` here")
    try:
        call = ast.parse(f"f({options.args})", mode="eval").body
        for argument in [*call.args, *(named.value for named in call.keywords)]:  # type: ignore[attr-defined]
            ast.literal_eval(argument)
    except (SyntaxError, ValueError):
        fail(f'`{options.args}` are no constants, such as `b"abc", 0`')


def write_new(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as stream:
        stream.write(text)
    print(f"wrote {path}")


def put_in_order(path: Path, name: str) -> None:
    """Add the shim behind the last one, so that it is asked before the shims that are there."""
    text = path.read_text(encoding="utf-8")
    last = [match.end() for match in re.finditer(r'^    "shims\.\w+",\n', text, re.MULTILINE)][-1]
    path.write_text(f'{text[:last]}    "shims.{name}",\n{text[last:]}', encoding="utf-8")
    print(f"added a line to {path}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the module: words with underscores")
    parser.add_argument("--call", required=True, help="qualified name of a C function")
    parser.add_argument("--args", required=True, help="constants for a call in the test, as Python writes them")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1], help=argparse.SUPPRESS)
    options = parser.parse_args()
    root: Path = options.root
    check(root, options)
    fields = {"call": options.call, "module": options.call.rpartition(".")[0], "args": options.args}
    test = root / f"tests/runtime/shims/test_{options.name}.py"
    write_new(root / f"python/graphmend/runtime/shims/{options.name}.py", SHIM.format(**fields))
    write_new(test, TEST.format(**fields))
    put_in_order(root / "python/graphmend/runtime/driver/features.py", options.name)
    print(f"then: .venv/bin/python -m pytest {test.relative_to(root)} tests/runtime/base/test_hooks.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
