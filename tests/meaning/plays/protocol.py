"""What a right server says: answers of chat completions, whole and as events."""

from __future__ import annotations

import json
from typing import Any

TEXT = "The answer is 42."
PIECES = ("The ", "answer", " is ", "42.")
DONE = b"data: [DONE]\n\n"


def dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def head(*headers: str, status: int = 200, words: str = "OK") -> bytes:
    return "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status} {words}", *headers)).encode() + b"\r\n"


def http(body: bytes, *headers: str, status: int = 200) -> bytes:
    """A response with its length."""
    return head(f"content-length: {len(body)}", *headers, status=status) + body


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


STREAM = head("content-type: text/event-stream", "transfer-encoding: chunked")
END = b"0\r\n\r\n"


def chunked(*pieces: bytes) -> bytes:
    """A response in chunks."""
    return STREAM + b"".join(chunk(piece) for piece in pieces if piece) + END


def completion(text: Any = TEXT, reason: Any = "stop", **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion", "choices": [choice], **more}


def calls(*made: tuple[str, str], reason: str = "tool_calls") -> dict[str, Any]:
    """An answer that wants tools."""
    told = [
        {"id": f"call{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(made)
    ]
    answer = completion(None, reason)
    answer["choices"][0]["message"]["tool_calls"] = told
    return answer


def part(delta: Any, reason: Any = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion.chunk", "choices": [choice], **more}


def event(value: Any, name: str = "") -> bytes:
    return (f"event: {name}\n".encode() if name else b"") + b"data: " + dump(value) + b"\n\n"


def pieces(*texts: str) -> bytes:
    return b"".join(event(part({"content": text})) for text in texts)


STOP = event(part({}, "stop"))


def events(*texts: str) -> bytes:
    """A whole stream."""
    return pieces(*(texts or PIECES)) + STOP + DONE


def whole(text: str = TEXT) -> bytes:
    return http(dump(completion(text)), "content-type: application/json")


def answer(stream: bool, text: str = TEXT) -> bytes:
    """The right answer, whole or as a stream."""
    return chunked(pieces(*(text[at : at + 5] for at in range(0, len(text), 5))), STOP, DONE) if stream else whole(text)


def call_pieces(*made: tuple[str, str]) -> bytes:
    """The events of an answer that wants tools."""
    found: list[bytes] = []
    for index, (name, arguments) in enumerate(made):
        first = {"index": index, "id": f"call{index}", "type": "function", "function": {"name": name, "arguments": ""}}
        found.append(event(part({"tool_calls": [first]})))
        for at in range(0, len(arguments), 4):
            piece = {"index": index, "function": {"arguments": arguments[at : at + 4]}}
            found.append(event(part({"tool_calls": [piece]})))
    return b"".join(found)
