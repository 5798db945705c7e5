"""Dates, times, durations and numbers in texts, at and next to every limit, against Python's own types.

`scalar_grammar` says what a text means; the texts are those of a table, and random changes of them by a character.
"""

from __future__ import annotations

import datetime
import functools
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
import scalar_grammar

from graphmend.core import READ_PLAIN, Reader

LETTERS = "0123456789:-+/.,TtZz PpAaMmDdHSWy_"
CHANGES = 12_000


@functools.cache
def reader_of(form: str) -> Reader:
    return Reader(json.dumps({"meaning": 1, "root": 0, "types": [{"form": "list", "items": [1]}, {"form": form}]}))


def read(form: str, text: str) -> tuple[Any, set[str]] | None:
    """What is read of a text in quotes, as an item of a list, and the names of the repairs."""
    reading = reader_of(form).read(json.dumps([text]), READ_PLAIN)
    return (reading["value"][0], {name for name, _ in reading["repairs"]}) if reading["ok"] else None


def changed(texts: list[str], seed: int) -> Iterator[str]:
    """Texts of which one or two characters are others, are gone, or stand twice."""
    chance = random.Random(seed)
    for _ in range(CHANGES):
        text = chance.choice(texts)
        for _ in range(chance.randint(1, 2)):
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice(["", chance.choice(LETTERS), text[at : at + 1] * 2]) + text[at + 1 :]
        yield text


def duration_of(text: str) -> int:
    """Microseconds of `-PT1.500000S`."""
    found = re.fullmatch(r"(-?)PT(\d+)\.(\d{6})S", text)
    assert found, text
    return int(f"{found[1]}{found[2]}{found[3]}")


DATES = [
    *(
        f"{year}-{month:02}-{day:02}"
        for year in ("0000", "0001", "1900", "2000", "2023", "2024", "9999")
        for month in range(14)
        for day in (0, 1, 27, 28, 29, 30, 31, 32, 99)
    ),
    *(f"2024{a}{month}{b}{day}" for a, b in itertools.product("-/.", repeat=2) for month in (2, 12) for day in (3, 29)),
    *(f"{year}-01-01" for year in ("1", "999", "10000", "+2024", "-2024")),
    *(f"31 {name[:size]} 2025" for name in scalar_grammar.MONTHS for size in range(1, len(name) + 1)),
    *(f"{name.upper()} 28{joint}2025" for name in scalar_grammar.MONTHS for joint in (", ", ",", " ", "", "  ", ",,")),
    *("0 May 2025", "29 feb 2023", "May 0 2025", "Februar 3, 2025", "3 Sept 2025", "31 May, 2025", "1 May 25"),
]
TIMES = [
    *(f"{hour:02}:{minute:02}" for hour in (0, 1, 9, 12, 23, 24, 99) for minute in (0, 1, 59, 60, 99)),
    *(f"23:59:{second:02}" for second in (0, 1, 58, 59, 60, 99)),
    *(f"1:02:03{mark}{'123456000'[:size]}" for mark in ".," for size in range(10)),
    *("1:02:03.1234567", "01:02:03.1200000", "01:02.5", "1:2:3", "01:02:3", "001:02", "1:002", "01:02:003"),
    *(
        f"{hour}:30{seconds}{gap}{half}"
        for hour in (0, 1, 11, 12, 13)
        for seconds in ("", ":15")
        for gap in ("", " ", "  ")
        for half in ("am", "pm", "AM", "Pm", "a", "p", "a.m.", "xm")
    ),
    *(
        f"12:30:00{sign}{offset}"
        for sign in "+-"
        for offset in ("00", "0000", "00:00", "02:30", "23:59", "23:60", "24:00", "2", "230", "02:3", "02:030", "02:")
    ),
    *("12:30Z", "12:30z", "12:30:00Z", "12:30 Z", "12:30:00Zz", "3 pm", "15h30", "", ":", "12:", "12:3"),
]
DURATIONS = [
    *(
        f"P{''.join(parts)}"
        for parts in itertools.product(
            ("", "2W"), ("", "3D"), ("", "T"), ("", "4H"), ("", "5M"), ("", "6S", "6.5S", "6,25S")
        )
    ),
    *(f"PT{part}" for part in ("1.5H", "1.5M", "1.S", ".5S", "0.1234560S", "0.1234567S", "S", "1", "1H1H", "1M1H")),
    *(f"P{part}" for part in ("1.5D", "1D1W", "1D1D", "D", "1Y", "1M", "1DT", "T1HT1M", "-1D", "1d")),
    *(f"{sign}P1D" for sign in ("-", "+", "--", " ")),
    *(f"P{days}D" for days in ("49999999", "50000000", "50000001", "999999999999", "9999999999999")),
    *("P7142857W", "P7142858W", "P50000000DT0.000001S", "P49999999DT24H", "P49999999DT24H0.1S"),
    *("PT1200000000H", "PT1200000001H", "PT72000000000M", "PT72000000001M", "PT999999999999S", "PT0S", "-PT0S"),
    *(
        f"{days}{clock}"
        for days in ("", "0 days, ", "1 day, ", "2 days, ", "1 day ", "1 days,", "1 dayss, ", "50000000 days, ")
        for clock in ("0:00:00", "1:59:59", "23:60:00", "23:00:60", "24:00:00.5", "99:00:00", "100:00:00", "1:2:3", "")
    ),
    *("50000001 days, 0:00:00", "100000:00:00", "100001:00:00", "0:00:00.1234567", "0:00:00,5", "-1 day, 1:00:00"),
    *("1 day", "2 days", "50000000 days", "50000001 days", "1 dax", "12 hours", "1:30", "-1:00:00", "999999999:00:00"),
]
TABLES: dict[str, tuple[list[str], Callable[[str], scalar_grammar.Said | None], Callable[[str], Any]]] = {
    "date": (DATES, scalar_grammar.date, datetime.date.fromisoformat),
    "time": (TIMES, scalar_grammar.time, datetime.time.fromisoformat),
    "datetime": (
        [f"{date}{mark}{time}" for date in DATES[4::40] for mark in ("T", "t", " ", "  ", "") for time in TIMES[::9]],
        scalar_grammar.instant,
        datetime.datetime.fromisoformat,
    ),
    "timedelta": (DURATIONS, scalar_grammar.duration, duration_of),
}


