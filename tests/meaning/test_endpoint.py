"""Endpoints: a server on loopback that speaks the protocol, in order and out of order."""

from __future__ import annotations

import asyncio
import dataclasses
import gzip
import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, Literal, Union

import pytest

from graphmend.meaning import CallError, Decision, Endpoint, EndpointError, by

pytest.importorskip("h11")


@dataclasses.dataclass
class Person:
    name: str
    age: int


ANN = '{"name": "Ann", "age": 41}'
Script = Union[str, Callable[["Handler"], None]]


def reply(text: Any, **more: Any) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}
    return {"choices": [choice], "usage": {"total_tokens": 10}}


class Handler(http.server.BaseHTTPRequestHandler):
    """Takes the next step of the script: a text to answer with, or a function that does what it likes."""

    protocol_version = "HTTP/1.1"
    timeout = 0.5  # connections that clients forgot to close
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.seen.append((self.path, dict(self.headers), json.loads(body), self.client_address))
        step = self.server.script.pop(0) if self.server.script else "no script"
        if callable(step):
            step(self)
        else:
            self.give(200, json.dumps(reply(step)).encode())

    def give(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Script] = []
        self.seen: list[Any] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # clients that go away are part of the tests

    def endpoint(self, **options: Any) -> Endpoint:
        options = {"pause": 0.0, "timeout": 5.0, **options}
        return Endpoint("test-model", f"http://127.0.0.1:{self.server_address[1]}/v1/", **options)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    closing: list[Endpoint] = []
    original = made.endpoint

    def endpoint(**options: Any) -> Endpoint:
        closing.append(original(**options))
        return closing[-1]

    made.endpoint = endpoint  # type: ignore[method-assign]
    try:
        yield made
    finally:
        for each in closing:
            each.close()
        made.shutdown()
        thread.join()
        made.server_close()


def hirer(model: Any, **options: Any) -> Any:
    @by(model, **options)
    def hire(resume: str) -> Person:
        """Read the resume."""

    return hire


def test_a_call(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "secret")
    server.script = [f"```json\n{ANN}\n```", ANN]
    model = server.endpoint(key_variable="TEST_KEY", temperature=0)
    hire = hirer(model)
    assert hire("Ann") == hire("Ann") == Person("Ann", 41)
    path, headers, body, address = server.seen[0]
    assert path == "/v1/chat/completions"
    assert {name.lower(): value for name, value in headers.items()}["authorization"] == "Bearer secret"
    assert body == {
        "model": "test-model",
        "messages": [{"role": "user", "content": hire.explain("Ann").prompt}],
        "temperature": 0,
    }
    assert address == server.seen[1][3]  # the connection was kept
    assert model.tokens_spent == 20
    assert "secret" not in repr(vars(model))


def test_the_schema_is_sent_on_request(server: Server) -> None:
    server.script = [ANN]
    hirer(server.endpoint(schema=True))("Ann")
    sent = server.seen[0][2]["response_format"]["json_schema"]
    assert (sent["name"], sent["strict"]) == ("hire", True)
    assert sent["schema"]["$defs"]["Person"]["required"] == ["name", "age"]


def test_an_answer_that_cannot_be_read_is_asked_for_again(server: Server) -> None:
    server.script = ["I do not know.", ANN]
    assert hirer(server.endpoint())("Ann") == Person("Ann", 41)
    assert "cannot be read" in server.seen[1][2]["messages"][-1]["content"]


def wanting(*calls: Any) -> bytes:
    return json.dumps(reply(None, message={"content": None, "tool_calls": calls}, finish_reason="tool_calls")).encode()


def half(handler: Handler) -> None:
    """A body that is shorter than was said."""
    handler.send_response(200)
    handler.send_header("content-length", "9999")
    handler.end_headers()
    handler.wfile.write(json.dumps(reply(ANN)).encode())
    handler.close_connection = True


