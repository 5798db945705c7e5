"""Where the tests find the executable: in the build folder that is under test, or in this environment."""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest_plugins = [
    "pytester",
    "workers",
    "warm.warm_python",
]  # pytester runs pytest itself, for the tests of our plugins
HAS_TORCH = importlib.util.find_spec("torch") is not None
collect_ignore = [] if HAS_TORCH else ["operators", "runtime"]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Modules and tests stay until the end: a full collection, of which a trace starts several, need not visit them.

    Dynamo collects what is young behind each compilation. So the interpreter does it less often by itself, which saves
    a twelfth of the time of small compilations; programs in processes of their own keep its numbers.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@pytest.fixture(autouse=True, scope="session")
def seeds_of_devices_not_queued() -> Iterator[None]:
    """Without a device, each `torch.manual_seed` keeps three stacks as texts for the day on which there is one.

    That takes 5 ms under pytest, half of the time of what calls an operator with new seeds.
    """
    with pytest.MonkeyPatch.context() as patch:
        torch = sys.modules.get("torch")
        for name in ("cuda", "xpu", "mtia"):
            device = getattr(torch, name, None)
            if device is not None and hasattr(device, "_lazy_call") and not device.is_available():
                patch.setattr(device, "_lazy_call", lambda *_, **__: None)
        yield


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
