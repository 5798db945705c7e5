"""What other modules of the package refer to."""

import enum
from dataclasses import dataclass, field
from typing import Generic, List, NamedTuple, NewType, Optional, TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=str)
Sku = NewType("Sku", str)


class Color(enum.Enum):
    """What a part looks like."""

    RED = "red"  #: like blood
    DARK_BLUE = "dark blue"
    """like the sea
    at night"""
    CRIMSON = "red"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 10


class Mode(enum.Flag):
    """What may be done with it."""

    READ = enum.auto()
    WRITE = enum.auto()
    #: run it
    #: as a program
    RUN = 1 << 2
    ALL = 7


class Odd(enum.Enum):
    PAIR = (1, 2)
    TRIPLE = (1, 2, 3)


class Point(NamedTuple):
    """Where it is."""

    x: int
    y: float = -1.5  #: upwards


@dataclass
class Box(Generic[T]):
    """Something that holds something."""

    content: T
    others: List[T] = field(default_factory=list)


@dataclass
class Pair(Generic[T, K]):
    first: T
    second: K


@dataclass
class Part:
    name: str
    """how it is called
    in the shop"""
    #: where it is
    #: kept
    place: Optional[str] = None
    parts: "List[Part]" = field(default_factory=list)
    sku: Sku = Sku("none")
