"""What src/base is for, beside Python's own or by laws: hashes, UTF-8, names, words of others, positions, memory."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
import subprocess
import unicodedata
from pathlib import Path
from typing import Callable

import pytest
from siphash import siphash

COLUMNS, WORKFLOW = 1, 2
FIRST_CHUNK = 16 * 1024  # bytes of an arena that has just begun
Base = Callable[..., list[str]]


@pytest.fixture
def base(executable: str) -> Base:
    program = Path(executable).with_name("gm-base")
    if not program.exists():
        pytest.skip("ALOUD: tests/syntax/test_base.py: the test programs are not built, `make test` builds them")

    def ask(what: str, texts: list[bytes], number: int = 0) -> list[str]:
        """What the program says of each text."""
        lines = "".join(f"{text.hex()}\n" for text in texts)
        done = subprocess.run([str(program), what, str(number)], input=lines, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        told = done.stdout.splitlines()
        assert len(told) == len(texts)
        return told

    return ask


def in_hex(told: list[str]) -> list[bytes]:
    return [bytes.fromhex(line) for line in told]


def by_length(most: int) -> list[bytes]:
    chance = random.Random(1)
    return [bytes(chance.randrange(256) for _ in range(size)) for size in range(most)]


def test_hashes_of_every_length(base: Base) -> None:
    texts = by_length(200)
    assert in_hex(base("sha256", texts)) == [hashlib.sha256(text).digest() for text in texts]
    for size in (1, 3, 7, 8, 9, 16, 300):
        assert in_hex(base("siphash", texts, size)) == [siphash(text) for text in texts], size


def characters(text: bytes) -> str:
    """The bytes that are UTF-8 in front of the first that is not, and their characters."""
    try:
        good = text.decode()
    except UnicodeDecodeError as error:
        good = text[: error.start].decode()
    return " ".join([str(len(good.encode())), *(f"{ord(one):x}" for one in good)])


LEADS = [*range(0x7E, 0x82), *range(0xBE, 0x100)]
TAILS = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]


def test_utf8_is_what_python_reads(base: Base) -> None:
    pairs = [bytes([lead, tail]) for lead in LEADS for tail in TAILS]
    longer = [pair + bytes([third]) for pair in pairs if pair[0] >= 0xE0 for third in TAILS]
    longest = [text + bytes([fourth]) for text in longer if text[0] >= 0xF0 for fourth in TAILS]
    texts = [bytes([byte]) for byte in range(256)] + pairs + longer + longest
    # Blocks of ASCII are skipped as a whole: what is wrong stands at every place beside them.
    blocks = [
        b"a" * at + wrong + b"b" * behind for at in range(70) for wrong in (b"", b"\xff") for behind in (0, 31, 40)
    ]
    blocks += [b"a" * at + "\u00e9\U0010ffff".encode() + b"a" * 40 for at in range(70)]
    assert base("utf8", texts + blocks) == [characters(text) for text in texts + blocks]


HIDDEN = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
HIDDEN += "\ufeff\uffa0\ufff0-\ufffb"
HIDDEN += "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
UNSEEN = re.compile(f"[{HIDDEN}]")
COMMAND = re.compile(rb"##[A-Za-z]{0,30}\[|::(?=[A-Za-z])")
# Around every end of the characters that are hidden, and of what is escaped in another way.
EDGES = [
    *range(0x20),
    0x7E,
    0x7F,
    0x80,
    0x9F,
    0xA0,
    0xFF,
    0x100,
    0xD7FF,
    0xE000,
    0xFE0E,
    0xFE0F,
    0xFE10,
    0xFFFF,
    0x10000,
]
EDGES += [ord(one) + by for one in HIDDEN if one != "-" for by in (-1, 0, 1)]


def shown(one: str, how: int) -> str:
    """A character as people see it."""
    joins_or_tab = one in "\t\u200c\u200d"
    control = ord(one) < 0x20 or 0x7F <= ord(one) < 0xA0
    if how & COLUMNS and joins_or_tab or not (control or UNSEEN.match(one)):
        return one
    if how & COLUMNS:
        return "?"
    code = ord(one)
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return short.get(one) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


def visible(text: bytes, how: int) -> bytes:
    told, at = b"", 0
    while at < len(text):
        if how & WORKFLOW and COMMAND.match(text, at):
            told, at = told + text[at : at + 1] + b"?", at + 2
            continue
        good = [size for size in (1, 2, 3, 4) if is_character(text[at : at + size])]
        if good:
            told, at = told + shown(text[at : at + good[0]].decode(), how).encode(), at + good[0]
        else:
            told, at = told + (b"?" if how & COLUMNS else b"\\x%02x" % text[at]), at + 1
    return told


def is_character(part: bytes) -> bool:
    try:
        return len(part.decode()) == 1
    except UnicodeDecodeError:
        return False


def test_words_of_others_are_shown(base: Base) -> None:
    texts = [b"<%s>" % chr(code).encode() for code in EDGES] + [b"<%c>" % byte for byte in range(128, 256)]
    texts += [text[:-1] for text in texts]
    letters = [b"a" * size for size in (0, 1, 2, 29, 30, 31, 40)] + [b"@", b"A", b"Z", b"[", b"`", b"z", b"{"]
    texts += [
        mark + word + end
        for mark in (b"##", b"::", b"#:", b"a#")
        for word in letters
        for end in (b"", b"[", b"[x", b" ")
    ]
    texts += [b"a ##vso[b] ::error ###[ :::e ##\xff[", b"##", b"#", b"::", b"::x", b":::", b"####group[x]"]
    for how in range(4):
        assert in_hex(base("visible", texts, how)) == [visible(text, how) for text in texts], how


def test_texts_in_json_are_ascii_where_they_are_not_seen(base: Base) -> None:
    texts = [chr(code).encode() for code in EDGES] + by_length(40) + ['é"\\/\U0001f600'.encode()]
    told = [line.decode() for line in in_hex(base("json", texts))]
    assert [json.loads(line) for line in told[: len(EDGES)]] == [chr(code) for code in EDGES]
    for line, text in zip(told, texts):
        plain = re.sub(r"\\u[0-9a-f]{4}", "", line)
        assert not UNSEEN.search(plain) and not re.search("[\x00-\x1f\x7f-\x9f]", plain), line
        one = text.decode(errors="replace")
        if "\ufffd" not in one and not UNSEEN.search(one) and not re.search("[\x7f-\x9f]", one):
            assert line == json.dumps(one, ensure_ascii=False), text
    # What is no UTF-8 is one mark for each byte.
    assert json.loads(in_hex(base("json", [b"a\xff\xe2\x82b"]))[0].decode()) == "a\ufffd\ufffd\ufffdb"


def test_columns_of_characters(base: Base) -> None:
    """Of what was there in Unicode 3.2 and is of the same kind today."""
    then = unicodedata.ucd_3_2_0

    def kinds(data: object, one: str) -> tuple[bool, bool]:
        mark = data.category(one) in ("Mn", "Me", "Cf")  # type: ignore[attr-defined]
        return mark, data.east_asian_width(one) in ("W", "F")  # type: ignore[attr-defined]

    codes = [*range(0x20, 0xD800), *range(0xE000, 0x30000), *range(0xE0000, 0xE0200), 0xF0000, 0xFFFFD, 0x10FFFD]
    texts = list(map(chr, codes))
    known = [one for one in texts if then.category(one) != "Cn" and kinds(then, one) == kinds(unicodedata, one)]
    told = base("width", ["".join(known).encode()])[0]
    expected = [
        "0" if mark and one >= "\u0300" else "2" if wide else "1"
        for one in known
        for mark, wide in [kinds(unicodedata, one)]
    ]
    wrong = [(f"{ord(one):x}", width) for one, width, right in zip(known, told, expected) if width != right]
    assert len(known) > 40000 and not wrong


def test_names_and_keys_are_found_again(base: Base) -> None:
    chance = random.Random(2)
    # Of every length, and such as differ in one byte alone or are the beginnings of others.
    names = [b"a" * size for size in range(40)] + [b"a" * at + b"b" + b"a" * (20 - at) for at in range(21)]
    names += by_length(60) + [b"x%d" % number for number in range(400)]
    names += [chance.choice(names) for _ in range(400)]
    first: dict[bytes, int] = {}
    expected = []
    for name in names:
        expected.append(f"{first.get(name, -1)} {first.setdefault(name, len(first))} kept")
    assert base("name", names) == expected
    keys = [number.to_bytes(8, "little") for number in (0, 1, 2**32, 2**63, 2**64 - 1, *range(0, 64000, 64))]
    keys += [chance.choice(keys) for _ in range(300)]
    last: dict[bytes, int] = {}
    told = []
    for number, key in enumerate(keys):
        before = last.get(key, -1)
        last[key] = number
        told.append(f"{before} {number} {len(last)}")
    assert base("key", keys) == told


def test_names_with_one_hash_are_told_apart(base: Base) -> None:
    """A hash has 32 bits: of so many names some share one."""
    names = [b"%x" % number for number in range(300_000)]
    assert base("name", names) == [f"-1 {number} kept" for number in range(len(names))]


def positions(text: str) -> str:
    """Line, column in bytes, and column in characters, twice, of every byte and of the end."""
    found = []
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    for number, line in enumerate(lines, 1):
        size = len(line.encode())
        for at in range(size + (number == len(lines))):
            # A byte inside of a character belongs to what is behind the character's first byte.
            column = len(line.encode()[:at].decode(errors="ignore")) + 1
            column += (line.encode()[at : at + 1] or b"a")[0] & 0xC0 == 0x80
            found.append(f"{number}:{at}:{column}:{column} ")
    return "".join(found)


def test_positions_of_every_byte(base: Base) -> None:
    texts = ["", "a", "\n", "\r", "\r\n", "\n\r", "a\r\rb\n\nc\r\n", "é = 'ü'\n# €\n", "a\n\u20ac\U0001f600\r\nb"]
    texts += ["x" * size + "\n" for size in (62, 63, 64, 65, 127, 128)]
    texts += ["é" * size + "\nü" for size in (31, 32, 33, 63, 64, 65)] + ["# " + "€\n# " * 50]
    assert base("positions", [text.encode() for text in texts]) == [positions(text) for text in texts]


def test_lines_end_in_front_of_what_ends_them(base: Base) -> None:
    ends = ["\n", "\r", "\r\n", "", "a", "\u20ac", " "]
    texts = ["".join(row) for size in range(5) for row in itertools.product(ends, repeat=size)]
    expected = []
    for text in texts:
        at, told = 0, ""
        for line in re.split(r"(?<=\n)|(?<=\r)(?!\n)", text):
            told += f"{at + len(line.rstrip(chr(13) + chr(10)).encode())} "
            at += len(line.encode())
        expected.append(told)
    assert base("lines", [text.encode() for text in texts]) == expected


WORDS = [b"", b"a", b"b", b"ab", b"abc", b"aab", b"ac", b"Ab", b"b" * 9]


def test_texts_are_told_from_their_neighbours(base: Base) -> None:
    """Whether a list has a text, and whether a text ends in another: of all pairs, and of lists of every length."""
    rows = [[one, *others] for one in WORDS for size in range(4) for others in itertools.product(WORDS, repeat=size)]
    expected = [f"{int(one in rest)} {''.join(str(int(one.endswith(tail))) for tail in rest)}" for one, *rest in rows]
    assert base("texts", [b"\0".join(row) for row in rows]) == expected


def test_hashes_of_texts_in_a_row_hold_their_ends(base: Base) -> None:
    """Each text stands behind its length; what is no text is told from an empty one."""
    rows = [row for size in range(1, 4) for row in itertools.product([*WORDS, None], repeat=size)]
    expected = []
    for row in rows:
        lengths = [(1 << 64) - 1 if text is None else len(text) for text in row]
        ends = [length.to_bytes(8, "little") + (text or b"") for length, text in zip(lengths, row)]
        expected.append(siphash(b"".join(ends)))
    assert in_hex(base("row", [b"\0".join(b"-" if text is None else text for text in row) for row in rows])) == expected
    assert len(set(expected)) == len(rows)


def test_the_seed_is_odd_and_of_the_process_alone(base: Base) -> None:
    seeds = [base("seed", [b""] * 3) for _ in range(3)]
    assert all(len(set(told)) == 1 and int(told[0], 16) % 2 == 1 for told in seeds)
    assert len({told[0] for told in seeds}) == 3


def test_texts_of_every_size_are_formatted(base: Base) -> None:
    texts = [b"z" * size for size in range(300)] + [b"y" * 5000]
    texts += [number.to_bytes(8, "little") for number in range(0x2020202020202020, 0x2020202020202100, 7)]
    expected = []
    for text in texts:
        once = b"<%s>%d" % (text, int.from_bytes(text[:8], "little"))
        expected.append(once + b"<%s>" % once)
    assert in_hex(base("buffer", texts)) == expected


def test_a_text_ends_inside_of_its_own_memory(base: Base) -> None:
    """Also where the bytes fill what a buffer has: what stands behind it stays as it is."""
    told = [line.split(" ", 1) for line in base("full", [b"z" * size for size in range(600)])]
    assert {rest for _, rest in told} == {"ended behind"}
    assert sum(room == "0" for room, _ in told) > 100


def test_sizes_that_nobody_has_are_refused(base: Base) -> None:
    """Up to the greatest number, beyond which nothing can be added to it."""
    halves = [(1 << 64) - 1 - less for less in range(20)] + [(1 << 63) + more for more in range(-20, 20)]
    sizes = [0, 1, 7, 8, 1000, 100_000, *halves, *((1 << 62) + more for more in range(3))]
    told = base("size", [size.to_bytes(8, "little") for size in sizes])
    assert told == [("taken " if size <= 100_000 else "refused ") * 3 for size in sizes]


def test_blocks_of_memory_keep_what_is_in_them(base: Base) -> None:
    chance = random.Random(3)
    texts = [bytes(chance.choice((byte, byte & 62)) for byte in text) for text in by_length(120)]
    texts += [bytes([2 * first, 2 * second + 1]) for first in range(0, 128, 9) for second in range(0, 128, 7)]
    # A block that grows to the end of its chunk, and one with a chunk of its own that stays as large as it is.
    sizes = {number: (3 * number * number + 7) & ~7 for number in range(128)}
    texts += [
        bytes([2 * first, 2, 2 * second + 1])
        for first, second in itertools.product(range(40, 74), repeat=2)
        if abs(sizes[first] + sizes[second] - FIRST_CHUNK) <= 8
    ]
    texts += [bytes([2, 2 * size, 2 * other + 1]) for size in (75, 110, 127) for other in (size - 1, size)]
    assert base("arena", texts) == ["0 lost, 0 left, 0 counted"] * len(texts)


def test_budgets_end_what_is_beyond_them(base: Base) -> None:
    """To the last unit it is done, and one more is too much: alone, with a text that is added, inside of another."""
    once = "done done too much, ended too much, ended "
    memory = "done done too much too much "
    assert base("work", [b"", b"a" * 1000], 3) == [once * 2 + memory] * 2
