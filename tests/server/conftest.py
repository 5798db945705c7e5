"""Clients for the tests of the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsp_client import Client


@pytest.fixture
def start(executable: str, tmp_path: Path) -> Iterator[Callable[..., Client]]:
    """Makes clients whose workspace is a folder of their own; they have ended when the test has."""
    clients: list[Client] = []

    def make(**options: Any) -> Client:
        folder = options.pop("folder", tmp_path)
        clients.append(Client(executable, folder, **options))
        return clients[-1]

    yield make
    for client in clients:
        if client.process.poll() is None:
            client.process.kill()
        client.process.wait()


@pytest.fixture
def client(start: Callable[..., Client]) -> Client:
    return start()
