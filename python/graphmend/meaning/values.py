"""From values to JSON as the reader would read it back."""

from __future__ import annotations

import enum
import json
from typing import Any

from graphmend.meaning.errors import UnsupportedType
from graphmend.meaning.graph import record_of


def _duration(value: Any) -> str:
    micros = (value.days * 86400 + value.seconds) * 1000000 + value.microseconds
    sign, micros = ("-", -micros) if micros < 0 else ("", micros)
    return f"{sign}PT{micros // 1000000}.{micros % 1000000:06d}S"


def _enumeration(value: enum.Enum) -> Any:
    if isinstance(value, enum.Flag):
        members = [member for member in type(value) if member.value and not member.value & (member.value - 1)]
        return [member.name for member in members if member in value]
    return value.value if all(isinstance(member.value, str) for member in type(value)) else value.name


def _text(value: Any) -> Any:
    """Values that JSON has as text: dates, decimals, paths and the like."""
    name = {base.__module__.split(".")[0] + "." + base.__name__ for base in type(value).__mro__}
    if "datetime.timedelta" in name:
        return _duration(value)
    if name & {"datetime.date", "datetime.time"}:
        return value.isoformat()
    if name & {"decimal.Decimal", "uuid.UUID", "pathlib.PurePath"}:
        return str(value)
    raise UnsupportedType(f"{type(value).__name__} cannot be written as text")


def plain(value: Any) -> Any:
    """A value made of dicts, lists, strings, numbers and constants."""
    if isinstance(value, enum.Enum):
        return _enumeration(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (bytes, bytearray)):
        import base64

        return base64.b64encode(value).decode()
    record = None if type(value) is dict else record_of(type(value), {})
    if record is not None:
        names = {field.name: field.aliases[0] if field.aliases else field.name for field in record.fields}
        return {key: plain(getattr(value, name)) for name, key in names.items()}
    if isinstance(value, dict):
        return {key if isinstance(key, str) else _key(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return _text(value)


def _key(key: Any) -> str:
    written = plain(key)
    return written if isinstance(written, str) else json.dumps(written)


def dump(value: Any) -> str:
    """A value as JSON."""
    return json.dumps(plain(value), ensure_ascii=False)
