"""Canaries of guards: nothing passes with them, and some program passes without each guard that can be told so."""

from __future__ import annotations

from typing import Any

import pytest

from graphmend import guard_canaries
from graphmend.runtime.base import hooks
from graphmend.runtime.driver import features

features.load()
ALONE = [
    "mapping_proxies",
    "generator_close",
    "dead_code_that_raises",
    "rewritten_dictionaries",
    "exception_texts",
    "raised_exceptions",
]
ALONE += ["random_objects", "kept_objects", "metaclass_calls", "generator_ends", "class_tables", "changed_deques"]
ALONE += ["object_containment", "system_errors", "instance_checks", "lists_in_sort", "failing_properties"]
ALONE += ["derived_sets", "current_attribute_tables"]


def test_every_guard_has_a_program() -> None:
    assert guard_canaries.PROGRAMS.keys() == {name for name, one in hooks.features.items() if one.kind == hooks.GUARD}


def test_nothing_passes() -> None:
    assert guard_canaries.passing() == []


@pytest.mark.parametrize("name", ALONE)
def test_a_guard_that_does_nothing_is_seen(monkeypatch: Any, name: str) -> None:
    """What the other guards refuse is refused by another one, too, or breaks in Dynamo."""
    monkeypatch.setattr(guard_canaries, "PROGRAMS", {name: guard_canaries.PROGRAMS[name]})
    monkeypatch.setattr(hooks.features[name], "hooks", [])
    monkeypatch.setattr(hooks.features[name], "scopes", [])
    assert guard_canaries.passing() == [name]
