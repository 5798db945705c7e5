"""A readable type: its meaning, its reader and its builders, made once.

    ReadableType(Person).value('{"name": "Ann", "age": 41}')     # Person(name='Ann', age=41)

Models write text with small faults. `read` tolerates known faults, and reports them with the value.
"""

from __future__ import annotations

import json
from typing import Any, Optional

from graphmend.meaning.build import Builders
from graphmend.meaning.collector import LARGE, collector_pause
from graphmend.meaning.errors import ReadError
from graphmend.meaning.graph import Graph, Notes

_STRICT, _PARTIAL, _BRIEF = 1, 2, 8


class Read:
    """A value with the tolerated faults of its text."""

    __slots__ = ("cost", "repairs", "value")

    def __init__(self, value: Any, cost: int, repairs: list[tuple[str, int]]) -> None:
        self.value = value
        self.cost = cost
        self.repairs = repairs


class ReadableType:
    """A type, as `lower` and `by` use it."""

    def __init__(self, hint: Any, notes: Optional[Notes] = None, names: Optional[dict[str, Any]] = None) -> None:
        self.hint = hint
        self.graph = Graph(notes, names)
        self.root = self.graph.add(hint)
        self.ir: dict[str, Any] = {"meaning": 1, "root": self.root, "types": self.graph.types}
        self._reader: Any = None
        self._builders: dict[bool, Any] = {}

    @property
    def reader(self) -> Any:
        """The reader of the C core."""
        if self._reader is None:
            from graphmend.core import Reader

            self._reader = Reader(json.dumps(self.ir, ensure_ascii=False))
        return self._reader

    def build(self, value: Any, text: str = "", partial: bool = False) -> Any:
        """The value for a reading."""
        if partial not in self._builders:
            self._builders[partial] = Builders(self.graph, partial).of(self.root)
        try:
            return self._builders[partial](value)
        except ReadError as error:
            error.text = text
            raise
        except (TypeError, ValueError, OverflowError, ArithmeticError, RecursionError) as error:
            raise ReadError("type", f"the value cannot be built: {error}", text=text) from error

    def result(self, reading: dict[str, Any], text: str, partial: bool = False) -> Read:
        """What a reading of the core says, as a value or an error."""
        value = self._built(reading, text, partial)
        return Read(value, reading["cost"], [(name, at) for name, at in reading["repairs"]])

    def _built(self, reading: dict[str, Any], text: str, partial: bool) -> Any:
        if not reading["ok"]:
            raise ReadError(reading["problem"], reading["message"], reading["path"], reading["at"], text)
        return self.build(reading["value"], text, partial)

    def read(self, text: str, strict: bool = False, partial: bool = False) -> Read:
        """Read a whole text."""
        reading = self._reading(text, (_STRICT if strict else 0) | (_PARTIAL if partial else 0))
        return self.result(reading, text, partial)

    def value(self, text: str, strict: bool = False, partial: bool = False) -> Any:
        """The value of `read`, without the tolerated faults; in time linear in the length of the text."""
        if len(text) < LARGE:
            return self._value(text, strict, partial)
        with collector_pause:
            return self._value(text, strict, partial)

    def _value(self, text: str, strict: bool, partial: bool) -> Any:
        reading = self._reading(text, _BRIEF | (_STRICT if strict else 0) | (_PARTIAL if partial else 0))
        return self._built(reading, text, partial)

    def _reading(self, text: str, flags: int) -> dict[str, Any]:
        try:
            reading: dict[str, Any] = self.reader.read(text, flags)
        except (ValueError, RecursionError) as error:  # numbers beyond what Python converts
            raise ReadError("type", f"the value cannot be built: {error}", text=text) from error
        return reading


def check_bounds(bounds: dict[str, Any], value: Any) -> None:
    """Check the constraints that the core leaves to Python."""
    import re

    if "pattern" in bounds and isinstance(value, str) and re.search(bounds["pattern"], value) is None:
        raise ReadError("type", f"{value[:40]!r} does not match {bounds['pattern']!r}")
    if "multiple_of" in bounds and not isinstance(value, (str, bytes)):
        from fractions import Fraction

        step = Fraction(str(bounds["multiple_of"]))
        if Fraction(str(value)) % step != 0:
            raise ReadError("type", f"{value} is no multiple of {bounds['multiple_of']}")
