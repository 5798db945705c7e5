"""Answers that belong to another question."""

from __future__ import annotations

from plays.protocol import (
    DONE,
    END,
    PIECES,
    STOP,
    STREAM,
    TEXT,
    answer,
    chunk,
    completion,
    dump,
    event,
    events,
    head,
    http,
    part,
    pieces,
)
from plays.stage import ALL, HOLD, READ, STREAMS, WHOLE, Error, Play, Script, Step, Wait, Want

OTHER = "Another answer."
FAILS: Want = (Error(),)


def behind(*more: Step) -> "list[Step]":
    """Steps behind an answer on the connection that is kept, in which the next request would find them."""
    return [*more, READ, HOLD]


def _kept(name: str, *more: bytes, join: bool = True) -> Play:
    """The second call is made on a new connection, where the right answer is."""

    def script(stream: bool) -> Script:
        extra = b"".join(more) or answer(stream, OTHER)
        steps: list[Step] = [answer(stream) + extra] if join else [answer(stream), Wait(0.05), extra]
        return [[READ, *behind(*steps)], [READ, answer(stream), HOLD]]

    return Play("belonging", name, script, [(TEXT,), (TEXT,)], before=0.0 if join else 0.15)


def _two(name: str, *events_: bytes) -> Play:
    """Two choices in one stream."""
    return Play(
        "belonging",
        name,
        lambda stream: [[READ, STREAM + b"".join(chunk(each) for each in events_) + END, HOLD]],
        [(TEXT, Error())],
        forms=STREAMS,
    )


def choice(index: int, delta: "dict[str, str]", reason: "str | None" = None) -> "dict[str, object]":
    return {"index": index, "delta": delta, "finish_reason": reason}


def several(*choices: "dict[str, object]") -> bytes:
    return event({"choices": list(choices)})


def mixed(name: str, *parts: "tuple[str, str]", want: Want = FAILS) -> Play:
    """Events that have ids."""
    told = [event({**part({"content": text}), "id": id_}) for id_, text in parts]
    data = b"".join(told) + event({**part({}, "stop"), "id": parts[-1][0]}) + DONE
    return Play("belonging", name, lambda stream: [[READ, STREAM + chunk(data) + END]], [want], forms=STREAMS)


def _left(name: str, *response: bytes, forms: "tuple[str, ...]" = STREAMS) -> Play:
    """An answer that is none, on a connection that has more behind it: nobody asks there again."""
    return Play(
        "belonging",
        name,
        lambda stream: [
            [READ, b"".join(response), *behind(Wait(0.1), answer(stream, OTHER))],
            [READ, answer(stream), HOLD],
        ],
        [(Error(),), (TEXT,)],
        {"tries": 1},
        forms,
    )


def _ended(name: str, *response: bytes) -> Play:
    """Where an answer is over but not the connection, the connection is not used again."""
    return Play(
        "belonging",
        name,
        lambda stream: [[READ, b"".join(response), HOLD], [READ, answer(stream, OTHER), HOLD]],
        [(TEXT,), (OTHER,)],
        forms=STREAMS,
    )


