"""Events of a stream that differ from the previous event only in their text, as nearly all events do.

    {"choices": [{"delta": {"content": "Hel"}}], "id": "a"}
    {"choices": [{"delta": {"content": "lo"}}], "id": "a"}     # same bytes in front of the text and behind

In an event without a backslash, all quotes are around strings. A single "content" therefore fixes the bytes in front of
the text and behind the text. Bytes with the same ends and a plain text in between are JSON of the same value with
another text, and no parser has to read the ends again.
"""

from __future__ import annotations

import re
from typing import Optional

Ends = tuple[bytes, bytes]  # what stands in front of the text, up to its quote, and from its other quote on
_KEY = re.compile(rb'"content"[ \t]*:[ \t]*"')
plain = re.compile(rb'[^"\\\x00-\x1f]+').fullmatch  # what is a string of JSON as it stands


def ends_of(data: bytes, text: str) -> Optional[Ends]:
    """The ends of an event around its text; None where the ends are ambiguous."""
    if b"\\" in data or data.count(b'"content"') != 1:
        return None
    key = _KEY.search(data)
    if key is None:
        return None
    start, end = key.end(), data.index(b'"', key.end())
    return (data[:start], data[end:]) if data[start:end] == text.encode("utf-8", "replace") else None
