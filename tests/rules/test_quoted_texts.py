"""A message quotes an expression that is short and stands in a line; another one gets a word in its place."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

HEAD = "import torch\n@torch.compile\ndef f(x: torch.Tensor, {name}: torch.Tensor):\n    "
# Statements with an expression E that a message quotes, the longest that is quoted, and the word for a longer one.
QUOTES = {
    "a = E.item()": (40, "`item` reads {}", "a tensor"),
    "a = x[E > 0]": (40 - len(" > 0"), "the mask {} chooses how many items there are", "a tensor"),
    "E.requires_grad = True": (60 - len(".requires_grad"), "{} is assigned", "this"),
}


def messages(executable: str, folder: Path, text: str) -> list[str]:
    (folder / "a.py").write_text(text)
    command = [executable, "check", "--no-cache", "--isolated", "--all", "--exit-zero", "--output-format", "concise"]
    done = subprocess.run([*command, "a.py"], cwd=folder, capture_output=True, text=True, check=True)
    return re.findall(r"^a\.py:\d+:\d+: GM\d+ (.*)$", done.stdout, re.M)


@pytest.mark.parametrize("form", QUOTES)
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_long_names(executable: str, tmp_path: Path, form: str, more: int) -> None:
    most, words, word = QUOTES[form]
    name = "y" * (most + more)
    quoted = words.format(f"`{form.split('E')[1].split(']')[0]}`".replace("`", f"`{name}", 1) if more <= 0 else word)
    if ".item" in form:
        quoted = words.format(f"`{name}`" if more <= 0 else word)
    if ".requires_grad" in form:
        quoted = words.format(f"`{name}.requires_grad`" if more <= 0 else word)
    assert quoted in messages(executable, tmp_path, HEAD.format(name=name) + form.replace("E", name) + "\n")


@pytest.mark.parametrize("form", QUOTES)
def test_lines(executable: str, tmp_path: Path, form: str) -> None:
    _, words, word = QUOTES[form]
    text = HEAD.format(name="y") + form.replace("E", "y[\n    0]") + "\n"
    assert words.format(word) in messages(executable, tmp_path, text)
