"""Switches the runtime on for every test of this folder."""

from __future__ import annotations

import logging
import sys
from typing import Iterator

import pytest
import torch._dynamo

import graphmend.runtime as runtime
from graphmend.runtime.driver.trace_costs import Cost


@pytest.fixture(autouse=True, scope="session")
def guards_not_timed() -> Iterator[None]:
    """Leave out Dynamo's timing of guards: it clears the processor's cache, a third of the time of a small compile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch._dynamo.guards, "profile_guard_manager", lambda *_: 0.0)
        yield


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    """Install before and uninstall after each test; caches are dropped."""
    torch._dynamo.reset()
    runtime.install_compile()
    runtime.add_sites(1)
    yield
    runtime.uninstall_compile()
    torch._dynamo.reset()


@pytest.fixture
def traces_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile calls in parts after a few runs that were undone, however short these are beside the traces."""
    monkeypatch.setattr(Cost, "add", lambda *_: None)


@pytest.fixture(autouse=True)
def open_streams() -> None:
    """Torch's log handlers hold the stream of the test that set them up; pytest has closed it behind that test."""
    for name, logger in logging.root.manager.loggerDict.items():
        if name.partition(".")[0] == "torch" and isinstance(logger, logging.Logger):
            for handler in logger.handlers:
                if isinstance(handler, logging.StreamHandler) and getattr(handler.stream, "closed", False):
                    handler.stream = sys.__stderr__
