"""Models: a `Model` takes a request, and returns the text of an answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Callable, Generic, Optional, TypeVar, Union

from graphmend.meaning.errors import CallError

T = TypeVar("T")
Message = dict[str, Any]


class Meaning(Generic[T]):
    """The meaning of a value: text for a model or from a model, with the type of the value."""

    __slots__ = ("text", "type")

    def __init__(self, text: str, type: Any = Any) -> None:
        self.text = text
        self.type = type

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Meaning({self.text!r}, {getattr(self.type, '__name__', self.type)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Meaning) and (self.text, self.type) == (other.text, other.type)

    def __hash__(self) -> int:
        return hash(self.text)


class Request:
    """A request: messages, the schema of the answer for endpoints that enforce schemas, the tools of the model, whether
    probabilities are requested, and the clock of the call."""

    __slots__ = ("clock", "messages", "name", "schema", "scored", "tools")

    def __init__(
        self,
        messages: list[Message],
        schema: Optional[dict[str, Any]] = None,
        name: str = "answer",
        tools: Optional[list[dict[str, Any]]] = None,
        scored: bool = False,
    ) -> None:
        self.messages = messages
        self.schema = schema
        self.name = name
        self.tools = tools or []
        self.scored = scored
        self.clock: Any = None


class ToolCall:
    """The call of a tool, requested by a model, with the arguments as written by the model."""

    __slots__ = ("arguments", "id", "name")

    def __init__(self, name: str, arguments: str = "{}", id: str = "call") -> None:
        self.name = name
        self.arguments = arguments
        self.id = id


class Scored:
    """An answer with alternatives: for every token the likely tokens and their logarithmic probabilities, or None. With
    `calls`, the model requests calls in front of the answer."""

    __slots__ = ("calls", "logprobs", "text")

    def __init__(
        self, text: str, logprobs: Optional[list[dict[str, float]]] = None, calls: Sequence[ToolCall] = ()
    ) -> None:
        self.text = text
        self.logprobs = logprobs
        self.calls = list(calls)


class Model:
    """A model for questions. Subclasses define `send`, and further ways of asking where available."""

    name = "model"
    strict = False  # whether the endpoint holds the model to a schema
    retries = 2  # how often an answer that cannot be read is asked for again, with what was wrong
    max_calls = 100  # how many calls of tools a conversation may have

    def clock(self) -> Any:
        """The clock that ends a call after its time; None for calls without a limit."""
        return None

    def send(self, request: Request) -> str:
        """The text of the answer."""
        raise NotImplementedError

    def send_scored(self, request: Request) -> Scored:
        """The answer with probabilities and calls of tools, where the model gives them."""
        return Scored(self.send(request))

    async def send_async(self, request: Request) -> str:
        """The same as `send` without blocking; by default in a thread."""
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(None, self.send, request)

    async def send_scored_async(self, request: Request) -> Scored:
        """The same as `send_scored` without blocking; by default by `send_async`, or in a thread."""
        import asyncio

        if type(self).send_async is not Model.send_async:
            return Scored(await self.send_async(request))
        return await asyncio.get_running_loop().run_in_executor(None, self.send_scored, request)

    def stream(self, request: Request) -> Iterator[str]:
        """The answer in pieces; by default in one piece."""
        yield self.send(request)

    async def stream_async(self, request: Request) -> AsyncIterator[str]:
        """The same without blocking."""
        yield await self.send_async(request)

    def stream_scored(self, request: Request) -> Iterator[Union[str, ToolCall]]:
        """The answer in pieces, and then the calls of tools requested by the model. By default one piece with tools,
        and `stream` without.
        """
        if not request.tools:
            yield from self.stream(request)
            return
        answer = self.send_scored(request)
        yield answer.text
        yield from answer.calls

    async def stream_scored_async(self, request: Request) -> AsyncIterator[Union[str, ToolCall]]:
        """The same without blocking."""
        if not request.tools:
            async for piece in self.stream_async(request):
                yield piece
            return
        answer = await self.send_scored_async(request)
        yield answer.text
        for call in answer.calls:
            yield call

    def __call__(self, meaning: Meaning[Any]) -> Meaning[Any]:
        """The answer to a meaning, as a meaning of the same type."""
        return Meaning(self.send(Request([{"role": "user", "content": meaning.text}])), meaning.type)


Reply = Union[str, Scored]
Replies = Union[Sequence[Reply], Callable[[str], Reply]]


def _text_of(message: Message) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


class MockModel(Model):
    """A model for tests: answers with given texts in turn, or with the result of a function of the last message. Sends
    no request.
    """

    name = "mock"

    def __init__(self, replies: Replies, piece: int = 4, retries: int = 2) -> None:
        self._replies = replies if callable(replies) else list(replies)
        self._piece = piece
        self.retries = retries
        self.requests: list[Request] = []

    def send_scored(self, request: Request) -> Scored:
        self.requests.append(request)
        if callable(self._replies):
            reply = self._replies(_text_of(request.messages[-1]))
        elif len(self.requests) > len(self._replies):
            raise CallError(f"the mock model has {len(self._replies)} replies and was asked {len(self.requests)} times")
        else:
            reply = self._replies[len(self.requests) - 1]
        return reply if isinstance(reply, Scored) else Scored(reply)

    def send(self, request: Request) -> str:
        return self.send_scored(request).text

    async def send_async(self, request: Request) -> str:
        return self.send(request)

    async def send_scored_async(self, request: Request) -> Scored:
        return self.send_scored(request)

    def stream(self, request: Request) -> Iterator[str]:
        return (part for part in self.stream_scored(request) if isinstance(part, str))

    async def stream_async(self, request: Request) -> AsyncIterator[str]:
        for piece in self.stream(request):
            yield piece

    def stream_scored(self, request: Request) -> Iterator[Union[str, ToolCall]]:
        answer = self.send_scored(request)
        for start in range(0, len(answer.text), self._piece):
            yield answer.text[start : start + self._piece]
        yield from answer.calls

    async def stream_scored_async(self, request: Request) -> AsyncIterator[Union[str, ToolCall]]:
        for part in self.stream_scored(request):
            yield part


def mock(*replies: Any, piece: int = 4, retries: int = 2) -> MockModel:
    """A model for tests: `mock("first answer", "second answer")` or `mock(lambda prompt: ...)`."""
    if len(replies) == 1 and callable(replies[0]):
        return MockModel(replies[0], piece, retries)
    return MockModel(replies, piece, retries)
