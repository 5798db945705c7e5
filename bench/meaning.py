"""Speed of the reader of models' answers: valid JSON, malformed JSON to dataclasses, growth with size, pieces, calls.

usage: meaning.py [--json FILE]

Times are the best of several; nothing is asserted. Peers that are installed are measured on valid JSON.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Optional

from graphmend.core import READ_STRICT, Reader, Stream
from graphmend.meaning import Endpoint, by, lower, mock


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


def best(function: Callable[[], Any], times: int = 7) -> float:
    """Seconds of the fastest run."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        found.append(time.perf_counter() - start)
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


def cpu_of_calls(answer: str, calls: int = 200) -> dict[str, float]:
    """The client's share of a call over loopback, in microseconds of its processor time; that of httpx beside it."""
    try:
        import httpx
    except ImportError:
        return {}
    server = subprocess.Popen([sys.executable, "-c", SERVER, answer], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
    endpoint, client = Endpoint("m", url, timeout=5.0), httpx.Client(timeout=5.0)

    @by(endpoint)
    def hire(resume: str) -> Person:
        """Read the resume."""

    payload = {"model": "m", "messages": [{"role": "user", "content": hire.explain("Ann").prompt}]}

    def post() -> None:
        client.post(f"{url}/chat/completions", json=payload).read()

    def cpu(function: Callable[[], Any]) -> float:
        function()
        found = []
        for _ in range(5):
            start = time.thread_time()
            for _ in range(calls):
                function()
            found.append((time.thread_time() - start) / calls * 1e6)
        return min(found)

    try:
        return {"a call over loopback, CPU us": cpu(lambda: hire("Ann")), "httpx alone, CPU us": cpu(post)}
    finally:
        endpoint.close()
        client.close()
        server.kill()
        server.wait()


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
    for size in (10_000, 100_000, 1_000_000, 10_000_000):
        text = damaged(text_of(size))
        found[f"malformed to dataclasses, {size} bytes, ns a byte"] = (
            best(lambda t=text: lower(t, list[Person]), 3) / len(text) * 1e9
        )  # type: ignore[misc]
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
