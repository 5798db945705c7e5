"""Functions without a body: lift the arguments, ask the model, lower the answer."""

from __future__ import annotations

import functools
import json
import sys
import typing
from collections.abc import AsyncIterator, Iterator
from typing import Any, Callable, Optional

from graphmend.meaning.decision import Chooser, Decision, decide
from graphmend.meaning.errors import CallError, MeaningError, ReadError, UnsupportedType
from graphmend.meaning.graph import Graph, default_text, function_hints, record_of
from graphmend.meaning.model import Model, Request
from graphmend.meaning.notes import notes_of
from graphmend.meaning.schemas import schema_of
from graphmend.meaning.text import describe
from graphmend.meaning.types import ReadableType
from graphmend.meaning.values import dump

_CO_COROUTINE = 0x180  # coroutines and coroutines of other libraries


class Explanation:
    """What a call would send, and how much it is."""

    def __init__(self, prompt: str, schema: dict[str, Any], tokens: Optional[int]) -> None:
        self.prompt = prompt
        self.schema = schema
        self.tokens = tokens  # of the o200k vocabulary; None where tiktoken is not installed
        self.characters = len(prompt)

    def __str__(self) -> str:
        size = f"{self.tokens} tokens" if self.tokens is not None else f"{self.characters} characters"
        return f"{self.prompt}\n\n[{size}]"


def count_tokens(text: str) -> Optional[int]:
    """The number of tokens in the o200k vocabulary, where tiktoken and its vocabulary are at hand."""
    try:
        import tiktoken  # type: ignore[import-not-found]

        return len(tiktoken.get_encoding("o200k_base").encode(text))
    except Exception:
        return None


def answer_text(readable: ReadableType) -> str:
    """How the answer is asked for."""
    root = readable.root
    while readable.ir["types"][root]["form"] in ("alias", "annotated"):
        root = readable.ir["types"][root]["items"][0]
    if readable.ir["types"][root]["form"] == "str":
        extra = "" if root == readable.root else f": {describe(readable.ir, readable.root)}"
        return f"Answer with the text only{extra}."
    return f"Answer in JSON:\n{describe(readable.ir, readable.root)}"


def argument_text(name: str, value: Any, note: str = "") -> str:
    """An argument, as the model reads it."""
    text = value if isinstance(value, str) else dump(value)
    head = f"{name} ({note})" if note else name
    return f"{head}:\n{text}" if "\n" in text else f"{head}: {text}"


