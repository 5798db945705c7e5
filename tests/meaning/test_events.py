"""Server-sent events: a test for each sentence of the parsing rules of the standard (HTML, 9.2.6)."""

from __future__ import annotations

import pytest

pytest.importorskip("h11")

from graphmend.meaning import EndpointError  # noqa: E402
from graphmend.meaning.transport.events import EventReader  # noqa: E402

SENTENCES = {
    "streams must be decoded using the UTF-8 decode algorithm": (
        "data: Gr\u00fc\u00dfe\n\n".encode(),
        [("message", "Gr\u00fc\u00dfe")],
    ),
    "the UTF-8 decode algorithm strips one leading BOM": (b"\xef\xbb\xbfdata: a\n\n", [("message", "a")]),
    "if any, and only one": (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", [("message", "b")]),
    "and only at the start": (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [("message", "a")]),
    "lines end by CRLF": (b"data: a\r\n\r\ndata: b\r\n\r\n", [("message", "a"), ("message", "b")]),
    "or by LF not preceded by CR": (b"data: a\n\ndata: b\n\n", [("message", "a"), ("message", "b")]),
    "or by CR not followed by LF": (b"data: a\r\rdata: b\r\r", [("message", "a"), ("message", "b")]),
    "in any order": (b"data: a\r\ndata: b\rdata: c\n\r\n", [("message", "a\nb\nc")]),
    "if the line is empty, dispatch the event": (b"data: a\n\n\n\n", [("message", "a")]),
    "if the line starts with a colon, ignore the line": (b":data: a\n: \n:\ndata: b\n\n", [("message", "b")]),
    "the field is what stands before the first colon, the value what stands after": (
        b"data: a: b\n\n",
        [("message", "a: b")],
    ),
    "if the value starts with a space, remove it": (b"data:  a\n\n", [("message", " a")]),
    "only with a space": (b"data:\ta\ndata:b\n\n", [("message", "\ta\nb")]),
    "a line without a colon is a field with an empty value": (b"data\ndata\n\n", [("message", "\n")]),
    "event: set the event type buffer": (b"event: add\ndata: a\n\n", [("add", "a")]),
    "event: the last one counts": (b"event: add\nevent: remove\ndata: a\n\n", [("remove", "a")]),
    "event: an empty one is a message": (b"event: add\nevent\ndata: a\n\n", [("message", "a")]),
    "data: append the value and a line feed": (b"data: a\ndata: b\ndata\n\n", [("message", "a\nb\n")]),
    "otherwise, the field is ignored": (b"dat: x\ndata : x\nDATA: x\n data: x\ndata: a\n\n", [("message", "a")]),
    "if the data buffer is empty, no event, and the event type buffer is emptied": (
        b"event: add\n\ndata: a\n\n",
        [("message", "a")],
    ),
    "an empty value is empty data": (b"data:\n\ndata: a\n\n", [("message", "a")]),
    "one trailing line feed of the data is removed": (b"data\ndata\n\n", [("message", "\n")]),
    "the type of an event without one is message": (b"data: a\n\n", [("message", "a")]),
    "the buffers are emptied behind an event": (
        b"event: add\ndata: a\n\ndata: b\n\n",
        [("add", "a"), ("message", "b")],
    ),
    "at the end of the file pending data is discarded": (b"data: a\n\ndata: b\n", [("message", "a")]),
    "the end may be in the middle of a line": (b"data: a\n\ndata: b", [("message", "a")]),
    "nothing": (b"", []),
}


def read(*pieces: bytes) -> "list[tuple[str, str]]":
    reader = EventReader()
    return [(name, data.decode()) for piece in pieces for name, data in reader.feed(piece)]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_standard_holds_however_the_bytes_are_cut(sentence: str) -> None:
    data, events = SENTENCES[sentence]
    assert read(data) == events
    assert read(*(data[at : at + 1] for at in range(len(data)))) == events
    for at in range(len(data)):
        assert read(data[:at], data[at:]) == events


def test_the_last_event_id_is_kept_unless_it_has_a_null() -> None:
    reader = EventReader()
    reader.feed(b"id: 1\ndata: a\n\nid: 2\0\n")
    assert reader.last_id == b"1"
    reader.feed(b"id\n")
    assert reader.last_id == b""


def test_retry_is_a_number_of_ascii_digits() -> None:
    reader = EventReader()
    reader.feed("retry: 10\nretry: x\nretry: 1x\nretry:\nretry: -1\nretry: \u0661\n".encode())
    assert reader.retry == 10


def test_what_the_end_cuts_off_can_be_asked_for() -> None:
    for tail in (b"data: b", b"data: b\n", b"data: b\r"):
        reader = EventReader()
        assert reader.feed(b"data: a\n\n" + tail) == [("message", b"a")]
        assert reader.rest() == [("message", b"b")]
        assert reader.rest() == []


@pytest.mark.parametrize("data", [b"x" * 101, b"data: " + b"x" * 101 + b"\n", b":" + b"x" * 101 + b"\n"])
def test_a_line_has_a_limit(data: bytes) -> None:
    with pytest.raises(EndpointError, match="longer than 100 bytes") as told:
        EventReader(100).feed(data)
    assert told.value.kind == "limit"
    reader = EventReader(100)
    with pytest.raises(EndpointError):
        for at in range(len(data)):
            reader.feed(data[at : at + 1])


def test_an_event_has_a_limit() -> None:
    with pytest.raises(EndpointError, match="longer than 100 bytes"):
        EventReader(100).feed(b"data: 1234567\n" * 20)


def test_what_is_no_field_is_told() -> None:
    for line in (b"Internal Server Error", b'{"error": "x"}', b"error: x", b"Data: {}", b"<html>", b"event: error\n"):
        reader = EventReader()
        assert reader.feed(b"data: a\nunknown: b\n\n" + line + b"\n") == [("message", b"a")]
        assert reader.foreign
    reader = EventReader()
    reader.feed(b"data: a\nunknown: b\nx-y\n: c d\nevent: ping\n\n")
    assert reader.foreign == b""
