"""Backslashes outside and inside of quotes: what is read of the whole text, and of its beginning while it comes.

A word keeps its backslashes, a string reads them as escapes. All readings stand in `stated`.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from stated_texts import hold

from graphmend.core import READ_PLAIN, Reader, Stream

PARTS = ["a", "\\n", "\\u0041", "\\", "\\\\", "C:\\x", '\\"', "\\/", "\u00e9"]
AROUND = ['["{}"]', '["{}', "{}"]
STRINGS: list[dict[str, Any]] = [{"form": "list", "items": [1]}, {"form": "str"}]
STRING: list[dict[str, Any]] = [{"form": "str"}]
ANY: list[dict[str, Any]] = [{"form": "any"}]


def told(reading: dict[str, Any]) -> str:
    if not reading["ok"]:
        return "refused"
    return json.dumps(reading["value"], ensure_ascii=False)


def growing(reader: Reader, text: str) -> str:
    """What is known while the text comes, each value once."""
    stream = Stream(reader, READ_PLAIN, collect=1)
    seen: list[str] = []
    for letter in text:
        stream.feed(letter.encode())
        shown = told(stream.partial())
        seen += [shown] if shown not in seen[-1:] else []
    return " ".join(seen)


def test_backslashes() -> None:
    rows = []
    for types in (STRINGS, STRING, ANY):
        reader = Reader(json.dumps({"meaning": 1, "root": 0, "types": types}))
        for size, around in itertools.product((1, 2), AROUND):
            for parts in itertools.product(PARTS, repeat=size):
                text = around.format("".join(parts))
                rows.append(f"{text!r}: {told(reader.read(text, READ_PLAIN))}\n")
                rows.append(f"    {growing(reader, text)}\n")
    hold(Path(__file__).parent / "stated" / "backslashes.txt", "".join(rows))
