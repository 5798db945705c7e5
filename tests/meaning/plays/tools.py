"""Tools are called only when the answer that wants them is whole and without an error. The text of an answer is the
number of calls that were made."""

from __future__ import annotations

from typing import Any

from plays.protocol import (
    DONE,
    END,
    STOP,
    STREAM,
    answer,
    call_pieces,
    calls,
    chunk,
    completion,
    dump,
    event,
    http,
    part,
)
from plays.stage import HOLD, READ, STREAMS, WHOLE, Error, Play

ONE = ("measure", '{"town": "Ulm"}')
READY = event(part({}, "tool_calls"))
BAD = event({"error": {"message": "out of memory"}})
NONE = Error("no call")  # an error, and no tool has been called


def _stream(name: str, *data: bytes, end: bytes = END, **more: Any) -> Play:
    body = STREAM + b"".join(map(chunk, data)) + end
    return Play(
        "tools",
        name,
        lambda stream: [[READ, body], [READ, answer(True), HOLD]],
        [(NONE,)],
        {"tries": 1},
        STREAMS,
        **more,
    )


def _whole(name: str, value: Any) -> Play:
    body = http(dump(value))
    return Play(
        "tools", name, lambda stream: [[READ, body], [READ, answer(False), HOLD]], [(NONE,)], {"tries": 1}, WHOLE
    )


def _called(name: str, stream: bytes, whole: Any, times: int) -> Play:
    return Play(
        "tools",
        name,
        lambda streamed: [[READ, stream if streamed else http(dump(whole)), READ, answer(streamed), HOLD]],
        [(f"{times} calls: The answer is 42.",)],
    )


def chunks(*data: bytes) -> bytes:
    return STREAM + b"".join(map(chunk, data)) + END


MIXED = completion("Wait.", "stop")
MIXED["choices"][0]["message"]["tool_calls"] = calls(ONE)["choices"][0]["message"]["tool_calls"]
FAULTY = {"message": {"tool_calls": [{**MIXED["choices"][0]["message"]["tool_calls"][0], "error": "x"}]}}
PLAYS = [
    _called("a call", chunks(call_pieces(ONE), READY, DONE), calls(ONE), 1),
    _called("two calls", chunks(call_pieces(ONE, ONE), READY, DONE), calls(ONE, ONE), 2),
    _called("a call with stop", chunks(call_pieces(ONE), STOP, DONE), calls(ONE, reason="stop"), 1),
    _called("a call without [DONE]", chunks(call_pieces(ONE), READY), MIXED, 1),
    _stream("an error in front of the call", BAD, call_pieces(ONE), READY, DONE),
    _stream("an error in the call", call_pieces(ONE)[:-60], BAD, READY, DONE),
    _stream("an error behind the call", call_pieces(ONE), BAD, READY, DONE),
    _stream("an error behind the reason", call_pieces(ONE), READY, BAD, DONE),
    _stream("an error at the end", call_pieces(ONE), READY, BAD),
    _stream("an error by its name", call_pieces(ONE), READY, event({"message": "x"}, "error"), DONE),
    _stream("no reason", call_pieces(ONE), DONE),
    _stream("no end", call_pieces(ONE)),
    _stream("cut", call_pieces(ONE), READY, end=b""),
    _stream("the reason length", call_pieces(ONE), event(part({}, "length")), DONE),
    _stream("the reason error", call_pieces(ONE), event(part({}, "error")), DONE),
    _stream("the reason without a call", READY, DONE),
    _stream(
        "another choice's call",
        event({"choices": [{"index": 1, "delta": {"tool_calls": []}}]}),
        call_pieces(ONE),
        READY,
        DONE,
    ),
    _stream("calls that are no list", event(part({"tool_calls": 3})), READY, DONE),
    _stream(
        "arguments that are no text",
        event(part({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "measure", "arguments": 3}}]})),
        READY,
        DONE,
    ),
    _stream(
        "a call without a name",
        event(part({"tool_calls": [{"index": 0, "id": "c", "function": {"arguments": "{}"}}]})),
        READY,
        DONE,
    ),
    _stream("two calls of one number", call_pieces(ONE) + call_pieces(ONE).replace(b"call0", b"call9"), READY, DONE),
    _stream(
        "a call without arguments",
        event(part({"tool_calls": [{"index": 0, "function": {"name": "measure"}}]})),
        READY,
        DONE,
    ),
    _stream(
        "an error in a piece of the call",
        call_pieces(ONE),
        event(part({"tool_calls": [{"index": 0, "error": "x"}]})),
        READY,
    ),
    _stream(
        "a failure in other words behind the call", call_pieces(ONE), READY, event({"choices": [], "code": 500}), DONE
    ),
    _stream("another answer's call", event({**part({"content": "a"}), "id": "a"}) * 2 + call_pieces(ONE) + READY, DONE),
    _stream("20,000 calls", call_pieces(*[("measure", "{}")] * 20_000), READY, DONE),
    _whole("an error in the call", {"choices": [{**FAULTY, "finish_reason": "tool_calls"}]}),
    _whole("20,000 calls", calls(*[ONE] * 20_000)),
    _whole("the reason length", calls(ONE, reason="length")),
    _whole("the reason error", calls(ONE, reason="error")),
    _whole("an error beside the call", {**calls(ONE), "error": {"message": "out of memory"}}),
    _whole(
        "a refusal beside the call",
        {"choices": [{"message": {**calls(ONE)["choices"][0]["message"], "refusal": "No."}, "finish_reason": "stop"}]},
    ),
    _whole("no reason", calls(ONE, reason=None)),  # type: ignore[arg-type]
]
