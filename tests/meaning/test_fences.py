"""Backquotes at every place of an answer in a fence: what is read of it, whole and in pieces, as a stated text."""

from __future__ import annotations

import json
from pathlib import Path

from stated_texts import hold

from graphmend.core import READ_PLAIN, Reader, Stream

FIELDS = [{"name": "a", "type": 1}, {"name": "b", "type": 3, "required": False, "default": "None"}]
TYPES = [
    {"form": "record", "name": "R", "kind": "dataclass", "fields": FIELDS},
    {"form": "list", "items": [2]},
    {"form": "int"},
    {"form": "str"},
]
ANSWERS = [
    '```json\n{"a": [1, 2], "b": "x"}\n```',
    'So:\n```\n{"a": [1, 2], b: x y}\n```\ndone',
    '{"a": [1], "b": "x"}',
]


def told(reading: dict[str, object]) -> str:
    return json.dumps(reading["value"]) if reading["ok"] else str(reading["problem"])


def in_pieces(reader: Reader, text: str, size: int) -> tuple[str, list[str]]:
    """What is read in the end, and what is shown on the way."""
    stream, shown = Stream(reader, READ_PLAIN), list[str]()
    for at in range(0, len(text), size):
        stream.feed(text[at : at + size].encode())
        value = told(stream.partial())
        shown += [value] if shown[-1:] != [value] else []
    return told(stream.finish()), shown


def test_stated_fences() -> None:
    reader = Reader(json.dumps({"meaning": 1, "root": 0, "types": TYPES}))
    lines = []
    for answer in ANSWERS:
        for at in range(answer.index("{"), len(answer) + 1):
            for count in (1, 2, 3):
                for rest in ("", answer[at:]):
                    text = answer[:at] + "`" * count + rest
                    whole = told(reader.read(text, READ_PLAIN))
                    one, shown = in_pieces(reader, text, 1)
                    assert one == whole == in_pieces(reader, text, 3)[0], text
                    lines.append(f"{text[answer.index('{') :]!r}: {whole} <- {' '.join(shown[-2:])}")
    hold(Path(__file__).parent / "stated" / "fences.txt", "\n".join(lines) + "\n")
