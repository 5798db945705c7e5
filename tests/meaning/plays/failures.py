"""Values where there was an error."""

from __future__ import annotations

import gzip
from typing import Any

from plays.protocol import (
    DONE,
    END,
    STOP,
    STREAM,
    TEXT,
    calls,
    chunk,
    chunked,
    completion,
    dump,
    event,
    head,
    http,
    part,
    pieces,
)
from plays.stage import READ, RESET, STREAMS, WHOLE, Error, Play, Wait, Want

ONCE = {"tries": 1}
FAILS: Want = (Error(),)
TOLD = {"message": "out of memory", "type": "server_error", "code": 500}
FORMS = {  # an error as servers write one into a stream
    "an object": event({"error": TOLD}),
    "a text in an object": event({"error": "out of memory"}),
    "by its event's name": event(TOLD, name="error"),
    "by its event's name, beside error": event({"error": TOLD}, name="error"),
    "by its event's name, as a text": b"event: error\ndata: out of memory\n\n",
    "a text": b"data: Internal Server Error\n\n",
    "beside choices": event(part({"content": ""}, error=TOLD)),
    "beside a piece": event(part({"content": "x"}, error=TOLD)),
    "beside empty choices": event({"choices": [], "error": TOLD}),
    "in a choice": event({"choices": [{"index": 0, "delta": {}, "error": TOLD}]}),
    "an object of its own kind": event({"object": "error", **TOLD}),
    "only details": event({"detail": "out of memory"}),
    "in a delta": event(part({"content": "x", "error": "out of memory"})),
    "a list of errors beside choices": event(part({}, errors=[TOLD])),
    "its type beside choices": event(part({}, type="error", message="out of memory")),
    "by another name": event({"choices": []}, name="failure"),
    "its reason": event(part({}, "error")),
    "a list": event([{"error": TOLD}]),
    "in two lines": b'data: {"error":\ndata: {"message": "out of memory"}}\n\n',
    "without an empty line": b'data: {"error": {"message": "out of memory"}}\n',
    "a text between events": b"Internal Server Error\n\n",
    "a field of its own": b'error: {"message": "out of memory"}\n\n',
    "an object between events": b'{"error": {"message": "out of memory"}}\n\n',
    "its event's name without data": b"event: error\ndata\n\n",
    "a page": b"data: <html><body>502</body></html>\n\n",
    "a code and words beside empty choices": event({"choices": [], "code": 500, "message": "out of memory"}),
    "words beside empty choices": event({"choices": [], "message": "out of memory"}),
    "words beside null for choices": event({"choices": None, "detail": "out of memory"}),
    "a code in a part of its own": event({"choices": None, "base_resp": {"status_code": 1004, "status_msg": "no"}}),
    "in a part of its own": event(part({"content": ""}, x_server={"error": "out of memory"})),
    "a code beside a piece": event(part({"content": "x"}, code=503, msg="busy")),
    "a code as a text": event(part({}, statusCode="503")),
    "in other words": event(part({}, errorMessage="out of memory")),
    "a code of an error": event(part({}, error_code=17)),
    "an exception": event(part({}, exception="OutOfMemory")),
    "no success": event(part({"content": ""}, success=False)),
    "its state": event(part({}, status="failed")),
    "a state in a part of its own": event(part({}, x_server={"state": "cancelled"})),
    "as an event that keeps alive": event({"error": TOLD}, name="ping"),
    "its event's name with [DONE]": b"event: error\ndata: [DONE]\n\n",
    "under the name of another field": b'Data: {"error": "out of memory"}\n\n',
    "in a call of a tool": event(part({"tool_calls": [{"index": 0, "error": "out of memory"}]})),
}
BESIDE = {  # the same beside an answer that comes whole
    "a code": {"code": 500, "message": "out of memory"},
    "a code as a text": {"statusCode": "503"},
    "a negative code": {"code": -1},
    "in a part of its own": {"x_server": {"error": "out of memory"}},
    "in other words": {"errorMessage": "out of memory"},
    "a code of an error": {"error_code": 17},
    "no success": {"success": False},
    "its state": {"status": "failed"},
    "its type": {"type": "server_error"},
}
PLACES = {
    "first": (b"", STOP + DONE),
    "in the middle": (pieces("The ", "ans"), pieces("wer") + STOP + DONE),
    "at the end": (pieces(TEXT), b""),
    "in front of [DONE]": (pieces(TEXT), DONE),
    "behind stop": (pieces(TEXT) + STOP, b""),
    "between stop and [DONE]": (pieces(TEXT) + STOP, DONE),
}


def _stream(name: str, *data: bytes, end: bytes = END, want: Want = FAILS, **options: Any) -> Play:
    """A stream, each part in a chunk of its own."""
    body = STREAM + b"".join(chunk(each) for each in data if each) + end
    return Play("failures", name, lambda stream: [[READ, body]], [want], {**ONCE, **options}, STREAMS)


