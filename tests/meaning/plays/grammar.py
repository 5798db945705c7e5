"""What an answer says, in forms that nobody expects: members twice, choices and reasons, calls of tools, errors."""

from __future__ import annotations

from typing import Any

from plays.protocol import (
    DONE,
    END,
    PIECES,
    STOP,
    STREAM,
    TEXT,
    answer,
    chunk,
    chunked,
    completion,
    dump,
    event,
    events,
    head,
    http,
    part,
    pieces,
)
from plays.stage import ALL, HOLD, READ, STREAMS, WHOLE, Error, Play, Step, Want

FAILS: Want = (Error(),)
SAME: Want = (TEXT,)
EITHER: Want = (TEXT, Error())
NONE = Error("no call")
PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"


def _stream(group: str, name: str, *data: bytes, want: Want = SAME) -> Play:
    return Play(group, name, lambda stream: [[READ, chunked(*data)]], [want], {"tries": 1}, STREAMS)


def _whole(group: str, name: str, body: bytes, want: Want = SAME) -> Play:
    return Play(group, name, lambda stream: [[READ, http(body)]], [want], {"tries": 1}, WHOLE)


def _twice(name: str, old: bytes, new: bytes, want: Want) -> "list[Play]":
    """A member that an object has two times, in both forms."""
    return [
        _whole("failures", f"{name}, in one object", dump(completion()).replace(old, new, 1), want),
        _stream("failures", f"{name}, in an event", pieces(TEXT), STOP.replace(old, new, 1), DONE, want=want),
    ]


def _reason(reason: Any, want: Want = FAILS) -> "list[Play]":
    return [
        _whole("failures", f"the reason {reason!r}, in one object", dump(completion(TEXT, reason)), want),
        _stream(
            "failures", f"the reason {reason!r}, in an event", pieces(TEXT), event(part({}, reason)), DONE, want=want
        ),
    ]


def choices(*made: Any, **more: Any) -> bytes:
    return event({"choices": list(made), **more})


def choice(index: Any, text: Any, reason: Any = None) -> "dict[str, Any]":
    return {"index": index, "delta": {"content": text}, "finish_reason": reason}


