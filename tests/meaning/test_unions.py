"""Unions of every two types: what the readings by each of both say of the reading by the union, in both orders.

And flags, whose texts are names between bars: each text of a small alphabet.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from test_stated_readings import TYPES

from graphmend.core import READ_PLAIN, READ_STRICT, Reader

ROOT = Path(__file__).parents[2]
TEXTS = [
    "1",
    "-1",
    "1.5",
    '"1"',
    '"1.5"',
    "true",
    '"true"',
    '"yes"',
    "null",
    '"none"',
    "[]",
    "[1]",
    '["1"]',
    "[1, 2]",
    "{}",
]
TEXTS += [
    '{"a": 1}',
    '{"1": "a"}',
    '{"x": 1}',
    '{"X": "1", "label": 2}',
    '[{"x": 1}]',
    '"a"',
    '"on"',
    '"ONE"',
    '"one"',
    "0",
]
TEXTS += [
    '"A|B"',
    '"A"',
    '"2024-01-02"',
    '"10:20"',
    '"2024-01-02T10:20:00"',
    '"P1D"',
    '"1 day"',
    '"AQ=="',
    '""',
    '"[1]"',
]
TEXTS += [
    '"00000000-0000-0000-0000-000000000001"',
    "1e3",
    "1_000",
    '"1,000"',
    "[[1, 2], 3]",
    '[["a", 1]]',
    "12.0",
    '"x: 1"',
]
NAMES = [
    "list of int",
    "set of int",
    "tuple of int and str",
    "dict of str and int",
    "record",
    "any",
    "bytes",
    "decimal",
]
NAMES += [
    "uuid",
    "path",
    "date",
    "time",
    "datetime",
    "timedelta",
    "bool",
    "none",
    "literals",
    "enum",
    "flag",
    "int",
    "str",
]
NAMES += ["float"]
COSTS = {
    name.lower(): int(cost)
    for name, cost in re.findall(r"GM_REPAIR\((\w+), (\d+),", (ROOT / "src" / "meaning" / "repairs.def").read_text())
}


def types_of(name: str) -> list[dict[str, Any]]:
    return TYPES.get(name) or [{"form": name}]


def moved(types: list[dict[str, Any]], by: int) -> list[dict[str, Any]]:
    """The types of a meaning as they stand behind others."""
    found: list[dict[str, Any]] = []
    for entry in json.loads(json.dumps(types)):
        entry["items"] = [item + by for item in entry.get("items", [])]
        for field in entry.get("fields", []):
            field["type"] += by
        found.append(
            {key: value for key, value in entry.items() if key != "items" or value or key in types[len(found)]}
        )
    return found


def reader_of(*names: str) -> Reader:
    """A reader of lists of one type, or of a union: a text that is asked for by itself is all of a text."""
    types: list[dict[str, Any]] = [{"form": "list", "items": [1]}]
    if len(names) > 1:
        types.append({"form": "union", "items": []})
    for name in names:
        if len(names) > 1:
            types[1]["items"].append(len(types))
        types += moved(types_of(name), len(types))
    return Reader(json.dumps({"meaning": 1, "root": 0, "types": types}))


def cost(reading: dict[str, Any]) -> int:
    """What the repairs of a reading cost together."""
    return sum(COSTS[name] for name, _ in reading["repairs"])


def told(reading: dict[str, Any]) -> str:
    return json.dumps(reading["value"]) if reading["ok"] else "refused"


@pytest.mark.parametrize("flags", [READ_PLAIN, READ_PLAIN | READ_STRICT], ids=["plain", "strict"])
def test_unions_of_two(flags: int) -> None:
    """A union reads as one of both does: as the only one that takes a text, or as the one that is nearer to it."""
    alone = {name: [reader_of(name).read(f"[{text}]", flags) for text in TEXTS] for name in NAMES}
    seen = {"one": 0, "cheaper": 0, "tie": 0, "neither": 0}
    for one, other in itertools.combinations(NAMES, 2):
        readers = reader_of(one, other), reader_of(other, one)
        for at, text in enumerate(TEXTS):
            first, second = alone[one][at], alone[other][at]
            both, turned = (reader.read(f"[{text}]", flags) for reader in readers)
            where = (one, other, text, told(first), told(second), told(both), told(turned))
            assert both["ok"] == turned["ok"], where
            if both["ok"]:
                assert told(both) in (told(first), told(second)), where
            if not first["ok"] and not second["ok"]:
                seen["neither"] += 1
                assert not both["ok"], where
            good = [reading for reading in (first, second) if reading["ok"]]
            if len(good) == 1 and not good[0]["repairs"]:
                seen["one"] += 1
                assert told(both) == told(turned) == told(good[0]), where
            if len(good) == 2 and cost(first) != cost(second):
                seen["cheaper"] += 1
                cheaper = first if cost(first) < cost(second) else second
                assert told(both) == told(turned) == told(cheaper), where
                assert cost(both) == cost(turned) == cost(cheaper), where
            if len(good) == 2 and cost(first) == cost(second) and told(first) != told(second):
                seen["tie"] += 1
                assert told(both) == told(turned), where
    assert seen["one"] > 400 and seen["neither"] > 1000, seen
    assert flags & READ_STRICT or min(seen.values()) > 40, seen


def test_flags_between_bars() -> None:
    """Names, blanks and bars: what is read are the names between the bars, where all of these are names."""
    flag = Reader(json.dumps({"meaning": 1, "root": 0, "types": TYPES["flag"]}))
    for size in range(1, 6):
        for letters in itertools.product("AB| ", repeat=size):
            text = "".join(letters)
            parts = [part.strip(" ") for part in text.split("|")]
            reading = flag.read(json.dumps(text), READ_PLAIN)
            if all(part in ("A", "B") for part in parts):
                assert reading["ok"] and reading["value"] == parts, (text, reading)
            elif len(parts) > 1:
                assert not reading["ok"], (text, reading)
