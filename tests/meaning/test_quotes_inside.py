"""Quotes, commas and colons inside of a string that may have ended before: what is read, and what is said of it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from stated_texts import hold

from graphmend.core import READ_PLAIN, Reader

PARTS = ['"', "'", ",", ":", "a", " ", "-", "}", "\n"]


def test_quotes_inside() -> None:
    reader = Reader('{"meaning": 1, "root": 0, "types": [{"form": "any"}]}')
    rows = []
    for size in (1, 2, 3):
        for parts in itertools.product(PARTS, repeat=size):
            text = f'{{"k": "x{"".join(parts)}"}}'
            read = reader.read(text, READ_PLAIN)
            told = json.dumps(read["value"]) if read["ok"] else f"{read['message']}, at {read['at']}"
            rows.append(f"{text!r}: {told}\n")
    hold(Path(__file__).parent / "stated" / "quotes_inside.txt", "".join(rows))
