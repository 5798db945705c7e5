"""Exact numbers at the ends of what is read, and calls in place of dicts: each text as each type, in `stated`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stated_texts import hold

from graphmend.core import READ_PLAIN, Reader

TEXTS = [
    "1e999999",
    "1e1000000",
    "1e-999999",
    "1e-1000000",
    "0.1e1000000",
    "10e999999",
    "-1e999999",
    "0e1000000",
    '"1e999999"',
]
TEXTS += [
    '"1e1000000"',
    "1e99999999999999999999",
    "1e308",
    "1e309",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
    "5e-324",
    "2e-324",
]
TEXTS += [
    "9007199254740993",
    "1" * 400,
    "-0",
    "-0.0",
    "1_000",
    "0x10",
    "1,000",
    "1.000,5",
    "NaN",
    "inf",
    "-Infinity",
    '"NaN"',
    "1/3",
    "50%",
]
TEXTS += [
    "dict(a=1)",
    "dict(a=1, b=2)",
    "dict()",
    "dict(1)",
    "dict({'a': 1})",
    "list(a=1)",
    "list(1)",
    "other(a=1)",
    "Dict(a=1)",
    "{'a': 1}",
]
TEXTS += [
    "dict(a=1",
    "dict(a",
    "set(1)",
    "tuple(1, 2)",
    "f(dict(a=1))",
    "dict (a=1)",
    "{'a': dict(b=1)}",
    "[dict(a=1)]",
    "()",
    "{}",
    "[]",
]
TYPES: dict[str, list[dict[str, Any]]] = {
    "any": [{"form": "any"}],
    "decimal": [{"form": "decimal"}],
    "float": [{"form": "float"}],
    "int": [{"form": "int"}],
    "dict": [{"form": "dict", "items": [1, 2]}, {"form": "str"}, {"form": "int"}],
    "list": [{"form": "list", "items": [1]}, {"form": "int"}],
    "dicts": [{"form": "list", "items": [1]}, {"form": "dict", "items": [2, 3]}, {"form": "str"}, {"form": "int"}],
}


def test_limits_of_numbers() -> None:
    rows = []
    for name, types in TYPES.items():
        reader = Reader(json.dumps({"meaning": 1, "root": 0, "types": types}))
        for text in TEXTS if name != "dicts" else [f"[{text}]" for text in TEXTS]:
            read = reader.read(text, READ_PLAIN)
            told = repr(read["value"])[:60] if read["ok"] else f"{read['message'][:80]}, at {read['at']}"
            rows.append(f"{name} {text[:40]}: {told}\n")
    hold(Path(__file__).parent / "stated" / "limits_of_numbers.txt", "".join(rows))
