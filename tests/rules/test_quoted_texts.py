"""A message quotes an expression that is short and stands in a line; another one gets a word in its place."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

HEAD = "import torch\n@torch.compile\ndef f(x: torch.Tensor, {name}: torch.Tensor):\n    "
# Statements with an expression E: the longest E that is quoted, the quoted text, and the message for a longer E.
QUOTES = {
    "a = E.item()": (40, "`item` reads `{}`", "`item` reads a tensor"),
    "a = x[E > 0]": (
        36,
        "the mask `{} > 0` chooses how many items there are",
        "the mask a tensor chooses how many items there are",
    ),
    "E.requires_grad = True": (46, "`{}.requires_grad` is assigned", "this is assigned"),
}


def messages(executable: str, folder: Path, text: str) -> list[str]:
    (folder / "a.py").write_text(text)
    command = [executable, "check", "--no-cache", "--isolated", "--all", "--exit-zero", "--output-format", "concise"]
    done = subprocess.run([*command, "a.py"], cwd=folder, capture_output=True, text=True, check=True)
    return re.findall(r"^a\.py:\d+:\d+: GM\d+ (.*)$", done.stdout, re.M)


@pytest.mark.parametrize("form", QUOTES)
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_long_names(executable: str, tmp_path: Path, form: str, more: int) -> None:
    most, short, long = QUOTES[form]
    name = "y" * (most + more)
    quoted = short.format(name) if more <= 0 else long
    assert quoted in messages(executable, tmp_path, HEAD.format(name=name) + form.replace("E", name) + "\n")


@pytest.mark.parametrize("form", QUOTES)
def test_lines(executable: str, tmp_path: Path, form: str) -> None:
    _, _, long = QUOTES[form]
    text = HEAD.format(name="y") + form.replace("E", "y[\n    0]") + "\n"
    assert long in messages(executable, tmp_path, text)
