"""SARIF `fixes`: a tool that carries them out writes what `graphmend fix` writes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from test_formats import SARIF, faults

FIXABLE = """from torch import Tensor, compile
class \u00c4:
    '''\U0001d11e \u00e9'''
@compile
def f(x: Tensor, n: float):  # graphmend: ignore[GM301]
    \u00e9 = '\U0001d11e'; y = x.float() * n
    if y.sum() > 0:
        y = y * 2
    else:
        y = y * 3
    return y
@compile
def g(x: Tensor):
    if x.float().sum() > 0:
        return x * 2  # graphmend: ignore
    return x * 3
"""
RECODED = "# coding: cp1252\n" + FIXABLE.replace("\U0001d11e", "\u00df")


def offset_of(text: str, line: int, column: int) -> int:
    """The index of a place of SARIF in a text; lines end as editors have it."""
    return sum(len(one) for one in re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)[: line - 1]) + column - 1


def replacements(result: "dict[str, Any]") -> "list[dict[str, Any]]":
    """All replacements of the one file that a result fixes."""
    changes = [change for fix in result.get("fixes", []) for change in fix["artifactChanges"]]
    return [one for change in changes for one in change["replacements"]]


def fixed_by(report: "dict[str, Any]", text: str) -> "tuple[str, set[str]]":
    """The text with all fixes of a report, and the rules that have any."""
    edits, rules = set(), set()
    for result in report["runs"][0]["results"]:
        for one in replacements(result):
            region = one["deletedRegion"]
            start = offset_of(text, region["startLine"], region["startColumn"])
            end = offset_of(text, region["endLine"], region["endColumn"])
            edits.add((start, end, one["insertedContent"]["text"]))
            rules.add(result["ruleId"])
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text, rules


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(FIXABLE, "utf-8"), (FIXABLE, "utf-8-sig"), (RECODED, "cp1252")],
    ids=["utf-8", "bom", "cp1252"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_fixes_are_what_fix_writes(cli, text: str, encoding: str, end: str) -> None:
    path = cli.write("a.py", "")
    path.write_bytes(text.replace("\n", end).encode(encoding))
    first = cli("check", "--output-format", "sarif", "a.py")
    report = json.loads(first.out)
    assert faults(report, SARIF) == []
    assert cli("check", "--output-format", "sarif", "a.py").out == first.out  # from the cache
    assert cli("check", "--no-cache", "--output-format", "sarif", "a.py").out == first.out
    results = report["runs"][0]["results"]
    fixed, rules = fixed_by(report, path.read_bytes().decode(encoding))
    assert {one["ruleId"] for one in results if one["properties"]["fix"] == "safe"} == rules == {"GM001", "GM101"}
    assert cli("fix", "a.py").status in (0, 1)
    assert path.read_bytes().decode(encoding) == fixed


def test_each_fix_stands_alone(cli) -> None:
    """Two mends that require the same missing import have it each."""
    body = "    y = x.float()\n    if y.sum() > 0:\n        y = y * 2\n    else:\n        y = y * 3\n    return y\n"
    text = "".join(f"@compile\ndef {name}(x: Tensor):\n{body}" for name in "fg")
    text = f"from torch import Tensor, compile\n{text}"
    cli.write("a.py", text)
    report = json.loads(cli("check", "--output-format", "sarif", "a.py").out)
    written = [
        {one["insertedContent"]["text"] for one in replacements(result)} for result in report["runs"][0]["results"]
    ]
    assert len(written) == 2 and all("import torch\n" in texts for texts in written)


def test_what_fix_leaves_has_no_fixes(cli) -> None:
    body = "    if x.sum() > 0:\n        y = y * 2\n    print(y)\n    return y\n"
    cli.write("a.py", f"import torch\n@torch.compile\ndef f(x, y):\n{body}")
    cell = {"cell_type": "code", "metadata": {}, "source": FIXABLE, "outputs": [], "execution_count": None}
    cli.write("a.ipynb", json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    report = json.loads(cli("check", "--output-format", "sarif", "a.py", "a.ipynb").out)
    results = report["runs"][0]["results"]
    assert len(results) > 3 and [one for one in results if "fixes" in one] == []


INSIDE = """import torch
@torch.compile
def f(x: torch.Tensor):
    y = x.float()
    if y.sum() > 0:
        y = y * 2
    else:
        y = y * 3  # graphmend: ignore[GM101] keeps the statement as it is
    if y.sum() > 0:
        y = y * 4
    else:
        y = y * 5
    return y
"""


def test_a_comment_inside_of_a_statement_is_no_promise(cli) -> None:
    """What check says of `fix` is what `fix` does, where a comment keeps one of two statements as it is."""
    path = cli.write("a.py", INSIDE)
    (file,) = json.loads(cli("check", "--output-format", "json", "a.py").out)
    told = {one["line"]: (one["fix"], one["run"]) for one in file["findings"]}
    assert told == {5: ("no", True), 9: ("safe", True)}
    assert cli("fix", "a.py").status == 1
    assert path.read_text() == INSIDE.replace(
        "    if y.sum() > 0:\n        y = y * 4\n    else:\n        y = y * 5\n",
        "    y = torch.where(y.sum() > 0, y * 4, y * 5)\n",
    )
