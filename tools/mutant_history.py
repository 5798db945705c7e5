"""The order of tests: those that noticed mutants of a folder before come first, as most mutants end at one of them.

The history outlives a run: it lies beside what is built. It changes the order of tests and never which of them run.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TypeVar

Test = TypeVar("Test")


class History:
    """How many mutants of a folder each test noticed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        rows = json.loads(path.read_text()) if path.exists() else {}
        self.folders = {folder: Counter[str](tests) for folder, tests in rows.items()}

    def noticed(self, folder: str) -> Counter[str]:
        return self.folders.get(folder, Counter())

    def add(self, folder: str, test: str) -> None:
        self.folders.setdefault(folder, Counter())[test] += 1
        self.path.write_text(json.dumps(self.folders, indent=1) + "\n")


def in_turns(tests: dict[str, Test], distances: dict[str, float] | None = None) -> list[Test]:
    """The first test of each function by its name, then the second of each: cases of one function are much alike.

    With distances the second counts as twice as far away as it is, the third as three times: the many small cases of a
    table stand in front of tests that take longer and run much else.
    """
    rounds: Counter[str] = Counter()
    places = []
    for at, name in enumerate(tests):
        function = name.partition("[")[0]
        rounds[function] += 1
        places.append((rounds[function] * (distances[name] if distances else 1), at))
    ordered = list(tests.values())
    return [ordered[at] for _, at in sorted(places)]
