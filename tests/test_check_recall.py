"""tools/check_recall.py: which of the places that break are predicted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BRANCHING = "Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`)."
SOURCE = """\
import torch


class Gate(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            x = x + 1
        y = torch.where(
            x > 0, x,
            x[x > 1].sum(),
        )
        return y + self.text.count


def nobody_calls_it(x: torch.Tensor):
    return x.item()
"""


def record_of(path: Path, *breaks: tuple[int, str]) -> dict[str, Any]:
    """A plain record, as a scorer writes it."""
    places = [f"Graph break in user code at {path}:{line}" for line, _ in breaks]
    return {"phases": {"compiled": {"breaks": places, "break_reasons": [reason for _, reason in breaks]}}}


def test_sites_are_compared_with_findings(tmp_path: Path, executable: str) -> None:
    sources, records = tmp_path / "site-packages" / "models", tmp_path / "records"
    path = sources / "gate.py"
    for folder in (sources, records):
        folder.mkdir(parents=True)
    path.write_text(SOURCE)
    breaks = ((6, BRANCHING), (6, BRANCHING), (9, "shape"), (12, "other"), (16, "number"))
    first, second = record_of(path, *breaks), record_of(path, breaks[0])
    second["phases"]["compiled"]["breaks"].append("Graph break in user code at /elsewhere/torch/x.py:3")
    second["phases"]["compiled"]["break_reasons"].append("")
    for name, record in (("one", first), ("two", second)):
        (records / f"{name}-{0:024x}.json").write_text(json.dumps(record))
    zoo, out = tmp_path / "zoo.jsonl", tmp_path / "recall.json"
    zoo.write_text('{"id": "one"}\n{"id": "two"}\n')
    command = [sys.executable, str(ROOT / "tools/check_recall.py"), "--records", str(records), "--zoo", str(zoo)]
    command += ["--sources", str(sources), "--graphmend", executable, "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(out.read_text())
    found = {site["line"]: (site["code"], site["code_of_all"], site["models"]) for site in result["sites"]}
    assert found == {
        6: ("GM101", "GM101", 2),
        9: ("GM202", "GM202", 1),  # another line of the same statement
        12: (None, None, 1),
        16: (None, "GM201", 1),  # nothing calls it, as far as the file tells
    }
    assert result["runs"] == 2 and sum(result["elsewhere"].values()) == 1
    assert all(site["path"] == "models/gate.py" for site in result["sites"])
    assert "total       4           2           50.0 %" in done.stdout
