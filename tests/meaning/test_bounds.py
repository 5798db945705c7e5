"""Bounds of numbers and of sizes: values at and next to each limit, against Python's own comparisons."""

from __future__ import annotations

import itertools
import json
import operator
from decimal import Decimal
from typing import Any

import pytest

from graphmend.core import READ_PLAIN, READ_STRICT, Reader

COMPARED = {"ge": operator.ge, "gt": operator.gt, "le": operator.le, "lt": operator.lt}
LIMITS = [0, 1, -1, 10, 99, 100, -100, 0.5, -0.5, 1e3, 1.25e-3, 123456789012345678901234567890]
SIZED: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "str": (
        [{"form": "str"}],
        ['""', '"a"', '"\u00e9\u20ac"', '"\\u00e9\\n\\ud83d\\ude00"', '"abcd"', '"\U0001f600bcde"'],
    ),
    "bytes": ([{"form": "bytes"}], ['""', '"YQ=="', '"YWI="', '"YWJj"', '"YWJjZA=="', '"YWJjZGU="']),
    "list": ([{"form": "list", "items": [2]}, {"form": "int"}], [json.dumps(list(range(size))) for size in range(6)]),
    "set": ([{"form": "set", "items": [2]}, {"form": "int"}], [json.dumps(list(range(size))) for size in range(6)]),
    "frozenset": (
        [{"form": "frozenset", "items": [2]}, {"form": "int"}],
        [json.dumps(list(range(size))) for size in range(6)],
    ),
    "tuple_of": (
        [{"form": "tuple_of", "items": [2]}, {"form": "int"}],
        [json.dumps(list(range(size))) for size in range(6)],
    ),
    "dict": (
        [{"form": "dict", "items": [2, 3]}, {"form": "str"}, {"form": "int"}],
        [json.dumps({f"k{at}": at for at in range(size)}) for size in range(6)],
    ),
}


def bounded(bounds: dict[str, Any], types: list[dict[str, Any]]) -> Reader:
    annotated = {"form": "annotated", "items": [1], "bounds": bounds}
    return Reader(json.dumps({"meaning": 1, "root": 0, "types": [annotated, *types]}))


def around(limit: float) -> list[Decimal]:
    exact = Decimal(repr(limit))
    return [exact + step for step in map(Decimal, ("0", "1", "-1", "10", "-10", "0.001", "-0.001", "90", "-90"))] + [
        -exact,
        Decimal(0),
        exact * 10,
        exact / 10,
    ]


@pytest.mark.parametrize("form", ["int", "float", "decimal"])
def test_numbers(form: str) -> None:
    for name, limit in itertools.product(COMPARED, LIMITS):
        reader = bounded({name: limit}, [{"form": form}])
        for value in around(limit):
            whole = value == value.to_integral_value()
            for text in {f"{value:f}", f"{value:e}", str(value)}:
                expected = (whole or form != "int") and COMPARED[name](value, Decimal(repr(limit)))
                for flags in (READ_PLAIN, READ_PLAIN | READ_STRICT):
                    reading = reader.read(text, flags)
                    assert reading["ok"] == expected, (name, limit, text, reading)
                    assert expected or not whole or reading["problem"] in ("type", "empty"), reading


@pytest.mark.parametrize("form", ["int", "float", "decimal"])
def test_two_bounds_hold_both(form: str) -> None:
    for low, high in itertools.product(range(4), repeat=2):
        nested = [{"form": "annotated", "items": [2], "bounds": {"lt": high}}, {"form": form}]
        for reader in (bounded({"ge": low, "lt": high}, [{"form": form}]), bounded({"ge": low}, nested)):
            for value in range(-1, 5):
                assert reader.read(str(value), READ_PLAIN)["ok"] == (low <= value < high), (low, high, value)


@pytest.mark.parametrize("form", SIZED)
def test_sizes(form: str) -> None:
    types, texts = SIZED[form]
    sizes = [0, 1, 2, 3, 4, 5]
    for limit in range(7):
        least, most = bounded({"min_length": limit}, types), bounded({"max_length": limit}, types)
        for text, size in zip(texts, sizes):
            for flags in (READ_PLAIN, READ_PLAIN | READ_STRICT):
                assert least.read(text, flags)["ok"] == (size >= limit), (text, limit)
                assert most.read(text, flags)["ok"] == (size <= limit), (text, limit)
            refused = [reader.read(text, READ_PLAIN) for reader in (least, most)]
            assert all("out of bounds" in one["message"] for one in refused if not one["ok"]), refused
