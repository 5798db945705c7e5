"""A name of torch that is spelled like a class is one: a capital, and behind it a small letter."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

CLASSES = ["Aa", "Az", "Za", "Zz", "Linear", "ZeroPad2d"]
OTHERS = ["A", "Z", "AA", "ZZ", "A1", "A_", "aA", "zZ", "zero", "_Zz", "Z_z"]


def test_names_that_are_spelled_like_classes(executable: str, tmp_path: Path) -> None:
    lines = [f"    a = torch.nn.{name}" for name in CLASSES + OTHERS]
    (tmp_path / "a.py").write_text("\n".join(["import torch", "def f():", *lines, ""]))
    command = [executable, "debug", "facts", "a.py"]
    text = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    found = re.findall(r" torch\.nn\.(\w+) \| (.*)$", text, re.M)
    said = {True: "not class | a name of torch", False: "unknown any | nothing is known of it"}
    assert found == [(name, said[name in CLASSES]) for name in CLASSES + OTHERS]
