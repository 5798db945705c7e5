"""The collector of cycles pauses while a call is traced, and works for the backend from there on."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from graphmend.runtime.base.gc_pause import collector_at_work, collector_paused

MANY = 50_000  # new objects, as a trace makes them


@pytest.fixture
def collections() -> Iterator[list[int]]:
    """The generations collected while the test runs."""
    found: list[int] = []

    def note(phase: str, details: dict[str, int]) -> None:
        if phase == "start":
            found.append(details["generation"])

    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


def test_the_backend_begins_without_a_collection_of_the_trace(collections: list[int]) -> None:
    with collector_paused():
        trace = [[] for _ in range(MANY)]
        with collector_at_work():
            first = [[] for _ in range(10)]
            assert gc.isenabled() and collections == [] and first is not None
            later = [[] for _ in range(MANY + 1000)]
            assert collections
        del collections[:]
        further = [[] for _ in range(MANY)]
        assert not gc.isenabled() and collections == []
    assert gc.isenabled() and len(trace) + len(later) + len(further) > MANY


@pytest.mark.parametrize("chosen", [None, (0, 10, 10), (1234, 5, 6)])
def test_thresholds_are_those_of_the_program(chosen: tuple[int, int, int] | None) -> None:
    before = gc.get_threshold()
    try:
        with collector_paused(), collector_at_work():
            if chosen is not None:
                gc.set_threshold(*chosen)  # by the backend
        assert gc.get_threshold() == (chosen or before)
        gc.set_threshold(0, 10, 10)  # no collections by count
        with collector_paused(), collector_at_work():
            assert gc.get_threshold()[0] == 0
        assert gc.get_threshold() == (0, 10, 10)
    finally:
        gc.set_threshold(*before)
