"""Scalars as models decorate them, up to three times over: the value is the plain one or none; and of nothing, none."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from stated_texts import hold
from test_stated_readings import HERE, TYPES

from graphmend.core import READ_PARTIAL, READ_PLAIN, Reader

WAYS = ["**{}**", "`{}`", "{}.", "Answer: {}", "The answer is {}", "_{}_", '"{}"', "```\n{}\n```", "<think>1</think>{}"]
WAYS += ["{}\n", "# {}", "({})", "{}!"]
VALUES = {
    "int": "42",
    "float": "1.5",
    "bool": "true",
    "date": "2024-01-02",
    "none": "null",
    "literals": "on",
    "enum": "ONE",
    "uuid": "00000000-0000-0000-0000-000000000001",
}


def reader_of(name: str) -> Reader:
    return Reader(json.dumps({"meaning": 1, "root": 0, "types": TYPES.get(name) or [{"form": name}]}))


def decorated(value: str, most: int) -> list[str]:
    found = [value]
    for ways in itertools.chain.from_iterable(itertools.product(WAYS, repeat=size) for size in range(1, most + 1)):
        text = value
        for way in ways:
            text = way.format(text)
        found.append(text)
    return found


def told(reading: dict[str, Any]) -> str:
    names = ", ".join(sorted({name for name, _ in reading.get("repairs", [])}))
    return f"{json.dumps(reading['value'])} {names}" if reading["ok"] else "refused"


@pytest.mark.parametrize("name", VALUES)
def test_decorated_values(name: str) -> None:
    reader = reader_of(name)
    plain = reader.read(VALUES[name], READ_PLAIN)
    assert plain["ok"]
    good = 0
    for text in decorated(VALUES[name], 3):
        reading = reader.read(text, READ_PLAIN)
        good += reading["ok"]
        assert not reading["ok"] or reading["value"] == plain["value"], (text, reading)
    assert good > 200, good


@pytest.mark.parametrize("name", VALUES)
def test_decorations_of_nothing(name: str) -> None:
    reader = reader_of(name)
    for text in decorated("", 3):
        for flags in (READ_PLAIN, READ_PLAIN | READ_PARTIAL):
            reading = reader.read(text, flags)
            assert not reading["ok"] or reading["value"] is None, (text, reading)
            assert not reading["ok"] or name == "none" or flags & READ_PARTIAL, (text, reading)


def test_stated_decorations() -> None:
    """Twice over, with the repairs that each is."""
    stated = ""
    for name in ("int", "bool", "date", "literals"):
        reader = reader_of(name)
        for text in decorated(VALUES[name], 2):
            stated += f"{name} {json.dumps(text)}: {told(reader.read(text, READ_PLAIN))}\n"
    hold(HERE / "stated" / "decorated.txt", stated)
