"""Python's constructors as values: every name with every kind of arguments, for every type that has others inside.

Readings and refusals stand beside this file (stated/constructors.txt).
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict

from stated_texts import hold
from test_stated_readings import HERE, TYPES, told

from graphmend.core import READ_PLAIN, READ_STRICT, Reader

NAMES = [
    "dict",
    "set",
    "frozenset",
    "list",
    "tuple",
    "deque",
    "Point",
    "a.Point",
    "xPoint",
    "a.dict",
    "Decimal",
    "date",
    "UUID",
]
NAMES += ["Path", "E", "timedelta", "str", "int"]
ARGUMENTS = [
    "",
    "1",
    "[1, 2]",
    "{1}",
    "a=1",
    "1, 2",
    "a=1, b=2",
    "1, a=2",
    "'a'",
    "(1,)",
    "[1], [2]",
    "x=1",
    "1, 'one'",
    "'1'",
]
ARGUMENTS += [
    "label='a', x=2",
    "x=1, label='a', y=2",
    "x=1, x=1",
    "x=1, 2",
    "[]",
    "()",
    "[(1, 2)]",
    "a=[1]",
    "2026, 1, 2",
    "days=1",
]
ARGUMENTS += [
    "x==1",
    "x = 1",
    "1=x",
    "x=",
    "(1, 'a')",
    "set([1])",
    "dict(a=1)",
    "Point(1)",
    "1, 2, 3",
    "*a",
    "a:1",
    '"a": 1',
]


def test_constructors() -> None:
    texts = [f"{name}({given})" for name, given in itertools.product(NAMES, ARGUMENTS)]
    lines = []
    for name, types in TYPES.items():
        reader = Reader(
            json.dumps({"meaning": 1, "root": 0, "types": [{"form": "list", "items": [1]}, *shifted(types)]})
        )
        outcomes: dict[str, list[str]] = defaultdict(list)
        for text in texts:
            reading = reader.read(f"[{text}]", READ_PLAIN)
            said = told(reading) if reading["ok"] else f"{reading['problem']}: {reading['message']}, at {reading['at']}"
            outcomes[said].append(text)
            assert not reader.read(f"[{text}]", READ_PLAIN | READ_STRICT)["ok"], text
        lines.append(f"{name}\n")
        lines += [f"  {said} = {'  '.join(some) if said[0] == '[' else len(some)}\n" for said, some in outcomes.items()]
    hold(HERE / "stated" / "constructors.txt", "".join(lines))


def shifted(types: list[dict[str, object]]) -> list[dict[str, object]]:
    """The types of a meaning behind one more."""
    moved: list[dict[str, object]] = json.loads(json.dumps(types))
    for entry in moved:
        for key in ("items", "fields"):
            some = entry.get(key)
            if isinstance(some, list) and key == "items":
                entry[key] = [item + 1 for item in some]
            elif isinstance(some, list):
                entry[key] = [{**field, "type": field["type"] + 1} for field in some]
    return moved
