"""An answer cannot keep the reader from its end, and what the core says about it is always JSON."""

from __future__ import annotations

import json

import pytest
from threat_limits import run_python

TEXT = {"form": "str"}
TYPES = {
    "any": [{"form": "any"}],
    "lists": [{"form": "list", "items": [1]}, {"form": "list", "items": [2]}, {"form": "int"}],
    "optional": [{"form": "union", "items": [1, 2]}, TEXT, {"form": "none"}],
    "person": [
        {"form": "union", "items": [1, 2]},
        TEXT,
        {"form": "record", "name": "P", "fields": [{"name": "a", "type": 1}]},
    ],
}
# Beginnings, and what is repeated behind them.
SHAPES = [
    ("[", "a "),
    ("[", "a"),
    ("[", "1"),
    ('{"a": ', "x y "),
    ("[", '"[1]",'),
    ("[", '"[1,]",'),
    ('{"a": "', "\n"),
    ("[", "[a"),
    ("[", "$[]"),
    ("", "P("),
    ("", "{}"),
    ("```", "a"),
    ("[", "a ("),
]
PROGRAM = """
import json, sys
from graphmend import core
text, types, piece = json.load(sys.stdin)
reader = core.Reader(json.dumps({"meaning": 1, "root": 0, "types": types}))
stream = core.Stream(reader, 0, 1)
for at in range(0, len(text), piece):
    stream.feed(text[at : at + piece].encode())
assert stream.finish() == reader.read(text)
"""


@pytest.mark.parametrize(("start", "unit"), SHAPES)
def test_a_long_answer_is_read_in_time(start: str, unit: str) -> None:
    """Whole and in pieces of 61 bytes, and both say the same."""
    for types in TYPES.values():
        text = start + unit * (200_000 // len(unit))
        ran = run_python(PROGRAM, json.dumps([text, types, 61]))
        assert ran.returncode == 0, ran.stderr[-300:]


@pytest.mark.parametrize("size", [4095, 4096, 4097, 4098, 4099, 4100, 8193])
def test_words_at_the_limit(size: int) -> None:
    """Text without quotes around the length up to which it can be a value."""
    text = ("[" + "a " * size)[:size]
    for types in TYPES.values():
        ran = run_python(PROGRAM, json.dumps([text, types, 1]))
        assert ran.returncode == 0, ran.stderr[-300:]


@pytest.mark.parametrize("text", ["", " ", "{}", "[1, 2]", "[]", "```\n```", "<think>a</think>", "null", '"', "{"])
def test_every_answer_is_json(text: str) -> None:
    """A root that may be text has a value, or says why not."""
    from graphmend import core

    for types in TYPES.values():
        reader = core.Reader(json.dumps({"meaning": 1, "root": 0, "types": types}))
        for flags in range(16):
            said = reader.read(text, flags)
            assert ("value" in said) == said["ok"]


@pytest.mark.parametrize("text", ['{"a": n\0\2m"}', '{"a": "b", n\0\2m": "c"}', '["a", n\x1fm"]'])
def test_control_characters_behind_a_forgotten_quote(text: str) -> None:
    """Found by the fuzz target `answer`: such a value was no JSON."""
    from graphmend import core

    for types in (
        [{"form": "any"}],
        [{"form": "dict", "items": [1, 2]}, TEXT, {"form": "any"}],
        [{"form": "list", "items": [1]}, TEXT],
    ):
        for flags in range(8):
            core.Reader(json.dumps({"meaning": 1, "root": 0, "types": types})).read(text, flags)
