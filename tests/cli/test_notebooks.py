"""Notebooks: cells and their lines in every report, and mends in place that leave every other byte alone."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

BRANCH = (
    "@torch.compile\ndef {0}(x: torch.Tensor):\n    if x.mean() > 0:\n        y = x * 2\n"
    "    else:\n        y = x * 3\n    return y\n"
)
MENDED = "@torch.compile\ndef {0}(x: torch.Tensor):\n    y = torch.where(x.mean() > 0, x * 2, x * 3)\n    return y\n"
MAGICS = (
    "%matplotlib inline\n!pip install \\\n   foo\nimport torch\nfiles = !ls -la\n"
    "y = %time 1 +\ntorch.compile?\n?torch\nz = (7\n% 3)"
)
TEXT = "print('''\n%time no magic\n''')\n"


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def code(source: Any) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


def prose(source: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def notebook(*cells: dict[str, Any], language: str = "python") -> dict[str, Any]:
    kernel = {"display_name": "any", "language": language, "name": "any"}
    metadata = {"kernelspec": kernel, "language_info": {"name": language, "version": "3"}}
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def sample() -> dict[str, Any]:
    output = {"name": "stdout", "output_type": "stream", "text": ["é \u2028 \x1b[31m\n"]}
    told = code(lines("%%time\n" + BRANCH.format("f").replace("    if", "    # größe\n    %time 1\n    if")))
    told["outputs"] = [output]
    return notebook(
        prose(["# title\n", "if x: print()"]),
        code(lines(MAGICS)),
        code("%%bash\nif [ $((1 < 2)) ]; then\n"),
        told,
        code([]),
        code(""),
        code(BRANCH.format("g")),
        code(lines(TEXT + BRANCH.format("h").rstrip("\n"))),
    )


STYLES = {
    "jupyter": {"indent": 1, "ensure_ascii": False},
    "escapes": {"indent": 1, "ensure_ascii": True},
    "one line": {"ensure_ascii": False},
    "compact": {"separators": (",", ":")},
    "tabs": {"indent": "\t", "sort_keys": True},
}


def told(cli, *arguments: str) -> list[dict[str, Any]]:
    ended = cli("check", "--output-format", "json-lines", *arguments)
    assert ended.err == "", ended
    return [json.loads(line) for line in ended.out.splitlines()]


@pytest.mark.parametrize("style", STYLES)
def test_cells_and_lines(cli, style) -> None:
    cli.write("a.ipynb", json.dumps(sample(), **STYLES[style]))
    found = told(cli, ".")
    assert [(one["cell"], one["line"], one["column"], one["code"]) for one in found] == [
        (4, 6, 8, "GM101"),
        (7, 3, 8, "GM101"),
        (8, 6, 8, "GM101"),
    ]
    assert [one["because"] for one in found] == [
        "`x` is a tensor: `x: torch.Tensor`, line 3 of cell 4",
        "`x` is a tensor: `x: torch.Tensor`, line 2 of cell 7",
        "`x` is a tensor: `x: torch.Tensor`, line 5 of cell 8",
    ]
    assert "a.ipynb:cell 7:3:8: GM101 " in cli("check", "--output-format", "concise", "a.ipynb").out
    assert "    3 |     if x.mean() > 0:\n" in cli("check", "a.ipynb").out


def test_lines_of_the_file_for_tools_that_show_it(cli) -> None:
    path = cli.write("a.ipynb", json.dumps(sample(), indent=1, ensure_ascii=False))
    text = path.read_text(encoding="utf-8").split("\n")
    rows = [line.split(",")[1] for line in cli("check", "--output-format", "github", "a.ipynb").out.splitlines()]
    shown = [text[int(row.removeprefix("line=")) - 1] for row in rows]
    assert all("if x.mean() > 0:" in line for line in shown) and len(shown) == 3
    (run,) = json.loads(cli("check", "--output-format", "sarif", "a.ipynb").out)["runs"]
    regions = [result["locations"][0]["physicalLocation"]["region"] for result in run["results"]]
    assert [f"line={region['startLine']}" for region in regions] == rows


@pytest.mark.parametrize("style", STYLES)
def test_fix_in_place(cli, style) -> None:
    before = json.dumps(sample(), **STYLES[style])
    path = cli.write("a.ipynb", before + "\n")
    patch = cli("fix", "--diff", "a.ipynb")
    assert patch.status == 1 and path.read_text(encoding="utf-8") == before + "\n"
    ended = cli("fix", "a.ipynb")
    assert (ended.status, ended.err) == (0, "")
    assert (
        ended.out.splitlines()[0]
        == "a.ipynb:cell 4:6:5: GM101 fixed: branch on the value of a tensor: `mean` of a tensor"
    )
    wanted = sample()
    for cell in wanted["cells"]:
        source = "".join(cell["source"])
        changed = source.replace(BRANCH.split("\n", 2)[2].rstrip("\n"), MENDED.split("\n", 2)[2].rstrip("\n"))
        if source != changed:
            cell["source"] = lines(changed) if isinstance(cell["source"], list) else changed
    assert path.read_text(encoding="utf-8") == json.dumps(wanted, **STYLES[style]) + "\n"
    before_again = path.stat().st_ino
    assert cli("fix", "a.ipynb").out == "0 fixed, 0 left in 1 file\n"
    assert path.stat().st_ino == before_again


def test_only_the_changed_strings_change(cli) -> None:
    """A layout that no tool writes stays outside of the lines that are mended."""
    head = '{ "nbformat":4,\t"metadata" :{"k":[1e5,-0.0,null,true]},\r\n "cells":[ {"source" :\n[\n\n'
    tail = ' ]  , "cell_type":"code", "x":"\\u00e9\\/"}]}'
    rows = [
        '"import\\u0020torch\\n"',
        '"@torch.compile\\n"',
        '"def f(x: torch.Tensor):\\n"',
        '"    if x.mean() > 0:\\n"',
    ]
    rows += ['"        y = x * 2\\n"', '"    else:\\n"', '"        y = x * 3\\n"', '"    return\\u0020y"']
    path = cli.write("a.ipynb", head + " ,\n\t".join(rows) + tail)
    assert cli("fix", "a.ipynb").status == 0
    mended = rows[:3] + ['"    y = torch.where(x.mean() > 0, x * 2, x * 3)\\n"'] + rows[7:]
    text = path.read_bytes().decode()
    assert text.startswith(head) and text.endswith(tail)
    assert [row.strip() for row in text[len(head) : -len(tail)].split(",\n\t")] == [row.strip() for row in mended]


def test_comments_in_cells(cli) -> None:
    path = cli.write("a.ipynb", json.dumps(sample(), indent=1))
    assert cli("check", "--add-ignore", "a.ipynb").out == "3 findings silenced\n"
    cells = json.loads(path.read_text())["cells"]
    assert "    if x.mean() > 0:  # graphmend: ignore[GM101]\n" in cells[3]["source"]
    assert cells[6]["source"] == BRANCH.format("g").replace("> 0:", "> 0:  # graphmend: ignore[GM101]")
    assert told(cli, "a.ipynb") == []
    path.write_text(path.read_text().replace("x.mean() > 0:", "x is None:"))
    assert {one["code"] for one in told(cli, "a.ipynb")} == {"GM001"}
    assert cli("fix", "a.ipynb").status == 0
    assert json.loads(path.read_text())["cells"][6]["source"] == BRANCH.format("g").replace(
        "x.mean() > 0:", "x is None:"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no notebook: it cannot be read as JSON"),
        ("x = 1\n", "is no notebook: it cannot be read as JSON"),
        ("{}", "is no notebook of this age: it has no cells"),
        ("[" * 100_000, "is no notebook: it cannot be read as JSON"),
        ('{"cells": ' + "[" * 1000 + "]" * 1000 + "}", "is no notebook: it cannot be read as JSON"),
        (json.dumps(notebook(code("def f(:"))), "`(` was never closed"),
        (json.dumps(notebook(code("x = '\ud800'"))), ""),
    ],
)
def test_what_is_no_notebook(cli, text, words) -> None:
    path = cli.write("a.ipynb", text)
    (one,) = told(cli, "a.ipynb")
    assert words in one["message"] and "code" not in one
    ended = cli("fix", "a.ipynb")
    assert ended.status == 2 and "the file is left alone" in ended.err and path.read_text() == text


@pytest.mark.parametrize("place", ["cell_type", "code", "x = 1", "name", "python", "other"])
@pytest.mark.parametrize("wrong", ["\\q", "\\u12", "\\u12G4", "\\ud8", "\\x41", "\\'"])
def test_wrong_escapes_end_no_text(cli, place: str, wrong: str) -> None:
    """A text with an escape that JSON has not is no text, whether a quote ends it or the next thing follows."""
    whole = json.dumps({**notebook(code("x = 1")), "other": {"other": "other"}})
    assert f'"{place}"' in whole
    for end in ('"', ""):
        text = whole.replace(f'"{place}"', f'"{place}{wrong}{end}', 1)
        with pytest.raises(ValueError):
            json.loads(text)
        cli.write("a.ipynb", text)
        assert [one["message"] for one in told(cli, "a.ipynb")] == ["is no notebook: it cannot be read as JSON"], text


def test_other_languages_and_empty_notebooks(cli) -> None:
    for name, one in {
        "r": notebook(code("f <- function(x) if (x) { print(x) }"), language="R"),
        "empty": notebook(),
        "prose": notebook(prose("# x")),
        "blank": notebook(code(["\n", "  \n"]), code("%%html\n<a>")),
    }.items():
        cli.write(f"{name}.ipynb", json.dumps(one))
    ended = cli("check", ".")
    assert (ended.status, ended.out) == (0, "no findings in 4 files\n")


def test_every_prefix_is_read_or_refused(cli) -> None:
    text = json.dumps(sample(), indent=1)
    for length in range(0, len(text), 31):
        cli.write("a.ipynb", text[:length])
        assert cli("check", "a.ipynb").status == 1, length


def test_random_notebooks_are_fixed_as_their_text_is(cli) -> None:
    """The cells of a fixed notebook together are what `fix` makes of them as one file."""
    dice = random.Random(7)
    for number in range(25):
        parts = [
            dice.choice([BRANCH.format(f"f{i}"), "x = 'ä😀'\n", "print(1)\n", MENDED.format(f"m{i}")]) for i in range(6)
        ]
        parts.insert(0, "import torch\n")
        style = dice.choice(list(STYLES.values()))
        whole = [dice.random() < 0.5 for _ in parts]
        cells = [code(part.rstrip("\n") if strip else lines(part)) for part, strip in zip(parts, whole)]
        path = cli.write("a.ipynb", json.dumps(notebook(*cells), **style))
        cli.write("a.py", "".join(parts))
        cli("fix", "a.ipynb")
        cli("fix", "a.py")
        fixed = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "".join("".join(cell["source"]) + ("\n" if strip else "") for cell, strip in zip(fixed, whole))
        assert text == (cli.folder / "a.py").read_text(encoding="utf-8"), number
        assert [isinstance(cell["source"], str) for cell in fixed] == whole
