"""Random programs: whatever is mended, nobody can tell the program from the one that was written.

The programs are the first ones of a fixed seed, so that a run can be repeated; `make adversary` runs 2,000 of another
seed, and `make soak` those of ever new seeds.
"""

from __future__ import annotations

import importlib.util
import logging

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import judge
from generator import program
from hunt import summary

SEED, PROGRAMS = 2, 24


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the compiler's own trace, which is long, out of what pytest collects of the log."""
    monkeypatch.setattr(logging.getLogger("torch.__trace"), "propagate", False)


def test_programs(capsys: pytest.CaptureFixture) -> None:
    verdicts = [judge.judge(program(SEED, number)) for number in range(PROGRAMS)]
    results = [vars(verdict) | ({"signature": verdict.signature()} if verdict.found else {}) for verdict in verdicts]
    with capsys.disabled():
        print(f"\nadversary: {summary(results)}", end=" ")
    assert not [verdict.describe() for verdict in verdicts if verdict.found]
    assert sum(verdict.whole for verdict in verdicts) >= PROGRAMS // 4


def test_faults_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sides that have changed places are seen in most programs that have any."""
    mend = judge.core.mend_source

    def confuse(path: str, data: bytes) -> dict:
        result = mend(path, data)
        result["text"] = result["text"].replace("_gm_then, _gm_else, (", "_gm_else, _gm_then, (")
        return result

    monkeypatch.setattr(judge.core, "mend_source", confuse)
    verdicts = [judge.judge(program(SEED, number)) for number in range(100, 112)]
    assert sum(bool(verdict.found) for verdict in verdicts if verdict.mended) >= 3
