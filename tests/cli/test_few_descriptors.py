"""A command over more files and folders than a process may have open says and writes what it does without the limit.

And so it does where the process has no standard input, so that the first file that it opens is number 0.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

FEW = 32
COUNT = 60
BREAKS = """import torch


@torch.compile
def f(x: torch.Tensor):
    print(x)
    if x.sum() > 0:
        y = x * 2
    else:
        y = x + 1
    return y
"""
CELLS = {"cells": [{"cell_type": "code", "source": BREAKS, "metadata": {}, "outputs": []}], "metadata": {}}
COMMANDS = {
    "check": [["check", "."]],
    "check again": [["check", "."], ["check", "."]],
    "check folders": [["check", *(f"flat{number}" for number in range(COUNT)), "deep"]],
    "fix": [["fix", "--unsafe", "."]],
    "diff": [["fix", "--unsafe", "--diff", "."]],
    "add ignores": [["check", "--add-ignore", "."]],
    "baseline": [["check", "--exit-zero", "--write-baseline", "kept.json", "."]],
    "paths": [["debug", "paths", "."]],
    "tokens": [["debug", "tokens", *(f"flat{number}/a.py" for number in range(COUNT))]],
    "tree": [["debug", "tree", *(f"flat{number}/a.py" for number in range(COUNT))]],
}


def fill(cli: Any, count: int) -> None:
    """Folders side by side, and one in another, with all that a search reads in them."""
    deep = "deep"
    for number in range(count):
        deep += f"/d{number}"
        for folder in (f"flat{number}", deep):
            cli.write(f"{folder}/a.py", BREAKS)
            cli.write(f"{folder}/.gitignore", "left_out.py\n")
            cli.write(f"{folder}/left_out.py", BREAKS)
        cli.write(f"flat{number}/script", f"#!/usr/bin/env python3\n{BREAKS}")
        cli.write(f"flat{number}/other", "#!/bin/sh\n")
        cli.write(f"flat{number}/b.ipynb", json.dumps({**CELLS, "nbformat": 4, "nbformat_minor": 4}))
        cli.write(f"flat{number}/pyproject.toml", "[tool.graphmend]\nignore = ['GM201']\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_few_descriptors(cli: Any, name: str) -> None:
    limited = cli.write("limited", f'#!/bin/sh\nulimit -n {FEW}\nexec "{cli.executable}" "$@"\n')
    compare(cli, limited, name, COUNT, "4")


def compare(cli: Any, wrapper: Any, name: str, count: int, threads: str) -> None:
    """Compare the commands of a name, run as they are and by a wrapper, with what they leave in their folders."""
    wrapper.chmod(0o755)
    found = []
    for program in (cli.executable, str(wrapper)):
        some = type(cli)(program, cli.folder / f"work{len(found)}")
        fill(some, count)
        ended = [
            some(*arguments, "--threads", threads) if arguments[0] != "debug" else some(*arguments)
            for arguments in COMMANDS[name]
        ]
        found.append((ended, some.snapshot()))
        assert ended[0].out and ended[0].status in (0, 1) and len(found[-1][1]) >= 8 * count
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["check again", "fix", "diff", "add ignores", "baseline", "paths"])
def test_no_standard_input(cli: Any, name: str) -> None:
    closed = cli.write("closed", f'#!/bin/sh\nexec "{cli.executable}" "$@" <&-\n')
    compare(cli, closed, name, 2, "1")
