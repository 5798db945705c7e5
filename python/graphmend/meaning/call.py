"""Functions without a body: lift the arguments, ask the model, lower the answer."""

from __future__ import annotations

import functools
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from graphmend.meaning.bodies import has_body
from graphmend.meaning.conversation import (
    Conversation,
    Run,
    ask,
    hold,
    hold_async,
    next_step,
    run_later,
    run_now,
    use_tools,
)
from graphmend.meaning.decision import check
from graphmend.meaning.errors import MeaningError
from graphmend.meaning.explanation import Explanation
from graphmend.meaning.model import Model, Request, Scored, ToolCall
from graphmend.meaning.prepared import Prepared, Question
from graphmend.meaning.tools import CO_COROUTINE
from graphmend.meaning.types import ReadableType

if TYPE_CHECKING:
    from graphmend.meaning.answered import Decorator

SMALL = 4096  # characters of an answer up to which each piece of it gives a value


class _Feed:
    """An answer in pieces: growing values, and requested tools. A value takes time linear in the text so far. For
    linear time of all values, a large answer grows by a 32nd between two values.
    """

    def __init__(self, readable: ReadableType) -> None:
        from graphmend.core import Stream

        self._readable = readable
        self._stream = Stream(readable.reader)
        self._text: list[str] = []
        self._size = 0  # characters so far
        self._next = 0  # how many give the next value
        self._calls: list[ToolCall] = []

    def feed(self, piece: Union[str, ToolCall]) -> Optional[Any]:
        """The value so far; None without a value, or where a value is not worth the time."""
        if isinstance(piece, ToolCall):
            self._calls.append(piece)
            return None
        self._text.append(piece)
        self._stream.feed(piece.encode("utf-8", "surrogatepass"))
        self._size += len(piece)
        if self._size < self._next:
            return None
        self._next = self._size + self._size // 32 if self._size > SMALL else 0
        reading = self._stream.partial()
        if not reading["ok"]:
            return None
        return self._readable.build(reading["value"], partial=True)

    def answer(self) -> Scored:
        """The whole answer so far."""
        return Scored("".join(self._text), calls=self._calls)

    def finish(self) -> Any:
        """The value, once no more comes."""
        return self._readable.result(self._stream.finish(), "".join(self._text)).value


