"""Objects whose missing fields a model fills in.

    complete(model, Person(name="Ann", age=None))     # asks for the age alone

The type of the answer is a record of the missing fields.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from graphmend.meaning.build import constructor
from graphmend.meaning.conversation import Conversation, ask, hold, hold_async
from graphmend.meaning.errors import UnsupportedType
from graphmend.meaning.graph import Field, Record, record_of
from graphmend.meaning.model import Model, Request
from graphmend.meaning.notes import notes_of
from graphmend.meaning.prepared import Question, answer_text, argument_text
from graphmend.meaning.schemas import schema_of
from graphmend.meaning.types import ReadableType

_UNKNOWN: Any = object()


def _take(record: Record, target: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The known fields, by name."""
    known: dict[str, Any] = {}
    if not isinstance(target, type):
        values = (
            target if record.kind == "typeddict" else {f.name: getattr(target, f.name, None) for f in record.fields}
        )
        known = {name: value for name, value in values.items() if value is not None}
    unknown = [name for name in given if name not in {field.name for field in record.fields}]
    if unknown:
        raise TypeError(f"{record.cls.__name__} has no field {unknown[0]!r}")
    return {**known, **given}


def _missing_type(record: Record, missing: list[Field], names: dict[str, Any]) -> ReadableType:
    """A record of the missing fields, with the notes about them."""
    notes = notes_of(record.cls)["members"]

    def told(target: Any) -> dict[str, Any]:
        return {"doc": "", "members": notes} if target is made else notes_of(target)

    ordered = sorted(missing, key=lambda field: not field.required)
    fields = [
        (field.name, field.hint, dataclasses.field() if field.required else dataclasses.field(default=_UNKNOWN))
        for field in ordered
    ]
    made = dataclasses.make_dataclass(record.cls.__name__, fields)
    readable = ReadableType(made, told, names)
    for shown, field in zip(readable.ir["types"][readable.root]["fields"], ordered):
        if field.default is not None:
            shown["default"] = field.default
    return readable


class _Completion:
    def __init__(self, target: Any, given: dict[str, Any], names: dict[str, Any]) -> None:
        cls = target if isinstance(target, type) else type(target)
        record = record_of(cls, names)
        if record is None:
            raise UnsupportedType(f"{cls.__name__} has no declared fields to complete")
        self.record = record
        self.known = _take(record, target, given)
        self.missing = [field for field in record.fields if field.name not in self.known]
        self.type = _missing_type(record, self.missing, names)

    def request(self, model: Model) -> Request:
        doc = notes_of(self.record.cls)["doc"]
        question = Question()
        lines = [f"Complete this {self.record.cls.__name__}{': ' + doc if doc else '.'}"]
        lines += [argument_text(name, question.argument(value)) for name, value in self.known.items()]
        text = "\n".join([*lines, "", answer_text(self.type)])
        content = [{"type": "text", "text": text}, *(image.part() for image in question.images)]
        schema = schema_of(self.type.ir, self.type.root) if model.strict else None
        message = {"role": "user", "content": content if question.images else text}
        return Request([message], schema, f"complete_{self.record.cls.__name__}")

    def read(self, text: str) -> Any:
        values = {name: value for name, value in vars(self.type.value(text)).items() if value is not _UNKNOWN}
        values.update(self.known)
        numbers = {field.name: number for number, field in enumerate(self.record.fields)}
        return constructor(self.record)({numbers[name]: value for name, value in values.items()})

    def converse(self, model: Model) -> Conversation:
        return ask(model, self.request(model), lambda answer: self.read(answer.text))


def complete(model: Model, target: Any, /, **given: Any) -> Any:
    """A new object of a class with fields; a model fills in the missing fields.

    `target` is the class, or an object with None for missing fields. Present fields stay unchanged, and are no part of
    the question.
    """
    work = _Completion(target, given, sys._getframe(1).f_locals)
    return hold(model, work.converse(model)) if work.missing else work.read("{}")


async def complete_async(model: Model, target: Any, /, **given: Any) -> Any:
    """The same without blocking."""
    work = _Completion(target, given, {})
    return await hold_async(model, work.converse(model)) if work.missing else work.read("{}")
