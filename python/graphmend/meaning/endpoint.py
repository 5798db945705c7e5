"""Models behind an OpenAI-compatible endpoint. Needs httpx: `pip install graphmend[meaning]`."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Generator, Iterator
from typing import Any, Callable, Optional, Union

from graphmend.meaning.connection import AsyncConnection, Clock, Connection, async_pieces_of, pieces_of
from graphmend.meaning.errors import CallError
from graphmend.meaning.model import Model, Request, Scored, ToolCall

Event = dict[str, Any]
_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504}
_Post = tuple[bytes, list[tuple[bytes, bytes]]]  # a body, and headers of its own
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class _Retry(Exception):
    """A failure after which asking again may help."""

    def __init__(self, message: str, wait: Optional[float] = None) -> None:
        super().__init__(message)
        self.wait = wait


def _next(steps: Generator[Any, Any, Scored], result: Any) -> tuple[Any, Optional[Scored]]:
    """What is to be done next, or the answer."""
    try:
        return steps.send(result), None
    except StopIteration as end:
        return None, end.value


class Endpoint(Model):
    """A model by its name and the address of the endpoint, such as `http://localhost:8000/v1`.

    The key comes from the environment variable `key_variable` when a request is made, and goes nowhere but into its
    header. `schema` asks the endpoint to hold the model to the JSON Schema of the answer. `timeout` is how long to wait
    for a connection or for more of an answer, `deadline` how long for the whole of it. `tries` is how often a request
    is sent when the endpoint is out of order, `retries` how often an answer that cannot be read is asked for
    again. `max_tokens_spent` ends calls once answers have used so many tokens. `cache` is a folder in which answers
    are kept. `on_event` is told about requests, answers and failures."""

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        key_variable: str = "OPENAI_API_KEY",
        schema: bool = False,
        timeout: float = 60.0,
        deadline: float = 600.0,
        tries: int = 3,
        pause: float = 0.5,
        retries: int = 2,
        max_tokens_spent: Optional[int] = None,
        cache: Optional[str] = None,
        on_event: Optional[Callable[[Event], None]] = None,
        **options: Any,
    ) -> None:
        self.name = name
        self.base_url = base_url.rstrip("/")
        self.strict = schema
        self.retries = retries
        self.tokens_spent = 0
        self._key_variable = key_variable
        self._timeout = timeout
        self._deadline = deadline
        self._tries = max(1, tries)
        self._pause = pause
        self._limit = max_tokens_spent
        self._cache = cache
        self._on_event = on_event
        self._options = options
        self._lock = threading.Lock()
        self._client: Optional[Connection] = None
        self._async_clients: dict[int, tuple[Any, AsyncConnection]] = {}

    # What is sent, and what comes back

    def _payload(self, request: Request, **more: Any) -> dict[str, Any]:
        made = {"model": self.name, "messages": request.messages, **self._options, **more}
        if request.scored:
            made.update(logprobs=True, top_logprobs=20)
        if request.tools:
            made["tools"] = request.tools
        if request.schema is not None:
            schema = {"name": request.name, "schema": request.schema, "strict": True}
            made["response_format"] = {"type": "json_schema", "json_schema": schema}
        return made

    def _key(self) -> str:
        return os.environ.get(self._key_variable, "").strip()

    def _headers(self) -> list[tuple[bytes, bytes]]:
        key = self._key()
        if not key:
            return []
        if not (key.isascii() and key.isprintable()):  # what httpx says of such a header has the key in it
            raise CallError(f"the key in {self._key_variable} has characters that no key has")
        return [(b"Authorization", b"Bearer " + key.encode())]

    def _tell(self, kind: str, **more: Any) -> None:
        if self._on_event is not None:
            self._on_event({"event": kind, "model": self.name, **more})

    def _check_budget(self) -> None:
        if self._limit is not None and self.tokens_spent >= self._limit:
            raise CallError(f"the budget of {self._limit} tokens is spent")

    def _status(self, status: int, headers: Any, body: bytes) -> None:
        if status == 200:
            return
        text, key = body.decode("utf-8", "replace"), self._key()
        words = f"the endpoint answers {status}: {(text.replace(key, '***') if key else text)[:200]}"
        if status in _AGAIN:
            after = headers.get("retry-after", "")
            raise _Retry(words, float(after) if after.replace(".", "", 1).isdigit() else None)
        raise CallError(words)

    def _answer(self, status: int, headers: Any, body: bytes) -> Scored:
        """The text of an answer. One that the endpoint cut short is no answer: what is missing nobody knows."""
        self._status(status, headers, body)
        try:
            data = json.loads(body.decode("utf-8"))
            choice = data["choices"][0]
            text = choice["message"].get("content")
            calls = [_tool_call(call) for call in choice["message"].get("tool_calls") or []]
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise _Retry(f"the endpoint's answer cannot be read: {error}") from None
        self._spend(data.get("usage"))
        self._check_ending(choice.get("finish_reason"), choice["message"].get("refusal"))
        if not isinstance(text, str) and not calls:
            raise CallError("the endpoint's answer has no text")
        return Scored(text or "", _logprobs(choice), calls)

    def _spend(self, usage: Any) -> None:
        if isinstance(usage, dict) and isinstance(usage.get("total_tokens"), int):
            with self._lock:
                self.tokens_spent += usage["total_tokens"]

    def _check_ending(self, reason: Any, refusal: Any) -> None:
        if refusal:
            raise CallError(f"the model refuses: {refusal}")
        if reason in ("length", "content_filter"):
            raise CallError(f"the endpoint cut the answer short ({reason})")

    # The cache

    def _cache_path(self, payload: dict[str, Any]) -> Optional[str]:
        if self._cache is None:
            return None
        key = json.dumps([self.base_url, payload], sort_keys=True, ensure_ascii=False)
        return os.path.join(self._cache, hashlib.sha256(key.encode()).hexdigest() + ".json")

    def _cached(self, path: Optional[str]) -> Optional[Scored]:
        if path is None:
            return None
        try:
            with open(path, encoding="utf-8") as stream:
                data = json.load(stream)
            return Scored(data["text"], data["logprobs"], [ToolCall(*call) for call in data.get("calls", [])])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def _keep(self, path: Optional[str], answer: Scored) -> None:
        if path is None:
            return
        folder = os.path.dirname(path)
        os.makedirs(folder, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                calls = [[call.name, call.arguments, call.id] for call in answer.calls]
                json.dump({"text": answer.text, "logprobs": answer.logprobs, "calls": calls}, stream)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise

    # Asking

    def _url(self) -> str:
        return f"{self.base_url}/chat/completions"

    def _connection(self) -> Connection:
        with self._lock:
            if self._client is None:
                self._client = Connection(self._url(), self._timeout)
            return self._client

    def _wait(self, attempt: int, error: _Retry) -> float:
        self._tell("retry", attempt=attempt + 1, reason=str(error))
        return error.wait if error.wait is not None else self._pause * 2**attempt

    def _asking(self, request: Request) -> Generator[Union[_Post, float], Any, Scored]:
        """What is done to get an answer, without doing it: posts, which are sent the response or the httpx error, and
        seconds to wait."""
        payload = self._payload(request)
        path = self._cache_path(payload)
        answer = self._cached(path)
        if answer is not None:
            return answer
        body = _JSON.encode(payload).encode()
        for attempt in range(self._tries):
            self._check_budget()
            self._tell("request", attempt=attempt + 1)
            response = yield body, self._headers()
            try:
                if isinstance(response, Exception):
                    raise _Retry(f"the endpoint cannot be reached: {type(response).__name__}: {response}")
                answer = self._answer(response.status_code, response.headers, response.content)
            except _Retry as error:
                problem = error
            else:
                self._tell("answer", tokens_spent=self.tokens_spent)
                self._keep(path, answer)
                return answer
            if attempt + 1 < self._tries:
                yield self._wait(attempt, problem)
        self._tell("failure", reason=str(problem))
        raise CallError(f"{problem} (after {self._tries} tries)")

    def send_scored(self, request: Request) -> Scored:
        steps = self._asking(request)
        step, answer = _next(steps, None)
        while answer is None:
            response: Any = None
            if isinstance(step, float):
                time.sleep(step)
            else:
                connection = self._connection()
                try:
                    response = connection.fetch(*step, Clock(self._deadline))
                except connection.error as problem:
                    response = problem
            step, answer = _next(steps, response)
        return answer

    def send(self, request: Request) -> str:
        return self.send_scored(request).text

    # Without blocking

    def _async_connection(self) -> AsyncConnection:
        import asyncio

        loop = asyncio.get_running_loop()
        with self._lock:
            kept = self._async_clients.get(id(loop))
            if kept is None or kept[0] is not loop:
                for number in [key for key, (known, _) in self._async_clients.items() if known.is_closed()]:
                    del self._async_clients[number]
                kept = self._async_clients[id(loop)] = (loop, AsyncConnection(self._url(), self._timeout))
            return kept[1]

    async def send_scored_async(self, request: Request) -> Scored:
        import asyncio

        steps = self._asking(request)
        step, answer = _next(steps, None)
        while answer is None:
            response: Any = None
            if isinstance(step, float):
                await asyncio.sleep(step)
            else:
                connection = self._async_connection()
                try:
                    response = await connection.fetch(*step, Clock(self._deadline))
                except connection.error as problem:
                    response = problem
            step, answer = _next(steps, response)
        return answer

    async def send_async(self, request: Request) -> str:
        return (await self.send_scored_async(request)).text

    # In pieces: what has been given away cannot be taken back, so a stream that breaks is not asked for again

    def _start_stream(self, request: Request) -> tuple[_Post, _Events]:
        self._check_budget()
        self._tell("request", attempt=1)
        more: dict[str, Any] = {"stream": True}
        if self._limit is not None and "stream_options" not in self._options:
            more["stream_options"] = {"include_usage": True}
        return (_JSON.encode(self._payload(request, **more)).encode(), self._headers()), _Events(self)

    def stream(self, request: Request) -> Iterator[str]:
        return (part for part in self.stream_scored(request) if isinstance(part, str))

    async def stream_async(self, request: Request) -> AsyncIterator[str]:
        async for part in self.stream_scored_async(request):
            if isinstance(part, str):
                yield part

    def stream_scored(self, request: Request) -> Iterator[Union[str, ToolCall]]:
        post, reading = self._start_stream(request)
        connection, clock = self._connection(), Clock(self._deadline)
        try:
            with contextlib.closing(connection.open(*post)) as response:
                pieces = pieces_of(response)
                if response.status_code != 200:
                    self._status(response.status_code, response.headers, b"".join(pieces))
                for piece in pieces:
                    yield from reading.feed(clock.check(piece))
        except (connection.error, _Retry) as problem:
            raise CallError(f"the stream broke: {problem}") from problem
        yield from reading.finish()

    async def stream_scored_async(self, request: Request) -> AsyncIterator[Union[str, ToolCall]]:
        post, reading = self._start_stream(request)
        connection, clock = self._async_connection(), Clock(self._deadline)
        try:
            response = await connection.open(*post)
            try:
                pieces = async_pieces_of(response)
                if response.status_code != 200:
                    self._status(response.status_code, response.headers, b"".join([piece async for piece in pieces]))
                async for piece in pieces:
                    for text in reading.feed(clock.check(piece)):
                        yield text
            finally:
                await response.aclose()
        except (connection.error, _Retry) as problem:
            raise CallError(f"the stream broke: {problem}") from problem
        for call in reading.finish():
            yield call

    def close(self) -> None:
        """Close the connections of `send` and `stream`; those of an event loop end with it."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()