class _Answered:
    """A function with a model as its body: questions of calls, and their values."""

    def __init__(
        self,
        function: Callable[..., Any],
        model: Model,
        prepare: Callable[[], Prepared],
        strict: bool,
        min_confidence: Optional[float],
        rounds: int,
    ) -> None:
        self._function = function
        self._model = model
        self._prepare = prepare
        self._known: Optional[Prepared] = None
        self._strict = strict
        self._min_confidence = min_confidence
        self._rounds = rounds

    def _prepared(self) -> Prepared:
        if self._known is None:
            self._known = self._prepare()
        return self._known

    def _start(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Prepared, Question, Request]:
        known = self._prepared()
        question = known.question(args, kwargs)
        return known, question, known.request(self._model, question)

    def _conversation(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Conversation:
        known, question, request = self._start(args, kwargs)
        chooser = known.chooser
        if chooser is not None:
            return ask(self._model, request, chooser.decide, question.tools, self._rounds, tell=False)

        def read(answer: Scored) -> Any:
            return known.type.value(answer.text, self._strict)

        return ask(self._model, request, read, question.tools, self._rounds)

    def _start_stream(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Conversation, ReadableType]:
        known, question, request = self._start(args, kwargs)
        if known.chooser is not None:
            raise MeaningError(f"{self._function.__name__} has a Decision, and then there is no stream")
        return use_tools(self._model, request, question.tools, self._rounds), known.type

    def _sure(self, value: Any) -> Any:
        return value if self._prepared().chooser is None else check(value, self._min_confidence)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._sure(hold(self._model, self._conversation(args, kwargs)))

    async def call_async(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._sure(await hold_async(self._model, self._conversation(args, kwargs)))

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        conversation, readable = self._start_stream(args, kwargs)
        clock = self._model.clock()
        step = next_step(conversation, None)
        while not isinstance(step, tuple):
            if isinstance(step, Run):
                step = next_step(conversation, run_now(step, clock))
                continue
            feed, step.clock = _Feed(readable), clock
            for piece in self._model.stream_scored(step):
                value = feed.feed(piece)
                if value is not None:
                    yield value
            step = next_step(conversation, feed.answer())
        yield feed.finish()

    async def stream_async(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        conversation, readable = self._start_stream(args, kwargs)
        clock = self._model.clock()
        step = next_step(conversation, None)
        while not isinstance(step, tuple):
            if isinstance(step, Run):
                step = next_step(conversation, await run_later(step, clock))
                continue
            feed, step.clock = _Feed(readable), clock
            async for piece in self._model.stream_scored_async(step):
                value = feed.feed(piece)
                if value is not None:
                    yield value
            step = next_step(conversation, feed.answer())
        yield feed.finish()

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        known = self._prepared()
        question = known.question(args, kwargs, shown=True)
        return Explanation(question.text, known.schema(), [tool.schema() for tool in question.tools.values()])

    def meaning(self) -> dict[str, Any]:
        return self._prepared().meaning()


def not_a_model(value: object) -> str:
    """What to write in place of a value that is no model."""
    if isinstance(value, str):
        return f"{value!r} is a name: write `by(Endpoint({value!r}, base_url))`, with the address of the model's server"
    if callable(value):
        return "`by` takes a model: write `@by(model)` above the function"
    return f"{value!r} is no model: `by` takes an Endpoint, or an object of a subclass of Model with `send`"


def by(
    model: Model,
    *,
    sem: Optional[dict[str, str]] = None,
    strict: bool = False,
    min_confidence: Optional[float] = None,
    tools: Sequence[Callable[..., Any]] = (),
    rounds: int = 8,
) -> Decorator:
    """Let a model answer calls of a function without a body.

    The function's names, types, docstring and comments are the question. `sem` adds meanings of names: "hire",
    "hire.resume", "Person.age" to text. With `strict` only the exact JSON of the schema is an answer. `min_confidence`
    is the least certainty of a Decision. `tools` are functions for calls by the model in front of the answer, in at
    most `rounds` rounds; arguments that are functions are tools, too. The function gets `stream(...)`, an iterator over
    the growing value, in steps of a 32nd for a large value, with the whole value at the end (a call of tools restarts
    the value), `explain(...)`, a dry run, and `meaning()`, the IR.

    Raises MeaningError for a model that is none, such as the name of one, and for a function with a body, which would
    never run.
    """
    if not isinstance(model, Model):
        raise MeaningError(not_a_model(model))
    scope = sys._getframe(1).f_locals
    given = dict(sem or {})

    def decorate(function: Callable[..., Any]) -> Any:
        if has_body(function.__code__):
            raise MeaningError(
                f"`{function.__qualname__}` has a body, which would never run: the model answers. Write `...` there"
            )

        def prepare() -> Prepared:
            local = {} if scope is function.__globals__ else dict(scope)
            return Prepared(function, given, local, tools)

        answered = _Answered(function, model, prepare, strict, min_confidence, rounds)
        if function.__code__.co_flags & CO_COROUTINE:

            async def call_async(*args: Any, **kwargs: Any) -> Any:
                return await answered.call_async(args, kwargs)

            made: Any = functools.wraps(function)(call_async)
            made.stream = answered.stream_async
        else:

            def call(*args: Any, **kwargs: Any) -> Any:
                return answered.call(args, kwargs)

            made = functools.wraps(function)(call)
            made.stream = answered.stream
        made.explain, made.meaning = answered.explain, answered.meaning
        return made

    return decorate


def explain(function: Any, *args: Any, **kwargs: Any) -> Explanation:
    """The request of a call, without sending the request. Names stand for missing arguments."""
    if not hasattr(function, "explain"):
        raise MeaningError(f"{getattr(function, '__name__', function)!r} is no function that a model answers")
    made: Explanation = function.explain(*args, **kwargs)
    return made
