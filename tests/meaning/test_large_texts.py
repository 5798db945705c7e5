"""Large texts: what keeps their reading linear, which no test can time."""

from __future__ import annotations

import dataclasses
import gc
import json
import threading

import pytest

from graphmend.core import READ_BRIEF, READ_PLAIN, Reader, Stream
from graphmend.meaning import ReadError, lower
from graphmend.meaning.collector import LARGE, collector_pause

SEEN: list[bool] = []


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0

    def __post_init__(self) -> None:
        SEEN.append(gc.isenabled())


def large(count: int = 1 + LARGE // 12) -> str:
    return json.dumps([{"x": 12, "y": 3}] * count)


@pytest.fixture(autouse=True)
def collector_as_it_was():
    SEEN.clear()
    yield
    gc.enable()


def test_the_collector_waits_while_a_large_value_is_made() -> None:
    assert len(lower(large(), list[Point])) == len(SEEN)
    assert not any(SEEN)
    assert gc.isenabled()
    SEEN.clear()
    lower('{"x": 1}', Point)
    assert SEEN == [True]


def test_the_collector_stays_as_it_was() -> None:
    with pytest.raises(ReadError):
        lower(large() + "]", list[Point], strict=True)
    assert gc.isenabled()
    gc.disable()
    lower(large(), list[Point])
    assert not gc.isenabled()


def test_threads_wait_for_one_another() -> None:
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with collector_pause:
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait(10)
    lower(large(), list[Point])
    assert not gc.isenabled()  # the other one is at work
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_repairs_may_be_left_out() -> None:
    reader = Reader('{"meaning": 1, "root": 0, "types": [{"form": "any"}]}')
    full, brief = (reader.read("{a: 1, 'b': 2,}", READ_PLAIN | flag) for flag in (0, READ_BRIEF))
    assert len(full["repairs"]) == 3
    assert brief == {**full, "repairs": []}


@pytest.mark.parametrize("front", ["[a ]", "[a] [a]", "{b: a}", "[x y", "it ] [b]"])
@pytest.mark.parametrize("size", [0, 4093, 4096, 4099, 9000])
def test_length_of_the_rest_decides_nothing(front: str, size: int) -> None:
    """Text far behind a value is not there yet when an answer comes in pieces."""
    reader = Reader(json.dumps({"meaning": 1, "root": 0, "types": [{"form": "any"}]}))
    for rest in ("]", " ] [", "w "):
        text = front + " " + rest * (size // len(rest))
        stream = Stream(reader, READ_PLAIN)
        for at in range(0, len(text), 5):
            stream.feed(text[at : at + 5].encode())
        assert stream.finish() == reader.read(text, READ_PLAIN)