STOPPED = b'"finish_reason": "stop"'
MEMBERS = [
    *_twice("two reasons, length first", STOPPED, b'"finish_reason": "length", ' + STOPPED, FAILS),
    *_twice("two reasons, length last", STOPPED, STOPPED + b', "finish_reason": "length"', FAILS),
    *_twice("one reason twice", STOPPED, STOPPED + b", " + STOPPED, EITHER),
    *_twice("an error, then none", b'"id": "c1"', b'"error": {"message": "out of memory"}, "error": null', FAILS),
    *_twice("choices twice", b'"choices"', b'"choices": [], "choices"', EITHER),
    _whole("failures", "two texts", dump(completion()).replace(b'"content"', b'"content": "No.", "content"'), FAILS),
    _stream(
        "failures",
        "two texts in an event",
        pieces("The ").replace(b'"content"', b'"content": "No", "content"') + STOP + DONE,
        want=FAILS,
    ),
    _stream(
        "failures",
        "two texts, one by an escape",
        pieces(TEXT).replace(b'"content"', b'"c\\u006fntent": "No", "content"') + STOP + DONE,
        want=FAILS,
    ),
    _stream(
        "failures",
        "two texts in an event like the others",
        pieces("a", "b", "c") + pieces("d").replace(b'"content": "d"', b'"content": "d", "content": "e"') + STOP + DONE,
        want=FAILS,
    ),
]
REASONS = [
    *_reason("LENGTH"),
    *_reason("max_tokens"),
    *_reason(""),
    *_reason([]),
    *_reason({"type": "stop"}),
    *_reason(False),
    *_reason("stop "),
    *_reason("tool_calls"),
    *_reason("insufficient_system_resource"),
    _stream("failures", "null as the reason, and [DONE]", pieces(TEXT), event(part({}, None)), DONE, want=FAILS),
    _stream("failures", "length, then stop", pieces(TEXT), event(part({}, "length")), STOP, DONE, want=FAILS),
    _stream(
        "failures",
        "a filter, then [DONE]",
        pieces("The "),
        event(part({"content": ""}, "content_filter")),
        DONE,
        want=FAILS,
    ),
    _stream(
        "failures",
        "a refusal in pieces",
        event(part({"refusal": "I "})),
        event(part({"refusal": "cannot."})),
        STOP,
        DONE,
        want=FAILS,
    ),
    _stream(
        "failures",
        "a refusal beside the last piece",
        pieces("The "),
        event(part({"content": "x", "refusal": "No."}, "stop")),
        DONE,
        want=FAILS,
    ),
    _whole(
        "failures",
        "a refusal with null as its text",
        dump({"choices": [{"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}]}),
        FAILS,
    ),
    _stream("text", "the reason in an event of its own, twice", *map(pieces, PIECES), STOP, STOP, DONE),
    _stream("text", "null as a reason behind the reason", pieces(TEXT), STOP, event(part({}, None)), DONE),
    _stream(
        "text", "usage without choices", pieces(TEXT), STOP, event({"id": "c1", "usage": {"total_tokens": 3}}), DONE
    ),
    _stream(
        "text",
        "usage in each event",
        *(event(part({"content": text}, usage={"total_tokens": n})) for n, text in enumerate(PIECES)),
        STOP,
        DONE,
    ),
    _stream("text", "no choices first", event({"choices": [], "prompt_filter_results": []}), events()),
    _stream("text", "null as an error in each event", events().replace(b'"id"', b'"error": null, "id"')),
]
CHOICES = [
    _stream(
        "belonging", "two choices from the end", choices(choice(1, "No."), choice(0, TEXT)), STOP, DONE, want=EITHER
    ),
    _stream(
        "belonging",
        "a second choice behind the reason",
        pieces(TEXT),
        STOP,
        choices(choice(1, "No.", "stop")),
        DONE,
        want=EITHER,
    ),
    _stream(
        "belonging",
        "a second choice without a text",
        pieces("The "),
        choices(choice(1, "")),
        pieces("answer"),
        STOP,
        DONE,
        want=("The answer", Error()),
    ),
    _stream("belonging", "an index that is a text", choices(choice("1", "It ")), pieces(TEXT), STOP, DONE, want=FAILS),
    _stream("belonging", "an index below 0", choices(choice(-1, "It ")), pieces(TEXT), STOP, DONE, want=FAILS),
    _stream(
        "belonging",
        "two choices in the last event",
        pieces(TEXT),
        choices(choice(0, "", "stop"), choice(1, "", "stop")),
        DONE,
        want=FAILS,
    ),
    _whole("belonging", "three choices", dump({"choices": completion("a")["choices"] * 3}), FAILS),
]


def _both(group: str, name: str, *steps: Step, want: Want = FAILS) -> Play:
    return Play(group, name, lambda stream: [[READ, *steps]], [want], {"tries": 1}, ALL)


ERRORS = [
    _both("failures", "a proxy's page with 200", http(PAGE, "content-type: text/html")),
    _both("failures", "a proxy's page with 200 in chunks", chunked(PAGE[:20], PAGE[20:])),
    _both("failures", "a proxy's page with 502 until the close", head("content-type: text/html", status=502) + PAGE),
    _both("failures", "a page in the middle of a stream", STREAM + chunk(pieces("The ")) + chunk(PAGE) + END),
    _both("failures", "a page behind stop", STREAM + chunk(pieces("The ") + STOP) + chunk(PAGE) + END),
    _both(
        "failures",
        "an answer of another kind",
        http(dump({"type": "message", "content": [{"type": "text", "text": TEXT}], "stop_reason": "end_turn"})),
    ),
    _both("failures", "an error as a list", http(dump([{"error": {"code": 400, "message": "bad"}}]))),
    _both("failures", "an error as a text in quotes", http(dump("out of memory"))),
    _both(
        "failures",
        "an error of problem details",
        http(dump({"type": "about:blank", "title": "Busy", "status": 503}), "content-type: application/problem+json"),
    ),
    _both("failures", "no words with 500", head("content-length: 0", status=500)),
    _both("failures", "a status of 999", http(b"x", status=999)),
    _stream(
        "failures",
        "the name Error in capitals",
        pieces("The "),
        event(part({"content": "x"}), "ERROR"),
        STOP,
        DONE,
        want=FAILS,
    ),
    _stream(
        "failures",
        "the name of an exception",
        pieces("The "),
        event(part({"content": "x"}), "server_exception"),
        STOP,
        DONE,
        want=FAILS,
    ),
    _stream(
        "failures",
        "an error in an event without an end",
        pieces(TEXT),
        STOP,
        b'data: {"error": {"message": "x"}}',
        want=FAILS,
    ),
    _stream(
        "failures",
        "an error behind a comment",
        pieces("The "),
        b": x\n",
        event({"error": {"code": 500}}),
        STOP,
        DONE,
        want=FAILS,
    ),
    _stream(
        "failures",
        "an error in several lines of data",
        pieces("The "),
        b'data: {"err\ndata: or": "x"}\n\n',
        STOP,
        DONE,
        want=FAILS,
    ),
    _stream("failures", "[DONE], then an error", pieces("The "), DONE, event({"error": {"code": 500}}), want=FAILS),
    _stream("failures", "null as an event", pieces("The "), b"data: null\n\n", STOP, DONE, want=FAILS),
    _stream(
        "failures", "an event with a comma too much", pieces("The "), STOP.replace(b"}\n", b",}\n"), DONE, want=FAILS
    ),
    _stream("failures", "two objects in an event", pieces("The ")[:-2] + pieces("x")[5:], STOP, DONE, want=FAILS),
    _stream(
        "failures",
        "not a number as a text",
        b'data: {"choices": [{"delta": {"content": NaN}}]}\n\n',
        STOP,
        DONE,
        want=FAILS,
    ),
    _stream(
        "failures",
        "a number of 5,000 digits",
        pieces(TEXT).replace(b'"id"', b'"created": ' + b"9" * 5000 + b', "id"'),
        STOP,
        DONE,
        want=EITHER,
    ),
    _whole(
        "failures",
        "a number of 5,000 digits in one object",
        dump(completion()).replace(b'"id"', b'"created": ' + b"9" * 5000 + b', "id"'),
        EITHER,
    ),
    _whole("failures", "a text in parts", dump(completion([{"type": "text", "text": TEXT}])), EITHER),
    _whole("failures", "one choice as an object", dump({"choices": completion()["choices"][0]}), FAILS),
    _whole("failures", "an object in a text", dump(dump(completion()).decode()), FAILS),
    _whole("failures", "JSON of several lines", dump(completion()) + b"\n" + dump(completion()) + b"\n", FAILS),
    _whole("failures", "events instead of one object", events(), EITHER),
]


def _calls(name: str, *data: bytes, times: "int | None" = None) -> Play:
    """Tools that are called so many times, or an error and no call."""
    want: Want = (NONE,) if times is None else (f"{times} calls: {TEXT}",)
    script = [[READ, chunked(*data), READ, answer(True), HOLD], [READ, answer(True), HOLD]]
    return Play("tools", name, lambda stream: script, [want], {"tries": 1}, STREAMS)  # type: ignore[arg-type, return-value]


def piece(arguments: str = "", name: str = "", **more: Any) -> bytes:
    function = {**({"name": name} if name else {}), "arguments": arguments}
    return event(part({"tool_calls": [{**more, "function": function}]}))


READY = event(part({}, "tool_calls"))
ULM = '{"town": "Ulm"}'
FIRST = piece(name="measure", index=0, id="a", type="function")
ESCAPED = r'{"town": "\u00dcl\ud83d\udc4bm\"\\"}'
TOOLS = [
    _calls("no index", piece(name="measure", id="a"), piece(ULM[:5], id="a"), piece(ULM[5:]), READY, DONE, times=1),
    _calls("null as an index", piece(name="measure", id="a", index=None), piece(ULM, index=None), READY, DONE, times=1),
    _calls("no index, two calls", piece(ULM, "measure", id="a"), piece(ULM, "measure", id="b"), READY, DONE, times=2),
    _calls("null as an id behind the first", FIRST, piece(ULM, index=0, id=None), READY, DONE, times=1),
    _calls("null as an id without an index", piece(name="measure", id="a"), piece(ULM, id=None), READY, DONE, times=1),
    _calls("an empty id behind the first", FIRST, piece(ULM, index=0, id=""), READY, DONE, times=1),
    _calls("an id in each piece", FIRST, *(piece(each, index=0, id="a") for each in ULM), READY, DONE, times=1),
    _calls("arguments of single characters", FIRST, *(piece(each, index=0) for each in ESCAPED), READY, DONE, times=1),
    _calls(
        "a character in halves",
        FIRST,
        piece('{"town": "@', index=0).replace(b"@", b"\\ud83d"),
        piece('@"}', index=0).replace(b"@", b"\\udc4b"),
        READY,
        DONE,
        times=1,
    ),
    _calls(
        "two calls in turns",
        FIRST,
        piece(name="measure", index=1, id="b"),
        piece(ULM[:4], index=1),
        piece(ULM[:6], index=0),
        piece(ULM[4:], index=1),
        piece(ULM[6:], index=0),
        READY,
        DONE,
        times=2,
    ),
    _calls(
        "the second call first",
        piece(ULM, "measure", index=1, id="b"),
        piece(ULM, "measure", index=0, id="a"),
        READY,
        DONE,
        times=2,
    ),
    _calls(
        "two calls in one event",
        event(
            part(
                {
                    "tool_calls": [
                        {"index": n, "id": f"c{n}", "function": {"name": "measure", "arguments": ULM}} for n in (0, 1)
                    ]
                }
            )
        ),
        READY,
        DONE,
        times=2,
    ),
    _calls("text in front of a call", pieces("Wait."), FIRST, piece(ULM, index=0), READY, DONE, times=1),
    _calls(
        "null for calls in each piece",
        event(part({"content": None, "tool_calls": None})),
        FIRST,
        piece(ULM, index=0),
        READY,
        DONE,
        times=1,
    ),
    _calls("a piece behind the reason", FIRST, piece(ULM[:-1], index=0), READY, piece("}", index=0), DONE),
    _calls("the reason content_filter", FIRST, piece(ULM, index=0), event(part({}, "content_filter")), DONE),
    _calls("a filter behind the reason", FIRST, piece(ULM, index=0), READY, event(part({}, "content_filter")), DONE),
    _calls("the reason null", FIRST, piece(ULM, index=0), event(part({}, None)), DONE),
    _calls("a text as an index", piece(ULM, "measure", index="0", id="a"), READY, DONE),
    _calls("an index below 0", piece(ULM, "measure", index=-1, id="a"), READY, DONE),
    _calls("an index that is true", FIRST, piece(ULM, "measure", index=True, id="b"), READY, DONE),
    _calls(
        "an object as arguments",
        event(
            part(
                {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "measure", "arguments": {"town": "Ulm"}}}]}
            )
        ),
        READY,
        DONE,
    ),
    _calls("a list as a function", event(part({"tool_calls": [{"index": 0, "id": "a", "function": []}]})), READY, DONE),
    _calls(
        "a name twice",
        event(
            part({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "measure", "arguments": ULM}}]})
        ).replace(b'"name"', b'"name": "other", "name"'),
        READY,
        DONE,
    ),
    _calls(
        "arguments twice",
        FIRST,
        piece(ULM, index=0).replace(b'"arguments"', b'"arguments": "{}", "arguments"'),
        READY,
        DONE,
    ),
    _calls(
        "an error between two calls",
        FIRST,
        piece(ULM, index=0),
        event({"error": {"code": 500}}),
        piece(ULM, "measure", index=1, id="b"),
        READY,
        DONE,
    ),
    _calls("a page behind the calls", FIRST, piece(ULM, index=0), READY, PAGE, DONE),
]
PLAYS = [*MEMBERS, *REASONS, *CHOICES, *ERRORS, *TOOLS]
