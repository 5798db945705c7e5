"""All that the analysis states of two programs, as it stands in `stated`.

Values with their reasons, conditions, variables, control-flow graphs and the runtime dialect. test_claims.py holds
that what is stated is true while the programs run; this test, that no less is stated. GRAPHMEND_ACCEPT=1 writes what
is stated now.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
STAGES = {
    "facts": ["facts"],
    "tests": ["facts", "--tests"],
    "variables": ["variables"],
    "cfg": ["cfg"],
    "mend": ["mend"],
}


@pytest.mark.parametrize("name", ["tensors", "declared"])
@pytest.mark.parametrize("stage", STAGES)
def test_stated(executable: str, name: str, stage: str) -> None:
    command = [executable, "debug", *STAGES[stage], f"{name}.py"]
    stated = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE).stdout
    path = HERE / "stated" / f"{name}.{stage}.txt"
    if os.environ.get("GRAPHMEND_ACCEPT") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(stated)
    assert stated == path.read_text()