def _whole(name: str, response: bytes, want: Want = FAILS) -> Play:
    return Play("failures", name, lambda stream: [[READ, response]], [want], dict(ONCE), WHOLE)


def _both(name: str, response: bytes, want: Want = FAILS) -> Play:
    return Play("failures", name, lambda stream: [[READ, response]], [want], dict(ONCE))


def _cut_gzip(name: str, data: bytes, forms: "tuple[str, ...]") -> Play:
    """All bytes but the last ones, in a body that ends as it has to, in a packet of its own."""
    begun = STREAM.replace(b"\r\n", b"\r\ncontent-encoding: gzip\r\n", 1) + chunk(data)
    return Play("failures", name, lambda stream: [[READ, begun, Wait(0.05), END]], [FAILS], dict(ONCE), forms)


MESSAGE = completion()["choices"][0]


def choices(*made: Any) -> bytes:
    return http(dump({"choices": list(made)}))


EVENTS = [
    _stream(f"an error event, {form}, {place}", before, error, after)
    for form, error in FORMS.items()
    for place, (before, after) in PLACES.items()
    if not (form == "without an empty line" and after.startswith(b"data: {"))
]
ENDINGS = [
    _stream("[DONE] without a reason", pieces(TEXT), DONE),
    _stream("[DONE] alone", DONE),
    _stream("nothing"),
    _stream("an end without [DONE] and without a reason", pieces(TEXT)),
    _stream("a comment alone", b": still here\n\n"),
    _stream("the reason length", pieces(TEXT), event(part({}, "length")), DONE, want=(Error("cut short"),)),
    _stream("the reason content_filter", pieces(TEXT), event(part({}, "content_filter")), DONE),
    _stream("a reason that nobody knows", pieces(TEXT), event(part({}, "aborted")), DONE),
    _stream("a reason that is no text", pieces(TEXT), event(part({}, 3)), DONE),
    _stream("stop, then length", pieces(TEXT), STOP, event(part({}, "length")), DONE),
    _stream("text behind stop", pieces(TEXT), STOP, pieces(" No."), DONE),
    _stream("a refusal", event(part({"refusal": "I will not."})), STOP, DONE, want=(Error("refused"),)),
    _stream("a refusal behind a piece", pieces("The "), event(part({"refusal": "No."})), STOP, DONE),
    _stream("no text at all", event(part({"role": "assistant"})), STOP, DONE),
    _stream("null as its text", event(part({"content": None})), STOP, DONE),
    _stream("a whole answer as an event", event(completion()), DONE, want=(TEXT, Error())),
    _stream(
        "text outside of a delta", event({"choices": [{"index": 0, "text": TEXT}]}), STOP, DONE, want=(TEXT, Error())
    ),
    _stream("a function as it was called once", pieces("x"), event(part({"function_call": {"name": "f"}})), STOP, DONE),
    _stream("[DONE] in quotes without a reason", pieces(TEXT), b'data: "[DONE]"\n\n'),
    _stream("a piece under the name of another field", pieces("The "), b"D" + pieces("answer")[1:], STOP, DONE),
    _stream("a piece behind a BOM", pieces("The "), b"\xef\xbb\xbf" + pieces("answer"), STOP, DONE),
    _stream("two events without an empty line", pieces("The ")[:-1] + pieces("answer") + STOP + DONE),
    _stream("cut in a chunk", pieces(TEXT), end=b"ff\r\ndata: "),
    _stream("cut in an event", pieces(TEXT), b'data: {"choices": [{"index"', end=b""),
    _stream("cut behind a piece", pieces(TEXT), end=b""),
    _stream("cut behind stop", pieces(TEXT), STOP, end=b""),
    _stream("an end in an event", pieces(TEXT), b'data: {"choices": [{"index"'),
    _stream("an end in an event behind stop", pieces(TEXT), STOP, b"data: {"),
    _stream("damaged", b"data: {broken\n\n", STOP, DONE),
    _stream(
        "bytes that are no text", b'data: {"choices": [{"index": 0, "delta": {"content": "\xe9"}}]}\n\n', STOP, DONE
    ),
    _stream("content that is no text", event(part({"content": 3})), STOP, DONE),
    _stream("content that is an object", event(part({"content": {"text": "x"}})), STOP, DONE),
    _stream("choices that are no list", event({"choices": 3}), STOP, DONE),
    _stream("a choice that is no object", event({"choices": [3]}), STOP, DONE),
    _stream("a delta that is no object", event({"choices": [{"delta": "x"}]}), STOP, DONE),
    _stream("a number", b"data: 3\n\n", STOP, DONE),
    _stream("a text in quotes", b'data: "x"\n\n', STOP, DONE),
    _stream("a chunk of a length that is none", pieces(TEXT), STOP, end=b"zz\r\nxx\r\n" + END),
    _stream("a negative chunk", pieces(TEXT), STOP, end=b"-5\r\nxxxxx\r\n" + END),
    _stream("a chunk without its line end", pieces(TEXT), STOP, DONE[:5], end=b"9\r\n" + DONE[5:14] + b"XX" + END),
    Play(
        "failures",
        "reset in a stream",
        lambda stream: [[READ, STREAM + chunk(pieces(TEXT)), RESET]],
        [(Error(),)],
        dict(ONCE),
        STREAMS,
    ),
]
ANSWERS = [
    _both("a page with 200", http(b"<html><body>Sign in</body></html>", "content-type: text/html")),
    _both("a text with 200", http(b"upstream failed", "content-type: text/plain")),
    _both("an error with 200", http(dump({"error": TOLD})), (Error("status"),)),
    _both("a text as an error with 200", http(dump({"error": "out of memory"})), (Error("status"),)),
    _both("details with 200", http(dump({"detail": "out of memory"}))),
    _both("nothing with 200", http(b"")),
    _both("204", head(status=204)),
    _both("a redirect", head("location: http://127.0.0.1:9/v1", "content-length: 0", status=307), (Error("status"),)),
    _both("401", http(b"who are you", status=401), (Error("status"),)),
    _both("404 as a page", http(b"<html>", status=404), (Error("status"),)),
    _both("400 cut short", head("content-length: 400", status=400) + b"no"),
    _whole("an error beside choices", http(dump(completion(error=TOLD)))),
    _whole("an error in a choice", choices({**completion()["choices"][0], "error": TOLD})),
    _whole("an error in a message", choices({"message": {"content": "x", "error": "bad"}, "finish_reason": "stop"})),
    _whole("a list of errors", http(dump(completion(errors=[TOLD])))),
    *(_whole(f"told beside choices, {name}", http(dump(completion(**told)))) for name, told in BESIDE.items()),
    _whole("told instead of choices", http(dump({"choices": None, "base_resp": {"status_code": 1004}}))),
    _whole(
        "a function as it was called once",
        choices({**MESSAGE, "message": {"content": "x", "function_call": {"name": "f"}}}),
    ),
    _cut_gzip("gzip without its end", gzip.compress(dump(completion()))[:-8], WHOLE),
    _cut_gzip("a stream in gzip without its end", gzip.compress(pieces(TEXT) + STOP)[:-8], STREAMS),
    _whole("the reason error", http(dump(completion(TEXT, "error")))),
    _whole("the reason length", http(dump(completion(TEXT, "length"))), (Error("cut short"),)),
    _whole("the reason content_filter", http(dump(completion(TEXT, "content_filter"))), (Error("cut short"),)),
    _whole("a reason that nobody knows", http(dump(completion(TEXT, "aborted")))),
    _whole("no reason", http(dump(completion(TEXT, None)))),
    _whole("two choices", choices(*completion("No.")["choices"], *completion(TEXT)["choices"])),
    _whole("no choices", choices()),
    _whole("a list", http(b"[]")),
    _whole("null", http(b"null")),
    _whole("a choice that is no object", choices("x")),
    _whole("a message that is no object", choices({"message": "x", "finish_reason": "stop"})),
    _whole("content that is no text", http(dump(completion(3)))),
    _whole("no content", http(dump(completion(None)))),
    _whole("a reason for calls of tools without any", http(dump(completion("", "tool_calls")))),
    _whole("calls of tools cut short", http(dump(calls(("measure", "{}"), reason="length")))),
    _whole("a call of a tool that is no object", choices({"message": {"tool_calls": [3]}, "finish_reason": "stop"})),
    _whole("half a body", head("content-length: 999") + dump(completion())),
    _whole("half a body in chunks", STREAM + chunk(dump(completion())) + b"5\r\nab"),
    _whole("a body in chunks without an end", STREAM + chunk(dump(completion()))),
    _whole("half an answer until the close", head() + dump(completion())[:-4]),
    _whole("wrong encoding", http(dump(completion("é")).decode().encode("latin-1"))),
    _whole("text behind the answer's JSON", http(dump(completion()) + b' {"error": "out of memory"}')),
    _whole("an answer twice", http(dump(completion()) * 2)),
    _whole("not compressed", http(dump(completion()), "content-encoding: gzip")),
    _whole("an encoding that nobody asked for", http(b"\x0b\x02\x80abc\x03", "content-encoding: br")),
    _both("no HTTP", b"SSH-2.0-OpenSSH_9.0\r\n\r\n"),
    _both("a status that is none", b"HTTP/1.1 abc OK\r\n\r\n"),
    _both("HTTP/2 without being asked", b"\0\0\x12\4\0\0\0\0\0" + b"\0" * 18),
    _both("a header without a name", head(": x", "content-length: 2") + b"{}"),
    _both("a length that is none", head("content-length: 1x") + b"{}"),
    _both("a negative length", head("content-length: -5") + b"{}"),
    _both("another encoding of the transfer", head("transfer-encoding: gzip") + b"{}"),
    _both("the end of a stream without its start", chunked(DONE)[20:]),
]
PLAYS = [*EVENTS, *ENDINGS, *ANSWERS]
