"""The line to an endpoint beyond single plays: keys, processes, tasks, names, tools, TLS, proxies."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import socket
import threading
import time
import traceback
from typing import Any

import pytest

pytest.importorskip("h11")

from plays.protocol import END, STREAM, TEXT, answer, calls, chunk, dump, events, http, pieces  # noqa: E402
from plays.stage import HOLD, READ, Server, server  # noqa: E402

from graphmend.meaning import CallError, Endpoint, EndpointError, MeaningError, OptionError, Request, by  # noqa: E402

KEY = "sk-8c1f7e2a9b"
FORMS = ("blocking", "coroutine", "stream", "coroutine stream")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def request() -> Request:
    return Request([{"role": "user", "content": "What is it?"}])


def ask(endpoint: Endpoint, form: str = "blocking") -> str:
    async def stream() -> str:
        return "".join([piece async for piece in endpoint.stream_async(request())])

    if form == "blocking":
        return endpoint.send(request())
    if form == "stream":
        return "".join(endpoint.stream(request()))
    return asyncio.run(endpoint.send_async(request()) if form == "coroutine" else stream())


def at(stage: Server, scheme: str = "http", **options: Any) -> Endpoint:
    options = {"tries": 1, "timeout": 5.0, "deadline": 20.0, **options}
    return Endpoint("m", f"{scheme}://127.0.0.1:{stage.port}/v1", **options)


# The key

ECHOES = {
    "a refusal": http(f"no such key: {KEY}".encode(), status=401),
    "a header that is none": b"HTTP/1.1 200 OK\r\n" + KEY.encode() + b"\r\n\r\n",
    "a status that is none": f"HTTP/1.1 {KEY}\r\n\r\n".encode(),
    "a page": http(f"<html>{KEY}".encode()),
    "bytes that are no text": http(KEY.encode() + b"\xff"),
    "an error": http(dump({"error": {"message": f"no such key: {KEY}"}})),
    "an encoding": http(b"x", f"content-encoding: {KEY}"),
    "a reason": http(dump({"choices": [{"message": {"content": "x"}, "finish_reason": KEY}]})),
    "an event": STREAM + chunk(b"event: error\ndata: " + KEY.encode() + b"\n\n") + END,
    "nothing": b"",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("echo", ECHOES)
def test_the_key_is_in_no_error_no_event_and_no_local(echo: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    events: list[Any] = []
    with server([[READ, ECHOES[echo]]]) as stage:
        endpoint = at(stage, on_event=events.append, tries=2, pause=0)
        with pytest.raises(EndpointError) as told:
            ask(endpoint, form)
        assert f"Authorization: Bearer {KEY}".encode() in stage.requests[0][0]
        endpoint.close()
    shown = traceback.TracebackException.from_exception(told.value, capture_locals=True)
    # The frame of this test has the server's script among its locals.
    texts: list[str] = []
    for frame in shown.stack:
        if frame.filename != __file__:
            texts += (frame.locals or {}).values()
    causes: list[Any] = [told.value]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    texts += [text for error in causes for text in (str(error), repr(error), repr(vars(error)))]
    texts += [repr(events), repr(vars(endpoint)), repr([vars(each) for each in told.value.attempts])]
    assert not [text for text in texts if KEY in text]


def test_words_of_a_server_cannot_act_on_a_terminal() -> None:
    with server([[READ, http("no\x1b[2J\r\n::error::x\u202e\x85".encode(), status=400)]]) as stage:
        with pytest.raises(EndpointError) as told:
            ask(at(stage))
    assert str(told.value).isprintable() and told.value.words.isprintable()
    assert r"no\x1b[2J\r\n::error::x\u202e\x85" in str(told.value)


def test_a_key_goes_over_http_only_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with server([[READ, answer(False), HOLD]]) as stage:
        assert ask(at(stage)) == TEXT
    for url in ("http://example.test/v1", "http://10.0.0.1/v1", "http://127.0.0.1.example.test/v1"):
        with pytest.raises(OptionError, match="insecure=True"):
            ask(Endpoint("m", url, deadline=5.0))
    with pytest.raises(OptionError, match="insecure=True"):
        ask(Endpoint("m", f"http://ann:{KEY}@example.test/v1", key_variable="NO_KEY"))
    with pytest.raises(EndpointError) as told:
        ask(Endpoint("m", "http://nowhere.invalid/v1", insecure=True, deadline=5.0, tries=1))
    assert told.value.kind == "unreachable"


def test_a_password_in_the_address_is_shown_nowhere() -> None:
    with server([[READ, http(f"not you, {KEY}".encode(), status=401)]]) as stage:
        endpoint = Endpoint("m", f"http://ann:{KEY}@127.0.0.1:{stage.port}/v1")
        with pytest.raises(EndpointError) as told:
            ask(endpoint)
    assert KEY not in str(told.value) + repr(vars(endpoint)) + endpoint.base_url


# Errors


def test_errors_have_a_type_and_fields() -> None:
    assert issubclass(EndpointError, CallError) and issubclass(OptionError, (MeaningError, ValueError))
    refusal = http(b"slow down", "x-request-id: r7", status=429)
    with server([[READ, refusal, READ, refusal, HOLD]]) as stage:
        with pytest.raises(EndpointError, match="after 2 tries") as told:
            ask(at(stage, tries=2, pause=0))
    error = told.value
    assert (error.kind, error.status, error.words, error.request_id) == ("status", 429, "slow down", "r7")
    assert [each.status for each in error.attempts] == [429, 429]
    sent = pickle.loads(pickle.dumps(error))
    assert (type(sent), str(sent), sent.kind, len(sent.attempts)) == (EndpointError, str(error), "status", 2)
    assert str(pickle.loads(pickle.dumps(OptionError("write it")))) == "write it"


def test_coroutines_without_asyncio_are_told_so() -> None:
    asking = Endpoint("m", "http://127.0.0.1:9/v1", key_variable="NO_KEY").send_async(request())
    with pytest.raises(OptionError, match="asyncio") as told:
        asking.send(None)
    assert isinstance(told.value.__cause__, RuntimeError)


@pytest.mark.parametrize("name", ["x-request-id", "request-id", "cf-ray"])
def test_the_server_s_name_for_a_request_is_told(name: str) -> None:
    with server([[READ, http(b"no", f"{name}: r9", status=400)]]) as stage:
        with pytest.raises(EndpointError) as told:
            ask(at(stage))
    assert told.value.request_id == "r9"


CAUSES = {
    "h11": (b"HTTP/1.1 200 OK\r\n: x\r\n\r\n", "RemoteProtocolError"),
    "json": (http(b"{"), "JSONDecodeError"),
    "utf-8": (http(b"\xff"), "UnicodeDecodeError"),
    "zlib": (http(b"xx", "content-encoding: gzip"), "error"),
}


@pytest.mark.parametrize("name", CAUSES)
def test_what_a_library_raised_is_the_cause(name: str) -> None:
    response, cause = CAUSES[name]
    with server([[READ, response]]) as stage:
        with pytest.raises(EndpointError) as told:
            ask(at(stage))
    assert type(told.value.__cause__).__name__ == cause


# Processes and tasks


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("stream", [False, True])
def test_a_child_does_not_use_connections_of_its_parent(stream: bool) -> None:
    form = "stream" if stream else "blocking"
    script: Any = [
        [READ, answer(stream, "one"), READ, answer(stream, "three"), HOLD],
        [READ, answer(stream, "two"), HOLD],
    ]
    with server(script) as stage:
        endpoint = at(stage)
        assert ask(endpoint, form) == "one"
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                os.write(writing, ask(endpoint, form).encode())
            os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        assert os.read(reading, 100) == b"two"
        os.close(reading)
        assert ask(endpoint, form) == "three"
        assert stage.connections == 2
        endpoint.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_stream_belongs_to_the_process_that_began_it() -> None:
    with server([[READ, STREAM + chunk(pieces("one")), HOLD]]) as stage:
        parts = at(stage).stream(request())
        assert next(parts) == "one"
        child = os.fork()
        if child == 0:
            try:
                next(parts)
            except EndpointError as error:
                os._exit(7 if "forked" in str(error) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        parts.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("form", ["coroutine", "coroutine stream"])
def test_a_cancelled_task_closes_its_connection(form: str) -> None:
    async def cancel() -> None:
        async def work() -> None:
            if form == "coroutine":
                await endpoint.send_async(request())
            else:
                async for _ in endpoint.stream_async(request()):
                    pass

        task = asyncio.ensure_future(work())
        while not stage.requests:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.get_running_loop().run_in_executor(None, stage.gone.wait, 5)

    with server([[READ, STREAM + chunk(pieces("one")), HOLD]]) as stage:
        endpoint = at(stage)
        asyncio.run(cancel())


STATES: "dict[str, list[Any]]" = {
    "its request goes out": [HOLD],
    "nothing has come": [READ, HOLD],
    "a part of the headers has come": [READ, b"HTTP/1.1 200 OK\r\ncont", HOLD],
    "a part of the body has come": [READ, STREAM + chunk(b": ping\n\n"), HOLD],
    "it pauses": [READ, http(b"later", "retry-after: 15", status=503), HOLD],
    "all but the end has come": [READ, STREAM + chunk(events()[:-14]), HOLD],
}


@pytest.mark.parametrize("form", ["coroutine", "coroutine stream"])
@pytest.mark.parametrize("state", STATES)
def test_a_cancelled_task_gives_its_place_back(state: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmend.meaning.transport.exchange.MAX_OPEN", 1)

    async def ask_later(text: str) -> str:
        asked = Request([{"role": "user", "content": text}])
        if form == "coroutine":
            return await endpoint.send_async(asked)
        return "".join([piece async for piece in endpoint.stream_async(asked)])

    async def cancel() -> None:
        task = asyncio.ensure_future(ask_later("x" * (8_000_000 if state == "its request goes out" else 1)))
        waiting = asyncio.ensure_future(ask_later("second"))
        await asyncio.sleep(0.3)
        waiting.cancel()
        task.cancel()
        for each in (task, waiting):
            with pytest.raises(asyncio.CancelledError):
                await each
        assert await asyncio.wait_for(ask_later("third"), 10) == TEXT

    with server([STATES[state], [READ, answer("stream" in form), HOLD]]) as stage:
        endpoint = at(stage, tries=2)
        asyncio.run(cancel())
        assert stage.connections == 2


def test_a_stream_that_is_left_closes_its_connection() -> None:
    with server([[READ, STREAM + chunk(pieces("one")), HOLD]]) as stage:
        parts = at(stage).stream(request())
        assert next(parts) == "one"
        parts.close()  # type: ignore[attr-defined]
        assert stage.gone.wait(5)


# The clock


@pytest.mark.parametrize("form", FORMS)
def test_a_name_that_nobody_knows_for_long_is_left(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **more: over.wait(20) and [])
    try:
        with pytest.raises(EndpointError) as told:
            ask(Endpoint("m", "http://example.test/v1", deadline=0.3), form)
        assert told.value.kind == "deadline" and not over.is_set()
    finally:
        over.set()


def _conversation(later: bool, tool: Any) -> "tuple[EndpointError, int]":
    """What a call ends with whose tool takes longer than the deadline, and how many requests it has made."""
    with server([[READ, http(dump(calls(("measure", "{}"), ("measure", "{}")))), HOLD]]) as stage:
        endpoint = at(stage, deadline=0.4)
        if later:

            @by(endpoint, tools=[tool])
            async def forecast_later(town: str) -> str: ...

            with pytest.raises(EndpointError) as told:
                asyncio.run(forecast_later("Ulm"))
        else:

            @by(endpoint, tools=[tool])
            def forecast(town: str) -> str: ...

            with pytest.raises(EndpointError) as told:
                forecast("Ulm")
        endpoint.close()
        return told.value, len(stage.requests)


def test_the_deadline_covers_tools() -> None:
    made: list[int] = []

    def measure() -> int:
        made.append(1)
        time.sleep(0.6)
        return 20

    error, requests = _conversation(False, measure)
    assert (error.kind, requests, made) == ("deadline", 1, [1])


def test_the_deadline_ends_tools_that_are_coroutines() -> None:
    ended: list[str] = []

    async def measure() -> int:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return 20

    error, requests = _conversation(True, measure)
    assert (error.kind, requests, ended) == ("deadline", 1, ["cancelled"])