@pytest.mark.parametrize("form", TABLES)
def test_what_a_text_says_of_time(form: str) -> None:
    texts, said, python = TABLES[form]
    both = 0
    for text in [*texts, *changed(texts, 1)]:
        got, expected = read(form, text), said(text)
        if expected is None:
            assert got is None, text
            continue
        both += 1
        assert got is not None, text
        assert python(got[0]) == expected[0], text
        assert got[1] == (set() if expected[1] else {"date_spelling"}), text
    assert both > 50


NUMBERS = [
    *(f"{sign}{digits}" for sign in ("", "-", "+", "--", "+-") for digits in ("0", "7", "12", "007", "00", "")),
    *(
        ",".join(groups)
        for groups in [
            *itertools.product(("1", "12", "123", "1234", ""), ("234", "23", "2345", "")),
            *itertools.product(("1", "999"), ("234", "23"), ("567", "56")),
        ]
    ),
    *("1_000", "1__000", "_1", "1_", "1_0_0", "12_34.5", "1,000.5", "1,000.", "1,000,", "1 000", "0,123", "0_1"),
    *(f"{head}{tail}" for head in ("1.", ".5", ".", "1.5", "-.5", "+1.", "-1.50") for tail in ("", "e3", "E-3", "e")),
    *("1e5", "1e+5", "1E-05", "1e", "1e+", "1e1.5", "12e2", "120e-1", "125e-2", "1.0", "1.00", "-0", "-0.0", "0e9"),
    *(
        f"{before}{gap}{digits}{behind}"
        for before in ("", "$", "\u20ac", "\u00a3", "\u00a5", "\u20b9", "USD", "usd", "-$", "+EUR", "$-", "-$-", "US$")
        for gap in ("", " ", "  ", "\t")
        for digits in ("5", "1,000", "0.5")
        for behind in ("", "$", " EUR", "\u20ac", " eur")
        if (before or not gap) and (not behind.strip().islower()) and before != "usd"
    ),
    *(f"5{code}" for code in ("GBP", "CHF", "JPY", "INR", "CAD", "AUD", "CNY", " USD", "  CNY", "\tEUR")),
]


