"""Coding cookies: the character sets, names and rules of the Python that runs the tests."""

from __future__ import annotations

import contextlib
import encodings
import importlib
import pkgutil
import subprocess
from encodings.aliases import aliases
from pathlib import Path

import cpython

WINDOWS = {"mbcs", "oem"}
UPPER = bytes(range(128, 256))


def names() -> list[str]:
    """Every name of the registry, and some that look different."""
    found = {module.name for module in pkgutil.iter_modules(encodings.__path__)} | set(aliases)
    found |= {"UTF8", "Latin-1", "ISO-8859-15", "iso8859.15", "KOI8-R", "windows-1251", "utf-8-unix", "latin-1-dos"}
    found |= {"iso-8859.15", "iso_8859..15", "iso.8859-15", "ansi_x3.4-1968", ".latin-1", "latin.1", "latin1."}
    found |= {"latin-1.x", "latin_1_x", "utf-8.x", "iso-latin-1-unix", "iso_8859_1-dos", "ISO-8859-1_mac"}
    found |= {"uft-8", "none", "x" * 100, "-", ".", "_", "utf-88", "utf_8-sig", "mac", "cp"}
    long = sorted(found - {"x" * 100}, key=len)[-12:]
    found |= {f"{name}{more}" for name in long for more in ("x", "xy", "xyz", "-unix", "_")}
    return sorted(found - WINDOWS)


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def trees(executable: str, folder: Path, sources: list[bytes]) -> list[str]:
    """graphmend's line for each of some files."""
    paths = []
    for number, data in enumerate(sources):
        paths.append(folder / f"{number}.py")
        paths[-1].write_bytes(data)
    lines = cpython.graphmend_trees(executable, paths)
    rebuild = subprocess.run([executable, "debug", "tokens", "--rebuild", *map(str, paths)], capture_output=True)
    assert rebuild.stdout == b"".join(sources)
    return lines


def differences(sources: list[bytes], lines: list[str]) -> list[str]:
    """What is wrong, apart from the sets of several bytes a character, which are refused with these words."""
    assert not all(line.startswith("rejected ") for line in lines)
    pairs = [pair for pair in zip(sources, lines) if "graphmend reads no source" not in pair[1]]
    return [text for data, line in pairs if (text := cpython.difference(data, line)) is not None]


def usable(name: str) -> bytes:
    """The upper bytes that a character set has, without those that stand for quotes or backslashes."""
    characters = {}
    for byte in UPPER:
        with contextlib.suppress(LookupError, UnicodeError, ValueError):
            characters[byte] = bytes([byte]).decode(name)
    return bytes(byte for byte, text in characters.items() if text not in "'\\\n\r")


def test_every_name(executable: str, tmp_path: Path) -> None:
    """Each name is known or unknown as in CPython, and stands for the same characters."""
    sources = []
    for name in names():
        cookie = f"# coding: {name}\n".encode()
        sources += [cookie + b"x = 1\n", cookie + b"x = '" + usable(name) + b"'; y = 2 # " + usable(name) + b"\nz\n"]
    assert differences(sources, trees(executable, tmp_path, sources)) == []


def test_every_byte(executable: str, tmp_path: Path) -> None:
    """Bytes that a character set does not have are refused."""
    sets = ["ascii", "latin-1", "cp1252", "iso-8859-7", "koi8-r", "mac-roman", "cp437", "utf8"]
    sources = [f"# coding: {name}\nx = '".encode() + bytes([byte]) + b"'\n" for name in sets for byte in UPPER]
    assert differences(sources, trees(executable, tmp_path, sources)) == []


def test_every_form_of_utf_8(executable: str, tmp_path: Path) -> None:
    """Sequences of up to four bytes at each limit of UTF-8, with one byte that is no tail at each place."""
    firsts = [0x80, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF]
    tails = [[tail] * count for tail in (0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF) for count in range(4)]
    odd = [
        [*tail[:at], byte, *tail[at + 1 :]]
        for tail in tails[1::4] + tails[2::4] + tails[3::4]
        for at in range(len(tail))
        for byte in (0x41, 0x7F, 0x80, 0xBF, 0xC0)
    ]
    sequences = sorted({bytes([first, *tail]) for first in firsts for tail in [*tails, *odd]})
    sources = [b"a = '" + sequence + b"'\n" for sequence in sequences]
    right = [data for data in sources if cpython.tree_of(data) is not None]
    assert 100 < len(right) < len(sources) - 100
    paths = [write(tmp_path / f"{number}.py", data) for number, data in enumerate(sources)]
    lines = cpython.graphmend_trees(executable, paths)
    wrong = differences(sources, lines)
    assert not wrong, (len(wrong), wrong[0])


def test_tables_are_supported(executable: str, tmp_path: Path) -> None:
    """Every character set that CPython has a table for is read, if ASCII is its lower half."""
    tables = ["ascii", "latin_1"]
    for info in pkgutil.iter_modules(encodings.__path__):
        module = importlib.import_module(f"encodings.{info.name}") if info.name not in WINDOWS else None
        if getattr(module, "decoding_table", "")[:128] == bytes(range(128)).decode("ascii"):
            tables.append(info.name)
    assert len(tables) > 50
    lines = trees(executable, tmp_path, [f"# coding: {name}\n".encode() for name in tables])
    assert [line for line in lines if not line.startswith("Module(")] == []


