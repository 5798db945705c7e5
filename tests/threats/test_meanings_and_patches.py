"""Meanings and patches have the budget of the texts that they are about; what is beyond it is told."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from threat_limits import run

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from growth_shapes import MEANINGS  # noqa: E402
from growth_shapes import S as SHAPES  # noqa: E402

SIZES = {
    "meaning_quoted": 150_000,
    "meaning_names": 10_000,
    "meaning_alias": 3_000,
    "meaning_stars": 20_000,
    "meaning_enum": 40_000,
}
BEYOND = {"meaning_alias", "meaning_stars"}
TOO_MANY = (
    "too many changes to look for the shortest patch: it replaces all lines between the first and the last of them"
)


@pytest.mark.parametrize("name", SIZES)
def test_meanings_of_large_files(executable: str, tmp_path: Path, name: str) -> None:
    """Names, types, fields and members are found in tables; what is done for each pair of two uses up the budget."""
    (tmp_path / "a.py").write_text(MEANINGS[name](SIZES[name]))
    ran = run([executable, "meaning", "a.py:X"], folder=tmp_path)
    words = "too large, not analysed: this would take far more work or memory than its length stands for"
    assert (ran.returncode, ran.stdout, words in ran.stderr) == (2, "", True) if name in BEYOND else ran.returncode == 0


def patched(executable: str, folder: Path, functions: int) -> tuple[str, str]:
    """What `fix --diff` prints and says about functions with a mend each; the patch makes what `fix` writes."""
    (folder / "a.py").write_text(SHAPES["fixed_functions"](functions))
    command = [executable, "fix", "--all", "--unsafe", "--isolated"]
    ran = run([*command, "--diff", "a.py"], folder=folder)
    assert ran.returncode == 1
    shutil.copy(folder / "a.py", folder / "b.py")
    assert run([*command, "b.py"], folder=folder).returncode == 0
    subprocess.run(["git", "apply", "-"], input=ran.stdout, cwd=folder, text=True, check=True)
    assert (folder / "a.py").read_text() == (folder / "b.py").read_text()
    return ran.stdout, ran.stderr


def test_a_patch_of_many_changes(executable: str, tmp_path: Path) -> None:
    """Thousands of changed lines, and no others, are in it."""
    patch, words = patched(executable, tmp_path, 600)
    assert (patch.count("\n-    "), patch.count("\n+    ")) == (4 * 600, 600)
    assert TOO_MANY not in words


def test_a_patch_beyond_the_budget(executable: str, tmp_path: Path) -> None:
    """The shortest patch of more changes would take time by their square: there is another one, and it is told."""
    patch, words = patched(executable, tmp_path, 3_000)
    assert patch.count("\n-    return y") > 2_990
    assert TOO_MANY in words
