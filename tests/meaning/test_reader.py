"""The reader: what models write, strict JSON, pieces, and prefixes."""

from __future__ import annotations

import functools
import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from meaning_corpus import CASES, Case, Error, types_of

from graphmend.core import READ_PARTIAL, READ_PLAIN, READ_STRICT, CoreError, Reader, Stream

TYPES = sorted({case.type for case in CASES})


@functools.cache
def reader_of(name: str) -> Reader:
    """Made by the test that asks for it, as no test may ask the core while tests are collected."""
    return Reader(json.dumps(types_of(name)))


@functools.cache
def any_reader() -> Reader:
    return Reader('{"meaning": 1, "root": 0, "types": [{"form": "any"}]}')


def read(case: Case) -> dict[str, Any]:
    return reader_of(case.type).read(case.text, READ_PLAIN)


def in_pieces(reader: Reader, text: str, size: int, flags: int = 0) -> dict[str, Any]:
    data, stream = text.encode(), Stream(reader, flags, collect=1)
    for start in range(0, len(data), size):
        stream.feed(data[start : start + size])
    return stream.finish()


def test_the_corpus_has_ten_kinds_and_more_than_two_hundred_texts() -> None:
    assert len({case.kind for case in CASES}) == 10
    assert len({(case.type, case.text) for case in CASES}) > 200


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}-{case.type}-{case.text[:30]!r}")
def test_what_models_write(case: Case) -> None:
    reading = read(case)
    if isinstance(case.value, Error):
        assert not reading["ok"], reading
        assert reading["problem"] == case.value, reading
    else:
        assert reading["ok"], reading
        assert reading["value"] == case.value


def test_repairs_are_told_with_their_place_and_add_up() -> None:
    reading = reader_of("item").read('Yes: {name: \'bolt\', "count": "3",}')
    assert sorted(reading["repairs"]) == [
        ["bare_key", 6],
        ["number_text", 30],
        ["other_quotes", 12],
        ["prose", 5],
        ["trailing_comma", 33],
    ]
    assert reading["cost"] == 5


FOUND = [  # by fuzzing: texts that were something else in pieces
    'Spep" 2: {"name"\u201c: bbo```json\nnu": 3}',
    '{"name"\u201c: 1}',
]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("text", FOUND)
def test_texts_that_were_something_else_in_pieces(text: str, size: int) -> None:
    for reader in map(reader_of, TYPES):
        assert in_pieces(reader, text, size) == reader.read(text)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 16])
def test_pieces_give_what_the_whole_gives(size: int) -> None:
    for case in CASES:
        assert in_pieces(reader_of(case.type), case.text, size, READ_PLAIN) == read(case), case


def test_no_prefix_of_a_value_is_a_value() -> None:
    text = json.dumps({"title": "Ch\u00e4ir", "price": 12.5, "tags": ["o", "p"], "maker": {"name": "A", "since": 1999}})
    for end in range(len(text)):
        for flags in (0, READ_STRICT):
            assert not reader_of("full").read(text[:end], flags)["ok"], text[:end]


def test_partial_values_only_grow() -> None:
    value = {"title": "Chair", "price": 12.5, "tags": ["oak", "old"], "maker": {"name": "Ann", "since": 1999}}
    text = json.dumps(value)
    stream = Stream(reader_of("full"), READ_PLAIN, collect=1)
    seen: dict[str, Any] = {}
    for byte in text.encode():
        stream.feed(bytes([byte]))
        reading = stream.partial()
        if not reading["ok"]:
            continue
        now = reading["value"]
        assert set(seen) <= set(now)
        assert value["title"].startswith(now.get("title", ""))
        assert now.get("price", 12.5) == 12.5
        assert all(whole.startswith(part) for part, whole in zip(now.get("tags", []), value["tags"]))
        assert now.get("maker", {}).get("since", 1999) == 1999
        seen = now
    assert seen == value
    assert stream.finish()["value"] == value


def test_a_cut_text_is_read_as_far_as_it_goes_when_asked() -> None:
    text = '{"title": "Chair", "price": 12.5, "tags": ["oak", "ol'
    assert reader_of("full").read(text)["problem"] == "truncated"
    assert reader_of("full").read(text, READ_PARTIAL | READ_PLAIN)["value"] == {
        "title": "Chair",
        "price": 12.5,
        "tags": ["oak", "ol"],
    }


