"""Documents as JSON and as Python write them: the tolerant reader takes what `json` and `ast` take for the same.

Every escape, every length of a `\\u`, control characters, quotes of every kind, and all of it in pieces.
"""

from __future__ import annotations

import ast
import functools
import itertools
import json
import random
import string
from typing import Any

import pytest

from graphmend.core import READ_PARTIAL, READ_PLAIN, READ_STRICT, Reader, Stream

PARTS = ["a", "Z", "0", " ", "\u00e9", "\u20ac", "\U0001f600", "\ud83d", "\ude00", "\x00", "\x1f", "\x7f"]
PARTS += list("\b\f\n\r\t\"\\/'`{}[]:,#<>-_")
PLAIN_PARTS = [*"abcXYZ019_-", " ", "\u00e9", "\u20ac", "\U0001f600", "\n", "\t", "\\", '"', "'"]


@functools.cache
def any_reader() -> Reader:
    return Reader('{"meaning": 1, "root": 0, "types": [{"form": "any"}]}')


def any_value(chance: random.Random, parts: list[str], depth: int = 0) -> Any:
    """A random value of JSON."""
    kind = chance.choice("sssnnfwwlo" if depth < 4 else "snfw")
    if kind == "s":
        return "".join(chance.choice(parts) for _ in range(chance.randint(0, 6)))
    if kind == "n":
        return chance.choice([0, 1, -1, 10**9, -(2**63), 10**25, chance.randint(-999, 999)])
    if kind == "f":
        return chance.choice([0.0, -0.5, 1e22, 1e-7, 123.456, -1.5e300, 5e-324])
    if kind == "w":
        return chance.choice([True, False, None])
    count = chance.randint(0, 4)
    if kind == "l":
        return [any_value(chance, parts, depth + 1) for _ in range(count)]
    names = [f"{at}{chance.choice(parts)}{chance.choice(parts)}" for at in range(count)]
    return {name: any_value(chance, parts, depth + 1) for name in names}


def container(chance: random.Random, parts: list[str]) -> Any:
    value = any_value(chance, parts)
    return value if isinstance(value, (list, dict)) else [value]


def written(chance: random.Random, value: Any) -> str:
    separators = chance.choice([(",", ":"), (", ", ": "), (" ,\n\t", " :\r\n")])
    indent = chance.choice([None, None, 0, 1, 4])
    return json.dumps(value, ensure_ascii=chance.random() < 0.5, indent=indent, separators=separators)


def in_pieces(text: str, size: int, flags: int) -> dict[str, Any]:
    data, stream = text.encode("utf-8", "surrogatepass"), Stream(any_reader(), flags, collect=1)
    for start in range(0, len(data), size):
        stream.feed(data[start : start + size])
    return stream.finish()


def is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@pytest.mark.parametrize("flags", [READ_PLAIN, READ_PLAIN | READ_STRICT])
def test_json_is_read_as_python_reads_it(flags: int) -> None:
    chance = random.Random(1)
    for _ in range(1500):
        text = written(chance, container(chance, PARTS))
        if not is_utf8(text):
            continue
        reading = any_reader().read(text, flags)
        assert reading["ok"] and reading["repairs"] == [] and reading["cost"] == 0, text
        assert repr(reading["value"]) == repr(json.loads(text)), text
        if len(text) < 80:
            assert in_pieces(text, chance.randint(1, 7), flags) == reading, text


def test_python_text_is_read_as_python_reads_it() -> None:
    """What `repr` writes; a text that both quotes stand in is left out, for its apostrophes may be the end."""
    chance = random.Random(2)
    for _ in range(1500):
        value = container(chance, PLAIN_PARTS)
        text = repr(value)
        if "\\'" in text:
            continue
        reading = any_reader().read(text, READ_PLAIN)
        if '"' in text and "'" in text and not reading["ok"]:
            continue  # strings with quotes of the other kind inside may be refused, and are never read as others
        assert reading["ok"], (text, reading)
        assert repr(reading["value"]) == repr(ast.literal_eval(text)), text


def test_every_escape() -> None:
    """JSON's are JSON's, Python's quotes and `\\xHH` are meant, and any other backslash stands for itself."""
    for letter in string.printable:
        for before in ("", "a"):
            for behind in ("", "b", "41", "0041z"):
                text = f'["{before}\\{letter}{behind}"]'
                reading = any_reader().read(text, READ_PLAIN)
                strict = any_reader().read(text, READ_PLAIN | READ_STRICT)
                try:
                    expected, known = json.loads(text), True
                except ValueError:
                    known = False
                assert strict["ok"] == known, text
                if known:
                    assert reading["value"] == strict["value"] == expected and reading["cost"] == 0, text
                elif letter in "'`":
                    assert reading["value"] == [f"{before}{letter}{behind}"], text
                elif letter == "x" and len(behind) >= 2:
                    assert reading["value"] == [before + chr(int(behind[:2], 16)) + behind[2:]], text
                elif letter not in '"\\':
                    assert reading["value"] == [f"{before}\\{letter}{behind}"], text
                    assert "escape" in {name for name, _ in reading["repairs"]}, text


@pytest.mark.parametrize("mark", ["u", "x"])
def test_hexadecimal_escapes_of_every_length(mark: str) -> None:
    size = 4 if mark == "u" else 2
    for count in range(size + 2):
        for digits in ("0041fg", "abcdef", "ABCDEF", "09aFgG", "@`/:gG", "d83dxx"):
            text = f'["{chr(92)}{mark}{digits[:count]}"]'
            whole = count >= size and all(digit in string.hexdigits for digit in digits[:size])
            told = chr(int(digits[:size], 16)) + digits[size:count] if whole else f"\\{mark}{digits[:count]}"
            reading = any_reader().read(text, READ_PLAIN)
            assert reading["ok"] and reading["value"] == [told], text
            assert any_reader().read(text, READ_PLAIN | READ_STRICT)["ok"] == (whole and mark == "u"), text


