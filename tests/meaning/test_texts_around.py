"""A value with every short row of what stands around answers: whether it is the answer, and with which repairs.

The matrices stand beside this file (stated/around.*.*): a row for what is in front, a column for what is behind, a sign
for each outcome. However the text is cut the outcome is the same, and places of repairs are inside of the text.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

from graphmend.core import READ_PLAIN, Reader, Stream

HERE = Path(__file__).parent
WORDS = [
    "Sure: ",
    "it is ",
    "\n",
    ".",
    "```",
    "```json\n",
    "- ",
    "1. ",
    ",",
    "{",
    "}",
    "[",
    "]",
    '"',
    "<think>",
    "</think>",
]
WORDS += ["{}", "[1]", '{"x": 2}', "or ", "Answer:", "**", "(", ")", "e.g. ", "...", "\n\n", "#"]
PARTS = 8
FIELDS = [{"name": "x", "type": 1}, {"name": "y", "type": 1, "required": False}]
INT = {"form": "int"}
ASKED: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "record": ('{"x": 1}', [{"form": "record", "name": "P", "kind": "dataclass", "fields": FIELDS}, INT]),
    "list": ("[1, 2]", [{"form": "list", "items": [1]}, INT]),
    "int": ("7", [{"form": "alias", "name": "N", "items": [1]}, INT]),
    "union": (
        '{"x": 1}',
        [{"form": "union", "items": [1, 2]}, INT, {"form": "dict", "items": [3, 1]}, {"form": "str"}],
    ),
}
SIGNS = [chr(code) for code in (*range(0x61, 0x7B), *range(0x41, 0x5B), *range(0x3B1, 0x3CA), *range(0x430, 0x450))]


def rows(most: int) -> list[str]:
    return ["".join(row) for size in range(most + 1) for row in itertools.product(WORDS, repeat=size)]


def outcome(reading: dict[str, Any], text: str) -> str:
    """Without the places of repairs, which test_small_texts.py holds."""
    if not reading["ok"]:
        return f"{reading['problem']}: {re.sub('`[^`]*`+', 'TEXT', reading['message'])}"
    assert all(0 <= at <= len(text.encode()) for _, at in reading["repairs"]), (text, reading)
    return f"{json.dumps(reading['value'])} {' '.join(sorted(kind for kind, _ in reading['repairs']))}".rstrip()


def in_two(reader: Reader, data: bytes, at: int) -> dict[str, Any]:
    stream = Stream(reader, READ_PLAIN, collect=1)
    stream.feed(data[:at])
    stream.partial()
    stream.feed(data[at:])
    return stream.finish()


def matrix(reader: Reader, value: str, signs: dict[str, str], before: list[str], behind: list[str]) -> str:
    lines = []
    for first in before:
        line = ""
        for last in behind:
            text = f"{first}{value}{last}"
            reading = reader.read(text, READ_PLAIN)
            line += signs.setdefault(outcome(reading, text), SIGNS[len(signs)])
            data = text.encode()
            assert in_two(reader, data, (len(first) + len(last)) % (len(data) + 1)) == reading, text
        lines.append(f"{line} {first!r}\n")
    return "".join(lines)


def part_of(texts: list[str], part: int) -> list[str]:
    return texts[len(texts) * part // PARTS : len(texts) * (part + 1) // PARTS]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", ASKED)
def test_texts_around(name: str, part: int) -> None:
    """In parts, so that each has its seconds where a mutant of the core meets it."""
    value, types = ASKED[name]
    reader = Reader(json.dumps({"meaning": 1, "root": 0, "types": types}))
    signs: dict[str, str] = {}
    stated = matrix(reader, value, signs, part_of(rows(2), part), rows(1))
    stated += matrix(reader, value, signs, part_of(rows(1)[1:], part), rows(2)[29:])
    stated += "".join(f"{sign}: {said}\n" for said, sign in signs.items())
    hold(HERE / "stated" / f"around.{name}.{part}.txt", stated)


MARKS = ["\n", "- ", "* ", "1. ", "2) ", ",", " ", "10.", "a", "-"]


@pytest.mark.parametrize("item", ['{"x": 1}', "[7]"])
def test_texts_between(item: str) -> None:
    """Values one after the other: a row for what is between two of them, a column for what is in front and behind."""
    types: list[dict[str, Any]] = [{"form": "list", "items": [1]}, {"form": "any"}]
    reader, signs = Reader(json.dumps({"meaning": 1, "root": 0, "types": types})), dict[str, str]()
    between = ["".join(row) for size in range(1, 4) for row in itertools.product(MARKS, repeat=size)]
    ends = [
        ("", ""),
        ("- ", ""),
        ("1. ", "\n"),
        ("* ", "."),
        ("\n", ","),
        ("a\n", ""),
        ("```\n- ", "\n```"),
        ("10) ", "\n- "),
    ]
    lines = []
    for row in between:
        line = ""
        for first, last in ends:
            text = f"{first}{item}{row}{item}{last}"
            reading = reader.read(text, READ_PLAIN)
            line += signs.setdefault(outcome(reading, text), SIGNS[len(signs)])
        lines.append(f"{line} {row!r}\n")
    lines += [f"{sign}: {said}\n" for said, sign in signs.items()]
    hold(HERE / "stated" / f"between.{'object' if item[0] == '{' else 'list'}.txt", "".join(lines))
