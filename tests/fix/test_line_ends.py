"""What a mend writes ends its lines as the lines around it do, in files whose lines end in different ways."""

from __future__ import annotations

import re

import pytest
from fix_command import Command

# A mend of several lines, one that adds an import and one that is the last of the file.
TEXT = """from torch import Tensor, compile

import logging


@compile
def f(x: Tensor, first: Tensor, second: Tensor):
    print(x)
    if (first.mean() > 0) & (second.mean() > 0):
        a_long_name_of_a_value = x * 2 + first * second - first / 2
    else:
        a_long_name_of_a_value = x * 3 + second * first - second / 3
    logging.info(
        "words %s",
        x,
    )
    return a_long_name_of_a_value


@compile
def g(x: Tensor):
    if x.mean() > 0:
        return x * 2
    return x * 3"""
ENDS = {"n": "\n", "r": "\r", "rn": "\r\n"}
OPTIONS = ["--unsafe", "--select", "GM1,GM301"]


def ended(text: str, end: str, at: int, other: str) -> str:
    """The text with one end of lines everywhere but at one line."""
    lines = text.split("\n")
    ends = [other if number == at else end for number in range(len(lines) - 1)] + [""]
    return "".join(line + mark for line, mark in zip(lines, ends))


def fixed(fix: Command, text: str) -> str:
    path = fix.write("a.py", text)
    done = fix(*OPTIONS, "a.py")
    assert done.status in (0, 1) and done.err == "", done
    return path.read_bytes().decode()


def plain(text: str) -> str:
    return re.sub(r"\r\n?", "\n", text)


@pytest.mark.parametrize("last", ["", "\n"])
@pytest.mark.parametrize("name", ENDS)
def test_one_end_of_lines(fix: Command, name: str, last: str) -> None:
    whole = fixed(fix, TEXT + last)
    assert whole != TEXT + last and whole.endswith("\n") == bool(last)
    text = (TEXT + last).replace("\n", ENDS[name])
    assert fixed(fix, text) == whole.replace("\n", ENDS[name])


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("other", ENDS)
def test_one_line_ends_in_another_way(fix: Command, name: str, other: str) -> None:
    """The same lines are written; those with the other end are the line itself and what is written at it."""
    whole, told = fixed(fix, TEXT), []
    if name == other or {name, other} == {"r", "n"}:  # together at an empty line they are one end
        return
    for at in range(TEXT.count("\n")):
        found = fixed(fix, ended(TEXT, ENDS[name], at, ENDS[other]))
        assert plain(found) == whole, at
        marks = re.findall(r"\r\n|\r|\n", found)
        assert set(marks) <= {ENDS[name], ENDS[other]}
        told.append(marks.count(ENDS[other]))
    assert 0 in told or 1 in told, told
    assert max(told) > 1, told