def integer(value: Decimal) -> int | None:
    return int(value) if value == int(value) else None


@pytest.mark.parametrize("form", ["int", "float", "decimal"])
def test_what_a_text_says_of_a_number(form: str) -> None:
    python: dict[str, Callable[[Decimal], Any]] = {"int": integer, "float": float, "decimal": Decimal}
    for text in NUMBERS:
        said, got = scalar_grammar.number(text), read(form, text)
        expected = None if said is None else python[form](said[0])
        if expected is None or said is None:
            assert got is None, text
            continue
        assert got is not None, text
        assert Decimal(got[0]) == said[0] if form == "decimal" else got[0] == expected, text
        assert type(got[0]) is (str if form == "decimal" else type(expected)), text
        exact = form == "decimal" and not said[1] and re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text, re.I)
        assert got[1] == (set() if exact else {"number_text", *said[1]}), text


def test_numbers_of_every_length_and_exponent() -> None:
    """As tokens: an int has up to 4300 digits, a float is finite, and what Python reads is what is read."""
    for exponent in [*range(-30, 31), 298, 299, 300, 301, 307, 308, 309, 310, 400, 2147483647, 2147483648, 10**12]:
        for digits in ("1", "12", "1.2", "1.25", "125000", "-17", "1.7976931348623157", "1.7976931348623159", "0.0"):
            text = f"{digits}e{exponent}"
            value = Decimal(digits).scaleb(exponent) if abs(exponent) < 10**5 else None
            reading = reader_of("int").read(f"[{text}]", READ_PLAIN)
            whole = Decimal(digits) == 0 or (value is not None and value == value.to_integral_value())
            assert reading["ok"] == whole, text
            assert not whole or reading["value"] == [int(value or 0)], text
            reading = reader_of("float").read(f"[{text}]", READ_PLAIN)
            finite = abs(float(text)) != float("inf")
            assert reading["ok"] == finite, text
            assert not finite or reading["value"] == [float(text)], text
    for count in (299, 300, 301, 308, 309, 310, 4299, 4300, 4301):
        for text in ("9" * count, f"-{'1' * count}", f"1e{count - 1}", f"1{'0' * (count - 1)}.0"):
            reading = reader_of("int").read(f"[{text}]", READ_PLAIN)
            assert reading["ok"] == (count <= 4300), text
            finite = abs(float(text)) != float("inf")
            assert reader_of("float").read(f"[{text}]", READ_PLAIN)["ok"] == finite, text
        for text in ("9" * count, f"-{'1' * count}", f"9{'0' * (count - 1)}", f"-9{'0' * (count - 1)}"):
            assert reader_of("any").read(f"[{text}]", READ_PLAIN)["ok"] == (count <= 4300), text


CALLED: dict[str, tuple[str, Callable[..., Any], int, int]] = {
    "date": ("date", datetime.date, 3, 3),
    "datetime": ("datetime", datetime.datetime, 3, 7),
    "time": ("time", datetime.time, 1, 4),
}
GIVEN = [0, 1, 2, 4, 12, 13, 23, 24, 28, 29, 30, 31, 32, 59, 60, 1999, 2024, 9999, 10000, 99999, 999999, 1000000]


