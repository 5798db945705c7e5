"""What a stream shows after each byte of what models write: it depends on the bytes alone, and stands in a file.

The way there does not count: bytes one by one with a look after each, all of them at once, and two pieces show the
same. What is shown as a text grows is beside this file (stated/streams.txt), where it is another than a byte before.
"""

from __future__ import annotations

import codecs
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from meaning_corpus import CASES, types_of
from stated_texts import hold

from graphmend.core import READ_PLAIN, READ_STRICT, Reader, Stream

HERE = Path(__file__).parent
FLAGS = {"": READ_PLAIN, "strict": READ_PLAIN | READ_STRICT, "raw": 0}
MORE = [  # a type of the corpus, and a text that ends in many ways
    ("items", '[{"name": "a\\u00e9\\ud83d\\ude00b\\n", "count": -1.5e3}, {"count": 2, "name": "x\\x41y"}]'),
    ("items", "[{name: 'it''s', count: 12 km}, {'name': \"say \"so\", he\", 'count': 1,000}]"),
    ("items", '```json\n[{"name": "a", /* c */ "count": 1}, // d\n {"name": """b""", "count" => 2},\n```\nDone.'),
    ("items", '<think>[{}]</think>{"name": \u201ca\u201d, \'count\'; 1} {"name": "b", "count": true}'),
    ("items", '[Item(name="a", count=1), Item("b", 2), Item(name=b\'x\', count=None)]'),
    ("full", '{"title": "a\nb", "price": 1., "tags": ["x" "y", r"\\z", u\'w\'], "maker": {"name": "m", "since": 1e3}}'),
    ("full", '{"title": A title, "price": -, "tags": [[]], "maker": {"name": null, "since": 007}, "used": yes}'),
    ("full", '{"used": True, "maker": {"since": 1, "name": "\\"}, "tags": ["\u20ac\U0001f600", "`", "}"], "price": .5'),
    ("scores", "{a: 1, 'b': 2, \"c\" 3, \"d\"= 4 'e' : 5; f: 6}"),
    ("ints", "[1, -2, 3.0, +4, 5e0, 0x6, 1_000, '7', \"8\", nine, null]"),
    ("int", "The answer is: **42**."),
    ("float", "```\n1.5\n```"),
    ("color", "Color.DARK_BLUE"),
    ("pet", '{"kind": "dog", "name": "Rex"'),
]


@functools.cache
def reader_of(name: str) -> Reader:
    return Reader(json.dumps(types_of(name)))


def shown_after(reader: Reader, flags: int, *pieces: bytes) -> dict[str, Any]:
    stream = Stream(reader, flags, collect=1)
    for piece in pieces:
        stream.feed(piece)
    return stream.partial()


def shown(reader: Reader, data: bytes, flags: int) -> Iterator[dict[str, Any]]:
    """What is shown behind each byte of a text that comes byte by byte."""
    stream = Stream(reader, flags, collect=1)
    for at in range(len(data)):
        stream.feed(data[at : at + 1])
        yield stream.partial()


TEXTS = list(dict.fromkeys([*MORE, *((case.type, case.text) for case in CASES)]))


@pytest.mark.parametrize("how", FLAGS)
def test_the_way_to_a_beginning_does_not_count(how: str) -> None:
    for name, text in TEXTS:
        reader, data = reader_of(name), text.encode()[:160]
        for at, one in enumerate(shown(reader, data, FLAGS[how])):
            end = at + 1
            assert shown_after(reader, FLAGS[how], data[:end]) == one, (name, data[:end])
            assert shown_after(reader, FLAGS[how], data[: end // 2], data[end // 2 : end]) == one, (name, data[:end])


def told(reading: dict[str, Any]) -> str:
    if not reading["ok"]:
        return f"{reading['problem']}: {reading['message']}, at {reading['at']}"
    repairs = " ".join(f"{kind}@{at}" for kind, at in reading["repairs"])
    return f"{json.dumps(reading['value'], ensure_ascii=False)} {repairs}".rstrip()


def growing(name: str, text: str) -> Iterator[str]:
    yield f"{name} {json.dumps(text, ensure_ascii=False)}"
    data, last = text.encode(), ""
    for at, reading in enumerate(shown(reader_of(name), data, READ_PLAIN)):
        if told(reading) != last:
            yield f"  {at + 1} {told(reading)}"
        last = told(reading)


def test_what_is_shown_as_a_text_grows() -> None:
    lines = [line for name, text in TEXTS if len(text) < 120 for line in growing(name, text)]
    hold(HERE / "stated" / "streams.txt", "\n".join(lines) + "\n")


def test_long_strings_are_shown_up_to_the_cut() -> None:
    """A string of some kilobytes: all of it that has come is shown, but for half an escape and half a character."""
    reader = Reader('{"meaning": 1, "root": 0, "types": [{"form": "list", "items": [1]}, {"form": "str"}]}')
    content = "".join(f"{at} \\n" if at % 9 == 0 else f"\u20ac{at} \U0001f600" for at in range(400))
    data = f'["{content}"]'.encode()
    for size in (1, 7, 100, 1000):
        stream = Stream(reader, READ_PLAIN, collect=1)
        for start in range(0, len(data) - size - 2, size):
            stream.feed(data[start : start + size])
            come = data[2 : start + size].decode(errors="ignore")
            if size > 1 or start % 97 == 0:
                reading = stream.partial()
                said = json.loads(f'"{come[:-1] if come.endswith(chr(92)) else come}"')
                assert reading["ok"] and reading["value"] == ([said] if start + size > 2 else []), (start, size)


@pytest.mark.parametrize("name", ["any", "str"])
def test_what_cannot_be_a_character_is_refused_at_once(name: str) -> None:
    """Bytes at the end of a piece that begin a character wait for the others; those that do not are no text."""
    reader = Reader(json.dumps({"meaning": 1, "root": 0, "types": [{"form": "list", "items": [1]}, {"form": name}]}))
    for first in range(0x80, 0x100):
        for more in (b"", b"\x80", b"\xbf", b"a", b"\x80\x80", b"\x80a", b"\xbf\xc3", b"\x90\x80\xbf", b"\x90\x80\xe2"):
            last = bytes([first]) + more
            reading = shown_after(reader, READ_PLAIN, b'["ab', last)
            try:
                said: Any = codecs.getincrementaldecoder("utf-8")().decode(last)
            except UnicodeDecodeError:
                said = None
            if said is None and first in (0xE0, 0xED, 0xF0, 0xF4):
                continue  # half a character, and no other half of it: refused now or with the next byte
            assert reading["ok"] == (said is not None), (last, reading)
            assert not reading["ok"] or reading["value"] == [f"ab{said}"], (last, reading)
            assert reading["ok"] or reading["message"] == "the text is not UTF-8", reading
