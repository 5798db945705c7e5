"""Events of a stream that differ from the previous event in the text alone, as nearly all events do.

In an event without a backslash, all quotes are around strings. So with a single "content", the bytes in front of the
text and behind the text are known. Bytes with the same ends and a plain text in between are JSON of the same value with
another text, and no parser has to read the ends again.
"""

from __future__ import annotations

import re
from typing import Optional

Ends = tuple[bytes, bytes]  # what stands in front of the text, up to its quote, and from its other quote on
_KEY = re.compile(rb'"content"[ \t]*:[ \t]*"')
plain = re.compile(rb'[^"\\\x00-\x1f]+').fullmatch  # what is a string of JSON as it stands


def ends_of(data: bytes, text: str) -> Optional[Ends]:
    """The ends of an event whose text is `text`; None where they cannot be told."""
    if b"\\" in data or data.count(b'"content"') != 1:
        return None
    key = _KEY.search(data)
    if key is None:
        return None
    start, end = key.end(), data.index(b'"', key.end())
    return (data[:start], data[end:]) if data[start:end] == text.encode("utf-8", "replace") else None
