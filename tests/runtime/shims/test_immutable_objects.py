"""Dates, fractions, identifiers and matches that a call makes from constants."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [lambda: (torch.ones(3),), lambda: (torch.zeros(3),)]

WHOLE = {
    "dates": """
        day = datetime.date.fromisoformat("2024-03-02")
        y = day.weekday(), (day + datetime.timedelta(days=1)).isoformat(), day.year, day, day.replace(month=5)
    """,
    "times": """
        first, second = datetime.datetime(2024, 1, 2, 3, 4), datetime.datetime.strptime("2024-02-03", "%Y-%m-%d")
        y = (second - first).total_seconds(), first < second, max(first, second).day, first.date(), f"{first}"
    """,
    "durations": """
        hours = datetime.timedelta(hours=3)
        y = hours * 2, hours / 2, -hours, hours // datetime.timedelta(minutes=7), hours.seconds, bool(hours), str(hours)
    """,
    "fractions": """
        share = Fraction("0.3").limit_denominator(16)
        y = f"{share.numerator}/{share.denominator}", share, share < Fraction(1, 2), int(8 * share), 1 - share, +share
    """,
    "kept fractions": """
        share = max((width for width in WIDTHS if width <= Fraction(3, 5)), default=WIDTHS[0])
        y = share, sum(WIDTHS), share in WIDTHS, sorted([share, Fraction(1, 3)])
    """,
    "identifiers": """
        y = str(uuid.uuid5(uuid.NAMESPACE_DNS, "name")), uuid.UUID(int=3).hex, uuid.uuid3(uuid.NAMESPACE_URL, "a")
    """,
    "matches": r"""
        text, pattern = "a12-b3", re.compile(r"(?P<letter>[a-z])|(?P<number>\d+)")
        y = [match.lastgroup for match in pattern.finditer(text)], [match.span() for match in re.finditer("[ab]", text)]
        y = y, [match.start() for match in re.finditer("B", text, re.I)], list(re.finditer("A|B", text, flags=re.I))
        y = y[:-1], y[-1][1].end(), [match.group() for match in re.finditer(pattern, text)]
        y = y, [match.start() for match in pattern.finditer(text, 2)]
        y = y, pattern.match(text).groupdict(), pattern.findall(text), next(PATTERN.finditer("x"), None)
    """,
    "errors": """
        try:
            datetime.date.fromisoformat("never")
        except ValueError as error:
            y = str(error), error.args
    """,
    "keys": """
        named = {datetime.date(2024, 1, 1): 1, Fraction(1, 2): 2}
        y = named[datetime.date.fromisoformat("2024-01-01")], named[Fraction(2, 4)], named
    """,
}
OTHERWISE = {
    "a pattern that is none": """
        try:
            y = list(re.finditer("(", "a"))
        except re.error as error:
            y = str(error)
    """,
    "flags for a pattern": """
        try:
            y = list(re.finditer(PATTERN, "a", re.I))
        except ValueError as error:
            y = str(error)
    """,
    "the clock": "y = (datetime.datetime.now() - datetime.datetime(2024, 1, 1)).days > 0",
    "data": "y = Fraction(int(x.sum()), 7)",
    "the machine's time zone": "y = datetime.datetime(2024, 1, 1).timestamp()",
    "a time zone of the program": "y = datetime.datetime(2024, 1, 1, tzinfo=Zone()).tzname()",
    "a subclass": "y = Own(3, 4) + 1, type(Own(1, 2)).__name__",
    "identity": "a = Fraction(1, 2); kept.append(a); y = kept[-1] is a, len({id(item) for item in kept}) == len(kept)",
    "an error that is not handled": "y = datetime.date(2024, 13, 1)",
    "a constant that changes": "state['n'] += 1; y = Fraction(state['n'], 3), datetime.timedelta(days=state['n'])",
}


HEAD = """
import datetime, re, uuid
from fractions import Fraction
WIDTHS = Fraction(1, 4), Fraction(1, 2)
PATTERN = re.compile("[0-9]")
kept, state = [], {"n": 0}
class Own(Fraction):
    pass
class Zone(datetime.tzinfo):
    def tzname(self, when):
        return "own"
    def utcoffset(self, when):
        return datetime.timedelta(hours=state["n"])
def f(x):
    if x.sum() > 0:
        x = x + 1
"""


def program(body: str) -> str:
    """A program with a body."""
    return f"{HEAD}{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n    return x * 2, y\n"


@pytest.mark.parametrize("name", WHOLE)
def test_objects_of_constants_are_part_of_the_trace(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, program(WHOLE[name])), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("name", OTHERWISE)
def test_other_objects_are_as_in_python(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, program(OTHERWISE[name])), CALLS * 2)
