"""Test suites of a user, run by pytest's own pytester in processes of their own."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from pathlib import Path

import pytest


def is_installed() -> bool:
    """Whether pytest finds the plugin by itself."""
    points = importlib.metadata.entry_points()
    group = points.select(group="pytest11") if hasattr(points, "select") else points["pytest11"]
    return any(point.value == "graphmend.pytest_plugin" for point in group)


class Suite:
    """A folder with tests and modules, run under the plugin."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.plugin = () if is_installed() else ("-p", "graphmend.pytest_plugin")

    def write(self, name: str, text: str) -> Path:
        path = self.pytester.path / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *arguments: str) -> pytest.RunResult:
        return self.pytester.runpytest_subprocess(*self.plugin, "-p", "no:cacheprovider", *arguments)


@pytest.fixture
def cold_suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Each run has an interpreter of its own."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return Suite(pytester)


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Suite:
    """Each run begins with torch in memory, where there is a torch.

    The fixture behind it comes first: pytester forgets the modules that are loaded while it is there, and a second copy
    of a module of torch would not know of the first.
    """
    python = request.getfixturevalue("warm_python") if importlib.util.find_spec("torch") else sys.executable
    suite = request.getfixturevalue("cold_suite")
    assert isinstance(suite, Suite)
    monkeypatch.setattr(sys, "executable", python)  # pytester's interpreter
    return suite
