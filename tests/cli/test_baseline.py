"""`check --baseline`: what is listed is not told, wherever it has gone; what is new fails; what is gone is said."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).resolve().parents[2] / "examples/ci/github-baseline.yml"

TEXT = """import torch


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x * 2
        print("seen", x)
        return self.tail(x)

    def tail(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x + 1
        return x
"""
LIST = ("check", "--write-baseline", "breaks.json", "src")
TELL = ("check", "--baseline", "breaks.json", "--output-format", "concise", "src")


@pytest.fixture
def listed(cli):
    cli.write("src/net.py", TEXT)
    ended = cli(*LIST)
    assert (ended.status, ended.out, ended.err) == (0, "3 findings in 1 file listed in breaks.json\n", "")
    return cli


def test_the_file(listed) -> None:
    data = json.loads((listed.folder / "breaks.json").read_text())
    assert (data["baseline"], data["of"]) == (1, "check")
    assert data["sites"] == [
        {"path": "src/net.py", "function": "Net.forward", "code": "GM101", "text": "if x.sum() > 0:", "number": 1},
        {"path": "src/net.py", "function": "Net.forward", "code": "GM301", "text": 'print("seen", x)', "number": 1},
        {"path": "src/net.py", "function": "Net.tail", "code": "GM101", "text": "if x.sum() > 0:", "number": 1},
    ]


UNRELATED = {
    "nothing": lambda text: text,
    "lines above": lambda text: "# one\n\n\n" + text,
    "functions above": lambda text: text.replace("    def forward", "    def more(self): pass\n\n    def forward"),
    "order of functions": lambda text: (
        text[: text.index("    def forward")]
        + text[text.index("    def tail") :]
        + text[text.index("    def forward") : text.index("    def tail")]
    ),
    "layout": lambda text: text.replace(
        "if x.sum() > 0:", "if (\n            x.sum() # why\n            > 0\n        ):"
    ),
    "quotes and commas": lambda text: text.replace('print("seen", x)', "print('seen', x,)"),
    "line joins": lambda text: text.replace("x.sum() > 0", "x.sum() \\\n > 0"),
    "line ends": lambda text: text.replace("\n", "\r\n"),
    "bodies": lambda text: text.replace("x = x * 2", "x = x * 4\n            x = x - 1"),
    "comments": lambda text: text.replace("x)\n", "x)  # hm\n").replace("0:\n", "0:  # hm\n"),
}


@pytest.mark.parametrize("edit", UNRELATED)
def test_unrelated_edits(listed, edit) -> None:
    listed.write("src/net.py", UNRELATED[edit](TEXT))
    ended = listed(*TELL)
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    assert listed("check", "src").status == 1


NEW = {
    "a statement": (
        TEXT.replace("        return x\n", "        print(x)\n        return x\n"),
        "src/net.py:14:9: GM301",
    ),
    "one more of the same": (
        TEXT.replace("        return self", '        print("seen", x)\n        return self'),
        "src/net.py:9:9: GM301",
    ),
    "another condition": (TEXT.replace("> 0", "> 1", 1), "src/net.py:6:12: GM101"),
    "a syntax error": (TEXT + "def\n", "src/net.py:15:4: syntax"),
}


@pytest.mark.parametrize("edit", NEW)
def test_what_is_new_fails(listed, edit) -> None:
    text, line = NEW[edit]
    listed.write("src/net.py", text)
    ended = listed(*TELL)
    assert ended.status == 1 and len(ended.out.splitlines()) == 1 and ended.out.startswith(line)
    assert listed(*TELL, "--exit-zero").status == 0


def test_new_files_are_new(listed) -> None:
    listed.write("src/other.py", TEXT)
    ended = listed(*TELL)
    assert ended.status == 1 and len(ended.out.splitlines()) == 3
    told = "3 new findings in 1 of 2 files: `run` mends 3, `fix` 0, `fix --unsafe` "
    assert re.search(re.escape(told) + r"\d, 3 in the baseline\n", listed("check", *TELL[1:3], "src").out)


def test_what_is_gone_is_said(listed) -> None:
    """Once it is mended, and once its file is gone; neither fails."""
    listed.write("src/net.py", TEXT.replace('        print("seen", x)\n', ""))
    ended = listed(*TELL)
    assert (ended.status, ended.out) == (0, "")
    assert ended.err == (
        "graphmend: `breaks.json`: 1 of its findings is gone, `--write-baseline` forgets it\n"
        '  src/net.py Net.forward: GM301 `print("seen", x)`\n'
    )
    (listed.folder / "src" / "net.py").rename(listed.folder / "src" / "moved.py")
    assert "3 of its findings are gone" in listed(*TELL).err
    assert listed(*LIST).status == 0
    assert listed(*TELL).err == ""


def test_control_characters_do_not_reach_the_terminal(cli) -> None:
    cli.write("src/net.py", "")
    site = {"path": "src/net.py", "function": "f\x1b[31m", "code": "GM101", "text": "a\nb\x1b\x7fé", "number": 1}
    cli.write("breaks.json", json.dumps({"baseline": 1, "of": "check", "sites": [site]}))
    ended = cli(*TELL)
    assert ended.err.endswith("  src/net.py f?[31m: GM101 `a?b??é`\n")


def test_what_is_not_looked_for_is_not_gone(listed) -> None:
    listed.write("src/net.py", "")
    listed.write("src/other.py", "")
    assert "2 of its" in listed(*TELL, "--select", "GM1").err
    assert listed("check", "--baseline", "breaks.json", "src/other.py").err == ""
    listed.write("src/net.py", "def\n")
    assert listed(*TELL).err == ""


def test_it_does_not_matter_from_where(listed) -> None:
    """Paths stand below the folder of the file, however the files are named."""
    whole = str(listed.folder / "src" / "net.py")
    for path in (".", "src/net.py", "src/../src", whole):
        assert listed("check", "--baseline", "breaks.json", path).status == 0
    listed.write("elsewhere/x.py", "")
    made = listed("check", "--write-baseline", "elsewhere/breaks.json", "src")
    assert made.status == 0 and '"../src/net.py"' in (listed.folder / "elsewhere" / "breaks.json").read_text()
    assert listed("check", "--baseline", str(listed.folder / "elsewhere" / "breaks.json"), whole).status == 0


def test_results_that_are_kept_do_not_matter(listed) -> None:
    for _ in range(2):
        assert listed("check", "src").status == 1
        assert listed(*TELL).status == 0


def test_many_files_on_many_threads(cli) -> None:
    for index in range(40):
        cli.write(f"src/net{index}.py", TEXT)
    assert cli(*LIST).out == "120 findings in 40 files listed in breaks.json\n"
    first = (cli.folder / "breaks.json").read_bytes()
    assert cli(*LIST, "--threads", "8").status == 0 and (cli.folder / "breaks.json").read_bytes() == first
    assert {cli(*TELL, "--threads", str(count)).status for count in (1, 2, 8)} == {0}


def test_notebooks_and_comments(cli) -> None:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": TEXT.splitlines(keepends=True)}]
    cli.write("src/net.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    cli.write("src/a.py", "x = 1  # graphmend: ignore[GM301]\n")
    assert cli(*LIST).status == 0 and '"text": "graphmend: ignore[GM301]"' in (cli.folder / "breaks.json").read_text()
    cells.insert(0, {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["import torch\n"]})
    cli.write("src/net.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    cli.write("src/a.py", "\n\nx = 1  # graphmend: ignore[GM301]\n")
    assert cli(*TELL).status == 0


def test_names_of_functions(cli) -> None:
    """The names that CPython gives them."""
    text = (
        "import torch\n\ndef outer():\n    class A:\n        async def f(self):\n            @torch.compile\n"
        "            def g(x: torch.Tensor):\n                print(x)\n            return g\n    return A\n\n"
        "@torch.compile\ndef h(x: torch.Tensor):\n    return [print(y) for y in (lambda: x)()]\n"
    )
    cli.write("src/a.py", text)
    cli(*LIST)
    data = json.loads((cli.folder / "breaks.json").read_text())
    assert [site["function"] for site in data["sites"]] == ["outer.<locals>.A.f.<locals>.g", "h"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"baseline": 1}',
        '{"baseline": 1, "of": "check", "sites": [{}]}',
        '{"baseline": 1, "of": "check", "sites": [}',
        '{"baseline": 1, "of": "verify", "sites": []}',
        '{"baseline": 2, "of": "check", "sites": []}',
        '{"baseline": 1, "of": "check", "sites": []} x',
        '{"baseline": 1, "of": "check", "sites": [{"path": "", "function": "", "code": "", "text": "", "number": -1}]}',
        "[" * 3000,
    ],
)
def test_what_is_no_baseline(cli, text) -> None:
    cli.write("src/net.py", TEXT)
    cli.write("breaks.json", text)
    ended = cli(*TELL)
    assert (ended.status, ended.out) == (2, "") and ended.err.startswith("graphmend: `breaks.json`: is ")


def test_what_cannot_be_asked(cli) -> None:
    cli.write("src/net.py", TEXT)
    for arguments in (("--fix",), ("--diff",), ("--add-ignore",), ("--write-baseline", "other.json")):
        assert cli(*TELL, *arguments).status == 2
    assert cli("check", "--write-baseline", "b.json", "--statistics", "src").status == 2
    assert cli("check", "--write-baseline", "b.json", "-").status == 2
    assert cli("check", "--baseline", "none.json", "src").err == "graphmend: `none.json`: no such file or directory\n"
    assert cli("check", "--write-baseline", "none/b.json", "src").status == 2
    assert "baseline" not in cli("fix", "--help").out


def test_nothing_is_written_after_a_problem(listed) -> None:
    before = (listed.folder / "breaks.json").read_bytes()
    listed.write("src/broken.py", "def\n")
    ended = listed(*LIST)
    assert ended.status == 2 and "`breaks.json`: is not written" in ended.err and "broken.py" in ended.err
    assert (listed.folder / "breaks.json").read_bytes() == before


def test_standard_input_and_statistics(listed) -> None:
    assert listed("check", "--baseline", "breaks.json", "--statistics", "src").out == ""
    assert listed("check", "--baseline", "breaks.json", "--stdin-filename", "src/net.py", "-").status == 0


def test_the_workflow_that_is_an_example(cli) -> None:
    """What it says to do once, and what it does at every push."""
    text = WORKFLOW.read_text(encoding="utf-8")
    (write,) = re.findall(r"^#  +graphmend (check .*)$", text, re.MULTILINE)
    (tell,) = re.findall(r"^ +- run: graphmend (check .*)$", text, re.MULTILINE)
    cli.write("src/net.py", TEXT)
    assert cli(*shlex.split(write)).status == 0
    assert cli(*shlex.split(tell)).status == 0
    cli.write("src/net.py", "# moved\n" + TEXT.replace("        return x\n", "        print(x)\n        return x\n"))
    ended = cli(*shlex.split(tell))
    assert ended.status == 1 and ended.out.count("::warning") == 1
    assert ended.out.startswith("::warning file=src/net.py,line=15,")
