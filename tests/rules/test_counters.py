"""Counters of a module: what `check` reports meets torch.compile's recompile limit, and what it leaves out does not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo.utils as utils

CALLS = 12
HEAD = """import torch
from torch import nn


class Net(nn.Module):
    limit = 3

    def __init__(self):
        super().__init__()
        self.count, self.ready, self.mean = 0, False, 0.0
        self.calls = 0
        self.share = 0.0
        self.register_buffer("total", torch.zeros((), dtype=torch.long))

    def reset(self):
        self.calls = 0
"""
# The body of `forward`: reported by default, and whether Dynamo meets the limit.
GROWS = {
    "added": "self.calls += 1; return x + 1",
    "taken": "self.calls -= 2; return x + 1",
    "sum": "self.calls = self.calls + 1; return x + 1",
    "behind": "y = x + 1; self.calls += 1; return y",
    "mode": "if self.training:\n            self.calls += 1\n        return x + 1",
    "block": "with torch.no_grad():\n            self.calls += 1\n        return x + 1",
    "read": "self.calls += 1; return x * self.calls",
}
BOUNDED = {
    "float": "self.share += 1; return x + 1",
    "buffer": "self.total += 1; return x + 1",
    "zero": "self.calls += 0; return x + 1",
    "set": "self.calls = 0; self.calls += 1; return x + 1",
    "reset": "self.reset(); self.calls += 1; return x + 1",
    "left": "if self.calls >= self.limit:\n            return x + 1\n        self.calls += 1\n        return x + 1",
    "tested": "if self.calls < self.limit:\n            self.calls += 1\n        return x + 1",
    "modulo": "self.calls = (self.calls + 1) % 3; return x + 1",
    "flag": "if self.ready:\n            self.calls += 1\n        return x + 1",
    "rolled": "self.calls += 1\n        if self.calls == 3:\n            self.calls = 0\n        return x + 1",
    "eager": "if not torch.compiler.is_compiling():\n            self.calls += 1\n        return x + 1",
}


def program(body: str) -> str:
    return f"{HEAD}\n    def forward(self, x):\n        {body}\n\n\nnet = torch.compile(Net(), backend='eager')\n"


@pytest.fixture(scope="module")
def told(executable: str, tmp_path_factory: pytest.TempPathFactory) -> "dict[str, list[str]]":
    """The codes and ids that `check` reports by default for each program."""
    folder = tmp_path_factory.mktemp("counters")
    for name, body in {**GROWS, **BOUNDED}.items():
        (folder / f"{name}.py").write_text(program(body))
    command = [executable, "check", "--no-cache", "--output-format", "json", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    files = json.loads(done.stdout)
    return {Path(one["path"]).stem: [found["code"] + found["break_id"] for found in one["findings"]] for one in files}


@pytest.mark.parametrize("name", [*GROWS, *BOUNDED])
def test_what_is_told_meets_the_limit(told: "dict[str, list[str]]", name: str) -> None:
    assert told.get(name, []) == (["GM304GB0039"] if name in GROWS else [])
    names: "dict[str, Any]" = {}
    torch._dynamo.reset()
    utils.counters.clear()
    exec(compile(program({**GROWS, **BOUNDED}[name]), f"{name}.py", "exec"), names)
    for _ in range(CALLS):
        names["net"](torch.ones(2))
    assert any("limit" in text for text in utils.counters["unimplemented"]) == (name in GROWS)


def test_run_keeps_counters_open(executable: str, tmp_path: Path) -> None:
    text = "import torch\nimport torch._dynamo.utils as utils\n"
    for name in ("added", "sum", "read"):
        (tmp_path / f"{name}.py").write_text(program(GROWS[name]))
        text += f"import {name}\nfor _ in range({CALLS}):\n    {name}.net(torch.ones(2))\n"
    text += "print(utils.counters['stats']['unique_graphs'], dict(utils.counters['unimplemented']))\n"
    (tmp_path / "all.py").write_text(text)
    done = subprocess.run([executable, "run", "all.py"], cwd=tmp_path, capture_output=True, text=True)
    graphs, reasons = done.stdout.split(maxsplit=1)
    assert int(graphs) <= 6 and "limit" not in reasons
