"""Settings in every spelling of TOML: what `tomllib` reads is what is in force; refusals stand in `stated` in full."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

STRINGS = [
    *(
        '"a"',
        "'a'",
        '""',
        "''",
        '"""a"""',
        "'''a'''",
        '"""a""b"""',
        "'''a''b'''",
        '""""a""""',
        "''''a''''",
        '"""a"""""',
    ),
    *(
        '"""\na"""',
        "'''\na'''",
        '"""\r\na"""',
        '"""\n\na"""',
        '"""a\\\n  b"""',
        '"""a\\  \n\n  b"""',
        "'''a\\b'''",
        "'a\\b'",
    ),
    *(
        '"a\\tb"',
        '"a\\\\b"',
        '"a\\"b"',
        '"\\u00e9"',
        '"\\U0001f600"',
        '"\\ud800"',
        '"\\u12"',
        '"\\x41"',
        '"\\q"',
        '"a\\',
    ),
    *(
        '"a',
        "'a",
        '"""a',
        "'''a''",
        '"a\nb"',
        "'a\nb'",
        '"a\\\nb"',
        '"\u00e9"',
        '"a#b"',
        "'a#b'",
        '"a" # b',
        '"\\u00E9\\u00e9"',
        '"\\e"',
    ),
    *(
        '"""a\nb"""',
        "'''a\nb'''",
        '"a\tb"',
        '"""\\"""\\""""',
        '"a" "b"',
        '"a", "b",',
        '"a",\n# c\n"b"\n',
        '"a",,',
        ',"a"',
        '"a";',
    ),
]
VALUES = [
    *(
        "'a'",
        "1",
        "true",
        "{}",
        "[['a']]",
        "[1]",
        "[",
        "]",
        "",
        "[]",
        "[ ]",
        "[\n]",
        "[# c\n]",
        "['a' 'b']",
        "['a'],",
        "['a'] x",
    ),
]
# What stands in front of and behind `exclude = ["a"]` in the section.
AROUND = [
    ("", "[other]\nexclude = ['b']"),
    ("", "[tool.other]\nexclude = ['b']"),
    ("", "[[other]]\na = 1\n[[other]]\na = 2"),
    ("", "[tool.graphmend.more]\na = 1"),
    ("", "[tool.graphmend]\nexclude = ['b']"),
    ("", "exclude = ['b']"),
    ("", "other = {a = 1, 'b' = [2, 3], \"c d\".e = true}"),
    ("", "ignore = {a = 1,}"),
    ("", "[a.'b c'.\"d\"]\ne.f.'g' = 1"),
    ("", "[ a . b ]\nc = 1979-05-27T07:32:00Z"),
    ("", "[a]\nb = 1979-05-27 07:32:00\nc = 07:32:00.5\nd = 1979-05-27"),
    ("", "[a]\nb = 0x1F\nc = 0o17\nd = 0b11\ne = 1_000\nf = -1.5e-3\ng = inf\nh = -nan\ni = +1"),
    ("", "[a]\nb = 1__0"),
    ("", "[a]\nb = 01"),
    ("", "[a]\nb = maybe"),
    ("", "[a]\nb"),
    ("", "[a]\nb ="),
    ("", "[a]\n= 1"),
    ("", "[a]\n'' = 1"),
    ("", "[a"),
    ("", "[[a]"),
    ("", "[]"),
    ("", "[a] b"),
    ("", "[a] # b"),
    ("", "\t # only a comment"),
    ("", "a b = 1"),
    ("", "a.b = 1\na = 2"),
    ("# first\n\n", ""),
    ("all = true # c\n", "ignore = ['GM101']"),
    ("'all' = true\n", '"ignore" = []'),
    ("all = 'yes'\n", ""),
    ("max-file-size = 1\n", ""),
    ("max-file-size = 0\n", ""),
    ("max-file-size = '1'\n", ""),
    ("max-file-size = -1\n", ""),
    ("max-file-size = 1_6\n", ""),
    ("max-file-size = 99999999999999999999\n", ""),
    ("torch-version = '2.12'\n", ""),
    ("torch-version = 2.12\n", ""),
    ("torch-version = 'x'\n", ""),
    ("select = ['GM1', 'odd']\n", ""),
    ("select = 'GM1'\n", ""),
    ("per-file-ignores = {'a*' = ['GM1'], b = []}\n", ""),
    ("per-file-ignores = {'a*' = 'GM1'}\n", ""),
    ("per-file-ignores.'a*' = ['GM1']\n", ""),
    ("", "[tool.graphmend.per-file-ignores]\n'a*' = ['GM101']\nb = []"),
    ("unknown = 1\n", ""),
]
# Dates and times, and what is nearly one.
DATES = [
    "1979-05-27 07:32:00",
    "1979-05-27 07:3",
    "1979-05-27 07",
    "1979-05-27 7:32",
    "1979-05-27  07:32:00",
    "1979-05-27 # 07:",
]
DATES += [
    "1979-05-2x 07:32:00",
    "1979-0a-27 07:32",
    "1979.05.27 07:32",
    "1979-05+27 07:32",
    "979-05-27 07:32",
    "19790-05-2 07:32",
]
DATES += [
    "1979-05-27 07:32:00Z",
    "1979-05-27 07:32:00+01:00",
    "1979-05-27T07:32:00 08:00",
    "1979-05-27 x7:32",
    "1979-05-27 0x:32",
]
DATES += [
    "1979-05-27\t07:32:00",
    "07:32:00 07:32",
    "true 07:32",
    "[1979-05-27 07:32:00, 1979-05-27]",
    "{a = 1979-05-27 07:32:00}",
]
TEXTS = [f"[tool.graphmend]\nexclude = [{string}]\n" for string in STRINGS]
TEXTS += [f"[tool.graphmend]\nexclude = ['a']\n[other]\na = {date}\nb = 1\n" for date in DATES]
TEXTS += [f"[tool.graphmend]\nexclude = {value}\n" for value in VALUES]
TEXTS += [f"[tool.graphmend]\n{before}exclude = ['a']\n{behind}\n" for before, behind in AROUND]
TEXTS += [
    "tool.graphmend.exclude = ['a']\n",
    "[tool]\ngraphmend.exclude = ['a']\n",
    "tool = {graphmend = {exclude = ['a']}}\n",
]
TEXTS += [
    "['tool'.\"graphmend\"]\nexclude = ['a']\n",
    "[tool.graphmend]\r\nexclude = ['a']\r\n",
    "\ufeff[tool.graphmend]\nexclude = ['a']\n",
]


