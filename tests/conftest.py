"""Where the tests find the executable: in the build folder that is under test, or in this environment."""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester", "workers"]  # pytester runs pytest itself, for the tests of our plugins
HAS_TORCH = importlib.util.find_spec("torch") is not None
collect_ignore = [] if HAS_TORCH else ["operators", "runtime"]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Modules and tests stay until the end: a full collection, of which a trace starts several, need not visit them."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A run without torch, or without what else some tests need, must not look like a full one."""
    if not HAS_TORCH:
        terminalreporter.write_line("SKIPPED tests/runtime: torch is not installed (its releases need Python 3.10)")
    reasons = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    aloud = (reason.partition("ALOUD: ")[2].removesuffix("')") for reason in reasons)
    for reason in sorted(set(filter(None, aloud))):
        terminalreporter.write_line(f"SKIPPED {reason}")


def find_executable() -> str:
    """`$GRAPHMEND_BUILD/graphmend` (`make test` names the sanitizer build), else the installed one."""
    build = os.environ.get("GRAPHMEND_BUILD")
    candidates = [Path(build) / "graphmend"] if build else []
    candidates.append(Path(sys.executable).with_name("graphmend"))
    found = next((str(path) for path in candidates if path.exists()), shutil.which("graphmend"))
    assert found, "graphmend is neither built nor installed: run `make build`"
    return found


@pytest.fixture(scope="session")
def executable() -> str:
    """The graphmend executable."""
    return find_executable()
