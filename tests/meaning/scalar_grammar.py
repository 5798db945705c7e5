"""Dates, times, durations and numbers as the reader takes them: a grammar in regular expressions over Python's types.

Each function gives what a text says, or None for a text that says nothing, and whether it is in the form of ISO 8601.
"""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from typing import Any

MONTHS = [
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
]
MONTH = "|".join(["may", *(f"{name[:3]}|{name}" for name in MONTHS if name != "may")])
DATE = re.compile(r"(\d{4})([-/])(\d\d?)\2(\d\d?)", re.A)
DAY_FIRST = re.compile(rf"(\d\d?) ({MONTH}),? (\d{{4}})", re.A | re.I)
MONTH_FIRST = re.compile(rf"({MONTH}) (\d\d?),? (\d{{4}})", re.A | re.I)
TIME = re.compile(
    r"(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,6})0*)?)?(?: ?([ap])m)?([Zz]|[+-]\d\d(?::?\d\d)?)?", re.A | re.I
)
ISO_DURATION = re.compile(
    r"(-?)P(?:(\d{1,12})W)?(?:(\d{1,12})D)?(?:T(?=\d)(?:(\d{1,12})H)?(?:(\d{1,12})M)?"
    r"(?:(\d{1,12})(?:[.,](\d{1,6})0*)?S)?)?",
    re.A,
)
PYTHON_DURATION = re.compile(r"(?:(\d{1,9}) days?, (?=\d\d?:))?(\d{1,9}):(\d\d):(\d\d)(?:[.,](\d{1,6})0*)?", re.A)
PYTHON_DAYS = re.compile(r"(\d{1,9}) days?", re.A)
DAYS_LIMIT = 50_000_000
GROUPS = r"\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*"
CURRENCY = r"\$|€|£|¥|₹|USD|EUR|GBP|CHF|JPY|INR|CAD|AUD|CNY"
NUMBER = re.compile(
    rf"([+-]?)(?:({CURRENCY})[ \t]*)?(-?)({GROUPS})?(?:\.(\d*))?(?:e([+-]?\d+))?(?:[ \t]*({CURRENCY}))?", re.A | re.I
)
Said = tuple[Any, bool]


def day(year: str, month: str, day: str) -> datetime.date | None:
    try:
        return datetime.date(int(year), int(month), int(day))
    except ValueError:
        return None


def month_number(name: str) -> str:
    return str(1 + next(at for at, month in enumerate(MONTHS) if month.startswith(name.lower())))


def date(text: str) -> Said | None:
    if found := DATE.fullmatch(text):
        value = day(found[1], found[3], found[4])
        plain = found[2] == "-" and len(found[3]) == len(found[4]) == 2
    elif found := DAY_FIRST.fullmatch(text):
        value, plain = day(found[3], month_number(found[2]), found[1]), False
    elif found := MONTH_FIRST.fullmatch(text):
        value, plain = day(found[3], month_number(found[1]), found[2]), False
    else:
        return None
    return None if value is None else (value, plain)


def zone(text: str | None) -> datetime.timezone | None:
    if text is None:
        return None
    if text in "Zz":
        return datetime.timezone.utc
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or "0")
    if hours > 23 or minutes > 59:
        raise ValueError(text)
    size = datetime.timedelta(hours=hours, minutes=minutes)
    return datetime.timezone(-size if text[0] == "-" else size)


def time(text: str) -> Said | None:
    found = TIME.fullmatch(text)
    if not found:
        return None
    hour, minute, second, fraction, half, offset = found.groups()
    clock = int(hour)
    if half:
        if not 1 <= clock <= 12:
            return None
        clock = clock % 12 + (12 if half in "pP" else 0)
    try:
        micros = int((fraction or "").ljust(6, "0"))
        value = datetime.time(clock, int(minute), int(second or 0), micros, zone(offset))
    except ValueError:
        return None
    return value, len(hour) == 2 and second is not None and not half


def instant(text: str) -> Said | None:
    found = re.match(r"([^Tt ]+)([Tt ])", text)
    if not found or not DATE.fullmatch(found[1]):
        return None
    first, second = date(found[1]), time(text[found.end() :])
    if first is None or second is None:
        return None
    return datetime.datetime.combine(first[0], second[0]), first[1] and second[1] and found[2] == "T"


def length(days: int, hours: int, minutes: int, seconds: int, fraction: str | None) -> int | None:
    """Microseconds."""
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    micros = whole * 1_000_000 + int((fraction or "").ljust(6, "0"))
    return micros


def duration(text: str) -> Said | None:
    if (found := ISO_DURATION.fullmatch(text)) and text.lstrip("-") != "P":
        weeks, days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:6])
        micros = length(weeks * 7 + days, hours, minutes, seconds, found[7])
        return (-micros if found[1] else micros, True) if micros <= DAYS_LIMIT * 86_400_000_000 else None
    if found := PYTHON_DAYS.fullmatch(text):
        return (length(int(found[1]), 0, 0, 0, None), False) if int(found[1]) <= DAYS_LIMIT else None
    if found := PYTHON_DURATION.fullmatch(text):
        days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[:4])
        if days > DAYS_LIMIT or hours > 100_000 or minutes > 59 or seconds > 59:
            return None
        micros = length(days, hours, minutes, seconds, found[5])
        return (micros, False) if micros // 86_400_000_000 <= DAYS_LIMIT else None
    return None


def number(text: str) -> tuple[Decimal, set[str]] | None:
    """A number without a unit, and the repairs beside that of its quotes."""
    found = NUMBER.fullmatch(text)
    if not found:
        return None
    sign, before, minus, whole, fraction, exponent, behind = found.groups()
    if re.search(rf"(?:{CURRENCY})", text) is None and (before or behind):
        return None  # the codes of currencies are in capitals
    if not (whole or fraction) or (sign and minus) or (minus and not before) or (before and behind):
        return None
    digits = re.sub("[,_]", "", whole or "0")
    if len(digits) > 1 and digits[0] == "0":
        return None
    value = Decimal(f"{digits}.{fraction or '0'}e{exponent or '0'}")
    odd = sign == "+" or not whole or fraction == "" or "_" in (whole or "")
    named = [("number", odd), ("thousands", "," in (whole or "")), ("currency", bool(before or behind))]
    return (-value if "-" in (sign, minus) else value), {name for name, here in named if here}