def read_by_python(text: str) -> Any:
    """What tomllib reads of `exclude`; None for a file that it refuses, and for what is no list of texts."""
    tomllib = importlib.import_module("tomllib")
    try:
        read = tomllib.loads(text.replace("\r\n", "\n")).get("tool", {}).get("graphmend", {}).get("exclude")
    except ValueError:
        return None
    return read if isinstance(read, list) and all(isinstance(one, str) for one in read) else None


def test_stated_toml(cli) -> None:
    cli.write("a.py", "x = 1\n")
    stated = []
    for text in TEXTS:
        cli.write("pyproject.toml", text)
        ended = cli("check", "--show-settings", "a.py")
        stated.append(f"{text!r}\n{ended.out}{ended.err}".replace(str(cli.folder), "HERE"))
    hold(Path(__file__).parent / "stated" / "toml.txt", "\n".join(stated))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="has no tomllib")
@pytest.mark.parametrize("string", [string for string in STRINGS if string != '"\\e"'])  # of TOML 1.1
def test_strings_are_those_of_tomllib(cli, string: str) -> None:
    text = f"[tool.graphmend]\nexclude = [{string}]\n"
    cli.write("a.py", "x = 1\n")
    cli.write("pyproject.toml", text)
    ended = cli("check", "--show-settings", "a.py")
    read = read_by_python(text)
    if read is None:
        assert ended.status == 2, ended
    elif all(one.isprintable() and one for one in read):
        shown = [line.partition(" = ")[2] for line in ended.out.splitlines() if line.startswith("  exclude = ")]
        assert ended.status == 0 and shown == read, ended
