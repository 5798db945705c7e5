"""Types of source that grow by one of what has a limit: what is read on both sides of it, as a stated text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from stated_texts import hold

from graphmend import core

HEAD = "from dataclasses import dataclass\nfrom typing import Union\n\n\n"


def classes(count: int) -> str:
    inner = "".join(f"@dataclass\nclass C{i}(C{i - 1}):\n    a{i}: int\n\n\n" for i in range(1, count))
    return f"@dataclass\nclass C0:\n    a0: int\n\n\n{inner}class R(C{count - 1}):\n    pass\n"


def doubled(count: int) -> str:
    """Each class has two bases that each have two: the ways to the first class are counted, not the classes."""
    pairs = "".join(
        f"@dataclass\nclass {name}{i}(A{i - 1}, B{i - 1}):\n    pass\n\n\n" for i in range(1, count) for name in "AB"
    )
    first = "@dataclass\nclass A0:\n    a: int\n\n\nclass B0:\n    pass\n\n\n"
    return f"{first}{pairs}@dataclass\nclass R(A{count - 1}):\n    pass\n"


def aliases(count: int) -> str:
    inner = "".join(f"T{i} = T{i - 1}\n" for i in range(1, count))
    return f"T0 = int\n{inner}\n\n@dataclass\nclass R:\n    a: T{count - 1}\n"


def field(annotation: str) -> str:
    return f"@dataclass\nclass R:\n    a: {annotation}\n"


PROGRAMS: dict[str, tuple[Callable[[int], str], Iterable[int]]] = {
    "brackets": (lambda n: field("list[" * n + "int" + "]" * n), range(99, 101)),
    "classes behind one another": (classes, range(19, 23)),
    "ways to base classes": (doubled, range(11, 13)),
    "names for one another": (aliases, [32, 33, 100, 1000]),
    "unions in a union": (lambda n: field("int | (" * n + "str" + ")" * n), range(96, 99)),
    "unions in brackets": (lambda n: field("Union[int, " * n + "str" + "]" * n), range(30, 32)),
    "members of a union": (lambda n: field(" | ".join(["int", "str"] * n)), range(49, 51)),
}


def told(text: str) -> str:
    meaning = core.meaning_source("a.py", text.encode(), "R")
    if "problem" in meaning:
        return f"{meaning['problem']}, line {meaning['line']}"
    return f"{len(meaning['types'])} types, {len(meaning['types'][meaning['root']].get('fields', ()))} fields"


def test_limits_of_source() -> None:
    text = ""
    for name, (program, sizes) in PROGRAMS.items():
        text += f"{name}\n"
        text += "".join(f"{size:6} {told(HEAD + program(size))}\n" for size in sizes)
    hold(Path(__file__).parent / "stated" / "limits_of_source.txt", text)
