"""What verify says while it runs, and what it says when it is interrupted."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")

PROGRAM = """
import os, time
import torch

runs = [name for name in os.listdir() if name.startswith("run-")]
open(f"run-{len(runs)}", "w").close()


@torch.compile(backend="eager")
def gate(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


print(gate(torch.ones(4)))
if len(runs) == STOP:
    time.sleep(300)
"""


def interrupted(
    executable: str, environment: dict[str, str], folder: Path, stop: int
) -> "subprocess.CompletedProcess[str]":
    """Ctrl-C in the run with a number, from 0."""
    (folder / "program.py").write_text(PROGRAM.replace("STOP", str(stop)))
    command = [executable, "verify", "program.py"]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not (folder / f"run-{stop}").exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def test_an_interrupt_gives_the_verdict_so_far(executable: str, verifying: dict[str, str], tmp_path: Path) -> None:
    ended = interrupted(executable, verifying, tmp_path, 3)
    assert ended.returncode == 0, ended
    assert "nothing differs" in ended.stdout
    assert "graphmend: interrupted: this is the verdict so far" in ended.stderr
    lines = re.findall(r"graphmend: run (\d) of 5: ([a-z ]+)", ended.stderr)
    assert [number for number, _ in lines] == ["1", "2", "3", "4"]
    assert re.search(r"run 2 of 5: plain, about \d+ s left\n", ended.stderr)


def test_an_interrupt_before_there_is_a_verdict(executable: str, verifying: dict[str, str], tmp_path: Path) -> None:
    ended = interrupted(executable, verifying, tmp_path, 1)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.endswith("graphmend: interrupted\n")