def escaped(chance: random.Random, text: str) -> str:
    """The same text as JSON in another spelling."""
    short = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", '"': '"', "\\": "\\", "/": "/"}
    out = []
    for letter in text:
        units = letter.encode("utf-16-be", "surrogatepass").hex()
        whole = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
        ways = [whole, whole.upper().replace("\\U", "\\u")]
        ways += [f"\\{short[letter]}"] * 2 if letter in short else []
        ways += [letter] * 2 if letter >= " " and letter not in '"\\' else []
        out.append(chance.choice(ways))
    return f'"{"".join(out)}"'


def test_texts_are_compared_as_what_they_say() -> None:
    """A constant, the name of a field and a date, in every spelling of their characters."""
    chance = random.Random(3)
    for part in [*PARTS[:7], "\ud800", "\udbff", "\udc00", "\ue000", "\ud7ff", "\U00010000", "\U0010ffff", *PARTS[9:]]:
        word = f"x{part}y"
        if not is_utf8(word):
            continue
        types: list[dict[str, Any]] = [{"form": "literal", "values": [{"value": word}]}]
        literal = Reader(json.dumps({"meaning": 1, "root": 0, "types": types}))
        field = {"name": word, "type": 1}
        types = [{"form": "record", "name": "R", "kind": "dataclass", "fields": [field]}, {"form": "int"}]
        record = Reader(json.dumps({"meaning": 1, "root": 0, "types": types}))
        for _ in range(20):
            text = escaped(chance, word)
            assert literal.read(text, READ_PLAIN | READ_STRICT).get("value") == word, text
            assert literal.read(text, READ_PLAIN).get("value") == word, text
            assert record.read(f"{{{text}: 7}}", READ_PLAIN | READ_STRICT).get("value") == {word: 7}, text
            other = escaped(chance, f"{word[:-1]}z")
            assert not literal.read(other, READ_PLAIN | READ_STRICT)["ok"], other
    date = Reader('{"meaning": 1, "root": 0, "types": [{"form": "date"}]}')
    for _ in range(50):
        assert date.read(escaped(chance, "2024-02-29"), READ_PLAIN)["value"] == "2024-02-29"


def grows_into(part: Any, whole: Any) -> bool:
    """Whether a value of a beginning is a beginning of the value."""
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(grows_into(*pair) for pair in zip(part, whole))
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and grows_into(value, whole[name]) for name, value in part.items())
    return type(part) is type(whole) and part == whole


def test_beginnings_grow_into_the_value() -> None:
    """Of a beginning every whole item in front of the cut is there, and nothing that the value does not have."""
    chance = random.Random(4)
    for _ in range(200):
        value = container(chance, [*"abc \\\n\"'", "\u20ac", "\U0001f600"])
        text, seen = written(chance, value), 0
        for end in range(1, len(text) + 1):
            reading = any_reader().read(text[:end], READ_PLAIN | READ_PARTIAL)
            if not reading["ok"]:
                continue
            assert grows_into(reading["value"], json.loads(text)), (text[:end], reading)
            size = len(json.dumps(reading["value"]))
            assert size + 12 >= seen, (text[:end], reading)
            seen = max(seen, size)
        assert any_reader().read(text, READ_PLAIN | READ_PARTIAL)["value"] == json.loads(text)


def test_streams_show_beginnings_of_the_value() -> None:
    chance = random.Random(5)
    for _ in range(40):
        value = container(chance, [*"ab\\\n", "\u20ac", "\U0001f600"])
        text = written(chance, value)
        stream = Stream(any_reader(), READ_PLAIN, collect=1)
        for letter in text[:300]:
            stream.feed(letter.encode())
            shown = stream.partial()
            assert not shown["ok"] or grows_into(shown["value"], value), (text, shown)


def test_control_characters_inside_of_strings_are_kept() -> None:
    for code in range(32):
        text = f'{{"a": "x{chr(code)}y"}}'
        assert not any_reader().read(text, READ_PLAIN | READ_STRICT)["ok"], text
        reading = any_reader().read(text, READ_PLAIN)
        if code == 0:
            continue
        assert reading["ok"] and reading["value"] == {"a": f"x{chr(code)}y"}, (text, reading)
        assert [name for name, _ in reading["repairs"]] == ["control"], text


def test_pairs_of_escapes_at_every_limit() -> None:
    """Two halves are one character, and others stay what they are: a pair is the literal that it spells, or none."""
    units = [0x1F, 0x41, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000]
    texts = [f'"\\u{first:04x}\\u{second:04X}"' for first, second in itertools.product(units, repeat=2)]
    literals = ", ".join(f'{{"value": {text}}}' for text in texts if is_utf8(json.loads(text)))
    types = f'[{{"form": "list", "items": [1]}}, {{"form": "literal", "values": [{literals}]}}]'
    reader = Reader(f'{{"meaning": 1, "root": 0, "types": {types}}}')
    for text in texts:
        value = json.loads(text)
        for way in (text, text.replace('"', "'"), text.replace("\\u0041", "A")):
            reading = reader.read(f"[{way}]", READ_PLAIN)
            assert reading["ok"] == is_utf8(value), (way, reading)
            assert not reading["ok"] or reading["value"] == [value], (way, reading)
