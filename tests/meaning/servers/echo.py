"""An application of ASGI whose model says what it is asked, whole or in pieces.

A question that is a number of three digits gets a refusal with that status.
"""

from __future__ import annotations

import json
from typing import Any

SIZE = 7  # characters of a piece


def _completion(text: str) -> "dict[str, Any]":
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def _event(delta: "dict[str, str]", reason: "str | None" = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    value = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(value)}\n\n".encode()


def _events(text: str) -> "list[bytes]":
    pieces = [text[at : at + SIZE] for at in range(0, len(text), SIZE)] or [""]
    return [*(_event({"content": piece}) for piece in pieces), _event({}, "stop"), b"data: [DONE]\n\n"]


async def _body(receive: Any) -> bytes:
    data = b""
    while True:
        message = await receive()
        data += message.get("body", b"")
        if not message.get("more_body"):
            return data


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    asked = json.loads(await _body(receive) or b"{}")
    text = asked["messages"][-1]["content"] if asked else ""
    status = int(text) if text.isdigit() and len(text) == 3 else 200
    kind = b"text/event-stream" if asked.get("stream") and status == 200 else b"application/json"
    headers = [(b"content-type", kind), (b"x-request-id", b"r7")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if status != 200:
        parts = [json.dumps({"error": {"message": f"refused: {status}"}}).encode()]
    else:
        parts = _events(text) if asked.get("stream") else [json.dumps(_completion(text)).encode()]
    for part in parts:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
