"""The cases of a kit on a device: what is moved there, and what is said without a GPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

BENCH = Path(__file__).resolve().parents[1] / "bench"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_that_is_said(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCH / "gpu.py"), "--kit", str(tmp_path), "--json", str(tmp_path / "gpu.json")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "SKIPPED" in done.stdout
    assert not (tmp_path / "gpu.json").exists()


def test_a_model_is_moved_with_its_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    import on_device

    model = torch.nn.Sequential(torch.nn.Linear(2, 2))
    model[0].table = torch.ones(3)
    moved = on_device.moved(model, "meta")
    assert moved is model and {item.device.type for item in (model[0].weight, model[0].table)} == {"meta"}
    call = on_device.moved([(torch.ones(2), {"mask": torch.ones(2)}, 3, "text")], "meta")
    assert call[0][0].is_meta and call[0][1]["mask"].is_meta and call[0][2:] == (3, "text")
