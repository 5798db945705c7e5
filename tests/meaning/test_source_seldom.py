"""Types under other names, in branches, in brackets and made by calls: what is read of each, or what is said of it.

Each row is a field of a record or a parameter; the texts stand in `stated` and are read as a diff.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stated_texts import hold

from graphmend import core

HEAD = """import enum
import typing
import typing as t
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, TypedDict, TypeVar, Union
if typing.TYPE_CHECKING:
    from datetime import date as Day
    class Branch:
        size: int
else:
    Day = int
    Later = str
try:
    from decimal import Decimal as Exact
    import uuid
except ImportError:
    Exact = float
else:
    Tried = int
finally:
    Ended = int
T = TypeVar("T")
S = TypeVar("S", bound=int)
R = TypeVar("R", int, str)
N = NewType("N", int)
M = NewType(name="M", tp=str)
Call = TypedDict("Call", {"a": int})
Made = make("Made")
Enum = enum.Enum("Enum", "A B")
Tuple = NamedTuple("Tuple", [("a", int)])
A: t.TypeAlias = int
B: "t.TypeAlias" = "list[A]"
C: Any = int
type D = int
type E[X] = list[X]
type F[X: int] = dict[str, X]
type G = "D | None"
G2 = Optional[D]
H = I = str
J, K = int, str
L = lambda: int
L[0] = int
x = 3
for Loop in (): pass
with a as With: pass


class Box(Generic[T]):
    item: T


@dataclass
class Pair(Generic[T, S]):
    first: T
    second: S
    both: "list[T | S]" = field(default_factory=list)


@dataclass
class New[X, Y: int]:
    first: X
    second: Y
    more: list[X] | None = None


@dataclass
class Node(Generic[T]):
    value: T
    next: "Optional[Node[T]]" = None


class Color(enum.Enum):
    RED = 1
    BLUE = "b"
    SAME = RED
    AUTO = enum.auto()
    _ignore_ = ["x"]

    def method(self): ...


"""
TYPES = [
    "Day",
    "Later",
    "Branch",
    "Exact",
    "Tried",
    "Ended",
    "uuid.UUID",
    "T",
    "S",
    "R",
    "N",
    "M",
    "Call",
    "Made",
    "Enum",
    "Tuple",
]
TYPES += [
    "A",
    "B",
    "C",
    "D",
    "E[int]",
    "E",
    "F[int]",
    "F[str]",
    "F",
    "G",
    "G2",
    "H",
    "I",
    "J",
    "K",
    "L",
    "x",
    "Loop",
    "With",
]
TYPES += [
    "Box",
    "Box[int]",
    "Box[int | str]",
    "Box['int | None']",
    "Box[Box[T]]",
    "Pair[int, str]",
    "Pair[int]",
    "Pair",
    "Pair[S, T]",
]
TYPES += [
    "New[int, int]",
    "New[str, 3]",
    "New[list[int], 'A']",
    "New",
    "Node[int]",
    "Node[Node[str]]",
    "Node",
    "Color",
    "Color.RED",
]
TYPES += [
    "Literal[Color.RED]",
    "Literal[Color.BLUE, Color.AUTO]",
    "Literal[Color.SAME]",
    "Literal[Color.NONE]",
    "Literal[Color.method]",
]
TYPES += [
    "Literal[Box.item]",
    "Literal[-1, +2]",
    "Literal[1.5]",
    "Literal[x]",
    "Literal[b'a', b'ab', b'abc', b'']",
    "Literal[Literal[1], 2]",
]
TYPES += [
    "Annotated[int, 'a']",
    "Annotated[int, x]",
    "Annotated[int, f('a')]",
    "Annotated[int, doc='a']",
    "Annotated[int]",
]
TYPES += [
    "t.List[int]",
    "typing.Optional[int]",
    "Union[int]",
    "Union[int, None]",
    "Union[()]",
    "Optional[int, str]",
    "list[int, str]",
]
TYPES += [
    "int | str | None",
    "int & str",
    "not int",
    "int()",
    "int.real",
    "'int'",
    "\"'int'\"",
    "'int +'",
    "''",
    "f'int'",
    "b'int'",
    "...",
]
TYPES += [
    "None",
    "True",
    "3",
    "[int]",
    "{int}",
    "(int, str)",
    "tuple[int, ...]",
    "tuple[()]",
    "tuple[int]",
    "lambda: 0",
    "int if x else str",
]
FORMS = {
    "field": "@dataclass\nclass Asked:\n    a: {}\n",
    "parameter": "def Asked(a: {}) -> int: ...\n",
    "named": "Asked = {}\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_stated_types(form: str) -> None:
    rows = []
    for asked in TYPES:
        text = f"{HEAD}{FORMS[form].format(asked)}"
        meaning = core.meaning_source("a.py", text.encode(), "Asked")
        for name in ("hash", "function" if form == "field" else ""):
            meaning.pop(name, None)
        rows.append(f"{asked}: {json.dumps(meaning)}\n")
    hold(Path(__file__).parent / "stated" / f"seldom.{form}.txt", "".join(rows))
