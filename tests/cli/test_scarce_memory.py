"""Commands with little memory: every allocation fails once, in turn, and so do all behind it.

All that the command says of it, and its status, stand in `stated/scarce_memory.*.txt`. A command frees what it has
taken, where the memory suffices and where it does not.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
MOST = 200  # allocations of a command
BREAKS = """import torch


@torch.compile
def f(x: torch.Tensor):
    print(x)
    if x.sum() > 0:
        x = x * 2
    return x
"""
STAGES = ["tokens", "tree", "scopes", "cfg", "variables", "facts", "mend"]
COMMANDS = {
    "rule": ["rule", "rule GM101", "rule --all", "rule --all --output-format json", "rule GB0170", "rule GM999"],
    "stages": [*(f"debug {stage} a.py" for stage in STAGES), "debug cfg a.py b.py", "debug tree nowhere.py"],
    "others": ["debug paths .", "debug hooks", "debug bench a.py", "meaning", "meaning x", "server", "doctor"],
    "check": ["check .", "check a.py", "check --statistics .", "check nowhere.py", "check --select GM1 ."],
    "written": ["check --write-baseline kept.json .", "check --baseline old.json .", "check --add-ignore ."],
    "formats": [f"check --output-format {name} ." for name in ("concise", "json", "sarif", "junit")],
    "fix": ["fix --diff .", "fix --unsafe --diff .", "fix --unsafe .", "fix a.ipynb"],
    "python": ["verify a.py", "verify", "run a.py", "run", "completion bash"],
    "usage": ["", "--help", "--version", "check --help", "nothing", "chekc"],
}
BOOK = {
    "cells": [{"cell_type": "code", "source": BREAKS, "metadata": {}, "outputs": [], "execution_count": None}],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture
def scarce(executable: str) -> str:
    path = Path(executable).with_name("gm-scarce")
    if not path.exists():
        pytest.skip("the test programs are not built, `make test` builds them")
    return str(path)


def write(folder: Path) -> None:
    folder.mkdir()
    (folder / "a.py").write_text(BREAKS)
    (folder / "b.py").write_text("from a import f\n\n\ndef g(x):\n    return f(x)\n")
    (folder / "a.ipynb").write_text(json.dumps(BOOK, indent=1))
    (folder / "pyproject.toml").write_text('[tool.graphmend]\nignore = ["GM505"]\n')
    (folder / ".gitignore").write_text("old.json\n")
    (folder / "old.json").write_text('{"version": 1, "findings": []}\n')


def threads(words: list[str]) -> list[str]:
    """The words of a command that works on files in one thread."""
    return [*words[:1], "--threads", "1", *words[1:]] if words[:1] in (["check"], ["fix"]) else words


class Run:
    """A command that so many allocations succeed for."""

    def __init__(self, program: str, command: str, folder: Path, count: int) -> None:
        write(folder)
        told = folder.with_suffix(".told")
        done = subprocess.run(
            [program, *threads(command.split())],
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "GRAPHMEND_PYTHON": "true",
                "GRAPHMEND_CACHE_DIR": str(folder.with_suffix(".cache")),
                "GM_ALLOCATIONS": str(count),
                "GM_ALLOCATIONS_TOLD": str(told),
            },
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
        self.status, self.said = done.returncode, done.stderr.decode()
        words = told.read_text().split() if told.exists() else ["0", "0"]  # another program has taken its place
        self.failed, self.left = words[0] == "1", int(words[1])
        self.files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("group", COMMANDS)
def test_every_allocation_fails(scarce: str, tmp_path: Path, group: str) -> None:
    lines = []
    for place, command in enumerate(COMMANDS[group]):
        runs: list[Run] = []
        for count in range(MOST):
            run = Run(scarce, command, tmp_path / f"{place}-{count}", count)
            assert run.left == 0, (command, count)
            if not run.failed:
                break
            told = run.said.strip() if "usage" not in run.said else run.said.partition("\n")[0]
            lines.append(f"{command}: too little memory: status {run.status}, {told}\n")
            runs.append(run)
        assert count < MOST
        for one in runs:  # a file has what it had, or what the command makes of it
            assert one.status == 2, (command, one.said)
            assert all(one.files[name] in (runs[0].files[name], run.files[name]) for name in one.files), command
        lines.append(f"{command}: enough: status {run.status}\n")
    hold(STATED / f"scarce_memory.{group}.txt", "".join(dict.fromkeys(lines)))
