"""A parameter whose type cannot be read is `any`, and the types that it would have used are as if nobody had asked."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from graphmend import core

HEAD = """from dataclasses import dataclass
from typing import Any, Literal, Optional


@dataclass
class Good:
    name: str


@dataclass
class Other:
    good: Good
    count: int


class Outer:
    @dataclass
    class Good:
        size: int


@dataclass
class Chain:
    next: Optional["Chain"]


"""
GOOD = ["Good", "Other", "Outer.Good", "Chain", "list[Good]", "dict[str, Other]", "Literal['a', 'b']", "int | Good"]
# Classes with a member of a type that is none, behind and before one that can be read.
BROKEN = "@dataclass\nclass Broken:\n{}\n\n\n"
FIELDS = [
    "    a: {0}\n    b: Nowhere\n",
    "    b: Nowhere\n    a: {0}\n",
    "    a: {0}\n    c: list[{0}]\n    b: set[Nowhere]\n",
]
FIELDS += ["    a: {0}\n    again: 'Broken'\n    b: Nowhere\n"]


def read(text: str) -> Any:
    return core.meaning_source("a.py", text.encode(), "f")


def positionless(meaning: Any) -> Any:
    """Without the places of definitions, which the text in front of them moves."""
    if isinstance(meaning, dict):
        return {key: positionless(value) for key, value in meaning.items() if key not in ("line", "column", "offset")}
    return [positionless(one) for one in meaning] if isinstance(meaning, list) else meaning


# Where the broken type stands: around those that are read, and between them.
HEADS = ["x: {0}, a: {1}, b: {2}, y: {0}", "a: {1}, x: {0}, b: {2}"]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("fields", FIELDS)
@pytest.mark.parametrize("form", ["Broken", "list[Broken]", "int | Broken", "dict[str, list[Broken]]"])
def test_as_if_nobody_had_asked(fields: str, form: str, head: str) -> None:
    for taken, first, second in itertools.product(GOOD, repeat=3):
        broken = BROKEN.format(fields.format(taken))
        wanted = f"{HEAD}{broken}def f({head.format('Any', first, second)}) -> int: ...\n"
        given = f"{HEAD}{broken}def f({head.format(form, first, second)}) -> int: ...\n"
        known = read(wanted)
        assert "problem" not in known
        assert positionless(read(given)) == positionless(known), (taken, first, second)


def test_a_result_is_not_taken_back() -> None:
    broken = BROKEN.format(FIELDS[0].format("Good"))
    assert "Nowhere" in read(f"{HEAD}{broken}def f(a: Good) -> Broken: ...\n")["problem"]
