"""Runs of `graphmend verify`, three at a time: each starts Python several times, and one of them only waits."""

from __future__ import annotations

import concurrent.futures
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest
from verifying import COMMANDS, Verified, verify

collect_ignore = (
    []
    if importlib.util.find_spec("torch")
    else ["test_verify.py", "test_counts.py", "test_pieces.py", "test_equality.py"]
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "verifies(name): the test looks at what `graphmend verify` says of a program")


def wanted(session: pytest.Session, file: Path) -> list[str]:
    """The names that the tests of a file ask for; another file may run in another worker."""
    marks = [mark for item in session.items if item.path == file for mark in item.iter_markers("verifies")]
    return list(dict.fromkeys(mark.args[0] for mark in marks))


@pytest.fixture(scope="module")
def all_verified(
    request: pytest.FixtureRequest,
    executable: str,
    verifying: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, concurrent.futures.Future[Verified]]]:
    """Everything that the file asks for, in the making."""
    base = tmp_path_factory.mktemp("verify")
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        yield {
            name: pool.submit(verify, executable, base / name.replace(" ", "-"), COMMANDS[name], verifying)
            for name in wanted(request.session, request.path)
        }


@pytest.fixture
def verified(request: pytest.FixtureRequest, all_verified: dict[str, Any]) -> Verified:
    """What came of the command that the test is marked with."""
    result: Verified = all_verified[request.node.get_closest_marker("verifies").args[0]].result()
    return result


@pytest.fixture
def run_verify(executable: str, verifying: dict[str, str], tmp_path: Path) -> Callable[..., Verified]:
    """Run a command that ends quickly."""
    return lambda *arguments: verify(executable, tmp_path / "programs", arguments, verifying)
