"""Files whose analysis would take time by the square of their length end, and it is told where it was given up."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from threat_limits import run

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from growth_shapes import S as SHAPES  # noqa: E402

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
def test_a_steep_shape(executable: str, limited: str, tmp_path: Path, name: str, command: list[str]) -> None:
    """The shapes of the audit, at the sizes that took from ten seconds to minutes; smaller under the sanitizers."""
    for program, size in ((limited, SIZES[name]), (executable, SIZES[name] // 4)):
        (tmp_path / "a.py").write_text(SHAPES[name](size))
        assert run([program, *command, "a.py"], folder=tmp_path).returncode in (0, 1, 2)


def test_it_is_told(executable: str, tmp_path: Path) -> None:
    """A file beyond the budget is no silence."""
    (tmp_path / "a.py").write_text(SHAPES["elif"](5000))
    ran = run([executable, "check", "--all", "a.py"], folder=tmp_path)
    assert "too large, not analysed" in ran.stdout + ran.stderr
