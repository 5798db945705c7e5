"""The note of which features act in a program, on which `make worth` rests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent / "tools" / "hooks_that_act.py"

PROGRAM = """
import torch

@torch.compile(backend="eager")
def f(x):
    if x.sum() > 0:
        x = x.to(torch.float32) + 1
    return x

print(f(torch.ones(2)).tolist(), f(torch.zeros(2)).tolist())
"""


def test_features_that_act_are_noted(tmp_path: Path, warm_python: str) -> None:
    program, acted = tmp_path / "program.py", tmp_path / "acted"
    program.write_text(PROGRAM, encoding="utf-8")
    run = subprocess.run(
        [warm_python, str(TOOL), str(program), "case.py"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "ACTED": str(acted), "GRAPHMEND_SUMMARY": "no"},
    )
    assert run.stdout == "[2.0, 2.0] [0.0, 0.0]\n"
    noted = acted.read_text(encoding="utf-8").splitlines()
    assert "case.py no_op_conversions" in noted and len(noted) == len(set(noted))
    assert not any("rnn" in line or "numpy" in line for line in noted), noted
