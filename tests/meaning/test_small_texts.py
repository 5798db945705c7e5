"""Every short row of what holds values together, as models may write it: what is read of it, as a whole and in pieces.

All readings stand in files beside this one (stated/small_texts.*), those that are refused by message and place. Three
laws hold of each: in pieces of a byte it says the same; what is read strictly is what `json` says; and its value,
written as JSON, is read as itself and needs no repair.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

from graphmend.core import READ_PLAIN, READ_STRICT, Reader, Stream

HERE = Path(__file__).parent
PARTS = ["{", "}", "[", "]", ",", ":", '"s"', "'t'", '"', "'", "1", "b", "\n", "//c\n", "\\"]
RARE = [
    "(",
    ")",
    "=",
    "=>",
    ";",
    "`",
    "/*c*/",
    "#c\n",
    "\u201cu\u201d",
    "u\u201d",
    "f(",
    "x=",
    "true",
    "None",
    "-",
    '"""',
    " ",
]
ANY: list[dict[str, Any]] = [{"form": "any"}]
LISTS: list[dict[str, Any]] = [{"form": "list", "items": [1]}, {"form": "any"}]
FIELDS = [{"name": "x", "type": 1}, {"name": "yes", "type": 1, "required": False}]
POINT: list[dict[str, Any]] = [{"form": "record", "name": "f", "kind": "dataclass", "fields": FIELDS}, *ANY]
AROUND: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "alone": ("{}", LISTS),
    "in a list": ("[2, {}]", ANY),
    "in an object": ('{{"k": {}}}', ANY),
    "behind a colon": ('{{"k":{},"l":3}}', ANY),
    "as a key": ('{{"k": 2, {}: 3}}', ANY),
    "between": ('{{"k": 2{}"l": 3}}', ANY),
    "in a call": ("f({})", POINT),
    "in a record": ('{{"x": 2, {}}}', POINT),
}


@functools.cache
def reader_of(name: str) -> Reader:
    return Reader(json.dumps({"meaning": 1, "root": 0, "types": AROUND[name][1]}))


def rows(parts: list[str], rare: list[str], most: int) -> Iterator[str]:
    """Rows of parts, and with one rare part more."""
    for size in range(1, most + 1):
        yield from map("".join, itertools.product(parts, repeat=size))
        for others in itertools.product(parts, repeat=size - 1):
            for at, part in itertools.product(range(size), rare):
                yield "".join((*others[:at], part, *others[at:]))


def in_bytes(reader: Reader, text: str, flags: int) -> dict[str, Any]:
    stream = Stream(reader, flags, collect=1)
    data = text.encode()
    for at in range(len(data)):
        stream.feed(data[at : at + 1])
    return stream.finish()


def told(reading: dict[str, Any]) -> str:
    repairs = " ".join(f"{kind}@{at}" for kind, at in reading["repairs"])
    return f"{json.dumps(reading['value'], ensure_ascii=False)} {repairs}".rstrip()


def json_says(text: str) -> str:
    try:
        return repr(json.loads(text))
    except ValueError:
        return "refused"


def check_laws(reader: Reader, text: str, reading: dict[str, Any], is_any: bool) -> None:
    assert in_bytes(reader, text, READ_PLAIN) == reading, text
    strict = reader.read(text, READ_PLAIN | READ_STRICT)
    assert strict["ok"] or json_says(text) == "refused" or not is_any, (text, strict)
    assert not strict["ok"] or repr(strict["value"]) == json_says(text), (text, strict)
    assert in_bytes(reader, text, READ_PLAIN | READ_STRICT) == strict, text
    if reading["ok"]:
        again = reader.read(json.dumps(reading["value"]), READ_PLAIN)
        assert again["ok"] and repr(again["value"]) == repr(reading["value"]) and not again["repairs"], (text, again)


@pytest.mark.parametrize("name", AROUND)
def test_short_rows(name: str) -> None:
    reader = reader_of(name)
    read: dict[str, list[str]] = defaultdict(list)
    refused: Counter[str] = Counter()
    for row in dict.fromkeys(rows(PARTS, RARE, 3)):
        text = AROUND[name][0].format(row)
        reading = reader.read(text, READ_PLAIN)
        check_laws(reader, text, reading, AROUND[name][1] is ANY)
        if reading["ok"]:
            read[told(reading)].append(json.dumps(row, ensure_ascii=False))
        else:
            refused[f"{reading['problem']}: {reading['message']}, at {reading['at']}"] += 1
    lines = [f"{value}: {'  '.join(found)}" for value, found in read.items()]
    lines += [f"{message}: {count}" for message, count in sorted(refused.items())]
    hold(HERE / "stated" / f"small_texts.{name.replace(' ', '_')}.txt", "\n".join(lines) + "\n")