RULES = [
    b"#coding=latin-1\nx = '\xe9'\n",
    b"# vim: set fileencoding=latin-1 :\nx = '\xe9'\n",
    b"# -*- coding: latin-1 -*- # coding: utf-8\nx = '\xe9'\n",
    b"\n# coding: latin-1\nx = '\xe9'\n",
    b"\r\n# coding: latin-1\r\nx = '\xe9'\r\n",
    b"\r# coding: latin-1\rx = '\xe9'\r",
    b" \t\f# a comment\n \f# coding: latin-1\nx = '\xe9'\n",
    b"x = 1 # coding: latin-1\ny = '\xe9'\n",
    b"x = 1\n# coding: latin-1\ny = '\xe9'\n",
    b"'''\n# coding: latin-1\n'''\n",
    b"\n\n# coding: latin-1\nx = '\xe9'\n",
    b"# coding: utf-8\n# coding: latin-1\nx = '\xc3\xa9'\n",
    b"# coding:\tlatin-1\nx = '\xe9'\n",
    b"# coding : latin-1\nx = '\xe9'\n",
    b"# coding: ??? coding: latin-1\nx = '\xe9'\n",
    b"# coding:latin-1",
    b"# coding:",
    b"# coding",
    b"# coding: latin-1\\\nx = '\xe9'\n",
    b"\\\n# coding: latin-1\nx = '\xe9'\n",
    b"# coding: latin-1\n\xe9 = \xe9\xe8 + a.\xb5; y = '\xff' # \xa0\n",
    b"# coding: cp1251\n\xe9\xe8 = '''\xe9\n\xe9''' f'\xe9{\xe9}\xe9{\xe9!r:\xe9}'\n",
    b"# coding: latin-1\nx = b'\xe9'\n",
    b"# coding: mac-arabic\nx = \xa2a\xa2\n",
    b"\xef\xbb\xbf# coding: utf-8\nx = 1\n",
    b"\xef\xbb\xbf# coding: UTF_8\nx = 1\n",
    b"\xef\xbb\xbf# coding: utf-8-sig\nx = 1\n",
    b"\xef\xbb\xbf# coding: utf8\nx = 1\n",
    b"\xef\xbb\xbf# coding: latin-1\nx = 1\n",
    b"\xef\xbb\xbf\nx = 1 # coding: latin-1\n",
    b"\xef\xbb\xbf\xef\xbb\xbfx = 1\n",
    b"# coding: utf8\nx = '\xff'\n",
    b"# coding: utf8\n# \xff\nx = 1\n",
    b"# coding: ascii\n# \xff\nx = 1\n",
    b"# coding: latin-1\n" + b"x = '\xe9\xe9\xe9a' # \xff\n" * 50,
    b"# coding: latin-1\n" + b"\xe9" * 300,
]


def test_rules(executable: str, tmp_path: Path) -> None:
    """Where a cookie may stand, and what a byte order mark allows."""
    assert differences(RULES, trees(executable, tmp_path, RULES)) == []


FIRST_LINES = [
    "",
    " ",
    "\t",
    "\f",
    "#",
    "# a",
    " # a",
    "x = 1",
    " x",
    "'coding: latin-1'",
    "x = 1 # coding: latin-1",
    "\\",
]
FIRST_LINES += [
    "# coding: latin-1",
    "\t# coding=latin-1",
    "\f#coding:latin-1",
    "# -*- coding: latin-1 -*-",
    "# vim: coding=latin-1",
]
FIRST_LINES += [
    "# coding:\tlatin-1",
    "# coding:  latin-1;",
    "# coding : latin-1",
    "# codings: latin-1",
    "# encoding=latin-1",
]
FIRST_LINES += [
    "# coding:",
    "# coding=:latin-1",
    "# coding: coding: latin-1",
    "# coding: utf-8",
    "#coding",
    "pass; 'coding=latin-1'",
]


def test_every_place(executable: str, tmp_path: Path) -> None:
    """A cookie counts in a comment that has its line for itself, in the first line, or behind one without code."""
    pairs = [(first, second) for first in FIRST_LINES for second in FIRST_LINES]
    sources = [
        f"{first}{end}{second}{end}y = '".encode() + b"\xe9'\n" for first, second in pairs for end in ("\n", "\r\n")
    ]
    sources += [f"\n{line}".encode() for line in FIRST_LINES] + [line.encode() for line in FIRST_LINES]
    paths = [write(tmp_path / f"{number}.py", data) for number, data in enumerate(sources)]
    wrong = differences(sources, cpython.graphmend_trees(executable, paths))
    assert not wrong, (len(wrong), wrong[0])
    known = [cpython.tree_of(data) is not None for data in sources]
    assert 100 < sum(known) < len(known) - 100
