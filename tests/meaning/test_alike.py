"""Events that are like the one before them are read without JSON. The outcome is that of JSON, whatever they have."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

pytest.importorskip("h11")

from graphmend.meaning import EndpointError, completions  # noqa: E402
from graphmend.meaning.alike import ends_of  # noqa: E402
from graphmend.meaning.completions import StreamReader  # noqa: E402

TEXTS = [
    *("a", "b c", "", " ", "\n", '"', "\\", '"content": "x"', "content", "},{", "é", "世界", "👋", "\ud83d", "\udc4b"),
    *("\u2028", "\x7f", "\x00", "[DONE]", "data: ", "null", "\ufeff", '", "error": "x', "0"),
]
RAW = [b"\xff", b"\xc3", b"\x01", b"\t", b'"', b"\\", b'x", "finish_reason": "stop', b"\\u0041", b"\\ud83d"]


def event(chance: random.Random) -> bytes:
    """An event that is mostly like the others."""
    delta: dict[str, Any] = {"content": chance.choice(TEXTS if chance.random() < 0.3 else ["abc", "de", "f"])}
    choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": None}
    value: dict[str, Any] = {"id": "c1", "choices": [choice]}
    if chance.random() < 0.2:
        at, more = chance.choice(
            [
                (value, {"id": chance.choice(["c1", "c2", ""])}),
                (value, {"usage": {"total_tokens": chance.randrange(9), "content": "abc"}}),
                (value, {"error": chance.choice([None, "bad"])}),
                (value, {"choices": []}),
                (choice, {"index": chance.choice([0, 0, 1])}),
                (choice, {"finish_reason": chance.choice(["", "stop", "length"])}),
                (choice, {"logprobs": {"content": [{"token": "abc"}]}}),
                (delta, {"content": chance.choice([None, 3, ["abc"]])}),
                (delta, {"role": "assistant", "reasoning_content": "content"}),
                (delta, {"tool_calls": [{"index": 0, "id": "t", "function": {"name": "f", "arguments": "abc"}}]}),
                (delta, {"refusal": chance.choice([None, "", "no"])}),
            ]
        )
        at.update(more)
    data = json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    if chance.random() < 0.05:
        data = data.replace(b"abc", chance.choice(RAW), 1)
    if chance.random() < 0.05:
        data = data.replace(b'"content": ', chance.choice([b'"content":', b'"content" : ', b'"c\\u006fntent": ']), 1)
    name = b"event: %s\n" % chance.choice([b"message", b"ping", b"part"]) if chance.random() < 0.05 else b""
    return name + b"data: " + data + b"\n\n"


def outcome(events: "list[bytes]", size: int) -> Any:
    """What a reader makes of a stream."""
    reader, pieces = StreamReader(1 << 20), []
    data = b"".join(events)
    try:
        for at in range(0, len(data), size):
            pieces += reader.feed(data[at : at + size])
            if reader.problem is not None:
                raise reader.problem
        pieces += reader.last()
        answer = reader.finish()
    except EndpointError as error:
        return "".join(pieces), error.kind, str(error), reader.received, repr(reader.usage)
    assert answer.text == "".join(pieces)
    return answer.text, [(call.name, call.arguments) for call in answer.calls], repr(reader.usage)


def test_what_is_read_without_json_is_what_json_says(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = 0
    for seed in range(3000):
        chance = random.Random(seed)
        events = [event(chance) for _ in range(chance.randrange(1, 12))]
        events.append(b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')
        size = chance.choice([1, 7, 100, 100_000])
        found = outcome(events, size)
        monkeypatch.setattr(completions, "CHANCES", 0)
        assert found == outcome(events, size), events
        monkeypatch.undo()
        texts += len(found) == 3
    assert texts > 1000


def test_events_are_like_the_one_before_them() -> None:
    data = b'{"choices": [{"delta": {"content": "abc"}, "index": 0}], "id": "abc"}'
    ends = ends_of(data, "abc")
    assert ends == (b'{"choices": [{"delta": {"content": "', b'"}, "index": 0}], "id": "abc"}')
    assert ends_of(data.replace(b"{}", b"{} "), "abcd") is None
    assert ends_of(data.replace(b'"index"', b'"content"'), "abc") is None
    assert ends_of(data.replace(b"abc", b"a\\u0062c"), "abc") is None
