"""What the reader makes of a text for every form of types: as a whole, strictly, and of each beginning of the text.

The readings stand in full beside this file (stated/readings.txt). A beginning is told where its value is another than
that of the one before.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

from graphmend.core import READ_PARTIAL, READ_PLAIN, READ_STRICT, Reader

HERE = Path(__file__).parent
STR, INT, FLOAT, ANY = {"form": "str"}, {"form": "int"}, {"form": "float"}, {"form": "any"}
POINT = {
    "form": "record",
    "name": "Point",
    "kind": "dataclass",
    "fields": [{"name": "x", "type": 1}, {"name": "label", "type": 2, "required": False}],
}
# The root, and the types that it names by their numbers.
TYPES: dict[str, list[dict[str, Any]]] = {
    "list of int": [{"form": "list", "items": [1]}, INT],
    "set of int": [{"form": "set", "items": [1]}, INT],
    "frozenset of str": [{"form": "frozenset", "items": [1]}, STR],
    "tuple of int and str": [{"form": "tuple", "items": [1, 2]}, INT, STR],
    "tuple of nothing": [{"form": "tuple", "items": []}],
    "tuple of int, ...": [{"form": "tuple_of", "items": [1]}, INT],
    "dict of str and int": [{"form": "dict", "items": [1, 2]}, STR, INT],
    "dict of int and str": [{"form": "dict", "items": [1, 2]}, INT, STR],
    "dict of tuple and int": [{"form": "dict", "items": [1, 2]}, {"form": "tuple", "items": [2, 2]}, INT],
    "dict of str and list": [{"form": "dict", "items": [1, 2]}, STR, {"form": "list", "items": [3]}, INT],
    "record": [POINT, INT, STR],
    "list of records": [{"form": "list", "items": [3]}, INT, STR, POINT],
    "int or str": [{"form": "union", "items": [1, 2]}, INT, STR],
    "int or list of int": [{"form": "union", "items": [1, 2]}, INT, {"form": "list", "items": [1]}],
    "float or none": [{"form": "union", "items": [1, 2]}, FLOAT, {"form": "none"}],
    "any": [ANY],
    "bytes": [{"form": "bytes"}],
    "decimal": [{"form": "decimal"}],
    "uuid": [{"form": "uuid"}],
    "path": [{"form": "path"}],
    "date": [{"form": "date"}],
    "time": [{"form": "time"}],
    "datetime": [{"form": "datetime"}],
    "timedelta": [{"form": "timedelta"}],
    "bool": [{"form": "bool"}],
    "none": [{"form": "none"}],
    "literals": [{"form": "literal", "values": [{"value": "on"}, {"value": 1}, {"value": None}, {"value": True}]}],
    "enum": [{"form": "enum", "name": "E", "members": [{"name": "ONE", "value": 1}, {"name": "Two", "value": "zwei"}]}],
    "flag": [{"form": "flag", "name": "F", "members": [{"name": "A", "value": 1}, {"name": "B", "value": 2}]}],
}
# Those of which the messages are held too.
WITH_MESSAGES = [
    "record",
    "list of records",
    "enum",
    "date",
    "dict of str and int",
    "int or list of int",
    "tuple of int and str",
]
LISTS = ["[1, 2, 3]", "[]", "[1, 1]", "5", '["7", 8]', '"[1, 2]"', "{}", "[1, [2]]", "[1 2]", "[1,, 2]", "null"]
PAIRS = ['[1, "a"]', "[1]", '[1, "a", 2]', '{"0": 1, "1": "a"}', '"[1, \\"a\\"]"']
DICTS = [
    '{"a": 1, "b": 2}',
    "{}",
    '{"a": 1, "a": 2}',
    '[["a", 1], ["b", 2]]',
    '{"1": "x", "2": "y"}',
    '{"a": [1, 2], "b": []}',
]
DICTS += [
    '{"a": null}',
    '{1: "x", -2: "y"}',
    "[[[1, 2], 3], [[4, 5], 6]]",
    '{"[1, 2]": 3}',
    '"{\\"a\\": 1}"',
    '[["a", 1, 2]]',
]
RECORDS = ['{"x": 1}', '{"x": 1, "label": "one"}', '{"X": 1, "Label": "one"}', '{"label": "one"}', '{"x": "1", "y": 2}']
RECORDS += ['{"point": {"x": 1}}', '[{"x": 1}]', '{"x": 1, "x": 2}', '[{"x": 1}, {"x": 2, "label": "two"}]', "1"]
SCALARS = [
    "12",
    "-3",
    "1.5",
    '"1.5"',
    '"abc"',
    "true",
    '"True"',
    '"no"',
    "null",
    '"null"',
    "1e2",
    "12.0",
    '"12 km"',
    '"1,000"',
]
SCALARS += [
    '"on"',
    '"ON"',
    '"one"',
    '"TWO"',
    '"zwei"',
    "1",
    "3",
    '["A", "B"]',
    '"A|B"',
    "[]",
    "NaN",
    "1e30",
    '""',
    "0x10",
    "007",
]
TIMES = [
    '"2026-11-27"',
    '"2026-02-29"',
    '"2024-02-29"',
    '"12:30"',
    '"12:30:15.25"',
    '"24:00"',
    '"2026-11-27T12:30:00Z"',
]
TIMES += [
    '"2026-11-27 12:30:00+02:00"',
    '"P1DT2H"',
    '"1 day, 2:00:00"',
    "90",
    '"PT0.5S"',
    '"2026-13-01"',
    '"27.11.2026"',
]
TIMES += [
    f'"{text}"'
    for text in ("P1W", "PT1H30M", "P1Y", "P1M", "PT", "P", "PT1.5M", "-P1D", "+PT1H", "P1DT", "PT1S2M", "P1D2H")
]
TIMES += [
    f'"{text}"'
    for text in ("PT1H1H", "P.5D", "PT1,5S", "1:30", "-1:30:00", "1:60:00", "2 days", "1 day 2:00:00", "p1d")
]
TIMES += [
    f'"{text}"'
    for text in ("12:60", "12:30:61", "9:05", "12", "12:30Z", "12:30+0200", "2026-W48-5", "20261127", "2026-11-7")
]
OTHERS = [
    '"aGk="',
    '"aGk"',
    '"12345678-1234-5678-1234-567812345678"',
    '"12345678123456781234567812345678"',
    '"a/b"',
    '"12.50"',
]
CALLS = [
    "datetime.date(2025, 1, 31)",
    "date(2025, 1, 31)",
    "date(2025, 1)",
    "date(2025, 1, 31, 12)",
    "date('a', 1, 31)",
]
CALLS += ["datetime.datetime(2025, 1, 31, 12, 30)", "datetime(2025, 1, 31, 12, 30, 15, 250)", "datetime(2025, 1, 31)"]
CALLS += [
    "datetime(2025, 1, 31, 12, 30, 15, 250, 1)",
    "datetime(-2025, 1, 31)",
    "datetime(2025.0, 1, 31)",
    "datetime()",
]
CALLS += ["time(12, 30)", "datetime.time(12, 30, 15, 250)", "time(12, 30, 15, 250, 1)", "time(25, 0)", "time()"]
CALLS += [
    "timedelta(days=1)",
    "timedelta(1)",
    "Decimal('1.5')",
    "UUID('12345678-1234-5678-1234-567812345678')",
    "Path('a/b')",
]
CALLS += [
    "E.ONE",
    "E.Two",
    "F.A|F.B",
    "True",
    "None",
    "Point(x=1)",
    "Point(x=1, label='one')",
    "Point(1, 'one')",
    "Point()",
]
CALLS += [
    "b'hi'",
    "set()",
    "set([1, 2])",
    "{1, 2}",
    "(1, 'a')",
    "(1,)",
    "()",
    "frozenset(['a'])",
    "dict(a=1)",
    "'a'",
    "list()",
]
CALLS = [f'{{"value": {call}}}' for call in CALLS]  # as what stands in a text, for elsewhere it is prose
TEXTS = [*LISTS, *PAIRS, *DICTS, *RECORDS, *SCALARS, *TIMES, *OTHERS, *CALLS]


def told(reading: dict[str, Any]) -> str:
    """The value and the repairs, or the problem and its place."""
    if not reading["ok"]:
        return f"{reading['problem']} {reading['path']}".rstrip()
    repairs = " ".join(f"{kind}@{at}" for kind, at in reading["repairs"])
    return f"{json.dumps(reading['value'])} {repairs}".rstrip()


def beginnings(reader: Reader, text: str) -> Iterator[str]:
    """The values of the beginnings of a text; a refusal is told where there was a value before."""
    last, had = "", False
    for end in range(1, min(len(text), 30)):
        reading = reader.read(text[:end], READ_PARTIAL | READ_PLAIN)
        value = told(reading)
        if value != last and (reading["ok"] or had):
            yield f"  {text[:end]} ~ {value}"
        last, had = value, reading["ok"]


def readings(reader: Reader, with_messages: bool) -> Iterator[str]:
    refused: dict[str, list[str]] = defaultdict(list)
    for text in TEXTS:
        plain, strict = (reader.read(text, flags) for flags in (READ_PLAIN, READ_PLAIN | READ_STRICT))
        if plain["ok"] or strict["ok"]:
            yield f"{text} = {told(plain)}"
            raw = told(reader.read(text, 0))
            yield from [f"  raw {raw}"] * (raw != told(plain))
            yield from [f"  strictly {told(strict)}"] * (told(strict) != told(plain))
            yield from [] if text in CALLS else beginnings(reader, text)
        else:
            said = (
                f" ({plain['message']}, at {plain['at']}; {strict['message']}, at {strict['at']})"
                if with_messages
                else ""
            )
            refused[f"{told(plain)}; {told(strict)}{said}"].append(text)
    for problem, texts in sorted(refused.items()):
        yield f"{problem}: {'  '.join(texts) if with_messages else len(texts)}"


@pytest.mark.parametrize("name", TYPES)
def test_stated_readings(name: str) -> None:
    reader = Reader(json.dumps({"meaning": 1, "root": 0, "types": TYPES[name]}))
    lines = list(readings(reader, name in WITH_MESSAGES))
    hold(
        HERE / "stated" / f"{name.replace(' ', '_').replace(',', '').replace('...', 'more')}.txt",
        "\n".join(lines) + "\n",
    )


CHANGING = (
    "k b bn mn mm mio mrd mil million billion trillion thousand hundred dozen lakh crore grand percent pct half third"
)
CHANGING += (
    " quarter permille bp score gross tn or to and plus minus times x e pair couple mille tsd myriad M T G P Million K"
)
UNITS = "km kg m s min eur usd t g items pieces years Mb"


@pytest.mark.parametrize("form", ["int", "float", "decimal"])
def test_a_word_behind_a_number_is_a_unit_or_changes_it(form: str) -> None:
    reader = Reader(json.dumps({"meaning": 1, "root": 0, "types": [{"form": form}]}))
    assert [word for word in CHANGING.split() if reader.read(f'"12 {word}"')["ok"]] == []
    assert [word for word in UNITS.split() if not reader.read(f'"12 {word}"')["ok"]] == []
