"""The two directions between values and text, and the text by which a model sees a type.

    lift(Person("Ann", 41))                          # Meaning('{"name": "Ann", "age": 41}', Person)
    lower('{"name": "Ann", "age": 41}', Person)      # Person(name='Ann', age=41)

Their other names are `render` and `parse`. `describe` gives a type as text, and `meaning_of` a type as IR.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Union

from graphmend.meaning import schemas
from graphmend.meaning import text as texts
from graphmend.meaning.model import Meaning
from graphmend.meaning.notes import notes_of
from graphmend.meaning.types import ReadableType
from graphmend.meaning.values import dump

_known: dict[Any, ReadableType] = {}


def readable(hint: Any, depth: int = 1) -> ReadableType:
    """The reader of a type, kept for repeated use. Annotations may use names of the caller, `depth` frames above."""
    try:
        found = _known.get(hint)
    except TypeError:  # an Annotated with something that has no hash
        return ReadableType(hint, notes_of, sys._getframe(depth).f_locals)
    if found is None:
        found = _known[hint] = ReadableType(hint, notes_of, sys._getframe(depth).f_locals)
    return found


def lift(value: Any, type: Any = None) -> Meaning[Any]:
    """The meaning of a value: text and type. A string is a meaning itself."""
    text = value if isinstance(value, str) else dump(value)
    return Meaning(text, value.__class__ if type is None else type)


def lower(text: Union[str, Meaning[Any]], type: Any = None, *, strict: bool = False, partial: bool = False) -> Any:
    """The value of a text, or a ReadError; never a guess.

    `strict` accepts exactly the JSON of the type's schema. `partial` reads an incomplete text up to the end: missing
    fields are None."""
    if isinstance(text, Meaning):
        type, text = text.type if type is None else type, text.text
    known = readable(type, 2)
    return known.value(text, strict, partial)


render = lift
parse = lower


def meaning_of(hint: Any) -> dict[str, Any]:
    """The meaning IR of a type in its canonical form, with its hash."""
    made: dict[str, Any] = json.loads(readable(hint, 2).reader.meaning())
    return made


def describe(hint: Any) -> str:
    """A type as text for a model."""
    known = readable(hint, 2)
    return texts.describe(known.ir, known.root)


def schema(hint: Any) -> dict[str, Any]:
    """A type as JSON Schema 2020-12."""
    known = readable(hint, 2)
    return schemas.schema_of(known.ir, known.root)
