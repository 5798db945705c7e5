"""Speed of the reader of models' answers: valid JSON, malformed JSON to dataclasses, growth with size, pieces, calls.

usage: meaning.py [--json FILE]

Times are the best of several; nothing is asserted. Peers that are installed are measured on valid JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import importlib
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Optional

from graphmend.core import READ_STRICT, Reader, Stream
from graphmend.meaning import Endpoint, Request, by, lower, mock


@dataclasses.dataclass
class Company:
    name: str
    founded: int


@dataclasses.dataclass
class Person:
    name: str
    age: int
    employer: Company
    skills: list[str]
    note: Optional[str] = None


NOTE = "A longer text, as answers mostly have one, with a few sentences in it. Some of them are short. Others are not."
ONE = {"name": "Ann Smith", "age": 41, "employer": {"name": "Example Ltd", "founded": 1999}, "skills": ["c", "python"]}
PEERS = {"json": "loads", "jiter": "from_json", "json_repair": "loads"}


def best(function: Callable[[], Any], times: int = 7, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the fastest run."""
    found = []
    for _ in range(times):
        start = clock()
        function()
        found.append(clock() - start)
    return min(found)


def text_of(size: int) -> str:
    """Valid JSON of about that many bytes."""
    entry = {**ONE, "note": NOTE}
    return json.dumps([entry] * (size // len(json.dumps(entry)) + 1))


def damaged(text: str) -> str:
    """The same as models write it: in a fence, keys without quotes, numbers in quotes, trailing commas."""
    text = text.replace('"name"', "name").replace("1999", '"1999"').replace('"python"]', '"python",]')
    return f"Here is the list:\n```json\n{text}\n```"


def to_tape(reader: Reader, text: bytes) -> None:
    """What is read while a text comes in, without its end: no value is made."""
    Stream(reader, READ_STRICT).feed(text)


def peer_functions() -> dict[str, Callable[[str], Any]]:
    found = {}
    for name, function in PEERS.items():
        try:
            found[name] = getattr(importlib.import_module(name), function)
        except ImportError:
            continue
    return found


SERVER = """
import http.server, json, sys

BODY = json.dumps({"choices": [{"message": {"content": sys.argv[1]}, "finish_reason": "stop"}]}).encode()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.wfile.write(b"HTTP/1.1 200 OK\\r\\ncontent-length: %d\\r\\n\\r\\n" % len(BODY) + BODY)
    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def parts_of_httpx(url: str, body: bytes) -> dict[str, Callable[[], Any]]:
    """The same post by layers of httpx, from the client that people use down to what it is made of."""
    try:
        import httpcore
        import httpx
    except ImportError:
        return {}
    client, transport, pool = httpx.Client(timeout=5.0), httpx.HTTPTransport(), httpcore.ConnectionPool()
    seconds = dict.fromkeys(("connect", "read", "write", "pool"), 5.0)
    headers = {"content-type": "application/json"}
    request = httpx.Request("POST", url, headers=headers, content=body, extensions={"timeout": seconds})
    address, raw = httpcore.URL(url), request.headers.raw

    def core() -> None:
        made = httpcore.Request("POST", address, headers=raw, content=body, extensions={"timeout": seconds})
        response = pool.handle_request(made)
        b"".join(response.stream)  # type: ignore[arg-type]
        response.close()

    def carry() -> None:
        response = transport.handle_request(request)
        b"".join(response.stream)  # type: ignore[arg-type]
        response.close()

    return {
        "httpx.Client.post": lambda: client.post(url, content=body, headers=headers),
        "httpx.Client.send, prepared": lambda: client.send(request),
        "httpx.HTTPTransport, prepared": carry,
        "httpcore.ConnectionPool": core,
    }


class AtOnce:
    """A connection, and the pool of it, on which the response is there without a wait."""

    sent = True

    def __init__(self, response: bytes) -> None:
        self._response = response

    def take(self) -> AtOnce:
        return self

    def keep(self, line: Any) -> None:
        pass

    close = take

    def send(self, post: Any, clock: Any) -> None:
        pass

    def enter(self, clock: Any) -> None:
        pass

    def leave(self) -> None:
        pass

    def receive(self, clock: Any) -> bytes:
        return self._response


def thread_cpu(function: Callable[[], Any], calls: int = 200) -> float:
    """Microseconds of this thread's processor time for a call."""
    function()
    found = []
    for _ in range(7):
        start = time.thread_time()
        for _ in range(calls):
            function()
        found.append((time.thread_time() - start) / calls * 1e6)
    return min(found)


def cpu_of_coroutines(endpoint: Endpoint) -> float:
    """The same of a call in a coroutine, in microseconds."""

    @by(endpoint)
    async def hire(resume: str) -> Person:
        """Read the resume."""

    async def ask() -> None:
        for _ in range(50):
            await hire("Ann")

    loop = asyncio.new_event_loop()
    try:
        return thread_cpu(lambda: loop.run_until_complete(ask()), 4) / 50
    finally:
        loop.close()


def cpu_of_calls(answer: str) -> dict[str, float]:
    """The client's share of a call over loopback, in microseconds of its processor time; that of httpx beside it."""
    server = subprocess.Popen([sys.executable, "-c", SERVER, answer], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
    endpoint = Endpoint("m", url, timeout=5.0)

    @by(endpoint)
    def hire(resume: str) -> Person:
        """Read the resume."""

    payload = {"model": "m", "messages": [{"role": "user", "content": hire.explain("Ann").prompt}]}
    body = json.dumps(payload).encode()
    try:
        found = {
            "a call over loopback, CPU us": thread_cpu(lambda: hire("Ann")),
            "a call over loopback in a coroutine, CPU us": cpu_of_coroutines(endpoint),
        }
        for name, function in parts_of_httpx(f"{url}/chat/completions", body).items():
            found[f"{name} alone, CPU us"] = thread_cpu(function)
        found["a call without the connection, CPU us"] = cpu_at_once(url, answer)
        return {**found, **cpu_of_streams(), **pydantic_cpu(answer)}
    finally:
        endpoint.close()
        server.kill()
        server.wait()


def cpu_at_once(url: str, answer: str) -> float:
    """A call whose answer is there at once."""
    endpoint = Endpoint("m", url, timeout=5.0)
    body = json.dumps({"choices": [{"message": {"content": answer}, "finish_reason": "stop"}]}).encode()
    line = AtOnce(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
    endpoint._blocking = (line, line)

    @by(endpoint)
    def hire(resume: str) -> Person:
        """Read the resume."""

    return thread_cpu(lambda: hire("Ann"))


def stream_of(pieces: int) -> bytes:
    """A response in pieces of four characters, a chunk each, as servers of models send them."""

    def chunk(delta: Any, reason: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        event = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        data = f"data: {json.dumps(event)}\n\n".encode()
        return b"%x\r\n%s\r\n" % (len(data), data)

    start = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return start + chunk({"content": "abcd"}, None) * pieces + chunk({}, "stop") + b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"


def least_work(response: bytes) -> str:
    """What every reader of such a stream has to do: find the chunks and the lines, read JSON, take the text."""
    at, parts = response.index(b"\r\n\r\n") + 4, []
    while True:
        end = response.index(b"\r\n", at)
        size = int(response[at:end], 16)
        if not size:
            break
        parts.append(response[end + 2 : end + 2 + size])
        at = end + size + 4
    found = []
    for line in b"".join(parts).split(b"\n"):
        if line.startswith(b"data: ") and line != b"data: [DONE]":
            text = json.loads(line[6:])["choices"][0]["delta"].get("content")
            if text:
                found.append(text)
    return "".join(found)


def cpu_of_streams() -> dict[str, float]:
    """A stream without its connection, beside the least work for it."""
    found = {}
    for pieces in (4096, 65_536):
        response = stream_of(pieces)
        endpoint = Endpoint("m", "http://localhost/v1")
        endpoint._blocking = (AtOnce(response), AtOnce(response))
        request = Request([{"role": "user", "content": ""}])

        def read(endpoint: Endpoint = endpoint, request: Request = request) -> str:
            return "".join(endpoint.stream(request))

        ours = best(read, 7, time.thread_time)
        least = best(lambda data=response: least_work(data), 7, time.thread_time)  # type: ignore[misc]
        found[f"a stream of {pieces} pieces, CPU us a piece"] = ours / pieces * 1e6
        found[f"a stream of {pieces} pieces, beside the least work"] = ours / least
    return found


def pydantic_cpu(answer: str) -> dict[str, float]:
    try:
        import pydantic
    except ImportError:
        return {}
    adapter = pydantic.TypeAdapter(Person)
    return {"pydantic alone, the answer as valid JSON, CPU us": thread_cpu(lambda: adapter.validate_json(answer))}


def measure() -> dict[str, float]:
    anything = Reader('{"meaning": 1, "root": 0, "types": [{"form": "list", "items": [1]}, {"form": "any"}]}')
    valid, malformed = text_of(100_000), damaged(text_of(100_000))
    found = {
        **{
            f"valid JSON of {size} bytes to the tape, MB/s": size / best(lambda t=text: to_tape(anything, t)) / 1e6  # type: ignore[misc]
            for size, text in (
                (size, text_of(size)[:size].encode()) for size in (10_000, 100_000, 1_000_000, 8_000_000)
            )
        },
        "valid JSON to values of any type, MB/s": len(valid) / best(lambda: anything.read(valid, READ_STRICT)) / 1e6,
        "100 KB malformed to dataclasses, ms": best(lambda: lower(malformed, list[Person])) * 1e3,
    }
    for name, function in peer_functions().items():
        data: Any = valid.encode() if name == "jiter" else valid
        found[f"{name}: valid JSON, MB/s"] = len(valid) / best(lambda f=function, d=data: f(d)) / 1e6  # type: ignore[misc]
    # What a long run takes on the clock depends on who else is running.
    for kind, made in (("malformed", damaged), ("valid", str)):
        for size in (10_000, 100_000, 1_000_000, 10_000_000):
            text, times = made(text_of(size)), 5 if size > 1_000_000 else 25
            seconds = best(lambda t=text: lower(t, list[Person]), times, time.thread_time)  # type: ignore[misc]
            found[f"{kind} to dataclasses, {size} bytes, CPU ns a byte"] = seconds / len(text) * 1e9
    pieces = [text_of(10_000).encode()[at : at + 4] for at in range(0, 10_000, 4)]

    def stream() -> None:
        made = Stream(anything)
        for piece in pieces:
            made.feed(piece)
        made.partial()

    found["10 KB in pieces of 4 bytes, looked at in the end, ms"] = best(stream) * 1e3
    answer = json.dumps(ONE)

    @by(mock(lambda prompt: answer))
    def hire(resume: str) -> Person:
        """Read the resume."""

    hire("Ann")
    found["a call with a mock model, us"] = best(lambda: [hire("Ann") for _ in range(100)]) * 1e4
    return {**found, **cpu_of_calls(answer)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = measure()
    for name, value in found.items():
        print(f"{value:12.2f}  {name}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
