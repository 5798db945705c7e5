"""The nets under `fix`: edits that overlap are refused, and a text whose tree is another one is noticed."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Edit = tuple[int, int, str]


class Program:
    """tests/c/edits.c"""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.old, self.new = folder / "old.py", folder / "new.py"

    def __call__(
        self, old: str, new: str, edits: list[Edit], others: Sequence[Edit] = ()
    ) -> tuple[list[bool], str, str, bool]:
        """Which edits were added, the text by the two lists merged and by the first, and whether trees are the same."""
        self.old.write_text(old)
        self.new.write_text(new)
        words = [
            *(str(word) for edit in edits for word in edit),
            "--",
            *(str(word) for edit in others for word in edit),
        ]
        done = subprocess.run([self.path, self.old, self.new, *words], capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        assert done.stderr == "" and len(lines) == len(edits) + len(others) + 3
        added = [line == "added" for line in lines[:-3]]
        merged, text = (bytes.fromhex(line[len("text ") :]).decode() for line in lines[-3:-1])
        return added, merged, text, lines[-1] == "same"


@pytest.fixture
def program(executable: str, tmp_path: Path) -> Program:
    path = Path(executable).with_name("gm-edits")
    if not path.exists():
        pytest.skip("ALOUD: tests/fix/test_edits.py: the test programs are not built, `make test` builds them")
    return Program(path, tmp_path)


def overlap(one: Edit, other: Edit) -> bool:
    """Two replacements that share a byte, an insertion inside of a replacement, or two insertions at one place."""
    if one[0] == one[1] and other[0] == other[1]:
        return one[0] == other[0]
    return one[0] < other[1] and other[0] < one[1]


def applied(text: str, edits: list[Edit]) -> str:
    """An insertion goes in front of what is replaced at its place."""
    pieces, at = [], 0
    for start, end, new in sorted(edits):
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


TEXT = "a = 1\nb = 2\n"
PLACES = st.integers(0, len(TEXT))
EDITS = st.lists(
    st.tuples(PLACES, PLACES, st.sampled_from(["", "x", "yy"])).map(lambda e: (min(e[:2]), max(e[:2]), e[2])),
    max_size=5,
)


COMMON = settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@COMMON
@given(edits=EDITS)
def test_edits_by_chance(program: Program, edits: list[Edit]) -> None:
    """Refused is what overlaps an edit that was added; those that were added commute."""
    added, merged, text, _ = program(TEXT, TEXT, edits, edits)
    added = added[: len(edits)]
    kept: list[Edit] = []
    for edit, taken in zip(edits, added):
        assert taken == (not any(overlap(edit, other) for other in kept)), (edit, kept)
        kept += [edit] if taken else []
    assert text == applied(TEXT, kept)
    assert merged == text, "a list merged with itself is itself"
    assert program(TEXT, TEXT, kept[::-1])[2] == text


@COMMON
@given(edits=EDITS, others=EDITS)
def test_two_lists_by_chance(program: Program, edits: list[Edit], others: list[Edit]) -> None:
    """Of the second list all goes in that overlaps nothing of the first one; where nothing does, both ways are one."""
    added, merged, text, _ = program(TEXT, TEXT, edits, others)
    kept = [edit for edit, taken in zip(edits, added) if taken]
    beside = [edit for edit, taken in zip(others, added[len(edits) :]) if taken]
    apart = [edit for edit in beside if not any(overlap(edit, other) for other in kept)]
    assert merged == applied(TEXT, kept + apart)
    assert text == applied(TEXT, kept)
    if apart == beside:
        assert program(TEXT, TEXT, beside, kept)[1] == merged


# Texts of the same length whose trees differ: without an edit each is another program than each other one of its row.
OTHERS = [
    ["x = a + b\n", "x = a - b\n", "x = a[ b]\n", "x = a, +b\n", "x = a( b)\n", "x =(a , b)\n", "x = a . b\n"],
    ["if a: f()\n", "f(a, b())\n", "a:f  = b()\n"],
    ["x = a and b\n", "x = (a or b)\n", "x = a  in  b\n", "x = a  is  b\n", "x = a != (b)\n"],
    ["f(a, b, c)\n", "f(a, b=c )\n", "f(a, *b  )\n", "f(a, **b )\n", "f(a)(b, c)\n"],
    ["x = [a, b]\n", "x = {a, b}\n", "x = (a, b)\n", "x = {a: b}\n", "x = [a][b]\n"],
    ["del a, b\n", "del a  \n\n", "a, b = c\n"],
    ["a = 1\nb = 2\n", "a = 1;b=2\n\n", "a = b = 2 \n\n"],
    ["not a\n", "- a  \n", "~ a  \n", "+ a  \n"],
    ["a < b < c\n", "(a < b)<c\n", "a<(b < c)\n", "a < b > c\n", "a < b\n\n\n\n"],
    ["while a:\n  b\nelse:\n  c\n", "if    a:\n  b\nelse:\n  c\n", "while a:\n  b\n  els,\n  c\n"],
    ["for a in b:\n  c\n", "with b as a:\n c\n", "for a in b:\n   c\n"],
    ["try:\n  a\nfinally:\n  b\n", "try:\n  a\nexcept :\n  b\n"],
    ["return\n", "break \n", "pass  \n", "global\n"],
    ["lambda: a\n", "lambda a:a\n"],
    ["x = a if b else c\n", "x = c if b else a or d\n"],
    ["raise a from b\n", "raise a       \n"],
    ["x: int = 1\n", "x: int    \n", "x = int, 1\n"],
    ["x += 1\n", "x -= 1\n", "x = +1\n"],
    ["f(a)\n", "f( a)\n", "f(a )\n"],
]


@pytest.mark.parametrize("row", OTHERS, ids=lambda row: row[0].replace("\n", "|"))
def test_other_trees(program: Program, row: list[str]) -> None:
    for one, other in itertools.permutations(row, 2):
        assert not program(one, other, [])[3], (one, other)


@pytest.mark.parametrize("text", [text for row in OTHERS for text in row], ids=lambda text: text.replace("\n", "|"))
def test_the_same_tree(program: Program, text: str) -> None:
    """A text is what it was; behind an insertion all of it has moved."""
    assert program(text, text, [])[3]
    assert program(text, "import torch\n" + text, [(0, 0, "import torch\n")])[3]
    assert not program(text, "import torch\n" + text, [])[3]


LINES = "a = f(1)\nif a > b:\n    c = a + b\n    d = c\ne = d\n"


BRANCH = "if a > b:\n    c = a + b\n    d = c"


def edited(*changes: tuple[str, str]) -> str:
    text = LINES
    for old, new in changes:
        text = text.replace(old, new)
    return text


def at(words: str, text: str = LINES) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


BOTH = [(*at("f(1)"), "g(22)"), (*at("e = d"), "e = 3")]


@pytest.mark.parametrize(
    ("edits", "new", "same"),
    [
        ([(*at("f(1)"), "g(2)")], None, True),
        ([(*at("f(1)"), "g(2)")], LINES.replace("f(1)", "g(2)").replace("c = a + b", "c = a - b"), False),
        ([(*at("f(1)"), "g(2)")], edited(("f(1)", "g(2)"), ("e = d", "e = c()"), ("d = c\n", "")), False),
        ([(*at("c = a + b"), "c = b")], None, True),
        ([(*at("c = a + b\n    "), "")], None, True),
        ([(*at("c = a + b"), "c = b; g = c")], None, True),
        ([(*at(BRANCH), "d = where(a > b, a + b, c)")], None, True),
        ([(*at(BRANCH), "d = 1")], edited((BRANCH, "d = 1")) + "e\n", False),
        (BOTH, None, True),
        (BOTH, edited(("f(1)", "g(22)"), ("e = d", "e = 3"), ("> b", "< b")), False),
        ([(at("e = d")[0], at("e = d")[0], "import torch\n")], None, True),
        ([(at("e = d")[0], at("e = d")[0], "import torch\n")], LINES + "import torch\n", False),
        ([(at("    d = c")[0], at("    d = c")[0], "    x = 1\n")], None, True),
        ([(at("    d = c")[0], at("    d = c")[0], "x = 1\n")], None, False),
        ([(*at("a > b"), "True")], None, True),
        ([(*at("d = c"), "pass")], None, True),
    ],
)  # fmt: skip
def test_behind_edits(program: Program, edits: list[Edit], new: str | None, same: bool) -> None:
    """What no edit touches has to be at its new place and to mean what it meant."""
    added, _, text, verdict = program(LINES, new if new is not None else applied(LINES, edits), edits)
    assert all(added) and text == applied(LINES, edits)
    assert verdict == same
