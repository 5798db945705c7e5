"""`graphmend run --timings`: the clock of phases, the figures of a real program, and its options."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from graphmend.runtime.base import timings

PROGRAM = """
import sys
import torch

class Layer(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return torch.linalg.inv(x)     # may fail, so the side is not computed for nothing

f = torch.compile(torch.nn.Sequential(Layer()), backend="eager")
f(torch.eye(3)); f(-torch.eye(3))
print("done", *sys.argv[1:])
"""


def spend(seconds: float) -> None:
    """Keep the processor busy."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> timings.Clock:
    started = timings.Clock()
    monkeypatch.setattr(timings, "clock", started)
    return started


def test_a_phase_inside_takes_its_time_from_the_phase_around_it(clock: timings.Clock) -> None:
    record = SimpleNamespace(name="f", file="a.py", line=3)
    with timings.attempt(record):
        with timings.phase(timings.PROOFS):
            spend(0.05)
        with timings.phase(timings.SOURCE):  # of a module that the trace imports
            spend(0.05)
    timings.settle(True)
    row = clock.callables["f", "a.py", 3]
    assert row.traces == {timings.KEPT: 1}
    assert row.phases.keys() == {timings.KEPT, timings.PROOFS}
    assert clock.process.keys() == {timings.SOURCE}
    for part in (row.phases[timings.PROOFS], clock.process[timings.SOURCE]):
        assert part.cpu >= 0.05 > row.phases[timings.KEPT].cpu


def test_all_of_a_discarded_attempt_is_thrown_away(clock: timings.Clock) -> None:
    record = SimpleNamespace(name="f", file="a.py", line=3)
    with pytest.raises(ValueError), timings.attempt(record), timings.phase(timings.BACKEND):
        raise ValueError
    timings.settle(False)
    timings.settle(True)  # there is no second attempt
    row = clock.callables["f", "a.py", 3]
    assert row.phases.keys() == {timings.DISCARDED} and row.traces == {timings.DISCARDED: 1}


def test_a_thread_has_phases_of_its_own(clock: timings.Clock) -> None:
    record = SimpleNamespace(name="f", file="a.py", line=3)
    with timings.attempt(record):
        other = threading.Thread(target=lambda: timings.phase(timings.RUNTIME).__enter__())
        other.start()
        other.join()
        with timings.phase(timings.PROOFS):
            pass
    timings.settle(True)
    assert clock.callables["f", "a.py", 3].phases.keys() == {timings.KEPT, timings.PROOFS}


def test_without_the_option_nothing_is_measured() -> None:
    assert timings.clock is None
    with timings.attempt(SimpleNamespace(name="f")), timings.phase(timings.BACKEND):
        assert timings.stack.phases == []
    timings.settle(True)


def run(
    tmp_path: Path, executable: str, python: str, *options: str, text: str = PROGRAM, **more: str
) -> subprocess.CompletedProcess:
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    environment = {**os.environ, "GRAPHMEND_PYTHON": python, "GRAPHMEND_CACHE_DIR": str(tmp_path / "cache")}
    command = [executable, "run", *options, "train.py", "--timings=of the program"]
    return subprocess.run(
        command, cwd=tmp_path, env={**environment, **more}, capture_output=True, text=True, timeout=300
    )


def test_the_figures_of_a_program(tmp_path: Path, executable: str, warm_python: str) -> None:
    done = run(tmp_path, executable, warm_python, "--timings=times.json", "--check=1")
    assert (done.returncode, done.stdout) == (0, "done --timings=of the program\n"), done.stderr
    found = json.loads((tmp_path / "times.json").read_text(encoding="utf-8"))
    (item,) = found["callables"]
    assert (item["name"], Path(item["file"]).name, item["line"]) == ("Sequential", "train.py", 11)
    assert item["traces"][timings.DISCARDED] >= 1 and item["traces"][timings.KEPT] >= 2
    assert found["traces"] == item["traces"]
    assert {timings.SOURCE, timings.RUNTIME, timings.KEPT, timings.DISCARDED} < found["phases"].keys()
    parts = sum(part["cpu"] for part in found["phases"].values())
    assert parts == pytest.approx(found["total"]["cpu"]) and all(part["cpu"] >= 0 for part in found["phases"].values())
    assert "traces thrown away: " in done.stderr and "  Sequential (train.py:11): " in done.stderr


@pytest.mark.parametrize("option", ["--timings=", "--timing", "--timingsx"])
def test_other_options_are_refused(tmp_path: Path, executable: str, option: str) -> None:
    done = run(tmp_path, executable, sys.executable, option)
    assert done.returncode == 2 and f"graphmend: unknown option `{option}`" in done.stderr


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, executable: str) -> None:
    done = run(tmp_path, executable, sys.executable, "--timings=nowhere/times.json", text="import sys\nsys.exit(4)\n")
    assert done.returncode == 4 and "times.json could not be written: " in done.stderr


def test_a_program_as_it_is_gets_no_option(tmp_path: Path, executable: str) -> None:
    done = run(
        tmp_path, executable, sys.executable, "--timings", text="import sys\nprint(sys.argv[1:])\n", GRAPHMEND="0"
    )
    assert (done.stdout, done.stderr) == ("['--timings=of the program']\n", "")
