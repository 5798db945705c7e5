"""Files whose analysis would take time by the square of their length end, and it is told where it was given up."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from threat_limits import run

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from growth_more import MORE  # noqa: E402
from growth_shapes import S  # noqa: E402

SHAPES = {**S, **MORE}

SIZES = {
    "elif": 5000,
    "early": 5000,
    "if_names": 4000,
    "try": 10000,
    "if_else": 3600,
    "self_if": 3600,
    "names_eq": 30000,
    "if_same": 22000,
    "ternary_s": 24000,
}


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("command", [["check", "--all"], ["fix", "--all", "--unsafe", "--diff"], ["debug", "mend"]])
def test_a_steep_shape(executable: str, tmp_path: Path, name: str, command: list[str]) -> None:
    """The shapes of the audit, at the sizes where they took from ten seconds to minutes."""
    (tmp_path / "a.py").write_text(SHAPES[name](SIZES[name]))
    assert run([executable, *command, "a.py"], folder=tmp_path).returncode in (0, 1, 2)


def test_it_is_told(executable: str, tmp_path: Path) -> None:
    """A file beyond the budget is no silence."""
    (tmp_path / "a.py").write_text(SHAPES["elif"](5000))
    ran = run([executable, "check", "--all", "a.py"], folder=tmp_path)
    assert "too large, not analysed" in ran.stdout + ran.stderr


ANALYSED = {"if_names": 5000, "if_names2": 4500, "global_reads": 3600, "withs_names": 3600}


@pytest.mark.parametrize("name", ANALYSED)
def test_many_branches_and_variables_are_analysed(executable: str, tmp_path: Path, name: str) -> None:
    """What is known of the variables of one branch is shared with the next: a quarter of a megabyte is no work."""
    (tmp_path / "a.py").write_text(SHAPES[name](ANALYSED[name]))
    ran = run([executable, "check", "--all", "--no-cache", "--output-format", "concise", "a.py"], folder=tmp_path)
    assert ran.returncode == 1 and "too large" not in ran.stdout + ran.stderr


def test_methods_that_call_one_another(executable: str, tmp_path: Path) -> None:
    """Each method is found by its name, not among all of its class: 25,000 take a tenth of a second, not three."""
    (tmp_path / "a.py").write_text(SHAPES["ring_methods"](25_000))
    ran = run([executable, "check", "--no-cache", "--output-format", "concise", "a.py"], folder=tmp_path, seconds=1)
    assert ran.returncode == 0 and "too large" not in ran.stdout + ran.stderr