FAULTS: dict[str, Script] = {
    "500": lambda handler: handler.give(500, b"broken"),
    "429": lambda handler: handler.give(429, b"slow down", retry_after="0"),
    "503": lambda handler: handler.give(503, b""),
    "closed": lambda handler: handler.connection.close(),
    "no json": lambda handler: handler.give(200, b"<html>"),
    "a page": lambda handler: handler.give(200, b"<html><body>Sign in</body></html>", content_type="text/html"),
    "nothing": lambda handler: handler.give(200, b""),
    "half of it": lambda handler: half(handler),
    "not compressed": lambda handler: handler.give(200, json.dumps(reply("x")).encode(), content_encoding="gzip"),
    "a call without a name": lambda handler: handler.give(200, wanting({"id": "c", "function": {"arguments": "{}"}})),
    "no choices": lambda handler: handler.give(200, b'{"choices": []}'),
    "a list": lambda handler: handler.give(200, b"[]"),
    "wrong encoding": lambda handler: handler.give(
        200, json.dumps(reply("\u00e9"), ensure_ascii=False).encode("latin-1")
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_survived_or_told(server: Server, fault: str) -> None:
    server.script = [FAULTS[fault], FAULTS[fault], ANN]
    events: list[dict[str, Any]] = []
    assert hirer(server.endpoint(on_event=events.append))("Ann") == Person("Ann", 41)
    assert [event["event"] for event in events] == ["request", "retry", "request", "retry", "request", "answer"]
    server.script = [FAULTS[fault]] * 3
    with pytest.raises(CallError, match="after 3 tries"):
        hirer(server.endpoint())("Ann")

    async def later() -> Person:
        server.script = [FAULTS[fault], ANN]

        @by(server.endpoint())
        async def hire(resume: str) -> Person:
            """Read the resume."""

        return await hire("Ann")

    assert asyncio.run(later()) == Person("Ann", 41)


def test_a_server_that_hangs_is_left(server: Server) -> None:
    released = threading.Event()

    def hang(handler: Handler) -> None:
        released.wait(10)
        handler.close_connection = True

    server.script = [hang]
    try:
        with pytest.raises(CallError, match="Timeout"):
            hirer(server.endpoint(timeout=0.2, tries=1))("Ann")
    finally:
        released.set()


def test_a_slow_trickle_is_read_or_left(server: Server) -> None:
    """Each byte comes in time, and the whole of them."""
    body = json.dumps(reply(ANN)).encode()

    def trickle(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        for start in range(0, len(body), 20):
            handler.wfile.write(body[start : start + 20])
            handler.wfile.flush()
            time.sleep(0.005)

    server.script = [trickle, trickle]
    assert hirer(server.endpoint(timeout=2.0, tries=1))("Ann") == Person("Ann", 41)
    before = time.monotonic()
    with pytest.raises(CallError, match="took longer than 0.02 seconds"):
        hirer(server.endpoint(deadline=0.02, tries=1))("Ann")
    assert time.monotonic() - before < 5

    async def later() -> None:
        server.script = [trickle]

        @by(server.endpoint(deadline=0.02, tries=1))
        async def hire(resume: str) -> Person: ...

        await hire("Ann")

    with pytest.raises(CallError, match="took longer"):
        asyncio.run(later())


def test_the_kind_of_content_that_a_server_states_does_not_matter(server: Server) -> None:
    server.script = [lambda h: h.give(200, json.dumps(reply(ANN)).encode(), content_type="text/plain; charset=latin-1")]
    assert hirer(server.endpoint())("Ann") == Person("Ann", 41)


def forecast_with(model: Any, seen: list[Any]) -> Any:
    def measure(town: str, days: int = 1) -> int:
        """Degrees in a town."""
        seen.append((town, days))
        return 20

    @by(model, tools=[measure])
    def forecast(town: str) -> Person:
        """Say what the weather will be."""

    return forecast


def call_of(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "c7", "type": "function", "function": {"name": name, "arguments": arguments}}


def test_tools_are_called(server: Server, tmp_path: Path) -> None:
    call = call_of("measure", '{"town": "Ulm"}')
    server.script = [lambda handler: handler.give(200, wanting(call)), FAULTS["500"], ANN]
    seen: list[Any] = []
    forecast = forecast_with(server.endpoint(cache=str(tmp_path)), seen)
    assert forecast("Ulm") == Person("Ann", 41)
    first, second, third = (body for _, _, body, _ in server.seen)
    assert first["tools"][0]["function"]["name"] == "measure"
    assert second == third
    assert second["messages"][1] == {"role": "assistant", "content": None, "tool_calls": [call]}
    assert second["messages"][2] == {"role": "tool", "tool_call_id": "c7", "content": "20"}
    server.script = [lambda handler: handler.give(200, wanting(call))]
    assert forecast("Ulm") == Person("Ann", 41)  # the call is asked for again, the answer to it was kept
    assert (len(server.seen), seen) == (4, [("Ulm", 1)] * 2)


def test_a_call_of_a_tool_that_cannot_be_read_is_told(server: Server) -> None:
    broken, right = call_of("measure", '{"town": '), call_of("measure", '{"town": "Ulm", "days": 2}')
    server.script = [lambda handler: handler.give(200, wanting(broken, right)), ANN]
    seen: list[Any] = []
    assert forecast_with(server.endpoint(), seen)("Ulm") == Person("Ann", 41)
    told = [message["content"] for message in server.seen[1][2]["messages"][2:]]
    assert told == ["The arguments cannot be read (the text ends inside of the value).", "20"]
    assert seen == [("Ulm", 2)]


REFUSALS: dict[str, tuple[Script, str]] = {
    "401": (lambda handler: handler.give(401, b"who are you"), "401: who are you"),
    "cut short": (
        lambda handler: handler.give(200, json.dumps(reply(ANN, finish_reason="length")).encode()),
        "cut the answer",
    ),
    "filtered": (
        lambda h: h.give(200, json.dumps(reply("", finish_reason="content_filter")).encode()),
        "content_filter",
    ),
    "refused": (
        lambda h: h.give(200, json.dumps(reply(None, message={"content": None, "refusal": "no"})).encode()),
        "the model refuses: no",
    ),
    "no text": (lambda handler: handler.give(200, json.dumps(reply(None)).encode()), "no text"),
}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_does_not_get_better_is_not_tried_again(server: Server, refusal: str) -> None:
    script, words = REFUSALS[refusal]
    server.script = [script]
    with pytest.raises(CallError, match=words):
        hirer(server.endpoint())("Ann")
    assert len(server.seen) == 1


def test_nobody_there() -> None:
    with pytest.raises(CallError, match="cannot be reached"):
        hirer(Endpoint("m", "http://127.0.0.1:1", tries=1))("Ann")


def test_a_budget_ends_calls(server: Server) -> None:
    server.script = [ANN, ANN]
    hire = hirer(server.endpoint(max_tokens_spent=15))
    hire("Ann")
    hire("Ann")
    with pytest.raises(CallError, match="budget of 15 tokens"):
        hire("Ann")
    assert len(server.seen) == 2


def test_answers_are_kept_when_asked(server: Server, tmp_path: Path) -> None:
    server.script = [ANN, ANN.replace("41", "42")]
    folder = tmp_path / "cache"
    hire = hirer(server.endpoint(cache=str(folder)))
    assert hire("Ann") == hire("Ann") == Person("Ann", 41)
    assert hire("Bob") == Person("Ann", 42)
    assert len(server.seen) == 2
    kept = sorted(folder.iterdir())
    assert len(kept) == 2 and all(path.suffix == ".json" for path in kept)
    for path in kept:
        path.write_text("damaged")
    server.script = [ANN]
    assert hire("Ann") == Person("Ann", 41)


STOP = '{"choices": [{"delta": {}, "finish_reason": "stop"}]}'


def events(*pieces: Any, done: bool = True) -> bytes:
    lines = [json.dumps({"choices": [{"delta": {"content": piece}}]}, ensure_ascii=False) for piece in pieces]
    return "".join(f"data: {line}\n\n" for line in [*lines, *([STOP, "[DONE]"] if done else [])]).encode()


def stream(data: bytes, size: int = 7) -> Script:
    def give(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        handler.wfile.write(b"0\r\n\r\n")

    return give


def test_a_stream(server: Server) -> None:
    server.script = [stream(events('{"name": "\u00c4', 'nn", "a', 'ge": 4', "1}"))]
    values = list(hirer(server.endpoint()).stream("Ann"))
    assert values[-1] == Person("\u00c4nn", 41)
    assert values[0].age is None
    assert server.seen[0][2]["stream"] is True

    async def later() -> list[Person]:
        server.script = [stream(events('{"name": "\u00c4', 'nn", "a', 'ge": 4', "1}"), 3)]

        @by(server.endpoint())
        async def hire(resume: str) -> Person:
            """Read the resume."""

        return [value async for value in hire.stream("Ann")]

    assert asyncio.run(later()) == values


def test_a_long_stream_gives_fewer_values_than_pieces(server: Server) -> None:
    text = "".join(chr(97 + at % 26) for at in range(20_000))
    server.script = [stream(events(*(text[at : at + 4] for at in range(0, len(text), 4))), 1 << 16)]

    @by(server.endpoint())
    def say(question: str) -> str: ...

    sizes = [len(value) for value in say.stream("x")]
    assert sizes == sorted(sizes) and sizes[-1] == len(text)
    assert 1000 < len(sizes) < 1200  # each piece of the first 4096 characters, and a few of the others


def deltas(*pieces: Any) -> bytes:
    lines = [json.dumps({"choices": [{"delta": piece}]}) for piece in pieces]
    return "".join(f"data: {line}\n\n" for line in [*lines, STOP, "[DONE]"]).encode()


def piece_of_call(index: int, arguments: str, **more: Any) -> dict[str, Any]:
    name = {"name": more.pop("name")} if "name" in more else {}
    return {"tool_calls": [{"index": index, "function": {**name, "arguments": arguments}, **more}]}


TWO_CALLS = stream(
    deltas(
        {"role": "assistant", "content": None},
        piece_of_call(0, "", id="c7", name="measure"),
        piece_of_call(0, '{"to'),
        piece_of_call(1, '{"town": "Bonn", "days": 2}', id="c8", name="measure"),
        piece_of_call(0, 'wn": "Ulm"}'),
    )
)


def test_a_stream_with_tools(server: Server) -> None:
    server.script = [TWO_CALLS, stream(events('{"name": "Ann", "a', 'ge": 41}'))]
    seen: list[Any] = []
    values = list(forecast_with(server.endpoint(), seen).stream("Ulm"))
    assert values[-1] == Person("Ann", 41)
    assert seen == [("Ulm", 1), ("Bonn", 2)]
    first, second = (body for _, _, body, _ in server.seen)
    assert first["stream"] is second["stream"] is True
    assert [call["id"] for call in second["messages"][1]["tool_calls"]] == ["c7", "c8"]
    assert [message.get("tool_call_id") for message in second["messages"][2:]] == ["c7", "c8"]

    async def later() -> list[Person]:
        server.script = [TWO_CALLS, stream(events('{"name": "Ann", "a', 'ge": 41}'))]

        def measure(town: str, days: int = 1) -> int:
            return 20

        @by(server.endpoint(), tools=[measure])
        async def forecast(town: str) -> Person: ...

        return [value async for value in forecast.stream("Ulm")]

    assert asyncio.run(later()) == values


BROKEN_CALLS = {
    "no name": deltas(piece_of_call(0, "{}", id="c7")),
    "no list": deltas({"tool_calls": 3}),
    "no text": deltas(piece_of_call(0, 3, id="c7", name="measure")),  # type: ignore[arg-type]
    "cut": deltas(piece_of_call(0, "{", id="c7", name="measure")).partition(b'data: {"choices": [{"delta": {}')[0],
}


@pytest.mark.parametrize("fault", BROKEN_CALLS)
def test_a_call_of_a_tool_in_a_stream_that_breaks_is_an_error(server: Server, fault: str) -> None:
    server.script = [stream(BROKEN_CALLS[fault])]
    seen: list[Any] = []
    with pytest.raises(CallError):
        list(forecast_with(server.endpoint(tries=1), seen).stream("Ulm"))
    assert seen == []


def test_a_budget_counts_streams(server: Server) -> None:
    usage = b'data: {"choices": [], "usage": {"total_tokens": 10}}\n\ndata: [DONE]\n\n'
    server.script = [stream(events(ANN).replace(b"data: [DONE]\n\n", usage))]
    model = server.endpoint(max_tokens_spent=10)
    assert list(hirer(model).stream("Ann"))[-1] == Person("Ann", 41)
    assert server.seen[0][2]["stream_options"] == {"include_usage": True}
    assert model.tokens_spent == 10
    with pytest.raises(CallError, match="budget of 10 tokens"):
        list(hirer(model).stream("Ann"))


def test_a_key_that_is_none_is_not_told(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "sec\nret")
    with pytest.raises(CallError, match="the key in TEST_KEY has characters that no key has") as told:
        hirer(server.endpoint(key_variable="TEST_KEY"))("Ann")
    assert "sec" not in str(told.value) and server.seen == []
    monkeypatch.setenv("TEST_KEY", " secret\n")
    server.script = [ANN, lambda handler: handler.give(401, b"no such key: secret")]
    assert hirer(server.endpoint(key_variable="TEST_KEY"))("Ann") == Person("Ann", 41)
    with pytest.raises(CallError, match=r"401: no such key: \*\*\*$"):
        hirer(server.endpoint(key_variable="TEST_KEY"))("Ann")


def test_proxies_are_those_of_the_environment_and_users_those_of_the_address(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = server.server_address[1]
    server.script = [ANN] * 3
    endpoint = Endpoint("m", f"http://ann:secret@127.0.0.1:{port}/v1", timeout=5.0)
    assert hirer(endpoint)("Ann") == Person("Ann", 41)
    assert server.seen[0][1]["Authorization"] == "Basic YW5uOnNlY3JldA=="
    endpoint.close()
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("no_proxy", "")
    endpoint = Endpoint("m", "http://nowhere.test/v1", timeout=5.0)
    assert hirer(endpoint)("Ann") == Person("Ann", 41)
    assert server.seen[1][0] == "http://nowhere.test/v1/chat/completions"
    endpoint.close()

    @by(Endpoint("m", "http://nowhere.test/v1", timeout=5.0))
    async def hire(resume: str) -> Person: ...

    assert asyncio.run(hire("Ann")) == Person("Ann", 41)


def test_compressed_answers_are_read(server: Server) -> None:
    body, lines = gzip.compress(json.dumps(reply(ANN)).encode()), gzip.compress(events(ANN))
    server.script = [
        lambda handler: handler.give(200, body, content_encoding="gzip"),
        lambda handler: handler.give(200, lines, content_encoding="gzip"),
    ]
    hire = hirer(server.endpoint())
    assert hire("Ann") == Person("Ann", 41)
    assert list(hire.stream("Ann"))[-1] == Person("Ann", 41)


def cut(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "9999")
    handler.end_headers()
    handler.wfile.write(events('{"name": "Ann"', done=False))
    handler.close_connection = True


BROKEN_STREAMS: dict[str, Script] = {
    "no end": stream(events('{"name": "Ann", "age": 4', done=False)),
    "cut": cut,
    "damaged": stream(b"data: {broken\n\ndata: [DONE]\n\n"),
    "wrong encoding": stream(b'data: {"choices": [{"delta": {"content": "\xe9"}}]}\n\ndata: [DONE]\n\n'),
    "500": lambda handler: handler.give(500, b"broken"),
    "too long": stream(
        b'data: {"choices": [{"delta": {"content": "{"}, "finish_reason": "length"}]}\n\ndata: [DONE]\n\n'
    ),
}


@pytest.mark.parametrize("fault", BROKEN_STREAMS)
def test_a_stream_that_breaks_is_an_error(server: Server, fault: str) -> None:
    server.script = [BROKEN_STREAMS[fault]]
    with pytest.raises(CallError):
        list(hirer(server.endpoint(tries=1)).stream("Ann"))


def test_threads_share_an_endpoint(server: Server) -> None:
    server.script = [ANN] * 16
    hire = hirer(server.endpoint())
    results: list[Person] = []
    threads = [threading.Thread(target=lambda: results.extend(hire("Ann") for _ in range(4))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [Person("Ann", 41)] * 16


def rate_with(model: Any) -> Any:
    @by(model)
    def rate(text: str) -> Decision[Literal["good", "bad"]]:
        """Rate it."""

    return rate("x")


def test_a_decision_of_an_endpoint(server: Server) -> None:
    tops = [{"token": " B", "logprob": -0.1}, {"token": "A", "logprob": -3.0}]
    logprobs = {"content": [{"token": " B", "logprob": -0.1, "top_logprobs": tops}]}
    server.script = [lambda handler: handler.give(200, json.dumps(reply(" B", logprobs=logprobs)).encode())]
    decision = rate_with(server.endpoint())
    assert (decision.value, round(decision.confidence, 2)) == ("bad", 0.95)
    assert server.seen[0][2]["logprobs"] is True

    async def later() -> Any:
        @by(server.endpoint())
        async def rate(text: str) -> Decision[Literal["good", "bad"]]:
            """Rate it."""

        return await rate("x")

    server.script = ["A"]
    assert asyncio.run(later()).value == "good"


def test_streams_are_asked_for_again_until_their_first_piece(server: Server) -> None:
    server.script = [FAULTS["500"], FAULTS["closed"], stream(events(ANN))]
    told: list[Any] = []
    assert list(hirer(server.endpoint(on_event=told.append)).stream("Ann"))[-1] == Person("Ann", 41)
    assert [event["event"] for event in told] == ["request", "retry", "request", "retry", "request", "answer"]
    server.script = [stream(events('{"name"', done=False)), stream(events(ANN))]
    with pytest.raises(EndpointError, match="the stream broke") as error:
        list(hirer(server.endpoint()).stream("Ann"))
    assert (error.value.kind, error.value.received, len(error.value.attempts)) == ("cut short", '{"name"', 1)
    assert len(server.seen) == 4


def test_a_wait_that_the_server_asks_for_is_kept(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    server.script = [lambda handler: handler.give(429, b"", retry_after="7"), FAULTS["500"], ANN]
    hirer(server.endpoint(pause=0.5))("Ann")
    assert waits[0] == 7.0
    assert 0 < waits[1] < 1.0  # any time up to twice the pause
