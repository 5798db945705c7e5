"""Switches the runtime on for every test of this folder."""

from __future__ import annotations

from typing import Iterator

import pytest
import torch._dynamo

import graphmend.runtime as runtime


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    """Install before and uninstall after each test; caches are dropped."""
    torch._dynamo.reset()
    runtime.install_compile()
    runtime.add_sites(1)
    yield
    runtime.uninstall_compile()
    torch._dynamo.reset()