@pytest.mark.parametrize("form", CALLED)
@pytest.mark.parametrize("prefix", ["", "datetime.", "a.b."])
def test_constructors_are_those_of_python(form: str, prefix: str) -> None:
    name, make, least, most = CALLED[form]
    python = TABLES[form][2]
    chance, read_well = random.Random(3), 0
    for _ in range(1500):
        count = chance.randint(0, 8)
        given = [chance.choice(GIVEN) for _ in range(count)]
        if chance.random() < 0.8 and form != "time":
            given[:3] = [2024, chance.randint(1, 12), chance.randint(1, 28)][:count]
        shown = [str(one) for one in given]
        wrong = chance.random() < 0.2 and count > 0
        if wrong:
            shown[chance.randrange(count)] = chance.choice(["-1", "1.0", "'1'", "None", "1e1", "[1]"])
        try:
            value = None if wrong or not least <= count <= most else make(*given)
        except ValueError:
            value = None
        text = f"[{prefix}{name}({', '.join(shown)})]"
        reading = reader_of(form).read(text, READ_PLAIN)
        assert reading["ok"] == (value is not None), text
        read_well += reading["ok"]
        assert value is None or python(reading["value"][0]) == value, text
    assert read_well > 50
    assert not reader_of(form).read(f"[{prefix}other(2024, 1, 1)]", READ_PLAIN)["ok"]


@pytest.mark.parametrize("form", ["bytes", "uuid", "decimal"])
def test_texts_of_others(form: str) -> None:
    """Base64, UUIDs and exact numbers, of every length and with every character changed once."""
    import base64
    import uuid

    chance = random.Random(4)
    for size in range(40):
        if form == "bytes":
            data = chance.randbytes(size)
            for text in (base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()):
                got = read(form, text)
                assert got is not None and base64.b64decode(got[0]) == data, text
                assert got[1] == ({"value_spelling"} if "-" in text or "_" in text else set()), text
            for cut in range(len(text)):
                assert (read(form, text[:cut]) is None) == (cut % 4 != 0), text[:cut]
            for at in range(len(text)):
                assert read(form, f"{text[:at]}!{text[at + 1 :]}") is None
            assert text == "" or read(form, f"{text[:-4]}A===") is None
            letters = bytes(97 + byte % 26 for byte in data)
            shown = reader_of(form).read(f"[{letters!r}]", READ_PLAIN)
            assert shown["ok"] and base64.b64decode(shown["value"][0]) == letters, shown
        elif form == "uuid":
            value = uuid.UUID(bytes=chance.randbytes(16))
            for text in (str(value), str(value).upper(), value.hex, f"{value.hex[:8]}-{value.hex[8:]}"):
                got = read(form, text)
                assert got is not None and uuid.UUID(got[0]) == value, text
                assert got[1] == (set() if text.count("-") == 4 else {"value_spelling"}), text
                for at in range(len(text)):
                    assert read(form, f"{text[:at]}g{text[at + 1 :]}") is None
                    assert read(form, text[:at]) is None
                    assert text[at] == "-" or read(form, f"{text[:at]}{text[at + 1 :]}") is None
                    assert read(form, f"{text[:at]}0{text[at:]}") is None
        else:
            exponent = size * 60_000 - 1_200_000
            got = read(form, f"1.5e{exponent}")
            assert (got is not None) == (-999_999 <= exponent + 1 <= 999_999), exponent


@pytest.mark.parametrize("form", ["int", "float", "decimal"])
def test_groups_of_digits(form: str) -> None:
    """With commas the first group has one to three digits, and each of the others three; with `_` any number."""
    for sizes in itertools.chain.from_iterable(itertools.product(range(1, 6), repeat=count) for count in (2, 3)):
        groups = ["123456789"[:size] for size in sizes]
        thousands = sizes[0] <= 3 and set(sizes[1:]) == {3}
        for separator, right in ((",", thousands), ("_", True)):
            got = read(form, separator.join(groups))
            assert (got is not None) == right, separator.join(groups)
            assert got is None or Decimal(str(got[0])) == int("".join(groups)), got


def test_limits_of_exact_numbers() -> None:
    """A decimal has its first digit within a million places of the point."""
    for digits, shift in (("1", 1), ("1.5", 1), ("12.5", 2), ("0.05", -1), ("-7", 1)):
        for exponent in (*range(-1_000_003, -999_996), *range(999_996, 1_000_003)):
            got = read("decimal", f"{digits}e{exponent}")
            assert (got is not None) == (-999_999 <= exponent + shift <= 999_999), (digits, exponent)
            assert reader_of("decimal").read(f"[{digits}e{exponent}]", READ_PLAIN)["ok"] == (got is not None)
