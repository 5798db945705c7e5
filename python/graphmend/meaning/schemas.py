"""The meaning IR as JSON Schema 2020-12: what the strict reader accepts."""

from __future__ import annotations

from typing import Any

from graphmend.meaning.text import literal, spelling

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_SIMPLE: dict[str, dict[str, Any]] = {
    "any": {},
    "none": {"type": "null"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "str": {"type": "string"},
    "bytes": {"type": "string", "contentEncoding": "base64"},
    "decimal": {
        "anyOf": [
            {"type": "number"},
            {"type": "string", "pattern": r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"},
        ]
    },
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "timedelta": {"type": "string", "format": "duration"},
    "uuid": {"type": "string", "format": "uuid"},
    "path": {"type": "string"},
}
_NUMBER_BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
_SIZE_BOUNDS = {
    "str": ("minLength", "maxLength"),
    "list": ("minItems", "maxItems"),
    "dict": ("minProperties", "maxProperties"),
}


class SchemaWriter:
    """Writes schemas. Named types become `$defs`, so recursive types need no special case."""

    def __init__(self, ir: dict[str, Any]) -> None:
        self._types: list[dict[str, Any]] = ir["types"]
        self._definitions: dict[str, Any] = {}

    def write(self, root: int) -> dict[str, Any]:
        """The schema of a type."""
        made = {"$schema": DIALECT, **self._type(root)}
        if self._definitions:
            made["$defs"] = self._definitions
        return made

    def _type(self, index: int) -> dict[str, Any]:
        entry = self._types[index]
        if entry["form"] not in ("record", "enum", "flag", "alias"):
            return self._body(entry)
        name = entry["name"]
        if name not in self._definitions:
            self._definitions[name] = {}
            self._definitions[name] = self._body(entry)
        pointer = name.replace("~", "~0").replace("/", "~1").replace("%", "%25")
        return {"$ref": f"#/$defs/{pointer}"}

    def _body(self, entry: dict[str, Any]) -> dict[str, Any]:
        if entry["form"] in _SIMPLE:
            return dict(_SIMPLE[entry["form"]])
        made: dict[str, Any] = getattr(self, "_" + entry["form"])(entry)
        return made

    def _list(self, entry: dict[str, Any]) -> dict[str, Any]:
        return {"type": "array", "items": self._type(entry["items"][0])}

    _set = _frozenset = _tuple_of = _list

    def _tuple(self, entry: dict[str, Any]) -> dict[str, Any]:
        count = len(entry["items"])
        made: dict[str, Any] = {"type": "array", "minItems": count, "maxItems": count}
        if count:
            made["prefixItems"] = [self._type(item) for item in entry["items"]]
        return made

    def _dict(self, entry: dict[str, Any]) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self._type(entry["items"][1])}

    def _union(self, entry: dict[str, Any]) -> dict[str, Any]:
        return {"anyOf": [self._type(item) for item in entry["items"]]}

    def _literal(self, entry: dict[str, Any]) -> dict[str, Any]:
        return {"enum": [literal(value) for value in entry["values"]]}

    def _enum(self, entry: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {"enum": [spelling(entry, member) for member in entry["members"]]}
        notes = [f"{spelling(entry, member)}: {member['note']}" for member in entry["members"] if "note" in member]
        words = [*([entry["doc"]] if "doc" in entry else []), *notes]
        if words:
            made["description"] = "\n".join(words)
        return made

    def _flag(self, entry: dict[str, Any]) -> dict[str, Any]:
        return {"type": "array", "items": self._enum(entry)}

    def _alias(self, entry: dict[str, Any]) -> dict[str, Any]:
        return self._type(entry["items"][0])

    def _resolved(self, index: int) -> str:
        while self._types[index]["form"] in ("alias", "annotated"):
            index = self._types[index]["items"][0]
        return str(self._types[index]["form"])

    def _annotated(self, entry: dict[str, Any]) -> dict[str, Any]:
        made = self._type(entry["items"][0])
        form = self._resolved(entry["items"][0])
        form = {"set": "list", "frozenset": "list", "tuple_of": "list"}.get(form, form)
        sizes = dict(zip(("min_length", "max_length"), _SIZE_BOUNDS.get(form, ())))
        for name, value in entry.get("bounds", {}).items():
            if name in _NUMBER_BOUNDS:
                made[_NUMBER_BOUNDS[name]] = value
            elif name in sizes:
                made[sizes[name]] = value
            elif name == "pattern":
                made["pattern"] = value
        if "note" in entry:
            made["description"] = entry["note"]
        return made

    def _record(self, entry: dict[str, Any]) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        required = []
        for field in entry["fields"]:
            key = field.get("aliases", [field["name"]])[0]
            properties[key] = self._type(field["type"])
            if "note" in field:
                properties[key]["description"] = field["note"]
            if field.get("required", True):
                required.append(key)
        made: dict[str, Any] = {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }
        if "doc" in entry:
            made["description"] = entry["doc"]
        return made


def schema_of(ir: dict[str, Any], root: int) -> dict[str, Any]:
    """The JSON Schema of a type of an IR."""
    return SchemaWriter(ir).write(root)
