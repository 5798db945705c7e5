"""Every form of type, in the places where types stand."""

from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import typing
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import (
    Annotated,
    Any,
    ClassVar,
    Dict,
    FrozenSet,
    List,
    Literal,
    NamedTuple,
    NewType,
    Optional,
    Set,
    Tuple,
    TypedDict,
    Union,
)

from graphmend.meaning import by, mock

from . import parts
from .parts import Box, Level, Mode, Odd, Pair, Part, Point
from .parts import Color as Paint

Names = List[str]
Either = Union[int, None]
Count = NewType("Count", int)
Json = Union[None, bool, float, str, "list[Any]", Dict[str, Any]]


@dataclass
class Scalars:
    """Values without parts.

    Each has a form of its own:
        some are text.
    """

    a: int
    b: float
    c: str
    d: bool
    e: bytes
    f: None
    g: Any
    h: object
    i: decimal.Decimal
    j: datetime.datetime
    k: datetime.date
    ll: datetime.time
    m: datetime.timedelta
    n: uuid.UUID
    o: pathlib.Path


@dataclass
class Collections:
    a: List[int]
    b: Sequence[str]
    c: Tuple[int, str]
    d: Tuple[int, ...]
    e: Set[int]
    f: FrozenSet[str]
    g: Dict[str, int]
    h: Mapping[int, Part]
    i: list
    j: dict
    k: tuple
    ll: Dict[str, Union[int, str, List[int]]]
    m: Names
    n: typing.Dict[Paint, Names]


@dataclass
class Choices:
    a: Literal["x", "y", 1, -2, True, None, b"bytes"]
    b: Paint
    c: Level
    d: Mode
    e: Odd
    f: Optional[Paint] = None
    g: Union[int, Union[str, None], Optional[float]] = 1
    h: Literal[Paint.RED, Level.HIGH] = Paint.RED
    i: Either = None
    j: "Optional['Choices']" = None


@dataclass
class Defaults:
    a: int = -3
    b: str = "it's"
    c: float = 2.0
    d: bool = True
    e: Optional[str] = None
    f: List[int] = field(default_factory=list)
    g: Dict[str, int] = field(default_factory=dict)
    h: Paint = Paint.DARK_BLUE
    i: int = field(default=5)
    j: Count = Count(4)
    k: Tuple[int, ...] = ()
    ll: datetime.date = datetime.date(2025, 1, 1)
    hidden: int = field(default=1, init=False)
    shared: ClassVar[int] = 3
    given: InitVar[int] = 0


@dataclass
class Noted:
    a: Annotated[int, "years", "since birth"]
    b: Annotated[str, "a name"] = "x"  #: shown to all
    c: Annotated[Optional[int], "perhaps"] = None
    "or not"
    #: in front
    d: int = 0  #: beside
    """behind"""


@dataclass
class Order(Part):
    """An order
    of parts."""

    paint: Paint = Paint.RED
    boxes: Optional[List[Box[int]]] = None
    nested: Optional[Box[Box[Part]]] = None
    pairs: List[Pair[int, str]] = field(default_factory=list)
    bare: Optional[Box] = None
    point: Point = Point(0)
    other: Optional[parts.Part] = None
    count: Count = Count(1)


class Partial(TypedDict, total=False):
    """Some of it."""

    a: int  #: the first
    b: str


class Whole(Partial):
    c: List[Partial]


class Corner(NamedTuple):
    at: Point
    name: str = "corner"


@dataclass
class IntBox(Box[int]):
    label: str = ""


class Outer:
    @dataclass
    class Inner:
        """Inside."""

        value: int  #: of it

    class Kind(enum.Enum):
        A = 1

    def make(self, kind: Outer.Kind) -> Outer.Inner:
        """Make an inner one."""
        raise NotImplementedError


def take(
    text: str,  # what the customer wrote
    limit: int = 3,
    *,
    unknown: Thing = None,  # noqa: F821
    paint: Paint = Paint.RED,  #: the color
) -> Optional[Order]:
    """Take an order."""
    raise NotImplementedError


async def wait(orders: List[Order]) -> Dict[str, Order]:
    raise NotImplementedError


@by(mock(), tools=[take, wait, Outer.make])
def advise(
    question: str,  # in their words
) -> str:
    """Advise a customer."""
