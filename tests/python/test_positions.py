"""Positions of mended code are the user's."""

from __future__ import annotations

import ast
import sys
import traceback

import pytest

from graphmend import positions

ORIGINAL = """\
import os


def f(x):
    if x > 0:
        y = [1, 2][x]
    else:
        y = (1 if x == 0 else missing)
    return y, "é", x.é if False else undefined
"""

MENDED = """\
import os
on = False


def f(x):
    if on:
        pass
    else:
        if x > 0:
            y = [1, 2][x]
        else:
            y = (other(lambda x=x: 1) if on else (1 if x == 0 else missing))
    if on:
        def _gm_sink__f(a):
            return a.b
    return y, "é", x.é if False else undefined
"""
LINES = [1, 1, 2, 3, 4, 5, 5, 5, 5, 6, 7, 8, 9, 9, 9, 9]


def build() -> dict:
    code = compile(positions.parse_mended(MENDED, ORIGINAL, LINES, "user.py"), "user.py", "exec")
    space: dict = {}
    exec(positions.name_sinks(code), space)
    return space


def raised(function, argument) -> traceback.FrameSummary:
    with pytest.raises(Exception) as caught:
        function(argument)
    return traceback.extract_tb(caught.value.__traceback__)[-1]


@pytest.mark.parametrize(
    ("argument", "line", "text"),
    [(2, 6, "[1, 2][x]"), (-1, 8, "missing"), (0, 9, "undefined")],
)
def test_error_is_at_the_user_s_expression(argument, line, text):
    original: dict = {}
    exec(compile(ORIGINAL, "user.py", "exec"), original)
    frame, plain = raised(build()["f"], argument), raised(original["f"], argument)
    assert frame.lineno == plain.lineno == line
    if sys.version_info >= (3, 11):
        assert (frame.colno, frame.end_colno, frame.end_lineno) == (plain.colno, plain.end_colno, plain.end_lineno)
        source = ORIGINAL.splitlines()[line - 1].encode()
        assert source[frame.colno : frame.end_colno].decode() == text


def test_every_position_is_inside_the_user_s_file():
    tree = positions.parse_mended(MENDED, ORIGINAL, LINES, "user.py")
    lines = ORIGINAL.splitlines()
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            assert (node.lineno, node.col_offset) <= (node.end_lineno, node.end_col_offset)
            assert 1 <= node.lineno <= node.end_lineno <= len(lines)
            assert node.end_col_offset <= len(lines[node.end_lineno - 1].encode())


def test_first_line_of_the_function():
    assert build()["f"].__code__.co_firstlineno == 4


def test_sinks_are_named_like_their_function():
    sinks = [item for item in build()["f"].__code__.co_consts if hasattr(item, "co_name")]
    names = [item.co_name for item in sinks if item.co_name != "<lambda>"]
    assert names == ["f"]
    if sys.version_info >= (3, 11):
        assert [item.co_qualname for item in sinks if item.co_name == "f"] == ["f"]


def test_qualified_names_of_sinks_in_classes():
    text = "class A:\n    def forward(self):\n        def _gm_sink__forward(a):\n            return [b for b in a]\n"
    code = positions.name_sinks(compile(text, "user.py", "exec"))
    method = code.co_consts[0].co_consts[1]
    sink = next(item for item in method.co_consts if hasattr(item, "co_name"))
    assert sink.co_name == "forward"
    if sys.version_info >= (3, 11):
        assert sink.co_qualname == "A.forward"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends(line_end):
    original = line_end.join(["x = 1", "y = missing", ""])
    mended = line_end.join(["z = 0", "x = 1", "if True:", "    y = missing", ""])
    code = compile(positions.parse_mended(mended, original, [1, 1, 2, 2], "user.py"), "user.py", "exec")
    frame = raised(lambda _: exec(code, {}), None)
    assert frame.lineno == 2
