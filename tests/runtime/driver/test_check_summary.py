"""What `--check` says at the end of a process: how many calls were compared, what differs, and what was left out."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from graphmend.runtime.driver import self_check
from graphmend.runtime.driver.self_check import Checks

SUMMARIES: dict[str, tuple[Checks, list[str]]] = {
    "nothing": (
        Checks(),
        ["graphmend: check: 0 calls of 0 compiled callables compared with eager Python, none differs"],
    ),
    "one": (
        Checks(1, {7}),
        ["graphmend: check: 1 call of 1 compiled callable compared with eager Python, none differs"],
    ),
    "one that differs": (
        Checks(2, {7}, ["call 1"]),
        [
            "graphmend: check: 2 calls of 1 compiled callable compared with eager Python, 1 differs",
            "  differs  call 1",
        ],
    ),
    "two that differ": (
        Checks(3, {7, 8}, ["call 1", "call 2"]),
        [
            "graphmend: check: 3 calls of 2 compiled callables compared with eager Python, 2 differ",
            "  differs  call 1",
            "  differs  call 2",
        ],
    ),
    "not compared": (
        Checks(0, set(), [], {"this system has no fork": 2, "another": 1}),
        [
            "graphmend: check: 0 calls of 0 compiled callables compared with eager Python, none differs",
            "  2 not compared: this system has no fork",
            "  1 not compared: another",
        ],
    ),
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_summaries(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    checks, expected = SUMMARIES[name]
    monkeypatch.setattr(self_check, "checks", checks)
    assert self_check.summary() == expected
    assert checks.is_idle() is (name == "nothing")


def test_reasons_are_counted() -> None:
    checks = Checks()
    for reason in ("a", "b", "a"):
        checks.skip(reason)
    assert checks.skipped == {"a": 2, "b": 1} and not checks.is_idle()


def test_a_system_without_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(self_check.os, "fork")
    assert self_check.unable() == "this system has no fork"


def test_a_process_that_can_be_copied() -> None:
    assert self_check.unable() is None


IN_USE = """
import torch
from graphmend.runtime.driver import self_check
kind = torch.accelerator.current_accelerator().type
assert self_check.unable() is None
torch.ones(1, device=kind)
assert self_check.unable() == f"the process uses {kind}, which no copy of it can"
"""


@pytest.mark.skipif(not torch.accelerator.is_available(), reason="no accelerator here")
def test_a_process_that_uses_an_accelerator() -> None:
    """In a process of its own, for others have to be copied."""
    subprocess.run([sys.executable, "-c", IN_USE], check=True)
