"""An object that a call changes, and what is read of it behind: every change, in front of every statement."""

from __future__ import annotations

import subprocess
import textwrap
from pathlib import Path

import pytest
from stated_matrices import matrix
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
HEAD = """import torch

SEEN, HELD = [], {}
"""
CLASS = """

class Model{number}(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.count, self.last, self.seen, self.table = 0, None, [], {{}}

    @torch.compile
    def forward(self, x: torch.Tensor, n, flag=False):
{body}
        return x
"""
CHANGES = [
    *(
        "self.count += 1",
        "self.count = self.count + 1",
        "self.count -= n",
        "self.count += x.shape[0]",
        "self.count *= 2",
    ),
    *("self.last = x.sum().item()", "self.last = n", "self.last = x.shape[0]", "self.last = x", "self.last = None"),
    *(
        "self.seen.append(x.sum().item())",
        "self.seen.append(n)",
        "self.seen.append(x)",
        "self.seen.append(len(self.seen))",
    ),
    *(
        "self.seen.extend(x.tolist())",
        "self.seen.insert(0, n)",
        "self.seen.pop()",
        "self.seen.clear()",
        "self.seen += [n]",
    ),
    *("self.table['k'] = x.sum().item()", "self.table[n] = n", "self.table.update(k=n)", "self.table['k'] += 1"),
    *("SEEN.append(x.sum().item())", "SEEN.append(n)", "HELD['k'] = n", "HELD['k'] = x.sum().item()", "n.count += 1"),
    *("own = []\nown.append(x.sum().item())", "n.seen.append(x.mean().item())", "self.count, self.last = n, x.item()"),
    *(
        "if flag:\n    self.count += 1",
        "with torch.no_grad():\n    self.count += 1",
        "for i in range(2):\n    self.count += 1",
    ),
    *("try:\n    self.count += 1\nfinally:\n    pass", "if flag:\n    if n:\n        self.count += 1\n    x = x + 1"),
]
BEHIND = [
    *("pass", "x = x + self.count", "x = x + n", "y = self.count", "y = self.last", "y = self.seen", "y = self.table"),
    *(
        "y = self.seen[0]",
        "y = len(self.seen)",
        "y = SEEN",
        "y = HELD['k']",
        "self.count",
        "self.count += 1",
        "x += self.count",
    ),
    *(
        "if self.count > 3:\n    x = x + 1",
        "while self.count:\n    break",
        "assert self.count, 'a'",
        "return self.count",
    ),
    *("y = n and self.count", "y = self.count and n", "y = n if flag else self.count", "y = n if self.count else 1"),
    *(
        "y = n < 3 < self.count",
        "y = n < self.count",
        "y = self.count < n",
        "y = lambda: self.count",
        "y = [self.count for _ in n]",
    ),
    *(
        "y = sum(self.count for _ in n)",
        "y = {self.count: 1}",
        "y = {k: self.count for k in n}",
        "del n\ny = self.count",
    ),
    *(
        "if n:\n    y = self.count",
        "for i in n:\n    y = self.count",
        "x = x + 1\ny = self.count",
        "pass\ny = self.count",
    ),
    *("y = n\nx = x + 1\nself.last = self.count", "if n:\n    pass\ny = self.count", "import math\ny = self.count"),
    *(
        "with torch.no_grad():\n    y = self.count",
        "y = self.counts",
        "y = self.count.real",
        "y = n.count",
        "print(self.count)",
    ),
    *(
        "return x",
        "raise ValueError(self.count)",
        "def g():\n    return self.count",
        "y: int = self.count",
        "self.count = 0",
    ),
]


def indented(body: str) -> str:
    return textwrap.indent(body, "        ")


def test_changes(executable: str, tmp_path: Path) -> None:
    def written(change: str, behind: str, number: int) -> str:
        return CLASS.format(number=number, body=indented(f"{change}\n{behind}"))

    hold(STATED / "reads_behind.txt", matrix(executable, tmp_path, HEAD, CHANGES, BEHIND, written, "--all"))


COUNTING = """import torch


class Model(torch.nn.Module):
{methods}"""
METHOD = """    @torch.compile
    def forward{number}(self, x: torch.Tensor, {names}):
        {counted} += 1
        y = {read}
        return x

"""


@pytest.mark.parametrize("counted", ["n.count", "held.count", "held.first.count"])
def test_names_that_differ_in_one_character(executable: str, tmp_path: Path, counted: str) -> None:
    """A counter that is read behind the change cannot wait. Another one may be read, however alike its name is."""
    places = [place for place, letter in enumerate(counted) if letter != "."]
    others = [f"{counted[:place]}z{counted[place + 1 :]}" for place in places]
    reads = [counted, *others, f"{counted}s", counted[:-1], f"z{counted}"]
    methods, lines = "", {}
    for number, read in enumerate(reads):
        names = ", ".join(dict.fromkeys(name.partition(".")[0] for name in (counted, read)))
        lines[COUNTING.count("\n") + methods.count("\n") + 3] = read
        methods += METHOD.format(number=number, names=names, counted=counted, read=read)
    path = tmp_path / "program.py"
    path.write_text(COUNTING.format(methods=methods))
    command = [executable, "check", "--all", "--select", "GM304", "--output-format", "concise", str(path)]
    found = subprocess.run(command, capture_output=True, text=True).stdout
    waiting = [lines[int(line.split(":")[1])] for line in found.splitlines() if "GM304" in line]
    assert waiting == reads[1:], found


# A test of what the function itself has put into an object, before and behind.
TESTS = [
    *("self.seen", "SEEN", "len(self.seen) > 3", "self.seen[-1] > n", "n.seen", "self.count", "own", "not self.seen"),
    *(
        "self.seen and n",
        "self.seen or x.any()",
        "x.any()",
        "max(self.seen) > 1",
        "n in self.seen",
        "self.table.get(n)",
    ),
]
SHOWN = [
    "print(n)",
    "print(self.seen)",
    "print(x)",
    "print(self.seen[-1])",
    "SEEN.append(n)",
    "n.write('a')",
    "x = x + 1",
]
FORMS = [
    "{change}\nif {test}:\n    {shown}",
    "if {test}:\n    {shown}\n{change}",
    "{change}\nif {test}:\n    {shown}\nelse:\n    {shown}",
]


def test_tests_of_changes(executable: str, tmp_path: Path) -> None:
    """The first form for every test and effect, the others for some."""
    texts = []
    for number, form in enumerate(FORMS):

        def written(change: str, both: str, column: int, form: str = form) -> str:
            test, shown = both.split(" -> ")
            return CLASS.format(number=column, body=indented(form.format(change=change, test=test, shown=shown)))

        folder = tmp_path / str(number)
        folder.mkdir()
        pairs = [f"{test} -> {shown}" for test in TESTS for shown in SHOWN][:: number + 1]
        texts.append(f"# {form}\n" + matrix(executable, folder, HEAD, CHANGES[5:29:2], pairs, written, "--all"))
    hold(STATED / "reads_behind.tests.txt", "\n".join(texts))
