"""The meaning IR as short text for models: types in the manner of TypeScript, notes as comments."""

from __future__ import annotations

import json
from typing import Any

_NAMES = {
    "any": "any",
    "none": "null",
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "string",
    "bytes": "base64",
    "decimal": "decimal",
    "datetime": "ISO datetime",
    "date": "ISO date",
    "time": "ISO time",
    "timedelta": "ISO duration",
    "uuid": "uuid",
    "path": "path",
}
_SIGNS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<", "multiple_of": "multiple of"}
_SIZES = {"min_length": "at least {} long", "max_length": "at most {} long", "pattern": "matching {}"}


def spelling(entry: dict[str, Any], member: dict[str, Any]) -> Any:
    """The text of a member of an enumeration: its value when all values are strings, else its name."""
    by_value = entry["form"] == "enum" and all(isinstance(each.get("value"), str) for each in entry["members"])
    return member["value"] if by_value else member["name"]


def literal(value: dict[str, Any]) -> Any:
    """How a literal is written in JSON."""
    return value.get("name", value.get("value", value.get("bytes")))


def _comment(note: str) -> str:
    return " ".join(note.split())


def _has_notes(entry: dict[str, Any]) -> bool:
    return "doc" in entry or any("note" in member for member in entry["members"])


class Writer:
    """Writes types; repeated and recursive types get a name, and are written once, in front."""

    def __init__(self, ir: dict[str, Any]) -> None:
        self._types: list[dict[str, Any]] = ir["types"]
        self._uses: dict[int, int] = {}
        self._definitions: dict[int, str] = {}

    def write(self, root: int) -> str:
        """The text of a type, definitions first."""
        self._count(root, set())
        text = self._type(root, top=True)
        return "\n".join([*self._definitions.values(), text])

    def _parts(self, entry: dict[str, Any]) -> list[int]:
        return [*entry.get("items", []), *(field["type"] for field in entry.get("fields", []))]

    def _count(self, root: int, above: set[int]) -> None:
        stack = [root]
        while stack:
            index = stack.pop()
            self._uses[index] = self._uses.get(index, 0) + 1
            if self._uses[index] == 1:
                stack.extend(self._parts(self._types[index]))
        # The root is used once more, by the question itself, when something inside refers to it.

    def _is_named(self, entry: dict[str, Any], index: int) -> bool:
        if entry["form"] in ("enum", "flag") and _has_notes(entry):
            return True
        return entry["form"] in ("record", "enum", "flag", "alias") and self._uses[index] > 1

    def _type(self, index: int, top: bool = False) -> str:
        entry = self._types[index]
        if entry["form"] == "alias" and self._uses[index] == 1:
            return self._type(entry["items"][0], top)
        if not self._is_named(entry, index):
            return self._body(entry, top)
        if index not in self._definitions:
            self._definitions[index] = ""  # its place is in front of what it refers to
            body = self._type(entry["items"][0]) if entry["form"] == "alias" else self._body(entry, True)
            doc = f" // {_comment(entry['doc'])}" if entry["form"] in ("enum", "flag") and "doc" in entry else ""
            self._definitions[index] = f"type {entry['name']} ={doc}{'' if body.startswith(chr(10)) else ' '}{body}"
        return str(entry["name"])

    def _body(self, entry: dict[str, Any], top: bool = False) -> str:
        form = entry["form"]
        if form in _NAMES:
            return _NAMES[form]
        return str(getattr(self, "_" + form)(entry, top))

    def _item(self, index: int) -> str:
        text = self._type(index)
        return f"({text})" if " | " in text and not text.startswith(("{", "[")) or text.endswith(")") else text

    def _list(self, entry: dict[str, Any], top: bool) -> str:
        return self._item(entry["items"][0]) + "[]"

    def _set(self, entry: dict[str, Any], top: bool) -> str:
        return self._item(entry["items"][0]) + "[] (unique)"

    _frozenset = _set
    _tuple_of = _list

    def _tuple(self, entry: dict[str, Any], top: bool) -> str:
        return "[" + ", ".join(self._type(item) for item in entry["items"]) + "]"

    def _dict(self, entry: dict[str, Any], top: bool) -> str:
        key, value = (self._type(item) for item in entry["items"])
        return f"{{[{key}]: {value}}}"

    def _union(self, entry: dict[str, Any], top: bool) -> str:
        return " | ".join(self._type(item) for item in entry["items"])

    def _literal(self, entry: dict[str, Any], top: bool) -> str:
        return " | ".join(json.dumps(literal(value), ensure_ascii=False) for value in entry["values"])

    def _enum(self, entry: dict[str, Any], top: bool) -> str:
        members = entry["members"]
        written = [json.dumps(spelling(entry, member), ensure_ascii=False) for member in members]
        if not _has_notes(entry):
            return " | ".join(written)
        notes = [f" // {_comment(member['note'])}" if "note" in member else "" for member in members]
        return "\n" + "\n".join(f"| {text}{note}" for text, note in zip(written, notes))

    def _flag(self, entry: dict[str, Any], top: bool) -> str:
        text = self._enum(entry, top)
        return f"({text})[]" if not text.startswith("\n") else f"list of{text}"

    def _annotated(self, entry: dict[str, Any], top: bool) -> str:
        text = self._item(entry["items"][0])
        words = []
        for name, value in entry.get("bounds", {}).items():
            words.append(f"{_SIGNS[name]} {value}" if name in _SIGNS else _SIZES[name].format(value))
        words += [_comment(entry["note"])] if "note" in entry else []
        return f"{text} ({', '.join(words)})"

    def _record(self, entry: dict[str, Any], top: bool) -> str:
        fields = [(self._field(field), _comment(field.get("note", ""))) for field in entry["fields"]]
        doc = _comment(entry.get("doc", ""))
        if not doc and not any(note for _, note in fields) and not any("\n" in text for text, _ in fields):
            return "{" + ", ".join(text for text, _ in fields) + "}"
        lines = [f"// {doc}"] if doc else []
        for text, note in fields:
            lines.append(f"{text} // {note}" if note and "\n" not in text else f"// {note}\n{text}" if note else text)
        return "{\n" + "\n".join(lines) + "\n}"

    def _field(self, field: dict[str, Any]) -> str:
        key = field.get("aliases", [field["name"]])[0]
        key = key if key.isidentifier() else json.dumps(key, ensure_ascii=False)
        text = self._type(field["type"])
        if field.get("required", True):
            return f"{key}: {text}"
        return f"{key}: {text} = {field['default']}" if "default" in field else f"{key}?: {text}"


def describe(ir: dict[str, Any], root: int) -> str:
    """The text of a type of an IR."""
    return Writer(ir).write(root)
