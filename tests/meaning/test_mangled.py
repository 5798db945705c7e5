"""Values written as models write them, with known edits: what is read is the same value, or there is an error."""

from __future__ import annotations

import functools
import json
import random
from typing import Any, Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from meaning_corpus import types_of
from meaning_damage import KINDS, Damager, parts_of, tally

from graphmend.core import READ_PLAIN, Reader, Stream


@functools.cache
def reader() -> Reader:
    return Reader(json.dumps(types_of("full")))


SIMPLE = st.text(alphabet="abcXYZ 019", min_size=1, max_size=8).map(str.strip).filter(bool)
NASTY = st.text(alphabet="ab ,:;{}[]()\"'`\\/#=\n\t<>|-+.0019$%\u00e9\u201c\u201d", max_size=12)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)


def values(texts: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    maker = st.fixed_dictionaries({"name": texts, "since": st.integers(-(10**6), 10**12)})
    required = {"title": texts, "price": NUMBERS, "tags": st.lists(texts, max_size=4), "maker": maker}
    return st.fixed_dictionaries(required, optional={"used": st.booleans()})


def kinds_at(text: str) -> list[tuple[int, str]]:
    """Places and kinds of the characters that hold JSON together; all quotes are one kind."""
    return [(at, '"' if text[at] in "\"'" else text[at]) for at in parts_of(text)]


def drop(kinds: str) -> Callable[[str, random.Random], str]:
    def edit(text: str, chooser: random.Random) -> str:
        places = [at for at, kind in kinds_at(text) if kind in kinds]
        if not places:
            return text
        at = chooser.choice(places)
        return text[:at] + text[at + 1 :]

    return edit


def put(kinds: str, more: str) -> Callable[[str, random.Random], str]:
    def edit(text: str, chooser: random.Random) -> str:
        places = [at for at, kind in kinds_at(text) if kind in kinds]
        if not places:
            return text
        at = chooser.choice(places)
        return text[: at + 1] + more + text[at + 1 :]

    return edit


def trailing_comma(text: str, chooser: random.Random) -> str:
    places = [at for at, kind in kinds_at(text) if kind in "]}" and text[at - 1] not in "[{"]
    at = chooser.choice(places) if places else len(text)
    return text[:at] + ("," if places else "") + text[at:]


def double_quote(text: str, chooser: random.Random) -> str:
    places = [at for at, kind in kinds_at(text) if kind == '"']
    at = chooser.choice(places) if places else 0
    return text[:at] + (text[at] if places else "") + text[at:]


def cut(text: str, chooser: random.Random) -> str:
    return text[: chooser.randrange(max(1, len(text)))]


def unquote_keys(text: str, chooser: random.Random) -> str:
    for key in ("title", "price", "tags", "maker", "since", "used"):
        text = text.replace(f'"{key}":', f"{key}:")
    return text


EDITS: dict[str, Callable[[str, random.Random], str]] = {
    "fence": lambda text, chooser: f"```json\n{text}\n```",
    "prose": lambda text, chooser: f"Here it is:\n{text}\nIs that right?",
    "thoughts": lambda text, chooser: f"<think>{{}} or [1]?</think>{text}",
    "trailing comma": trailing_comma,
    "unquoted keys": unquote_keys,
    "other keys": lambda text, chooser: text.replace('"title":', '"Title":').replace('"since":', '"SINCE":'),
    "wrapper": lambda text, chooser: f'{{"result": {text}}}',
    "comment": put(",", " // and\n"),
    "lines": put(",{[", "\n   "),
    "no comma": drop(","),
    "no colon": drop(":"),
    "no quote": drop('"'),
    "no bracket": drop("{}[]"),
    "two commas": put(",", ","),
    "a bracket too many": put("]}", "]"),
    "a quote too many": double_quote,
    "cut": cut,
}
HARMLESS = ("fence", "prose", "thoughts", "unquoted keys", "other keys", "lines", "comment")


def read(text: str) -> Any:
    reading = reader().read(text, READ_PLAIN)
    return reading["value"] if reading["ok"] else None


def stripped(value: Any) -> Any:
    """A value whose texts have no blanks around them."""
    if isinstance(value, dict):
        return {key: stripped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [stripped(item) for item in value]
    return value.strip() if isinstance(value, str) else value


def written(value: dict[str, Any], style: int) -> str:
    return repr(value) if style == 0 else json.dumps(value, ensure_ascii=style == 1, indent=2 if style == 3 else None)


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(values(NASTY), st.integers(1, 3))
def test_json_of_any_text_is_read_as_it_is(value: dict[str, Any], style: int) -> None:
    assert read(written(value, style)) == value


@pytest.mark.parametrize("name", HARMLESS)
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(value=values(SIMPLE), style=st.integers(1, 3), seed=st.integers(0, 10**6))
def test_what_loses_nothing_is_read(name: str, value: dict[str, Any], style: int, seed: int) -> None:
    assert read(EDITS[name](written(value, style), random.Random(seed))) == value


@pytest.mark.parametrize("texts", ["simple", "nasty"])
@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    data=st.data(),
    names=st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=2),
    style=st.integers(0, 3),
    seed=st.integers(0, 10**6),
)
def test_edits_give_the_value_or_an_error(texts: str, data: Any, names: list[str], style: int, seed: int) -> None:
    value = data.draw(values(SIMPLE if texts == "simple" else NASTY))
    text = written(value, style)
    # One quote at most, and last: after it, what is inside of strings is not known any more.
    quoting = [name for name in names if "quote" in name and name != "unquoted keys"]
    for name in [name for name in names if name not in quoting] + quoting[:1]:
        text = EDITS[name](text, random.Random(seed))
    found = read(text)
    # Where a quote is missing, blanks beside it may have been inside or outside.
    assert found is None or found == value or (quoting and stripped(found) == stripped(value)), (text, found)


@pytest.mark.parametrize(
    ("nasty", "faults", "readable"), [(False, 1, 250), (True, 1, 200), (False, 2, 50), (True, 3, 5)]
)
def test_random_damage_is_seen_or_repaired(nasty: bool, faults: int, readable: int) -> None:
    """Of a thousand damaged texts none is read as another value, and so many are read."""
    found = tally(Damager(1).read, 7, {faults: 1000}, nasty)
    assert found["wrong"] == []
    assert len(found["right"]) >= readable


def test_damaged_text_in_pieces_is_read_as_in_one() -> None:
    damager = Damager(3)
    readers = {kind: Reader(json.dumps(types_of(kind))) for kind in KINDS}
    for number in range(600):
        made = damager.make(number % 3 + 1, number % 2 == 1)
        data, stream = made.text.encode(), Stream(readers[made.kind], READ_PLAIN, collect=1)
        for start in range(0, len(data), number % 4 + 1):
            stream.feed(data[start : start + number % 4 + 1])
        assert stream.finish() == readers[made.kind].read(made.text, READ_PLAIN), made.text
