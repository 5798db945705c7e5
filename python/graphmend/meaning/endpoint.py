"""Models behind an OpenAI-compatible endpoint. Needs h11: `pip install h11 certifi`."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator, Generator, Iterator
from typing import Any, Callable, Optional, Union

from graphmend.meaning import options as check
from graphmend.meaning.answers import Answers
from graphmend.meaning.completions import StreamReader, WholeReader
from graphmend.meaning.errors import CallError, EndpointError, OptionError
from graphmend.meaning.model import Model, Request, Scored, ToolCall
from graphmend.meaning.repetition import is_repeated, jittered, pause_of
from graphmend.meaning.secret import Secret, key_of, told, words_of

Event = dict[str, Any]
Reader = Union[WholeReader, StreamReader]
MAX_REFUSAL = 1 << 16  # bytes of a refusal that are read
REQUEST_IDS = ("x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "cf-ray")  # as servers call it


def _transport() -> Any:
    """The modules that need h11, imported at their first use."""
    try:
        from graphmend.meaning.transport import exchange
    except ImportError:
        raise CallError("an Endpoint needs h11: pip install h11 certifi") from None
    return exchange


Asking = Generator[Any, Any, Scored]


def _carry_out(steps: Asking, step: Any) -> Any:
    """Carry a step out; returns the next step. No frame on the way of an error holds bytes of an answer."""
    try:
        result = step()
    except Exception as error:
        return steps.throw(error)
    return steps.send(result)


def _first(steps: Asking) -> tuple[Any, Optional[Scored]]:
    """The next step where the last one has no result, or the answer."""
    try:
        return steps.send(None), None
    except StopIteration as end:
        return None, end.value


async def _carry_out_later(steps: Asking, step: Any) -> tuple[Any, Optional[Scored]]:
    """Carry a step out without blocking; the next one, or the answer."""
    try:
        try:
            result = await step()
        except Exception as error:
            return steps.throw(error), None
        return steps.send(result), None
    except StopIteration as end:
        return None, end.value


class Endpoint(Model):
    """A model by its name and the address of the endpoint, such as `http://localhost:8000/v1`.

    The key comes from the environment variable `key_variable` at the time of a request, and only enters the header of
    the request, over https or to this machine; `insecure` permits http to other machines. `schema` asks the endpoint to
    hold the model to the JSON Schema of the answer. `deadline` bounds the seconds of a whole call, with pauses,
    repetitions and tools, `timeout` the seconds of a wait for a connection or for more of an answer. `tries` is the
    number of attempts at an endpoint out of order, `pause` bounds the seconds before the second attempt, `retries` is
    the number of new questions after unreadable answers. `max_tokens_spent` bounds the tokens of answers,
    `max_answer_bytes` and `max_line_bytes` the bytes of an answer and of a line of a stream, `max_calls` the calls of
    tools in a conversation. `cache` is a private folder for answers without calls of tools. `on_event` receives
    requests, answers and failures. Further options enter the request. An invalid option is an OptionError."""

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        key_variable: str = "OPENAI_API_KEY",
        insecure: bool = False,
        schema: bool = False,
        timeout: float = 60.0,
        deadline: float = 600.0,
        tries: int = 3,
        pause: float = 0.5,
        retries: int = 2,
        max_tokens_spent: Optional[int] = None,
        max_answer_bytes: int = 32 << 20,
        max_line_bytes: int = 1 << 20,
        max_calls: int = 100,
        cache: Optional[str] = None,
        on_event: Optional[Callable[[Event], None]] = None,
        **options: Any,
    ) -> None:
        _transport()
        from graphmend.meaning.transport.address import Target

        target = Target(base_url)
        self.name = check.text("name", name, "'some-model'")
        self.base_url = target.url
        self.strict = check.flag("schema", schema)
        self.retries = check.count("retries", retries, 0, "2")
        self.max_calls = check.count("max_calls", max_calls, 0, "100")
        self.tokens_spent = 0
        self._target = target
        self._key_variable = check.text("key_variable", key_variable, "'OPENAI_API_KEY'")
        self._insecure = check.flag("insecure", insecure)
        self._timeout = check.seconds("timeout", timeout)
        self._deadline = check.seconds("deadline", deadline, example="600")
        self._tries = check.count("tries", tries, 1, "3")
        self._pause = check.seconds("pause", pause, -1e-9, "0.5")
        self._limit = None if max_tokens_spent is None else check.count("max_tokens_spent", max_tokens_spent, 0, "9999")
        self._max_answer = check.count("max_answer_bytes", max_answer_bytes, 1, "33554432")
        self._max_line = check.count("max_line_bytes", max_line_bytes, 1, "1048576")
        folder = check.folder("cache", cache)
        self._answers = None if folder is None else Answers(os.fspath(folder))
        self._on_event = check.callback("on_event", on_event)
        self._options = check.of_requests(options)
        self._start()

    def _start(self) -> None:
        """Make the objects that belong to this process."""
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._address: Any = None
        self._blocking: Any = None
        self._loops: dict[int, tuple[Any, Any, Any]] = {}

    # What is sent

    def clock(self) -> Any:
        """The clock of a call that starts now."""
        from graphmend.meaning.transport.clock import Clock

        return Clock(self._deadline, self._timeout)

    def _payload(self, request: Request, stream: bool) -> dict[str, Any]:
        made = {"model": self.name, "messages": request.messages, **self._options}
        if stream:
            made["stream"] = True
            if self._limit is not None:
                made.setdefault("stream_options", {"include_usage": True})
        if request.scored:
            made.update(logprobs=True, top_logprobs=20)
        if request.tools:
            made["tools"] = request.tools
        if request.schema is not None:
            schema = {"name": request.name, "schema": request.schema, "strict": True}
            made["response_format"] = {"type": "json_schema", "json_schema": schema}
        return made

    def _body(self, payload: dict[str, Any]) -> bytes:
        import json

        try:
            return check.JSON.encode(payload).encode()
        except UnicodeEncodeError:  # lone surrogates, which JSON can write
            return json.dumps(payload, allow_nan=False, separators=(",", ":")).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise OptionError(f"the request cannot be written as JSON ({error})") from error

    def _authorization(self) -> Secret:
        """The line of the header with the key, or with the user that the address names."""
        if self._target.user:
            secret = self._target.user.headers("Authorization", "Basic")
        else:
            secret = key_of(self._key_variable).headers("Authorization", "Bearer")
        if secret and not (self._target.tls or self._insecure or self._target.is_loopback()):
            words = "the key would go over http, which others can read: write https://, or insecure=True"
            raise OptionError(words)
        return secret

    def _secrets(self) -> list[Secret]:
        return [Secret(os.environ.get(self._key_variable, "").strip()), self._target.user, self._target.password]

    def _tell(self, kind: str, **more: Any) -> None:
        if self._on_event is not None:
            self._on_event({"event": kind, "model": self.name, **more})

    def _check_budget(self) -> None:
        if self._limit is not None and self.tokens_spent >= self._limit:
            raise EndpointError("limit", f"the budget of {self._limit} tokens is spent")

    def _spend(self, usage: Any) -> None:
        total = usage.get("total_tokens") if isinstance(usage, dict) else None
        if isinstance(total, int) and total > 0:
            with self._lock:
                self.tokens_spent += total

    # Asking, as steps that the four forms carry out: pieces of text are lists, all else is to be called

    def _asking(self, request: Request, hands: Any, pool: Any, stream: bool) -> Generator[Any, Any, Scored]:
        """An answer. A stream is asked for again as long as no piece of it has been given away."""
        clock = request.clock or self.clock()
        payload = self._payload(request, stream)
        asked = [self.base_url, payload]
        answers = None if stream else self._answers
        answer = None if answers is None else answers.find(asked)
        if answer is not None:
            return answer
        body = self._body(payload)
        attempts: list[EndpointError] = []
        fresh = False
        while True:
            self._check_budget()
            self._tell("request", attempt=len(attempts) + 1)
            reader: Reader = StreamReader(self._max_line) if stream else WholeReader()
            try:
                answer = yield from self._attempt(body, reader, hands, pool, clock, fresh)
            except EndpointError as error:
                error.received = error.received or reader.received
                attempts.append(told(error, self._secrets()))
            else:
                if stream and answer.text and not reader.begun:
                    yield [answer.text]  # it came as one object
                self._tell("answer", tokens_spent=self.tokens_spent)
                if answers is not None:
                    answers.keep(asked, answer)
                return answer
            yield from self._pause_behind(attempts, reader, hands, clock)
            fresh = attempts[-1].was_kept

    def _pause_behind(self, attempts: list[EndpointError], reader: Reader, hands: Any, clock: Any) -> Any:
        """Wait for the next attempt; raise where there is none."""
        error = attempts[-1]
        died = [each for each in attempts if each.was_kept][:1]  # the first is nobody's fault, and costs no try
        pause = error.pause if error.pause is not None else jittered(self._pause, len(attempts) - 1)
        pause = 0.0 if died == [error] else pause
        if not error.again or reader.begun or len(attempts) >= self._tries + len(died):
            raise self._failed(attempts, reader.begun)
        if pause >= clock.left():
            raise self._failed(attempts, False, f", and the next attempt would be behind the deadline ({pause:.3g} s)")
        self._tell("retry", attempt=len(attempts), reason=str(error), pause=pause)
        if pause > 0:
            import functools

            yield functools.partial(hands.sleep, pause)

    def _failed(self, attempts: list[EndpointError], begun: bool, more: str = "") -> EndpointError:
        """The last error, with all errors in front of it."""
        error = attempts[-1]
        error.attempts = list(attempts)
        self._tell("failure", reason=str(error))
        if begun:
            error.args = (f"the stream broke: {error}",)
        elif error.again:
            tries = "1 try" if len(attempts) == 1 else f"{len(attempts)} tries"
            error.args = (f"{error} (after {tries}{more})",)
        return error

    def _attempt(
        self, body: bytes, reader: Reader, hands: Any, pool: Any, clock: Any, fresh: bool
    ) -> Generator[Any, Any, Scored]:
        """One post and its answer."""
        exchange = _transport().Exchange(hands, pool, self._address_of(), clock, self._max_answer)
        well = False
        try:
            data = yield from exchange.begin(self._address.post(body, self._authorization()), fresh)
            answer = exchange.answer
            if answer.status != 200:
                yield from self._refuse(exchange, data)
            while True:
                pieces = reader.feed(data) if data else None
                if pieces:
                    yield pieces
                if reader.problem is not None:
                    raise reader.problem
                if reader.done or answer.state == "ended":
                    break
                data = yield from exchange.more()  # most steps are this one
            yield from self._end(exchange, reader)
            scored = reader.finish()
            well = not reader.behind
            return scored
        except RecursionError as cause:
            raise EndpointError("limit", "the endpoint's answer is nested too deeply") from cause
        except EndpointError as error:
            said = exchange.answer
            error.request_id = next((said.headers[name] for name in REQUEST_IDS if said.headers.get(name)), "")[:200]
            error.status = error.status or said.status or None
            well = said.status != 200  # a refusal that is whole is an answer like others
            raise
        finally:
            self._spend(reader.usage)
            exchange.close(well)

    def _end(self, exchange: Any, reader: Reader) -> Any:
        """Read on from the end reported by the server to the end of the body; yields further pieces."""
        if isinstance(reader, WholeReader):
            return
        if exchange.answer.state != "ended":
            reader.feed((yield from exchange.drain()))
        pieces = reader.last()
        if pieces:
            yield pieces
        if reader.problem is not None:
            raise reader.problem

    def _refuse(self, exchange: Any, data: bytes) -> Any:
        """Raise the error for a status other than 200, with the server's words as far as they come."""
        answer, body = exchange.answer, bytearray(data)
        try:
            while answer.state != "ended" and len(body) < MAX_REFUSAL:
                body += yield from exchange.more()
        except EndpointError as error:
            problem: Optional[EndpointError] = error
        else:
            problem = None
        words = words_of(body.decode("utf-8", "replace"), self._secrets(), 2000)
        raise EndpointError(
            "status",
            f"the endpoint answers {answer.status}: {words[:200]}",
            status=answer.status,
            words=words,
            again=is_repeated(answer.status, answer.headers),
            pause=pause_of(answer.headers),
        ) from problem

    # Connections

    def _address_of(self) -> Any:
        if self._address is None:
            from graphmend.meaning.transport.address import Address

            self._address = Address(self._target, "/chat/completions")
        return self._address

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            self._start()

    def _threads(self) -> tuple[Any, Any]:
        """How threads carry steps out, and their connections."""
        self._check_process()
        if self._blocking is None:
            from graphmend.meaning.transport.blocking import Blocking

            with self._lock:
                exchange = _transport()
                self._blocking = self._blocking or (Blocking(exchange.MAX_OPEN), exchange.Pool())
        made: tuple[Any, Any] = self._blocking
        return made

    def _coroutines(self) -> tuple[Any, Any]:
        """The connections for coroutines of the running loop."""
        import asyncio

        from graphmend.meaning.transport.coroutines import Coroutines

        self._check_process()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError as error:
            raise OptionError("the coroutines of an Endpoint run in asyncio: use asyncio.run") from error
        kept = self._loops.get(id(loop))
        if kept is None or kept[0] is not loop:
            with self._lock:
                for number in [key for key, (known, *_) in self._loops.items() if known.is_closed()]:
                    del self._loops[number]
                exchange = _transport()
                pool = exchange.Pool()
                kept = self._loops[id(loop)] = (loop, Coroutines(exchange.MAX_OPEN, pool.close), pool)
        return kept[1], kept[2]

    def close(self) -> None:
        """Close the connections of `send` and `stream`; connections of an event loop end with the loop."""
        blocking, self._blocking = self._blocking, None
        if blocking is not None:
            blocking[1].close()

    # The four forms

    def send_scored(self, request: Request) -> Scored:
        steps = self._asking(request, *self._threads(), False)
        try:
            step = steps.send(None)
            while True:
                step = _carry_out(steps, step)
        except StopIteration as end:
            answer: Scored = end.value
            return answer
        except EndpointError as error:
            raise told(error, self._secrets()) from error.__cause__
        finally:
            steps.close()

    async def send_scored_async(self, request: Request) -> Scored:
        steps = self._asking(request, *self._coroutines(), False)
        try:
            step, answer = _first(steps)
            while answer is None:
                step, answer = await _carry_out_later(steps, step)
            return answer
        except EndpointError as error:
            raise told(error, self._secrets()) from error.__cause__
        finally:
            steps.close()

    def stream_scored(self, request: Request) -> Iterator[Union[str, ToolCall]]:
        steps = self._asking(request, *self._threads(), True)
        try:
            step = steps.send(None)
            while True:
                if type(step) is list:
                    yield from step
                    step = steps.send(None)
                else:
                    step = _carry_out(steps, step)
        except StopIteration as end:
            answer = end.value
        except EndpointError as error:
            raise told(error, self._secrets()) from error.__cause__
        finally:
            steps.close()
        yield from answer.calls

    async def stream_scored_async(self, request: Request) -> AsyncIterator[Union[str, ToolCall]]:
        steps = self._asking(request, *self._coroutines(), True)
        try:
            step, answer = _first(steps)
            while answer is None:
                if type(step) is list:
                    for piece in step:
                        yield piece
                    step, answer = _first(steps)
                else:
                    step, answer = await _carry_out_later(steps, step)
        except EndpointError as error:
            raise told(error, self._secrets()) from error.__cause__
        finally:
            steps.close()
        for call in answer.calls:
            yield call

    def send(self, request: Request) -> str:
        return self.send_scored(request).text

    async def send_async(self, request: Request) -> str:
        return (await self.send_scored_async(request)).text

    def stream(self, request: Request) -> Iterator[str]:
        return (part for part in self.stream_scored(request) if isinstance(part, str))

    async def stream_async(self, request: Request) -> AsyncIterator[str]:
        async for part in self.stream_scored_async(request):
            if isinstance(part, str):
                yield part
