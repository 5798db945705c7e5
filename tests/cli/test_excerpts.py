"""The line that a report shows and its mark, for marks at every place that matters: laws instead of texts.

Of a line of more than 1,000 bytes a part of so many is shown, from 200 bytes in front of the mark, in whole characters.
The mark stands below what it marks, a character of two columns below two, and ends with the line.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from typing import Any

import pytest

HEAD = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n"
MARKED = "print(x.sum())"
WIDEST, IN_FRONT = 1000, 200
WIDTHS = {"a": 1, "\u00e9": 1, "\u4e2d": 2, "\U0001f600": 2, "\u0301": 0, "\t": 1}
FRONT = [*range(0, 8), *range(180, 200), 300, 799, 985, 990, 1100]
BEHIND = [0, 1, 2, 3, 500, *range(770, 800, 3), 985, 1000, 1200]


def lines(front: int, behind: int, sign: str) -> str:
    """A statement that is marked, with so many bytes of text in front of it and behind it."""
    before, after = (
        sign * (count // len(sign.encode())) + "a" * (count % len(sign.encode())) for count in (front, behind)
    )
    return f"    _ = '{before}', {MARKED}  # {after}".rstrip()


def shown(line: str) -> tuple[str, int]:
    """The part of a line that is shown, and the bytes in front of the mark in it."""
    text = line.encode()
    place = text.index(MARKED.encode())
    if len(text) <= WIDEST:
        return line, place
    starts = [at for at in range(len(text) + 1) if at == len(text) or text[at] & 0xC0 != 0x80]
    start = max(at for at in starts if at <= max(0, place - IN_FRONT))
    end = len(text) if len(text) - start <= WIDEST else max(at for at in starts if at <= start + WIDEST)
    return text[start:end].decode(), place - start


def columns(text: str) -> str:
    """White space as wide as a text."""
    return "".join("\t" if one == "\t" else " " * WIDTHS.get(one, 1) for one in text)


def excerpt(line: str) -> tuple[str, str]:
    part, place = shown(line)
    front = part.encode()[:place].decode()
    room = len(part.encode()) - place
    return part, columns(front) + "^" * max(1, min(len(MARKED), room))


def reported(cli: Any, rows: list[str], end: str) -> list[tuple[str, str]]:
    """What is shown of each line, and the mark below."""
    (cli.folder / "a.py").write_bytes((HEAD + "".join(f"{row}\n" for row in rows)).replace("\n", end).encode())
    out = cli("check", "--no-cache", "--isolated", "--exit-zero", "--output-format", "full", "a.py").out
    found = re.findall(r"^ +(\d+) \| (.*)\n +\| (.*)$", out, re.M)
    assert [int(number) for number, _, _ in found] == [HEAD.count("\n") + 1 + row for row in range(len(rows))]
    return [(text, mark) for _, text, mark in found]


@pytest.mark.parametrize("sign", ["a", "\u00e9", "\u4e2d", "\U0001f600", "e\u0301"])
def test_marks(cli: Any, sign: str) -> None:
    rows = [lines(front, behind, sign) for front in FRONT for behind in BEHIND]
    assert reported(cli, rows, "\n") == [excerpt(row) for row in rows]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_marks_at_the_ends_of_lines(cli: Any, end: str) -> None:
    """With a tab in front, with nothing behind, and with other ends of lines."""
    rows = [f"    {MARKED}", f"    _ = '\t'; {MARKED}", f"    {MARKED};"]
    assert reported(cli, rows, end) == [excerpt(row) for row in rows]


def test_marks_over_several_lines(cli: Any) -> None:
    """The mark goes to the end of the first line, and no further."""
    (cli.folder / "a.py").write_text(
        f"{HEAD}    print(x.sum(),\n          x.mean(),\n    )\n    print(  # why\n        x)\n"
    )
    out = cli("check", "--no-cache", "--isolated", "--exit-zero", "--output-format", "full", "a.py").out
    found = re.findall(r"^ +\d+ \| (.*)\n +\| (.*)$", out, re.M)
    assert found == [("    print(x.sum(),", "    ^^^^^^^^^^^^^^"), ("    print(  # why", "    ^^^^^^^^^^^^^")]


BROKEN = [
    "\u4e2d",
    "\u4e2d = (",
    "  \u4e2d",
    "if \u4e2d:",
    "\u4e2d = '''",
    "\u4e2d \\",
    "\u4e2d = '",
    "f'{\u4e2d",
    "@\u00e9",
]
BROKEN += [
    "",
    "#\u4e2d",
    "a\u4e2d)",
    "class \u4e2d:",
    "\u4e2d =",
    "else:",
    "try:",
    "match \u4e2d:",
    " case \u00e9:",
    "\u4e2d \u00e9",
]


def test_marks_of_syntax_errors(cli: Any) -> None:
    """As wide as what they mark; a column where they mark nothing, in front of a character of two columns as well."""
    rows = [*itertools.product(BROKEN, repeat=2), *(("match \u4e2d:", " case \u00e9:", row) for row in BROKEN)]
    for number, row in enumerate([*rows, *random.Random(1).sample([*itertools.product(BROKEN, repeat=3)], 400)]):
        cli.write(f"{number}.py", "\n".join(row) + "\n" * (number % 2))
    options = ("check", "--no-cache", "--isolated", "--exit-zero", "--output-format")
    found = [json.loads(line) for line in cli(*options, "json-lines", ".").out.splitlines()]
    shown = re.findall(r"^(\S+?):(\d+):(\d+): .*\n +\d+ \| (.*)\n +\| (.*)$", cli(*options, "full", ".").out, re.M)
    assert len(found) == len(shown) > 1000
    nothing = set()
    for row, (path, line, column, text, mark) in zip(found, shown):
        assert (row["path"], row["line"], row["column"]) == (path, int(line), int(column))
        source = (cli.folder / path).read_text().split("\n")[row["line"] - 1]
        end = row["end_column"] - 1 if row["end_line"] == row["line"] else len(source)
        marked = source[row["column"] - 1 : end]
        assert text == source.rstrip("\n") and mark.count("^") == max(1, len(columns(marked))), (row, mark)
        assert mark.rstrip("^") == columns(source[: row["column"] - 1]), (row, mark)
        nothing |= {(row["column"] == 1, source[:1])} if not marked else set()
    assert (True, "\u4e2d") in nothing and len(nothing) > 4
