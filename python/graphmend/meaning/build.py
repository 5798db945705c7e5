"""Builders: from the reader's form of a value (include/graphmend.h) to the value, one function for each type."""

from __future__ import annotations

import functools
import operator
from typing import Any, Callable, Optional

from graphmend.meaning.errors import ReadError
from graphmend.meaning.graph import Graph, Record

Build = Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


class Builders:
    """The builders of a graph's types; `None` for values without conversion."""

    def __init__(self, graph: Graph, partial: bool = False) -> None:
        self._graph = graph
        self._partial = partial
        self._made: dict[int, Optional[Build]] = {}
        self._plain = _plain_types(graph.types)

    def of(self, index: int) -> Build:
        """The function that builds a value of a type."""
        return self._part(index) or _same

    def _part(self, index: int) -> Optional[Build]:
        if self._plain[index]:
            return None
        if index not in self._made:
            # A recursive type meets itself while it is made: then it is looked up when it is called.
            self._made[index] = lambda value: self._made[index](value)  # type: ignore[misc]
            self._made[index] = getattr(self, "_" + self._graph.types[index]["form"])(index)
        return self._made[index]

    def _items(self, index: int) -> list[int]:
        items: list[int] = self._graph.types[index]["items"]
        return items

    def _alias(self, index: int) -> Optional[Build]:
        return self._part(self._items(index)[0])

    def _annotated(self, index: int) -> Optional[Build]:
        build = self._part(self._items(index)[0])
        bounds = self._graph.types[index].get("bounds", {})
        if self._partial or not _is_checked_here(bounds):
            return build
        make = build or _same
        from graphmend.meaning.types import check_bounds

        def checked(value: Any) -> Any:
            made = make(value)
            check_bounds(bounds, made)
            return made

        return checked

    def _decimal(self, index: int) -> Build:
        from decimal import Decimal

        return Decimal

    def _bytes(self, index: int) -> Build:
        from base64 import b64decode

        return b64decode

    def _uuid(self, index: int) -> Build:
        from uuid import UUID

        return UUID

    def _path(self, index: int) -> Build:
        build: Build = self._graph.made[index]
        return build

    def _date(self, index: int) -> Build:
        from datetime import date

        return date.fromisoformat

    def _time(self, index: int) -> Build:
        from datetime import time

        return time.fromisoformat

    def _datetime(self, index: int) -> Build:
        from datetime import datetime

        return datetime.fromisoformat

    def _timedelta(self, index: int) -> Build:
        from datetime import timedelta

        return lambda value: timedelta(microseconds=value)

    def _literal(self, index: int) -> Build:
        values = self._graph.made[index]
        return lambda value: values[value]

    def _enum(self, index: int) -> Build:
        return self._literal(index)

    def _flag(self, index: int) -> Build:
        members = self._graph.made[index]
        zero = type(members[0])(0)
        return lambda value: functools.reduce(operator.or_, (members[i] for i in value), zero)

    def _list(self, index: int) -> Optional[Build]:
        build = self._part(self._items(index)[0])
        return None if build is None else lambda value: [build(item) for item in value]

    def _set(self, index: int) -> Build:
        build = self._part(self._items(index)[0])
        return set if build is None else lambda value: {build(item) for item in value}

    def _frozenset(self, index: int) -> Build:
        build = self._set(index)
        return lambda value: frozenset(build(value))

    def _tuple_of(self, index: int) -> Build:
        build = self._part(self._items(index)[0])
        return tuple if build is None else lambda value: tuple([build(item) for item in value])

    def _tuple(self, index: int) -> Build:
        builds = [self.of(item) for item in self._items(index)]
        return lambda value: tuple([build(item) for build, item in zip(builds, value)])

    def _dict(self, index: int) -> Optional[Build]:
        key, item = (self._part(part) for part in self._items(index))
        types = self._graph.types
        target = types[self._items(index)[0]]
        while target["form"] in ("alias", "annotated"):
            target = types[target["items"][0]]
        if target["form"] == "str":
            return None if item is None else lambda value: {name: item(part) for name, part in value.items()}
        make_key, make = key or _same, item or _same
        return lambda value: {make_key(name): make(part) for name, part in value}

    def _union(self, index: int) -> Build:
        builds = [self.of(item) for item in self._items(index)]
        return lambda value: builds[value[0]](value[1])

    def _record(self, index: int) -> Build:
        record: Record = self._graph.made[index]
        parts = [self._part(field["type"]) for field in self._graph.types[index]["fields"]]
        make = _partial_constructor(record) if self._partial else constructor(record)
        if all(part is None for part in parts):
            return lambda value: (
                make(value) if type(value) is list else make({int(i): item for i, item in value.items()})
            )
        changed = [(i, part) for i, part in enumerate(parts) if part is not None]

        def build(value: Any) -> Any:
            if type(value) is not list:
                return make(
                    {int(i): item if (part := parts[int(i)]) is None else part(item) for i, item in value.items()}
                )
            for i, part in changed:
                value[i] = part(value[i])
            return make(value)

        return build