def _tool_call(call: Any) -> ToolCall:
    function = call["function"]
    if not isinstance(function["name"], str) or not isinstance(function["arguments"], str):
        raise TypeError("a call of a tool without name or arguments")
    return ToolCall(function["name"], function["arguments"], str(call.get("id") or "call"))


def _logprobs(choice: dict[str, Any]) -> Optional[list[dict[str, float]]]:
    """For every token of the answer the likely ones with their logarithmic probabilities; None where there are none."""
    content = (choice.get("logprobs") or {}).get("content")
    if not isinstance(content, list):
        return None
    try:
        return [{top["token"]: float(top["logprob"]) for top in token["top_logprobs"]} for token in content]
    except (LookupError, TypeError, ValueError):
        return None


class _Events:
    """Server-sent events of a stream: the text in them, the calls of tools, and whether it has come to its end."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._rest = b""
        self._done = False
        self._calls: dict[int, dict[str, Any]] = {}

    def feed(self, piece: bytes) -> Iterator[str]:
        lines = (self._rest + piece).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            if line.startswith(b"data:"):
                yield from self._event(line[5:].strip())

    def _event(self, data: bytes) -> Iterator[str]:
        if data == b"[DONE]":
            self._done = True
            return
        try:
            event = json.loads(data.decode("utf-8"))
            choices = event.get("choices") or []
            delta = choices[0].get("delta") or {} if choices else {}
            self._add_calls(delta.get("tool_calls") or [])
        except (ValueError, AttributeError, LookupError, TypeError) as error:
            raise CallError(f"an event of the stream cannot be read: {error}") from None
        self._endpoint._spend(event.get("usage"))
        if delta.get("content"):
            yield delta["content"]
        if choices:
            self._endpoint._check_ending(choices[0].get("finish_reason"), delta.get("refusal"))

    def _add_calls(self, pieces: list[dict[str, Any]]) -> None:
        """Pieces of calls by their number: the first has the name, all have a piece of the arguments."""
        for piece in pieces:
            number = piece.get("index", len(self._calls) if "id" in piece else len(self._calls) - 1)
            call = self._calls.setdefault(number, {"id": None, "function": {"name": "", "arguments": ""}})
            call["id"] = piece.get("id") or call["id"]
            for name, text in (piece.get("function") or {}).items():
                if name in call["function"]:
                    call["function"][name] += text or ""

    def finish(self) -> list[ToolCall]:
        """The calls of tools, once no more comes."""
        if not self._done:
            raise CallError("the stream broke: it ended without saying so")
        if not all(call["function"]["name"] for call in self._calls.values()):
            raise CallError("the stream has a call of a tool without its name")
        return [_tool_call(call) for call in self._calls.values()]
