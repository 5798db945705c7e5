"""Sites by content: what an edit may change and what not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graphmend import baseline

TEXT = """import torch
class Net(torch.nn.Module):
    @torch.no_grad()
    def forward(self, x):
        if (x.sum() >
                3 and  # why
                self.on):
            print("a", x)
        def inner(y):
            for i in y: print(i)
            try:
                pass
            except ValueError as error:
                print(error)
            return f"{y!r}"
        print('a', x,)
        return inner(x)
print(Net)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pkg" / "net.py"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "function", "text", "number"),
    [
        (1, "<module>", "import torch", 1),
        (3, "Net", "def forward(self, x):", 1),
        (5, "Net.forward", "if (x.sum() > 3 and self.on):", 1),
        (7, "Net.forward", "if (x.sum() > 3 and self.on):", 1),
        (8, "Net.forward", 'print("a", x)', 1),
        (10, "Net.forward.<locals>.inner", "print(i)", 1),
        (13, "Net.forward.<locals>.inner", "try:", 1),
        (14, "Net.forward.<locals>.inner", "print(error)", 1),
        (15, "Net.forward.<locals>.inner", 'return f"{y!r}"', 1),
        (16, "Net.forward", "print('a', x,)", 2),
        (18, "<module>", "print(Net)", 1),
        (99, "<module>", "", 1),
    ],
)
def test_statements(file: Path, line: int, function: str, text: str, number: int) -> None:
    found = baseline.statement_at(str(file), line)
    assert (found.function, found.text, found.number) == (function, text, number)


def site(file: Path, marked: str, times: int = 1) -> baseline.Site:
    """The site of the n-th line that holds a text."""
    lines = [i for i, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1) if marked in line]
    return baseline.site_at(str(file), lines[times - 1], "GB0170", file.parent.parent)


UNRELATED: dict[str, Callable[[str], str]] = {
    "lines above": lambda text: "# one\n\n" + text,
    "other functions": lambda text: text.replace(
        "    @torch.no_grad()", "    def more(self): pass\n\n    @torch.no_grad()"
    ),
    "layout": lambda text: text.replace("if (x.sum() >\n                3 and  # why\n", "if (x.sum() > 3 and\n"),
    "parentheses and quotes": lambda text: text.replace('print("a", x)', "print(('a'), (x))"),
    "the body": lambda text: text.replace(
        '            print("a", x)', '            print("a", x)\n            x = x + 1'
    ),
    "statements around": lambda text: text.replace("        if (x", "        x = x * 2\n        if (x"),
}


@pytest.mark.parametrize("edit", UNRELATED)
def test_unrelated_edits(file: Path, edit: str) -> None:
    before = [site(file, "x.sum()"), site(file, '"a"'), site(file, "print(error)")]
    text = UNRELATED[edit](TEXT)
    assert text != TEXT
    file.write_text(text, encoding="utf-8")
    marks = ("x.sum()", "(('a')" if "(('a')" in text else '"a"', "print(error)")
    result = baseline.compare(before, [site(file, mark) for mark in marks])
    assert (len(result.known), result.new, result.stale) == (3, [], [])


@pytest.mark.parametrize(("old", "new"), [("3 and", "4 and"), ("forward", "backward"), ("class Net", "class Nets")])
def test_related_edits(file: Path, old: str, new: str) -> None:
    before = [site(file, "x.sum()")]
    file.write_text(TEXT.replace(old, new), encoding="utf-8")
    found = [site(file, "x.sum()")]
    assert baseline.compare(before, found) == baseline.Comparison(new=found, known=[], stale=before)


def test_one_more_of_the_same(file: Path) -> None:
    first, second = site(file, '"a"'), site(file, "'a'")
    assert first.number == 1 and second.number == 2
    assert baseline.compare([first], [first, second]).new == [second]


def test_files(file: Path, tmp_path: Path) -> None:
    """What is written is read; one line a site, in an order of its own; paths stand below the folder."""
    sites = [site(file, "x.sum()"), site(file, "print(error)"), site(file, '"a"')]
    path = tmp_path / "breaks.json"
    baseline.write(path, "verify", [*sites, sites[0]])
    text = path.read_text(encoding="utf-8")
    baseline.write(path, "verify", reversed(sites))
    assert path.read_text(encoding="utf-8") == text and len(text.splitlines()) == 5
    assert sorted(baseline.read(path, "verify"), key=str) == sorted(sites, key=str)
    assert {one.path for one in sites} == {"pkg/net.py"}
    baseline.write(path, "verify", [])
    assert baseline.read(path, "verify") == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"baseline": 1, "of": "verify", "sites": [{}]}', None])
def test_what_is_no_baseline(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "breaks.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(baseline.BaselineError, match="breaks.json`: "):
        baseline.read(path, "verify")


def test_baselines_of_others(tmp_path: Path) -> None:
    baseline.write(tmp_path / "breaks.json", "check", [])
    with pytest.raises(baseline.BaselineError, match="of `check`"):
        baseline.read(tmp_path / "breaks.json", "verify")
