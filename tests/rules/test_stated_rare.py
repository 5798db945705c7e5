"""Programs of rare statements, names and conditions: what is found, what is known of their values, how they are mended.

Each stage of each program in full, as it stands in `stated`; the texts are read as a diff.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from stated_texts import hold

HERE = Path(__file__).parent
STAGES = {
    "check": ["check", "--no-cache", "--all", "--isolated"],
    "fix": ["fix", "--no-cache", "--unsafe", "--diff", "--isolated"],
    "mend": ["debug", "mend"],
    "facts": ["debug", "facts"],
    "tests": ["debug", "facts", "--tests"],
    "variables": ["debug", "variables"],
    "cfg": ["debug", "cfg"],
}


NAMES = sorted(path.stem for path in HERE.glob("rare/*.txt"))
# Programs of which what `fix` makes is asked are many, and all alike to the analysis.
OF_FIX = {
    "fixes": ["check", "fix"],
    "fixes_of_sums": ["check", "fix"],
    "fixed_names": ["check", "fix"],
    "wide_lines": ["check", "fix"],
    "said_dtypes": ["check"],
    "items": ["facts"],
    "limits": ["check"],
    "layers": ["facts"],
    "frames": ["check", "mend"],
    "streams": ["check", "mend"],
    "contexts": ["check", "mend"],
    "reads": ["check", "facts"],
    "given_to_layers": ["check", "facts"],
    "annotations": ["check", "facts"],
    "bound_in_tests": ["check", "mend", "variables"],
    "sizes": ["mend"],
    "settings": ["check", "facts"],
    "closures": ["facts", "mend"],
    "devices": ["check"],
    "dropped": ["check"],
    "dtypes": ["check"],
    "operators": ["facts"],
    "deferred_branches": ["check", "mend"],
    "filled_in": ["check"],
    "flags_by_place": ["check"],
    "items_of_texts": ["facts"],
    "lengths": ["facts"],
    "masked_updates": ["check", "fix"],
    "names_of_bases": ["facts"],
    "not_reached": ["check", "fix", "mend", "variables"],
    "reductions": ["check", "fix", "mend"],
}
ASKED = [(name, stage) for name in NAMES for stage in OF_FIX.get(name, [stage for stage in STAGES if stage != "fix"])]


def written(folder: Path, name: str) -> Path:
    """A program, as a file of Python."""
    path = folder / f"{name}.py"
    path.write_bytes((HERE / "rare" / f"{name}.txt").read_bytes())
    return path


@pytest.mark.parametrize(("name", "stage"), ASKED)
def test_stated(executable: str, tmp_path: Path, name: str, stage: str) -> None:
    written(tmp_path, name)
    done = subprocess.run([executable, *STAGES[stage], f"{name}.py"], capture_output=True, cwd=tmp_path)
    assert done.returncode in (0, 1)
    hold(HERE / "stated" / f"rare.{name}.{stage}.txt", (done.stdout + done.stderr).decode())


@pytest.mark.parametrize("name", NAMES)
def test_fixed_once(executable: str, tmp_path: Path, name: str) -> None:
    """A second `fix` finds nothing to do, and `check` no place that `fix` would mend."""
    path = written(tmp_path, name)
    fix = [executable, "fix", "--no-cache", "--unsafe", "--isolated", path]
    subprocess.run(fix, capture_output=True)
    fixed = path.read_bytes()
    subprocess.run(fix, capture_output=True)
    assert path.read_bytes() == fixed
    check = [executable, "check", "--no-cache", "--isolated", "--output-format", "json", path]
    told = json.loads(subprocess.run(check, capture_output=True).stdout)
    findings = [finding for report in told for finding in report["findings"]]
    assert [finding for finding in findings if finding["fix"] != "no"] == []
