"""All that the analysis states of programs, as it stands in `stated`.

Values with their reasons, conditions, variables, control-flow graphs and the runtime dialect. test_claims.py holds
that what is stated is true while the programs run; this test, that no less is stated.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from stated_texts import hold

HERE = Path(__file__).parent
STAGES = {
    "facts": ["facts"],
    "tests": ["facts", "--tests"],
    "variables": ["variables"],
    "cfg": ["cfg"],
    "mend": ["mend"],
}
PROGRAMS = ["tensors", "declared", "narrowed", *sorted(f"programs/{path.stem}" for path in HERE.glob("programs/*.py"))]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("stage", STAGES)
def test_stated(executable: str, name: str, stage: str) -> None:
    command = [executable, "debug", *STAGES[stage], f"{name}.py"]
    stated = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE).stdout
    hold(HERE / "stated" / f"{Path(name).name}.{stage}.txt", stated)
