"""How much may stand behind a return that a tensor decides: 400 statements, and one more for each mend among them.

A mend weighs one, and that of a branch what its sides weigh as well.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

MOST = 400
AROUND = 3  # the return itself, that of its side, and the last one
PROGRAM = """import logging
import warnings
import torch
from torch import Tensor, nn

logger = logging.getLogger(__name__)
seen = []


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = []

    def forward(self, x: Tensor):
        y = x * 2
        if x.sum() > 0:
            return x
        BODY
        return y
"""
# Statements, the code of what is found in them, and what they weigh.
STATEMENTS = {
    "y = y + 1": ("", 1),
    "print(x)": ("GM301", 2),
    "logger.info('%s', x)": ("GM302", 2),
    "warnings.warn('x')": ("GM303", 2),
    "self.rows.append(x.mean().item())": ("GM304", 2),
    "seen.append(x.mean().item())": ("GM304", 2),
    "if (y < 0).any():\n    y[y < 0] = 0.25": ("GM110", 3),
    "if torch.isnan(x).any():\n    raise ValueError('x')": ("GM401", 3),
    "if x.sum() > 0:\n    y = y + 1": ("GM101", 4),
    "if x.sum() > 0:\n    y = y + 1\nelse:\n    y = y - 1": ("GM101", 6),
    "if x.sum() > 0:\n    print(x)": ("GM101", 6),
    "if x.sum() > 0:\n    if x.mean() > 0:\n        y = y + 1": ("GM101", 10),
}


def told(executable: str, path: Path, statement: str, count: int) -> list[tuple[str, str | None]]:
    """Codes and reasons of what is found with so many of a statement."""
    body = "\n".join([statement] * count).replace("\n", "\n        ")
    path.write_text(PROGRAM.replace("BODY", body))
    command = [executable, "check", "--no-cache", "--isolated", "--all", "--output-format", "json-lines", str(path)]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    return [(one["code"], one.get("reason")) for one in map(json.loads, lines)]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements_behind_a_return(executable: str, tmp_path: Path, statement: str) -> None:
    code, weight = STATEMENTS[statement]
    most = (MOST - AROUND) // weight
    for count in (1, most, most + 1):
        found = told(executable, tmp_path / "a.py", statement, count)
        (reason,) = [reason for one, reason in found if one == "GM102"]
        many = "too many ways lead to the end of the function" if count > most else None
        assert reason == many, (count, reason)
        assert code == "" or (code, None) in found