def test_partial_values_that_nest_deep_take_no_time_to_speak_of() -> None:
    assert any_reader().read("[" * 400, READ_PARTIAL)["ok"]
    assert any_reader().read('{"a": ' * 400, READ_PARTIAL)["ok"]


def test_a_number_at_the_cut_is_left_out() -> None:
    assert reader_of("ints").read("[1, 23", READ_PARTIAL)["value"] == [1]


# Strict mode, from RFC 8259.

VALID = [
    "{}",
    "[]",
    "0",
    "-0",
    "-1",
    "1.5",
    "1e5",
    "1E+5",
    "1e-5",
    "0.5",
    '""',
    '"a"',
    "true",
    "false",
    "null",
    " [1 ,\t2\r\n] ",
    '{"a":1,"a":2}',
    '"\\u0041"',
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"\\/\\b\\f\\n\\r\\t\\"\\\\"',
    '"\u20ac"',
    '"\x7f"',
    '{"":0}',
    "[[[[]]]]",
    '[{"a":[{}]}]',
    "123456789012345678901234567890",
    "-0.0e-0",
    '"\\u0000"',
    '["\\uDEAD"]',
    "[1E22]",
    '"\u2028"',
]
INVALID = [
    "",
    " ",
    "{",
    "[",
    "]",
    "}",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1,,2]",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    "{a:1}",
    "{'a':1}",
    "'a'",
    '"a',
    "a",
    "01",
    "-",
    "-01",
    "1.",
    ".5",
    "+1",
    "1e",
    "1e+",
    "0x1",
    "1_000",
    "NaN",
    "Infinity",
    "-Infinity",
    "True",
    "None",
    "nul",
    "tru",
    "[1]]",
    "[1][2]",
    "1 2",
    '"\\x41"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\"',
    '"\t"',
    '"\n"',
    "// c\n1",
    "/* c */1",
    "[1 // c\n]",
    "#\n1",
    "```json\n1\n```",
    "\ufeff1",
    "1\u00a0",
    "\x0c1",
    "[1}",
    '{"a":1]',
    '{"a" 1}',
    '{"a"=1}',
    "[\x0b1]",
    "{1:1}",
    "[1,2",
    '{"a":1',
    "()",
    "[(1)]",
    '""""',
    "\x00",
    "1\x00",
    "--1",
    "1e1.5",
    "1.2.3",
    "[-]",
    "[1.]",
    '["a" "b"]',
    '{"a":1 "b":2}',
    "[,]",
    "{,}",
    "-a",
    "1a",
    '"a"b',
    "truefalse",
    "[true false]",
]


@pytest.mark.parametrize("text", VALID)
def test_strict_accepts(text: str) -> None:
    reading = any_reader().read(text, READ_STRICT)
    assert reading["ok"], reading
    assert repr(reading["value"]) == repr(json.loads(text))
    assert reading["cost"] == 0
    assert in_pieces(any_reader(), text, 1, READ_STRICT) == reading


@pytest.mark.parametrize("text", INVALID, ids=repr)
def test_strict_refuses(text: str) -> None:
    assert not any_reader().read(text, READ_STRICT)["ok"]
    assert not in_pieces(any_reader(), text, 1, READ_STRICT)["ok"]


def constants_are_not_json(word: str) -> None:
    raise ValueError(word)


def test_strict_agrees_with_python_on_damaged_json() -> None:
    chooser = random.Random(7)
    base = '{"a": [1, -2.5e3, "x\\n\\u00e9", true, null], "b": {"c": {}, "d": []}, "e": "\\\\"} '
    letters = "{}[],:\"\\ \n\t0123456789.eE+-truefalsn'/#u"
    for _ in range(20000):
        text = list(base)
        for _ in range(chooser.randint(1, 3)):
            at = chooser.randrange(len(text))
            text[at : at + chooser.randint(0, 2)] = chooser.choice(letters)
        damaged = "".join(text)
        try:
            value: Any = json.loads(damaged, parse_constant=constants_are_not_json)
        except ValueError:
            assert not any_reader().read(damaged, READ_STRICT)["ok"], damaged
        else:
            reading = any_reader().read(damaged, READ_STRICT)
            assert reading["ok"], (damaged, reading)
            assert reading["value"] == value


