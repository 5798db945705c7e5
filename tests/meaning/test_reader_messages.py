"""Each message of the reader in full, with its path and place; one of the sources that no text brings fails a test.

The messages stand in `stated` and are read as a diff, with those of meanings that are none.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from meaning_corpus import types_of
from stated_texts import hold
from test_stated_readings import TYPES

from graphmend.core import READ_PLAIN, READ_STRICT, CoreError, Reader

ROOT = Path(__file__).parents[2]
STATED = Path(__file__).parent / "stated" / "reader_messages.txt"
# By the name of the type, of this corpus or of the stated readings. The sign `!` in front: strictly.
TEXTS: list[tuple[str, str]] = [
    ("list of int", ""),
    ("!literals", "5"),
    ("tuple of nothing", "[1]"),
    ("tuple of int and str", "[]"),
    ("any", '{"a": 1, a: 2}'),
    ("!float or none", "1e999"),
    ("list of records", '{"x":1, "x": 2}'),
    ("!record", '{"": 1}'),
    ("list of records", '{"[x": 1}'),
    ("full", '{"title": "Chair", "price": 12.5, "tags": ["o"] "maker": {"name": "Ann", "since": 1999, "used": true}}'),
    ("items", "Item('olt', 3, 4)"),
    ("record", '{"X": 1, "Lael": "one"}'),
    ("record", "{}"),
    ("named", '{"":1}'),
    ("named", '{"' + "y" * 50 + '":1}'),
    ("!bytes", '"P"'),
    ("!pet", "5"),
    ("shape", '{"name": "a", "sid": 2}'),
    ("int or str", '""\\'),
    ("set of int", '[]"'),
    ("list of int", "{"),
    ("int", "{name: str}i"),
    ("set of int", "[]'[1]"),
    ("dict of int and str", "{,)"),
    ("dict of tuple and int", "[{1]"),
    ("bool", "{n]"),
    ("bool", "[$}"),
    ("int or list of int", "[#]"),
    ("record", '{"ame": "bolt", /*'),
    ("!record", "#"),
    ("scores", "[,"),
    ("frozenset of str", "{```"),
    ("scores", '{"name:":: '),
    ("ints", '[1"'),
    ("!list of int", "5."),
    ("dict of str and list", "{'\n"),
    ("dict of int and str", '[""7"'),
    ("full", '{"name": """o\\lt""", "cout": 3}'),
    ("!any", '"'),
    ("color", '"{\n"'),
    ("!none", "\u201c"),
    ("bool", '{-"'),
    ("scores", "{a'"),
    ("uuid", "[1\\"),
    ("date", "[a'"),
    ("enum", "[1:"),
    ("timedelta", "[1["),
    ("any", "[" * 600),
    ("small int", "[11]"),
    ("small float", "[10.5]"),
    ("small float", "[NaN]"),
    ("small decimal", '["10.5"]'),
    ("short str", '["abcd"]'),
    ("short bytes", '["YWJjZA=="]'),
    ("short list", "[1, 2, 3, 4]"),
    ("short dict", '{"a": 1, "b": 2, "c": 3, "d": 4}'),
    ("two members", '"one two"'),
]
SMALL = {"le": 10}
SHORT = {"max_length": 3}
LISTED = {"form": "list", "items": [1]}


def bounded(form: dict[str, Any], bounds: dict[str, Any], *others: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"form": "annotated", "items": [1], "bounds": bounds}, form, *others]


def in_list(form: str, bounds: dict[str, Any]) -> list[dict[str, Any]]:
    return [LISTED, {"form": "annotated", "items": [2], "bounds": bounds}, {"form": form}]


MORE: dict[str, list[dict[str, Any]]] = {
    **{f"small {form}": in_list(form, SMALL) for form in ("int", "float", "decimal")},
    **{f"short {form}": in_list(form, SHORT) for form in ("str", "bytes")},
    "short list": bounded({"form": "list", "items": [2]}, SHORT, {"form": "int"}),
    "short dict": bounded({"form": "dict", "items": [2, 3]}, SHORT, {"form": "str"}, {"form": "int"}),
    "two members": [
        {"form": "enum", "name": "E", "members": [{"name": "ONE_TWO", "value": 1}, {"name": "one-two", "value": 2}]}
    ],
}
ONE = {"form": "int"}
# Meanings that are none.
MEANINGS: list[Any] = [
    "",
    "[",
    [],
    {},
    {"types": [ONE]},
    {"types": [ONE], "root": 1},
    {"types": [ONE], "root": -1},
    {"types": [ONE], "root": 0.5},
    {"types": [ONE], "root": "0"},
    {"types": [], "root": 0},
    {"types": {}, "root": 0},
    {"types": [7], "root": 0},
    *(
        {"root": 0, "types": [one, ONE]}
        for one in (
            {},
            {"form": 7},
            {"form": "thing"},
            {"form": "list"},
            {"form": "list", "items": 7},
            {"form": "list", "items": [2]},
            {"form": "list", "items": [1, 1]},
            {"form": "list", "items": ["1"]},
            {"form": "dict", "items": [1]},
            {"form": "record"},
            {"form": "record", "name": 7},
            {"form": "record", "name": "R", "kind": 7},
            {"form": "record", "name": "R", "fields": 7},
            {"form": "record", "name": "R", "fields": [7]},
            {"form": "record", "name": "R", "fields": [{"type": 1}]},
            {"form": "record", "name": "R", "fields": [{"name": "a"}]},
            {"form": "record", "name": "R", "fields": [{"name": "a", "type": 9}]},
            {"form": "record", "name": "R", "fields": [{"name": "a", "type": 1, "aliases": 7}]},
            {"form": "record", "name": "R", "fields": [{"name": "a", "type": 1, "aliases": [7]}]},
            {"form": "enum", "name": "E", "members": 7},
            {"form": "enum", "name": "E", "members": [{"value": 1}]},
            {"form": "enum", "name": "E", "members": [{"name": "A", "value": [1]}]},
            {"form": "literal", "values": [{}]},
            {"form": "literal", "values": [{"value": {}}]},
            {"form": "annotated", "items": [1], "bounds": 7},
            {"form": "annotated", "items": [1], "bounds": {"ge": []}},
            {"form": "annotated", "items": [1], "bounds": {"ge": "x"}},
            {"form": "annotated", "items": [0]},
            {"form": "union", "items": [0, 1]},
            {"form": "union", "items": []},
            {"form": "alias", "name": "A", "items": [0]},
            {"form": "alias", "items": [1]},
            {"form": "tools", "items": [1]},
        )
    ),
]


def reader_of(name: str) -> Reader:
    types = {**TYPES, **MORE}.get(name)
    return Reader(json.dumps(types_of(name) if types is None else {"meaning": 1, "root": 0, "types": types}))


def refusal_of(meaning: Any) -> str:
    text = meaning if isinstance(meaning, str) else json.dumps(meaning)
    try:
        return f"read: {Reader(text).meaning()}"
    except CoreError as error:
        return str(error)


def told() -> str:
    lines = []
    for name, text in TEXTS:
        flags = READ_PLAIN | (READ_STRICT if name.startswith("!") else 0)
        reading = reader_of(name.lstrip("!")).read(text, flags)
        kind = reading.pop("problem", "read")
        shown = text if len(text) < 200 else f"{text[:20]}..."
        lines.append(
            f"{name}: {shown!r}\n    {kind}: {reading.get('message')} | {reading.get('path')} | {reading.get('at')}"
        )
    for meaning in MEANINGS:
        lines.append(f"{json.dumps(meaning)}\n    {refusal_of(meaning)}")
    return "\n".join(lines) + "\n"


def test_stated_messages() -> None:
    hold(STATED, told())


FOUND = re.compile(r"\b(?:gm_match_refuse|gm_match_refuse_two|gm_tape_fail|fail|refuse)\(([^;]*);", re.S)
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)+)"')
# What stands for a fault of the reader itself, and what no text is known to bring.
NOT_BROUGHT = {"cannot be read", "could be one item as well as an object around the list"}


def test_every_message_of_the_sources_is_brought() -> None:
    stated = STATED.read_text(encoding="utf-8")
    missing = []
    for path in sorted((ROOT / "src" / "meaning").glob("*.c")):
        if path.name.startswith("source"):
            continue  # test_source.py, which reads Python
        for call in FOUND.findall(path.read_text(encoding="utf-8")):
            for text in TEXT.findall(call):
                parts = [part.strip() for part in re.split(r"%[-.*0-9l]*[a-z]|`", text) if " " in part.strip()]
                missing += [f"{path.name}: {text}" for part in parts if part not in stated and text not in NOT_BROUGHT]
    assert missing == []


def test_messages_show_whole_characters() -> None:
    """Forty bytes of a text at most, and no half of a character, wherever the limit falls."""
    field = {"name": "x", "type": 1}
    types = {
        "record": [{"form": "record", "name": "R", "kind": "dataclass", "fields": [field]}, {"form": "int"}],
        "list": [{"form": "list", "items": [1]}, {"form": "enum", "name": "E", "members": [{"name": "A", "value": 1}]}],
        "dict": [{"form": "dict", "items": [1, 1]}, {"form": "str"}],
    }
    ways = [("record", '{{"x": 1, "{}": 2}}'), ("record", '{{"{}": 2}}'), ("record", '{{"x": "{}"}}')]
    ways += [("list", '["{}"]'), ("list", "[{}]"), ("dict", '{{"{0}": "a", "{0}": "b"}}')]
    shown = 0
    for name, way in ways:
        reader = Reader(json.dumps({"meaning": 1, "root": 0, "types": types[name]}))
        for size in range(44):
            text = ("a" * size + "\u00e9\u20ac\U0001f600" * 9)[:40]
            for flags in (READ_PLAIN, READ_PLAIN | READ_STRICT):
                reading = reader.read(way.format(text), flags)
                found = re.search("`([^`]*?)(\\.\\.\\.)?`", reading.get("message") or "")
                if found is not None:
                    shown += 1
                    assert text.startswith(found[1]) and 37 <= len(found[1].encode()) <= 40, (text, reading)
    assert shown > 300, shown
