"""Tools: functions that a model may call before the answer.

    @by(model, tools=[weather])
    def packing_list(city: str) -> list[str]: ...

Arguments of such a call are read like an answer: typed, and never guessed.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Optional

from graphmend.meaning.conversation import Run
from graphmend.meaning.errors import UnsupportedType
from graphmend.meaning.graph import Graph, Notes, default_text, function_hints
from graphmend.meaning.notes import notes_of
from graphmend.meaning.schemas import schema_of
from graphmend.meaning.types import ReadableType
from graphmend.meaning.values import dump

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_Field = tuple[str, Any, Any]


def is_tool(value: Any) -> bool:
    """Whether an argument is a function for calls rather than a value for the question."""
    return inspect.isroutine(value)


def _field(parameter: inspect.Parameter, hint: Any) -> _Field:
    default = parameter.default
    if default is parameter.empty:
        return (parameter.name, hint, dataclasses.field())
    return (parameter.name, hint, dataclasses.field(default_factory=lambda: default))


def _default_last(field: _Field) -> bool:
    return field[2].default_factory is not dataclasses.MISSING


CO_COROUTINE = 0x180  # coroutines and coroutines of other libraries
NO_DEFAULT = object()


def parameters_of(function: Callable[..., Any]) -> list[tuple[str, Any]]:
    """Names and defaults of the parameters; `self` and `cls` are none."""
    found = []
    for number, parameter in enumerate(inspect.signature(function).parameters.values()):
        bound = number == 0 and parameter.name in ("self", "cls") and "." in function.__qualname__
        if not bound and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            default = NO_DEFAULT if parameter.default is parameter.empty else parameter.default
            found.append((parameter.name, default))
    return found


def parameter_meaning(graph: Graph, name: str, hint: Any, default: Any, note: str) -> dict[str, Any]:
    """A parameter in the IR."""
    made: dict[str, Any] = {"name": name, "type": graph.add_any(hint)}
    text = None if default is NO_DEFAULT else default_text(default)
    if text is not None:
        made["default"] = text
    if note:
        made["note"] = note
    return made


class Tool:
    """A function with its description for the model. Its arguments are read like any answer: typed, and
    never guessed.
    """

    def __init__(
        self, function: Callable[..., Any], names: Optional[dict[str, Any]] = None, notes: Notes = notes_of
    ) -> None:
        self.function = function
        self.name: str = function.__name__
        target = getattr(function, "__func__", function)  # of a method
        if not hasattr(target, "__annotations__"):
            raise UnsupportedType(f"the tool {self.name} does not say what its arguments are")
        hints = function_hints(target, names or {}) if hasattr(target, "__globals__") else {}
        told = notes(target)
        self.doc: str = told["doc"]
        self._target = target
        self._hints = hints
        self._notes: dict[str, str] = told["members"]
        self._parameters = list(inspect.signature(function).parameters.values())
        if any(parameter.kind in _VARIADIC for parameter in self._parameters):
            raise UnsupportedType(f"the tool {self.name} takes any number of arguments")
        fields = sorted((_field(each, hints.get(each.name, Any)) for each in self._parameters), key=_default_last)
        self._arguments = dataclasses.make_dataclass(self.name, fields)

        def notes_here(asked: Any) -> dict[str, Any]:
            return {"doc": "", "members": told["members"]} if asked is self._arguments else notes(asked)

        self._type = ReadableType(self._arguments, notes_here, names)
        self._schema: Optional[dict[str, Any]] = None

    def schema(self) -> dict[str, Any]:
        """The description for an endpoint; read-only."""
        if self._schema is None:
            self._schema = self._make_schema()
        return self._schema

    def _make_schema(self) -> dict[str, Any]:
        whole = schema_of(self._type.ir, self._type.root)
        definitions = whole.pop("$defs")
        own = definitions.pop(self.name)
        parameters = {**own, "$defs": definitions} if definitions else own
        told = {"name": self.name, **({"description": self.doc} if self.doc else {}), "parameters": parameters}
        return {"type": "function", "function": told}

    def meaning(self, graph: Graph) -> dict[str, Any]:
        """The tool in the IR of a function, with the types in `graph`."""
        made: dict[str, Any] = {"name": self.name, **({"doc": self.doc} if self.doc else {})}
        if self._target.__code__.co_flags & CO_COROUTINE:
            made["async"] = True
        made["parameters"] = [
            parameter_meaning(graph, name, self._hints.get(name, Any), default, self._notes.get(name, ""))
            for name, default in parameters_of(self._target)
        ]
        return made

    def run(self, arguments: str) -> Run:
        """Run the call requested by a model; raises ReadError for unreadable arguments."""
        values = vars(self._type.value(arguments or "{}"))
        positional = [each.name for each in self._parameters if each.kind is each.POSITIONAL_ONLY]
        keywords = {name: value for name, value in values.items() if name not in positional}
        return Run(self.function, tuple(values[name] for name in positional), keywords)

    def text(self, result: Any) -> str:
        """A result as text for the model."""
        return result if isinstance(result, str) else dump(result)
