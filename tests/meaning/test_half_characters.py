"""A text that ends inside of a character is shown without it, and with it as soon as it is whole."""

from __future__ import annotations

import json

import pytest

from graphmend.core import READ_PLAIN, Reader, Stream

# First and last characters of each first byte at which the length changes, of escapes and of pairs of them.
CHARACTERS = ["\x7f", "\x80", "\u00bf", "\u00c0", "\u07ff", "\u0800", "\u0fff", "\u1000", "\ud7ff", "\ue000", "\uffff"]
CHARACTERS += ["\U00010000", "\U0003ffff", "\U00040000", "\U0010ffff"]
ENDS = ["", "b", "\\n", "\\u0041", "\\ud83d\\ude00", "\u00e9", "\U0001f600"]
READER = json.dumps({"meaning": 1, "root": 0, "types": [{"form": "list", "items": [1]}, {"form": "str"}]})


def whole(data: bytes) -> str:
    """What has come of the string that is still open, without what is half there."""
    text = data.decode("utf-8", "ignore")
    for size in range(len(text), -1, -1):
        try:
            shown = json.loads(f'"{text[:size]}"')
        except ValueError:
            continue
        if not (shown and "\ud800" <= shown[-1] <= "\udbff"):
            return str(shown)
    raise AssertionError(data)


@pytest.mark.parametrize("letter", CHARACTERS, ids=ascii)
def test_half_characters(letter: str) -> None:
    reader = Reader(READER)
    for before in ("abc", "ab\u00e9", f"ab{letter}"):
        for end in ENDS:
            stream, content = Stream(reader, READ_PLAIN, collect=1), f"{before}{letter}{end}".encode()
            begun = len(before.encode())
            stream.feed(b'["' + content[:begun])  # a string of a letter or two may still become another value
            for at in range(begun, len(content)):
                stream.feed(content[at : at + 1])
                assert stream.partial()["value"] == [whole(content[: at + 1])], content[: at + 1]
            stream.feed(b'"]')
            assert stream.finish()["value"] == [json.loads(f'"{before}{letter}{end}"')]