def test_nesting_has_a_limit_and_no_crash() -> None:
    for text in (
        "[" * 100000,
        '{"a":' * 100000,
        "[" * 100000 + "]" * 100000,
        "(" * 100000,
        "<" * 100000,
        "```" * 50000,
        "'" * 100000,
    ):
        for flags in (0, READ_STRICT, READ_PARTIAL):
            any_reader().read(text, flags)
    assert any_reader().read("[" * 400 + "]" * 400, READ_STRICT)["ok"]
    assert not any_reader().read("[" * 600 + "]" * 600, READ_STRICT)["ok"]


def test_what_is_not_utf8_is_refused() -> None:
    stream = Stream(any_reader())
    stream.feed(b'["\xff"]')
    assert stream.finish()["message"] == "the text is not UTF-8"
    assert any_reader().read('"\ud800"')["problem"] == "syntax"


def test_small_pieces_wait_until_somebody_looks() -> None:
    stream = Stream(any_reader(), READ_PLAIN)
    for piece in (b'{"a"', b": [1", b", 2"):
        stream.feed(piece)
    assert stream.partial()["value"] == {"a": [1]}
    stream.feed(b"]}")
    assert stream.finish()["value"] == {"a": [1, 2]}
    with pytest.raises(CoreError):
        stream.feed(b"more")


def test_a_character_may_come_in_two_pieces() -> None:
    assert in_pieces(any_reader(), '["\u20ac"]', 1) == any_reader().read('["\u20ac"]')


# Meanings that are none.

SOUND = {"meaning": 1, "root": 0, "types": [{"form": "list", "items": [1]}, {"form": "int"}]}


@pytest.mark.parametrize(
    ("meaning", "words"),
    [
        ("", "no JSON"),
        ("[]", "an object is expected"),
        ("{}", "the number of a type is missing"),
        ({**SOUND, "root": 2}, "a root that is none of them"),
        ({**SOUND, "types": [{"form": "list", "items": [9]}]}, "the number of a type is too large"),
        ({**SOUND, "types": [{"form": "list"}]}, "too few or too many items"),
        ({**SOUND, "types": [{"form": "thing"}]}, "a form of types that does not exist"),
        ({**SOUND, "types": [{"form": "record", "fields": []}]}, "a name is missing"),
        ({**SOUND, "types": [{"form": "alias", "name": "A", "items": [0]}]}, "nothing but itself"),
        ({**SOUND, "types": [{"form": "union", "items": [0]}]}, "nothing but itself"),
        ({**SOUND, "types": [{"form": "enum", "name": "E", "members": [{"value": 1}]}]}, "a member without a name"),
    ],
)
def test_unsound_meanings_are_refused(meaning: Any, words: str) -> None:
    with pytest.raises(CoreError, match=words):
        Reader(meaning if isinstance(meaning, str) else json.dumps(meaning))


def test_the_hash_is_one_of_the_content() -> None:
    first, again = (json.loads(Reader(json.dumps(SOUND, indent=indent)).meaning()) for indent in (None, 4))
    other = json.loads(
        Reader(json.dumps({**SOUND, "types": [{"form": "set", "items": [1]}, {"form": "int"}]})).meaning()
    )
    assert first == again
    assert len(first["hash"]) == 32
    assert first["hash"] != other["hash"]
    assert {key: first[key] for key in SOUND} == SOUND


def test_under_the_sanitizers(tmp_path: Path) -> None:
    """Every text of the corpus and every prefix of it, whole and in pieces, with all flags."""
    build = os.environ.get("GRAPHMEND_BUILD")
    if not build:
        pytest.skip("set GRAPHMEND_BUILD to a build folder with the test programs")
    for name in TYPES:
        texts = [case.text for case in CASES if case.type == name]
        path = tmp_path / name
        path.write_text("\x1e".join([json.dumps(types_of(name)), *texts]), encoding="utf-8")
        done = subprocess.run([str(Path(build) / "gm-readings"), str(path)], capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
