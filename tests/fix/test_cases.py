"""The source dialect over the Markdown files of cases/: its text, and that the program stays the same."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest
from fix_cases import FOLDER, HEADINGS, Case, all_cases

CASES = all_cases()
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")


def test_there_are_cases_of_every_kind() -> None:
    mends = [case.options for case in CASES if case.before != case.after]
    assert {case.heading for case in CASES} == set(HEADINGS)
    assert [] in mends and ["--unsafe"] in mends and any("--select" in options for options in mends)
    assert all(path.read_text(encoding="utf-8").startswith("# ") for path in FOLDER.glob("*.md"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_text(case: Case, fixed: Callable[..., str]) -> None:
    assert fixed(case.before, *case.options) == case.after


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_once_is_enough(case: Case, fixed: Callable[..., str]) -> None:
    assert fixed(case.after, *case.options) == case.after


def test_formatted_text_stays_formatted(tmp_path: Path) -> None:
    """What `ruff format` would leave alone before, it leaves alone afterwards."""
    ruff = shutil.which("ruff", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if ruff is None:
        pytest.skip("ruff is not installed")
    changed = [case for case in CASES if case.before != case.after]
    for number, case in enumerate(changed):
        for kind, text in (("before", case.before), ("after", case.after)):
            path = tmp_path / kind / f"case{number}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    command = [ruff, "format", "--isolated", "--no-cache", "--check", "--line-length", "88", "."]
    unformatted = {}
    for kind in ("before", "after"):
        done = subprocess.run(command, cwd=tmp_path / kind, capture_output=True, text=True)
        unformatted[kind] = {f"case{number}.py" for number in range(len(changed)) if f"case{number}.py" in done.stdout}
    assert len(unformatted["before"]) < len(changed)
    assert unformatted["after"] <= unformatted["before"]


@pytest.mark.parametrize("case", [case for case in CASES if case.options == ["--unsafe"]], ids=lambda case: case.name)
def test_assumptions_are_made_on_request_only(case: Case, fixed: Callable[..., str]) -> None:
    assert fixed(case.before) == case.before


@pytest.mark.parametrize("case", [case for case in CASES if "--select" in case.options], ids=lambda case: case.name)
def test_output_is_dropped_by_code_only(case: Case, fixed: Callable[..., str]) -> None:
    """Neither a group of rules nor their whole will do, and what stays for ever is what the plain run leaves, too."""
    output = ["is_compiling", "print(", "_logger.", "warnings.warn("]
    for options in (["--unsafe"], ["--unsafe", "--select", "GM1,GM3"], case.options[1:]):
        text = fixed(case.before, *options)
        assert [text.count(word) for word in output] == [case.before.count(word) for word in output]


@needs_torch
@pytest.mark.parametrize("case", [case for case in CASES if case.before != case.after], ids=lambda case: case.name)
def test_program_stays_the_same(case: Case) -> None:
    """In eager Python, which is what fixed files run in, too; with gradients and without."""
    from behaviour import compare

    ast.parse(case.after)
    assert compare(case.before, case.after, floating=bool(case.options)) > 0


@needs_torch
@pytest.mark.parametrize("case", [case for case in CASES if case.before != case.after], ids=lambda case: case.name)
def test_fixed_program_is_one_graph(case: Case) -> None:
    """torch.compile takes every fixed function whole, and most of the original ones it does not."""
    from behaviour import functions, in_one_graph

    before, after = functions(case.before, "before"), functions(case.after, "after")
    assert all(in_one_graph(function) for function in after.values())
    assert not all(in_one_graph(function) for function in before.values())
