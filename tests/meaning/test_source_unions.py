"""Unions that are written in other unions, in every way and as deep as it goes: which branches are read of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

from stated_texts import hold

from graphmend import core

HEAD = "from dataclasses import dataclass\nfrom typing import Literal, Optional, Union\n\n"
HEAD += "A = int | str\nB = Union[bytes, A]\n\n\n"


def name(number: int) -> str:
    return f"Literal['{number}']"


def by_bars(count: int) -> str:
    return " | ".join(map(name, range(count)))


def of_classes(count: int) -> str:
    return " | ".join(f"C{number}" for number in range(count))


def to_the_right(count: int) -> str:
    return " | (".join(map(name, range(count))) + ")" * (count - 1)


def in_brackets(count: int) -> str:
    return "".join(f"Union[{name(number)}, " for number in range(count)) + "int" + "]" * count


def optional(count: int) -> str:
    return "".join(f"Optional[{name(number)} | " for number in range(count)) + "int" + "]" * count


def quoted(count: int) -> str:
    """A text in a text, as often as quotes allow."""
    text = "int | str"
    for _ in range(count):
        text = repr(f"bytes | {text}") if "'" not in text else f'"{text} | float"' if '"' not in text else text
    return text


WAYS: dict[str, tuple[Callable[[int], str], list[int]]] = {
    "bars": (by_bars, [1, 2, 3, *range(27, 33), 99]),
    "classes": (of_classes, [1, 2, *range(29, 36), 98, 99]),
    "bars to the right": (to_the_right, [2, 3, *range(27, 33)]),
    "brackets": (in_brackets, [1, 2, 3, *range(27, 33), 40]),
    "optional": (optional, [1, 2, 3, *range(13, 17)]),
    "quotes": (quoted, [0, 1, 2]),
}
SINGLE = [
    *("A", "B", "A | B", "Union[A, B]", "Optional[A]", "Optional[B] | None", "int | int", "int | A", "Union[int]"),
    *("Union[int, int]", "Optional[None]", "None | int", "'A' | int", "'A | B'", "Union['A', 'int']", "Optional['B']"),
    *("Union[()]", "Union", "Optional", "Optional[int, str]", "int & str", "int | 3", "int | ...", "list[A] | A"),
    *(
        "Union[A, list[B]]",
        "Literal['a'] | Literal['b', 'a']",
        "Literal['a', 'b'] | A",
        "(int | str)",
        "A | A.b",
        "A[int]",
    ),
]


def told(annotation: str) -> str:
    classes = "".join(f"@dataclass\nclass C{number}:\n    a: int\n\n\n" for number in range(103))
    text = f"{HEAD}{classes}@dataclass\nclass R:\n    a: {annotation}\n"
    meaning = core.meaning_source("a.py", text.encode(), "R")
    if "problem" in meaning:
        return f"{meaning['problem']}, line {meaning['line']}"
    return shown(meaning["types"], meaning["root"], 0)


def shown(types: list[dict[str, Any]], index: int, depth: int) -> str:
    """A type as a text, without the numbers of its parts."""
    assert depth < 9
    one = types[index]
    if one["form"] == "record" and depth > 0:
        return str(one["name"])
    if one["form"] == "record":
        return ", ".join(shown(types, field["type"], depth + 1) for field in one["fields"])
    parts = [shown(types, at, depth + 1) for at in one.get("items", ())]
    parts += [repr(value["value"]) for value in one.get("values", ())]
    return f"{one['form']}({', '.join(parts)})" if parts else str(one["form"])


def test_unions_in_unions() -> None:
    text = "".join(f"{annotation}\n    {told(annotation)}\n" for annotation in SINGLE)
    for way, (write, sizes) in WAYS.items():
        text += "".join(f"{way} {size}\n    {told(write(size))}\n" for size in sizes)
    hold(Path(__file__).parent / "stated" / "source_unions.txt", text)
