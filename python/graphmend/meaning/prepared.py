"""Facts about a function with a model as its body: question, type of the answer, tools."""

from __future__ import annotations

import collections.abc
import inspect
import json
import typing
from typing import Any, Callable

from graphmend.meaning.decision import Chooser, Decision
from graphmend.meaning.errors import UnsupportedType
from graphmend.meaning.graph import Graph, function_hints, record_of
from graphmend.meaning.images import Image, images_in
from graphmend.meaning.model import Model, Request
from graphmend.meaning.notes import notes_of
from graphmend.meaning.schemas import schema_of
from graphmend.meaning.text import describe
from graphmend.meaning.tools import CO_COROUTINE, Tool, is_tool, parameter_meaning, parameters_of
from graphmend.meaning.types import ReadableType
from graphmend.meaning.values import dump


def answer_text(readable: ReadableType) -> str:
    """How the answer is asked for."""
    root = readable.root
    while readable.ir["types"][root]["form"] in ("alias", "annotated"):
        root = readable.ir["types"][root]["items"][0]
    if readable.ir["types"][root]["form"] == "str":
        extra = "" if root == readable.root else f": {describe(readable.ir, readable.root)}"
        return f"Answer with the text only{extra}."
    return f"Answer in JSON:\n{describe(readable.ir, readable.root)}"


class Unknown(str):
    """A missing argument, in an explanation."""


class Question:
    """The question of a call: its text, its images, and the tools."""

    __slots__ = ("images", "text", "tools")

    def __init__(self) -> None:
        self.text = ""
        self.images: list[Image] = []
        self.tools: dict[str, Tool] = {}

    def argument(self, value: Any) -> str:
        """An argument in words."""
        images = images_in(value)
        if not images:
            return value if isinstance(value, str) else dump(value)
        self.images += images
        numbers = range(len(self.images) - len(images) + 1, len(self.images) + 1)
        return ", ".join(f"image {number}" for number in numbers)


def argument_text(name: str, text: str, note: str = "") -> str:
    """An argument, as text for the model."""
    head = f"{name} ({note})" if note else name
    return f"{head}:\n{text}" if "\n" in text else f"{head}: {text}"


class Prepared:
    """A function with evaluated annotations: question, readers and tools."""

    def __init__(
        self,
        function: Callable[..., Any],
        sem: dict[str, str],
        names: dict[str, Any],
        tools: typing.Sequence[Callable[..., Any]] = (),
    ) -> None:
        self.function = function
        self.tools = [Tool(tool, names, _with_sem(sem)) for tool in tools]
        self.notes = notes_of(function)
        self.doc = sem.get(function.__qualname__) or self.notes["doc"] or function.__name__.replace("_", " ")
        hints = function_hints(function, names)
        if "return" not in hints:
            raise UnsupportedType(f"{function.__qualname__} says nothing about what it returns")
        origin: Any = typing.get_origin(hints["return"])
        chosen = typing.get_args(hints["return"]) if origin is Decision else None
        self.type = ReadableType(chosen[0] if chosen else hints["return"], _with_sem(sem), names)
        self.chooser = Chooser(hints["return"], self.type) if chosen else None
        self.answer = self.chooser.question if self.chooser else answer_text(self.type)
        self.sem = sem
        self.parameters = parameters_of(function)
        self._hints = hints
        self._signature = inspect.signature(function)
        kinds = [each.kind for each in self._signature.parameters.values()]
        self._names = list(self._signature.parameters)
        self._plain = all(kind in (kind.POSITIONAL_ONLY, kind.POSITIONAL_OR_KEYWORD) for kind in kinds)
        self._schema: Any = None

    def meaning(self) -> dict[str, Any]:
        """The meaning IR of the function, parameters included, in its canonical form."""
        graph = Graph(_with_sem(self.sem), self.type.graph.names)
        root = graph.add(self.type.hint)
        made: dict[str, Any] = {"name": self.function.__name__}
        doc = self.sem.get(self.function.__qualname__) or self.notes["doc"]
        if doc:
            made["doc"] = doc
        if self.function.__code__.co_flags & CO_COROUTINE:
            made["async"] = True
        made["parameters"] = [
            parameter_meaning(graph, name, self._hints.get(name, Any), default, self.note(name))
            for name, default in self.parameters
        ]
        if self.tools:
            made["tools"] = [tool.meaning(graph) for tool in self.tools]
        ir = {"meaning": 1, "function": made, "root": root, "types": graph.types}
        from graphmend.core import Reader

        canonical: dict[str, Any] = json.loads(Reader(json.dumps(ir, ensure_ascii=False)).meaning())
        return canonical

    def note(self, name: str) -> str:
        """The note about a parameter."""
        return self.sem.get(f"{self.function.__qualname__}.{name}") or str(self.notes["members"].get(name, ""))

    def question(self, args: tuple[Any, ...], kwargs: dict[str, Any], shown: bool = False) -> Question:
        """The question of a call. In an explanation (`shown`), arguments may be missing."""
        made = Question()
        parts = [self.doc]
        for name, value in (self._placed if shown else self._bind)(args, kwargs).items():
            if type(value) is not str and is_tool(value):
                tool = Tool(value, self.type.graph.names, _with_sem(self.sem))
                made.tools[tool.name] = tool
            elif name != "self" or isinstance(value, Unknown) or record_of(type(value), {}) is not None:
                parts.append(argument_text(name, made.argument(value), self.note(name)))
        made.tools.update({tool.name: tool for tool in self.tools})
        made.text = "\n".join([*parts, "", self.answer])
        return made

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments by name, defaults included; errors are the errors of a call."""
        if self._plain and not kwargs and len(args) == len(self._names):
            return dict(zip(self._names, args))
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)

    def _placed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments by name, with a word for each that is not given."""
        bound = self._signature.bind_partial(*args, **kwargs)
        bound.apply_defaults()
        variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        names = [name for name, each in self._signature.parameters.items() if each.kind not in variadic]
        given = dict(bound.arguments)
        return {name: given.pop(name, Unknown(f"<{name}>")) for name in names if not self._is_function(name, given)}

    def _is_function(self, name: str, given: dict[str, Any]) -> bool:
        """Whether a parameter takes a tool, and the call gives none."""
        hint = typing.get_origin(self._hints.get(name)) or self._hints.get(name)
        return name not in given and hint is collections.abc.Callable

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the answer."""
        return schema_of(self.type.ir, self.type.root)

    def request(self, model: Model, question: Question) -> Request:
        """The request for a model."""
        content: Any = question.text
        if question.images:
            content = [{"type": "text", "text": content}, *(image.part() for image in question.images)]
        if model.strict and self._schema is None:
            self._schema = self.schema()
        schema = self._schema if model.strict else None
        tools = [tool.schema() for tool in question.tools.values()]
        scored = self.chooser is not None
        return Request([{"role": "user", "content": content}], schema, self.function.__name__, tools, scored)


def _with_sem(sem: dict[str, str]) -> Callable[[Any], dict[str, Any]]:
    """Notes from the source, overridden by a `sem` mapping: "Person" or "Person.age" to text."""

    def notes(target: Any) -> dict[str, Any]:
        found = notes_of(target)
        name = getattr(target, "__qualname__", "")
        members = {key[len(name) + 1 :]: text for key, text in sem.items() if key.startswith(f"{name}.")}
        return {"doc": sem.get(name) or found["doc"], "members": {**found["members"], **members}}

    return notes
