"""Which tests noticed mutants of a folder before: they run first, as most mutants end at one of them.

The history outlives a run: it lies beside what is built. It changes the order of tests and never which of them run.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest


class Order:
    """A plugin of pytest: the tests that noticed the most mutants first, the others as they stand."""

    def __init__(self, noticed: Counter[str]) -> None:
        self.noticed = noticed

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: -self.noticed[item.nodeid])


class History:
    """How many mutants of a folder each test noticed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        rows = json.loads(path.read_text()) if path.exists() else {}
        self.folders = {folder: Counter[str](tests) for folder, tests in rows.items()}

    def order(self, folder: str) -> Order:
        return Order(self.folders.get(folder, Counter()))

    def add(self, folder: str, test: str) -> None:
        """What noticed a mutant: a test, or how the tests ended."""
        self.folders.setdefault(folder, Counter())[test] += 1
        self.path.write_text(json.dumps(self.folders, indent=1) + "\n")