PLAYS = [
    _kept("a whole answer behind the answer"),
    _kept("a whole answer behind the answer, later", join=False),
    _kept("a refusal behind the answer", head("content-length: 0", status=500)),
    _kept("a page behind the answer", head("content-length: 5") + b"<html"),
    _kept("bytes behind the answer", b"\0\0\0\0"),
    _kept("a line end behind the answer", b"\r\n"),
    _kept("half an answer behind the answer", b"HTTP/1.1 200 OK\r\ncontent-le"),
    _kept("a byte behind the answer, later", b"H", join=False),
    _kept("a whole answer in two parts behind the answer", head("content-length: 9999"), b'{"choices": '),
    _two(
        "two choices in turns",
        several(choice(0, {"content": PIECES[0]})),
        several(choice(1, {"content": "It"})),
        several(choice(0, {"content": "".join(PIECES[1:])}, "stop")),
        several(choice(1, {"content": " is."}, "stop")),
        DONE,
    ),
    _two("two choices in one event", several(choice(0, {"content": TEXT}), choice(1, {"content": "No."})), STOP, DONE),
    _two("two choices of one number", several(choice(0, {"content": TEXT}), choice(0, {"content": "N"})), STOP, DONE),
    _two("the second choice first", several(choice(1, {"content": "It."}, "stop")), pieces(TEXT), STOP, DONE),
    Play(
        "belonging",
        "only the second choice ends",
        lambda stream: [[READ, STREAM + chunk(pieces("The ") + several(choice(1, {}, "stop")) + DONE) + END, HOLD]],
        [(Error(),)],
        forms=STREAMS,
    ),
    _ended("the connection stays open behind [DONE]", STREAM + chunk(events())),
    _ended("an answer behind [DONE] in chunks that never end", STREAM + chunk(events()) + chunk(events("No."))),
    mixed(
        "two answers in turns", ("a", "The "), ("a", "answer"), ("b", "It "), ("a", " is "), ("b", "is."), ("a", "42.")
    ),
    mixed("one answer behind another", ("a", "The "), ("a", "answer"), ("b", " is "), ("b", "42.")),
    mixed("an id for each event", ("a", "The "), ("b", "answer"), ("c", " is "), ("d", "42."), want=(TEXT,)),
    mixed("an id from the second event", ("", "The "), ("", "answer"), ("c", " is "), ("c", "42."), want=(TEXT,)),
    _left("a page leaves its connection", http(b"<html>"), forms=ALL),
    _left("a cut text leaves its connection", http(dump(completion(TEXT, "length"))), forms=WHOLE),
    _left("an error event leaves its connection", STREAM, chunk(event({"error": "out of memory"})), END),
    _left("two choices leave their connection", STREAM, chunk(several(choice(0, {}), choice(1, {}))), END),
    Play(
        "belonging",
        "an answer in front of the end of its request",
        lambda stream: [[answer(stream), HOLD], [READ, answer(stream), HOLD]],
        [(TEXT, Error()), (TEXT,)],
        {"tries": 1, "timeout": 10.0},
        prompt="x" * 8_000_000,
    ),
    Play(
        "belonging",
        "Connection: close in a second line is kept",
        lambda stream: (
            [[READ, answer(stream).replace(b"OK\r\n", b"OK\r\nconnection: x\r\nconnection: close\r\n", 1), READ, HOLD]]
            + [[READ, answer(stream, OTHER), HOLD]]
        ),
        [(TEXT,), (OTHER,)],
    ),
    Play(
        "belonging",
        "an error leaves half an answer on the connection",
        lambda stream: [
            [READ, head("content-length: 400", status=400) + b"no", Wait(1.5), answer(stream, OTHER), HOLD],
            [READ, answer(stream), HOLD],
        ],
        [(Error(),), (TEXT,)],
        options={"deadline": 10.0, "timeout": 0.5, "tries": 1},
    ),
    Play(
        "belonging",
        "an answer comes behind the deadline of its question",
        lambda stream: [[READ, Wait(0.5), answer(stream, OTHER), HOLD], [READ, answer(stream), HOLD]],
        [(Error(),), (TEXT,)],
        options={"deadline": 0.25, "timeout": 0.25, "tries": 1},
        before=0.4,
    ),
    Play(
        "belonging",
        "an answer in front of the question",
        lambda stream: [[answer(stream, OTHER), READ, HOLD], [READ, answer(stream), HOLD]],
        [(TEXT, OTHER, Error()), (TEXT, Error())],
        {"timeout": 0.5},
    ),
    Play(
        "belonging",
        "Connection: close is kept",
        lambda stream: (
            [[READ, answer(stream).replace(b"OK\r\n", b"OK\r\nconnection: close\r\n", 1), READ, HOLD]]
            + [[READ, answer(stream, OTHER), HOLD]]
        ),
        [(TEXT,), (OTHER,)],
    ),
    Play(
        "belonging",
        "HTTP/1.0 ends its connection",
        lambda stream: [
            [READ, b"HTTP/1.0 200 OK\r\n\r\n" + answer(False).partition(b"\r\n\r\n")[2]]
            if not stream
            else [READ, b"HTTP/1.0 200 OK\r\n\r\n" + events()]
        ],
        [(TEXT,), (TEXT,)],
        requests=2,
    ),
    Play(
        "belonging",
        "a kept connection is used again",
        lambda stream: [[READ, answer(stream), READ, answer(stream, OTHER), HOLD]],
        [(TEXT,), (OTHER,)],
        forms=ALL,
    ),
    Play(
        "belonging",
        "a length and chunks at once",
        lambda stream: [
            [
                READ,
                head("content-length: 5", "transfer-encoding: chunked")
                + chunk(answer(False).partition(b"\r\n\r\n")[2] if not stream else events())
                + END
                + answer(stream, OTHER),
                HOLD,
            ],
            [READ, answer(stream), HOLD],
        ],
        [(TEXT, Error()), (TEXT, Error())],
        {"timeout": 0.5},
    ),
    Play(
        "belonging",
        "two lengths",
        lambda stream: [
            [READ, head("content-length: 10", "content-length: 400") + b"x" * 400, HOLD],
        ],
        [(Error(),)],
        options={"tries": 1},
    ),
]
