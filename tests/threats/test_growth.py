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
    (tmp_path / "a.py").write_text(SHAPES["if_same"](22000))
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


CHAINS = ("elif", "elif_t", "elif_names")


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("command", [["check", "--all", "--no-cache"], ["fix", "--all", "--diff"], ["debug", "mend"]])
def test_a_chain_of_many_elif_is_analysed(executable: str, tmp_path: Path, name: str, command: list[str]) -> None:
    """No branch of a long chain is looked at with all that are behind it; other branches of the file are mended."""
    (tmp_path / "a.py").write_text(SHAPES[name](2000) + SHAPES["if_same"](1).replace("import torch", "# end"))
    ran = run([executable, *command, "a.py"], folder=tmp_path, seconds=10)
    assert ran.returncode in (0, 1) and "too large" not in ran.stdout + ran.stderr
    assert command[0] != "debug" or ran.stdout.count("_gm.branch(") == 1


@pytest.mark.parametrize("count", [44, 60, 100])
def test_a_chain_is_mended_as_far_as_python_reads_it(executable: str, tmp_path: Path, count: int) -> None:
    """A hundred levels of indentation are all that a file may have: the last branches of a chain get them."""
    (tmp_path / "a.py").write_text(SHAPES["elif_t"](count) + SHAPES["if_same"](1).replace("import torch", "# end"))
    ran = run([executable, "debug", "mend", "a.py"], folder=tmp_path)
    compile(ran.stdout, "a.py", "exec")
    assert "_gm.branch(" in ran.stdout