class Prepared:
    """What is known of a function once its annotations can be evaluated."""

    def __init__(self, function: Callable[..., Any], sem: dict[str, str], names: dict[str, Any]) -> None:
        self.function = function
        self.notes = notes_of(function)
        self.doc = sem.get(function.__qualname__) or self.notes["doc"] or function.__name__.replace("_", " ")
        hints = function_hints(function, names)
        if "return" not in hints:
            raise UnsupportedType(f"{function.__qualname__} says nothing about what it returns")
        chosen = typing.get_args(hints["return"]) if typing.get_origin(hints["return"]) is Decision else None
        self.type = ReadableType(chosen[0] if chosen else hints["return"], _with_sem(sem), names)
        self.chooser = Chooser(hints["return"], self.type) if chosen else None
        self.answer = self.chooser.question if self.chooser else answer_text(self.type)
        self.sem = sem
        self.parameters = _parameters(function)
        self._hints = hints
        self._bind = _binder(function)

    def meaning(self) -> dict[str, Any]:
        """The meaning IR of the function, parameters included, in its canonical form."""
        graph = Graph(_with_sem(self.sem), self.type.graph.names)
        root = graph.add(self.type.hint)
        made: dict[str, Any] = {"name": self.function.__name__}
        doc = self.sem.get(self.function.__qualname__) or self.notes["doc"]
        if doc:
            made["doc"] = doc
        if self.function.__code__.co_flags & _CO_COROUTINE:
            made["async"] = True
        made["parameters"] = [self._parameter(graph, name, default) for name, default in self.parameters]
        ir = {"meaning": 1, "function": made, "root": root, "types": graph.types}
        from graphmend.core import Reader

        canonical: dict[str, Any] = json.loads(Reader(json.dumps(ir, ensure_ascii=False)).meaning())
        return canonical

    def note(self, name: str) -> str:
        """What is written about a parameter."""
        return self.sem.get(f"{self.function.__qualname__}.{name}") or str(self.notes["members"].get(name, ""))

    def _parameter(self, graph: Graph, name: str, default: Any) -> dict[str, Any]:
        made: dict[str, Any] = {"name": name, "type": graph.add_any(self._hints.get(name, Any))}
        text = None if default is NO_DEFAULT else default_text(default)
        if text is not None:
            made["default"] = text
        if self.note(name):
            made["note"] = self.note(name)
        return made

    def prompt(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """The text that is sent."""
        parts = [self.doc]
        for name, value in self._bind(args, kwargs).items():
            if name == "self" and record_of(type(value), {}) is None:
                continue
            parts.append(argument_text(name, value, self.note(name)))
        return "\n".join([*parts, "", self.answer])

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the answer."""
        return schema_of(self.type.ir, self.type.root)

    def request(self, model: Model, prompt: str) -> Request:
        """What a model is sent."""
        return Request(
            [{"role": "user", "content": prompt}], self.schema() if model.strict else None, self.function.__name__
        )


NO_DEFAULT = object()


def _parameters(function: Callable[..., Any]) -> list[tuple[str, Any]]:
    """Names and defaults of the parameters; `self` and `cls` are none."""
    import inspect

    found = []
    for number, parameter in enumerate(inspect.signature(function).parameters.values()):
        bound = number == 0 and parameter.name in ("self", "cls") and "." in function.__qualname__
        if not bound and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            default = NO_DEFAULT if parameter.default is parameter.empty else parameter.default
            found.append((parameter.name, default))
    return found


def _binder(function: Callable[..., Any]) -> Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]:
    """Arguments by name, defaults included; errors are those of a call."""
    import inspect

    signature = inspect.signature(function)

    def bind(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)

    return bind


def _with_sem(sem: dict[str, str]) -> Callable[[Any], dict[str, Any]]:
    """Notes from the source, and over them those of a `sem` mapping: "Person" or "Person.age" to text."""

    def notes(target: Any) -> dict[str, Any]:
        found = notes_of(target)
        name = getattr(target, "__qualname__", "")
        members = {key[len(name) + 1 :]: text for key, text in sem.items() if key.startswith(f"{name}.")}
        return {"doc": sem.get(name) or found["doc"], "members": {**found["members"], **members}}

    return notes


def _again(request: Request, answer: str, error: ReadError) -> Request:
    """The same question with what was wrong with the answer."""
    words = f"This answer cannot be read ({error}). Answer again, completely and in the form asked for."
    more = [{"role": "assistant", "content": answer}, {"role": "user", "content": words}]
    return Request([*request.messages, *more], request.schema, request.name)


def _give_up(name: str, attempts: list[tuple[str, ReadError]]) -> CallError:
    last = attempts[-1][1]
    return CallError(f"{name}: no answer that can be read in {len(attempts)} attempts: {last}", attempts)


def ask(model: Model, request: Request, readable: ReadableType, strict: bool) -> Any:
    """Ask until there is an answer that can be read."""
    attempts: list[tuple[str, ReadError]] = []
    for _ in range(model.retries + 1):
        answer = model.send(request)
        try:
            return readable.read(answer, strict=strict).value
        except ReadError as error:
            attempts.append((answer, error))
            request = _again(request, answer, error)
    raise _give_up(request.name, attempts) from attempts[-1][1]


async def ask_async(model: Model, request: Request, readable: ReadableType, strict: bool) -> Any:
    """The same without blocking."""
    attempts: list[tuple[str, ReadError]] = []
    for _ in range(model.retries + 1):
        answer = await model.send_async(request)
        try:
            return readable.read(answer, strict=strict).value
        except ReadError as error:
            attempts.append((answer, error))
            request = _again(request, answer, error)
    raise _give_up(request.name, attempts) from attempts[-1][1]


class _Feed:
    """An answer that comes in pieces, as values that grow."""

    def __init__(self, readable: ReadableType) -> None:
        from graphmend.core import Stream

        self._readable = readable
        self._stream = Stream(readable.reader)
        self._text: list[str] = []

    def feed(self, piece: str) -> Optional[Any]:
        """The value as far as it goes; None while there is none."""
        self._text.append(piece)
        self._stream.feed(piece.encode("utf-8", "surrogatepass"))
        reading = self._stream.partial()
        if not reading["ok"]:
            return None
        return self._readable.build(reading["value"], partial=True)

    def finish(self) -> Any:
        return self._readable.result(self._stream.finish(), "".join(self._text)).value


async def _in_thread(function: Callable[..., Any], *args: Any) -> Any:
    import asyncio

    return await asyncio.get_running_loop().run_in_executor(None, functools.partial(function, *args))


def by(
    model: Model,
    *,
    sem: Optional[dict[str, str]] = None,
    strict: bool = False,
    min_confidence: Optional[float] = None,
) -> Callable[[Callable[..., Any]], Any]:
    """Let a model answer calls of a function that has no body.

    The function's names, types, docstring and comments are the question. `sem` adds what they mean: "hire",
    "hire.resume", "Person.age" to text. With `strict` an answer has to be exactly the JSON of the schema. With
    `min_confidence` a Decision has to be that sure. The function gets `stream(...)`, which yields the value as it grows
    and the whole of it at the end, `explain(...)`, which sends nothing, and `meaning()`, its IR."""
    scope = sys._getframe(1).f_locals
    given = dict(sem or {})

    def decorate(function: Callable[..., Any]) -> Any:
        prepared: list[Prepared] = []

        def prepare() -> Prepared:
            if not prepared:
                local = {} if scope is function.__globals__ else dict(scope)
                prepared.append(Prepared(function, given, local))
            return prepared[0]

        def start(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Prepared, Request]:
            known = prepare()
            return known, known.request(model, known.prompt(args, kwargs))

        if function.__code__.co_flags & _CO_COROUTINE:

            @functools.wraps(function)
            async def call(*args: Any, **kwargs: Any) -> Any:
                known, request = start(args, kwargs)
                if known.chooser is not None:
                    return await _in_thread(decide, model, request, known.chooser, min_confidence)
                return await ask_async(model, request, known.type, strict)

            async def stream(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
                known, request = start(args, kwargs)
                feed = _Feed(known.type)
                async for piece in model.stream_async(request):
                    value = feed.feed(piece)
                    if value is not None:
                        yield value
                yield feed.finish()

        else:

            @functools.wraps(function)
            def call(*args: Any, **kwargs: Any) -> Any:
                known, request = start(args, kwargs)
                if known.chooser is not None:
                    return decide(model, request, known.chooser, min_confidence)
                return ask(model, request, known.type, strict)

            def stream(*args: Any, **kwargs: Any) -> Iterator[Any]:  # type: ignore[misc]
                known, request = start(args, kwargs)
                feed = _Feed(known.type)
                for piece in model.stream(request):
                    value = feed.feed(piece)
                    if value is not None:
                        yield value
                yield feed.finish()

        def explain_call(*args: Any, **kwargs: Any) -> Explanation:
            known = prepare()
            prompt = known.prompt(args, kwargs)
            return Explanation(prompt, known.schema(), count_tokens(prompt))

        made: Any = call
        made.stream, made.explain, made.meaning = stream, explain_call, lambda: prepare().meaning()
        return made

    return decorate


def explain(function: Any, *args: Any, **kwargs: Any) -> Explanation:
    """What a call of a function that a model answers would send; nothing is sent."""
    if not hasattr(function, "explain"):
        raise MeaningError(f"{getattr(function, '__name__', function)!r} is no function that a model answers")
    made: Explanation = function.explain(*args, **kwargs)
    return made
