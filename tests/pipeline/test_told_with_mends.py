"""What the library tells beside a mended text: its sites, its lines, what is left, and why nothing is mended."""

from __future__ import annotations

import re
from typing import Any

import dialect_programs
import pytest

from graphmend import core

SMALL = """import torch
@torch.compile
def f(x):
    with open("log.txt", "a") as log:
        log.write(f"{x.sum()}")
        x = x + 1
    if x.sum() > 0:
        x = x + 1
    return x
"""
BRANCH = "branch on the value of a tensor: `x` is used like a tensor, in `.sum`"
SITES = [
    ("a.py:7:4:GM101", 7, 5, "GM101", "data-dependent-branch", BRANCH),
    ("a.py:7:7:GM105", 7, 8, "GM105", "data-dependent-loop", "decision on data"),
]
LEFT = [
    {
        "line": 4,
        "column": 5,
        "code": "GM305",
        "rule": "side-effect-in-graph",
        "message": "work outside of the program ends the graph",
        "reason": "more is done than writing to the file",
    }
]
NOTHING: dict[str, Any] = {"mended": False, "text": "", "lines": [], "sites": [], "left": [], "problem": None}


def test_all_that_is_told() -> None:
    told = core.mend_source("a.py", SMALL.encode())
    assert list(told) == list(NOTHING)
    assert [tuple(site.values()) for site in told["sites"]] == SITES
    assert [list(site) for site in told["sites"]] == [["site", "line", "column", "code", "rule", "message"]] * 2
    assert told["left"] == LEFT and told["mended"] is True and told["problem"] is None
    assert len(told["lines"]) == told["text"].count("\n")


UNMENDED: dict[str, tuple[str, str | None]] = {
    "nothing": ("", None),
    "nothing to mend": ("def f(x):\n    return x\n", None),
    "no Python": ("x = (\n", "syntax error"),
}


@pytest.mark.parametrize("name", UNMENDED)
def test_what_is_not_mended(name: str) -> None:
    text, problem = UNMENDED[name]
    told = core.mend_source("a.py", text.encode())
    assert {**told, "problem": None} == NOTHING
    assert problem == told["problem"]


def test_sites_and_lines_of_random_functions() -> None:
    """The sites that are told are those in the text; a line of the text comes from the line that has its statement."""
    parts = [dialect_programs.HEAD, *(dialect_programs.function(at, f"f{at}") for at in range(60))]
    source = "\n\n".join(parts)
    told = core.mend_source("a.py", source.encode())
    names = [site["site"] for site in told["sites"]]
    assert (
        set(names) == set(re.findall(r"\"(a\.py:\d+:\d+:GM\d+)\"", told["text"])) and len(names) == len(set(names)) > 60
    )
    for site in told["sites"]:
        assert site["site"] == f"a.py:{site['line']}:{site['column'] - 1}:{site['code']}"
    lines, text = source.splitlines(), told["text"].splitlines()
    assert len(told["lines"]) == len(text) and set(told["lines"]) <= set(range(1, len(lines) + 1))
    kept = [(at, line) for at, line in zip(told["lines"], text) if line.startswith(("def f", "@", "import"))]
    assert len(kept) > 120 and all(lines[at - 1] == line for at, line in kept if "graphmend" not in line)
    assert {at for at in range(1, len(lines) + 1) if lines[at - 1].strip()} - set(told["lines"]) == set()


HEADS = {
    "a loop": "for i in range(3):",
    "an open loop": "while x.dim() < 3:",
    "a branch of Python": "if x.dim() > 1:",
    "a block": "with torch.no_grad():",
    "an attempt": "try:",
}


@pytest.mark.parametrize("silenced", range(3))
@pytest.mark.parametrize("name", HEADS)
def test_what_a_comment_silences_stays_beside_mends(name: str, silenced: int) -> None:
    """In a block that is written anew for the calls that are mended, the others are written as they are."""
    calls = [f"print({text}, x.sum())" for text in ('"first"', '"second"', '"third"')]
    comments = ["  # graphmend: ignore" if at == silenced else "" for at in range(3)]
    block = "".join(f"        {call}{comment}\n" for call, comment in zip(calls, comments))
    end = "    finally:\n        pass\n" if name == "an attempt" else ""
    text = f"import torch\n@torch.compile\ndef f(x):\n    {HEADS[name]}\n{block}{end}    return x\n"
    told = core.mend_source("a.py", text.encode())
    mended = [at + 5 for at in range(3) if at != silenced]
    assert [site["line"] for site in told["sites"]] == mended
    assert re.findall(r"_gm\.on\(\"a\.py:(\d+):", told["text"]) == [str(line) for line in mended]