def _refused(record: Record, error: Exception) -> ReadError:
    return ReadError("type", f"{record.cls.__name__} refuses the value: {error}")


def constructor(record: Record) -> Build:
    """A function that calls the class with all values in order, or with the present values by number."""
    cls, names = record.cls, [field.keyword for field in record.fields]
    ordered = record.kind in ("dataclass", "attrs", "namedtuple") and not any(
        field.keyword_only for field in record.fields
    )
    keyed = cls.model_validate if record.kind == "pydantic" else lambda values: cls(**values)
    if record.kind == "typeddict":
        keyed = dict

    def make(value: Any) -> Any:
        try:
            if type(value) is dict:
                return keyed({names[i]: item for i, item in value.items()})
            return cls(*value) if ordered else keyed(dict(zip(names, value)))
        except ReadError:
            raise
        except Exception as error:
            raise _refused(record, error) from error

    return make


def _partial_constructor(record: Record) -> Build:
    """A function that makes an object of the class with the present fields; missing fields are None."""
    cls, names = record.cls, [field.name for field in record.fields]

    def make(value: Any) -> Any:
        values = value.items() if type(value) is dict else enumerate(value)
        if record.kind == "typeddict":
            return {names[i]: item for i, item in values}
        known: dict[str, Any] = {name: None for name in names}
        known.update({names[i]: item for i, item in values})
        if record.kind == "namedtuple":
            return cls(**known)
        if record.kind == "pydantic":
            return cls.model_construct(**known)
        made = cls.__new__(cls)
        for name, item in known.items():
            object.__setattr__(made, name, item)
        return made

    return make


def _is_checked_here(bounds: dict[str, Any]) -> bool:
    return "pattern" in bounds or "multiple_of" in bounds


def _plain_values(values: list[dict[str, Any]]) -> bool:
    return all("value" in value and "name" not in value for value in values)


def _is_plain(types: list[dict[str, Any]], entry: dict[str, Any], plain: list[bool]) -> bool:
    form, items = entry["form"], entry.get("items", [])
    if form in ("any", "none", "bool", "int", "float", "str"):
        return True
    if form == "literal":
        return _plain_values(entry["values"])
    if form == "annotated" and _is_checked_here(entry.get("bounds", {})):
        return False
    if form in ("list", "annotated", "alias", "union"):
        return all(plain[item] for item in items)
    if form == "dict":
        key = types[items[0]]
        while key["form"] in ("alias", "annotated"):
            key = types[key["items"][0]]
        return bool(key["form"] == "str" and plain[items[1]])
    return False


def _plain_types(types: list[dict[str, Any]]) -> list[bool]:
    """The types whose values equal their JSON, as the reader decides (src/meaning/read.c)."""
    plain = [True] * len(types)
    changed = True
    while changed:
        changed = False
        for index, entry in enumerate(types):
            if plain[index] and not _is_plain(types, entry, plain):
                plain[index], changed = False, True
    return plain
