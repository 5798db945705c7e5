"""Scalars with words in front of them or behind, and rows of values of which one fits no item.

Every label, unit and row in the files beside this one (stated/labels.*), by what is read of it or why nothing is.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

from graphmend.core import READ_PLAIN, READ_STRICT, Reader

HERE = Path(__file__).parent
FORMS = ["int", "float", "bool", "decimal", "timedelta", "literal"]
LITERAL = {"form": "literal", "values": [{"value": "yes"}, {"value": 3}]}
ARTICLES = ["", "the ", "The ", "THE ", "the final ", "final ", "Final  ", "my "]
NOUNS = ["", "answer", "Result", "output", "VALUE", "values", "answer value", "answer result"]
SIGNS = [":", " is ", " is: ", "=", " = ", " is", " isn't ", " ", ": is ", " was ", "::", " is**"]
LETTERS = [chr(code) for code in range(0x21, 0x7F) if not chr(code).isdigit()]
UNITS = [
    *("km/h", "km//h", "/h", "h/", "a/b/c", "°", "°C", "°°", "C°", "°/a", "a°b", "\u00c2", "a\u00c2", "µm", "é", "k m"),
    *("a" * size for size in (15, 16, 17)),
    *("°" * size for size in (1, 7, 8, 9)),
    *("°" * size + "a" for size in (7, 8)),
    *(f"{one}{two}" for one, two in itertools.product("aezAEZ`{@[/", repeat=2)),
]


def reader_of(*types: dict[str, Any]) -> Reader:
    return Reader(json.dumps({"meaning": 1, "root": 0, "types": types}))


def told(reading: dict[str, Any]) -> str:
    if reading["ok"]:
        return f"{json.dumps(reading['value'])} {' '.join(kind for kind, _ in reading['repairs'])}".rstrip()
    message = re.sub("`[^`]*`+", "TEXT", reading["message"])
    return f"{reading['problem']} {reading['path']}: {message}"


def table(reader: Reader, texts: list[str], flags: int = READ_PLAIN) -> str:
    found: dict[str, list[str]] = defaultdict(list)
    for text in dict.fromkeys(texts):
        found[told(reader.read(text, flags))].append(text)
    return "".join(f"{said}\n    {'  '.join(map(repr, some))}\n" for said, some in found.items())


def type_of(form: str) -> dict[str, Any]:
    return LITERAL if form == "literal" else {"form": form}


@pytest.mark.parametrize("form", FORMS)
def test_labels(form: str) -> None:
    value = {"timedelta": "PT1H", "bool": "true"}.get(form, "3")
    texts = [f"{''.join(row)}{value}" for row in itertools.product(ARTICLES, NOUNS, SIGNS)]
    hold(HERE / "stated" / f"labels.{form}.txt", table(reader_of(type_of(form)), texts))


@pytest.mark.parametrize("form", ["int", "float", "decimal"])
def test_units(form: str) -> None:
    """Behind a number at once, behind a blank, and behind one that has a currency; as a whole text, and as an item."""
    texts = [f"3{joint}{unit}" for unit in [*LETTERS, *UNITS] for joint in ("", " ")]
    texts += [f"{front}3{joint}{unit}" for front in ("$", "€ ") for unit in LETTERS for joint in ("", " ")]
    stated = table(reader_of(type_of(form)), texts)
    items = reader_of({"form": "list", "items": [1]}, type_of(form))
    stated += table(items, [json.dumps([text]) for text in texts])
    hold(HERE / "stated" / f"units.{form}.txt", stated)


ITEMS = ["1", '"2"', "1.5", "null", "[3]", "{}", '{"x": 1}', '"a"', "true", "b"]
LAST = ["1", '{"x": 2}']
JOINTS = ["\n", ",", ", ", "\n- ", " ", "\n\n"]


@pytest.mark.parametrize("item", ["int", "record", "int_or_none"])
def test_rows_of_values(item: str) -> None:
    """Without brackets around them, where a list is wanted: of values of which none, one or both fit."""
    types: dict[str, list[dict[str, Any]]] = {
        "int": [{"form": "int"}],
        "record": [
            {"form": "record", "name": "P", "kind": "dataclass", "fields": [{"name": "x", "type": 2}]},
            {"form": "int"},
        ],
        "int_or_none": [{"form": "union", "items": [2, 3]}, {"form": "int"}, {"form": "none"}],
    }
    texts = [joint.join(row) for joint in JOINTS for size in (1, 2) for row in itertools.product(ITEMS, repeat=size)]
    texts += [
        joint.join((*row, last)) for joint in JOINTS[:2] for row in itertools.product(ITEMS, repeat=2) for last in LAST
    ]
    texts += [f"- {text}" for text in texts if "\n- " in text]
    reader = reader_of({"form": "list", "items": [1]}, *types[item])
    stated = table(reader, texts) + table(reader, texts, READ_PLAIN | READ_STRICT)
    hold(HERE / "stated" / f"rows.{item}.txt", stated)
