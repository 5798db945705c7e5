"""tools/capture_matrix.py: outcomes are what the programs do, and every one of them can be reached."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CASE = """
import torch

class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.relu()
        print("seen")
        return y

def model():
    return Net()

def calls():
    return [(torch.ones(3),), {"x": -torch.ones(3)}]
"""


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_outcomes(tmp_path: Path, warm_python: str) -> None:
    """A demo function and a case, by every way that can be tried here, before and after."""
    (tmp_path / "net.py").write_text(CASE)
    command = [
        warm_python,
        str(ROOT / "tools/capture_matrix.py"),
        "--cases",
        str(tmp_path),
        "--only",
        "[Bn][re][at]*",
    ]
    command += ["--json", str(tmp_path / "out.json")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "out.json").read_text())
    branch, net = record["rows"]
    assert (branch["program"], branch["demo"], net["program"], net["demo"]) == ("Branch", True, "net", False)
    assert branch["changed"] and not net["changed"]  # no mend drops output unless it is asked for by name
    outcomes = {side: {way: branch[side][way][0] for way in branch[side]} for side in ("before", "after")}
    for way, before, after in (
        ("jit.trace", "WRONG", "right"),
        ("jit.script", "right", "right"),
        ("fx.symbolic_trace", "refused", "right"),
        ("export", "refused", "right"),
        ("compile, fullgraph", "refused", "right"),
    ):
        assert (outcomes["before"][way], outcomes["after"][way]) == (before, after), way
    assert branch["before"]["jit.trace"][1] == "call 1: another result"
    for side in ("before", "after"):
        assert (net[side]["compile, fullgraph"][0], net[side]["jit.trace"][0]) == ("refused", "silent")
    assert set(outcomes["before"]) | set(record["missing"]) >= {"ONNX", "lazy tensors", "JAX"}
    assert all(f"{way}: SKIPPED, " in done.stdout for way in record["missing"])
