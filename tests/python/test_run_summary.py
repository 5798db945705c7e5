"""What the summary says about places that still break."""

from __future__ import annotations

from typing import Any, Optional

import pytest

from graphmend import core, run_summary


def report(*reasons: Optional[str]) -> dict[str, Any]:
    callables = [
        {"name": f"f{number}", "file": "model.py", "line": number, "mode": "partial", "reason": reason}
        for number, reason in enumerate(reasons, 1)
    ]
    return {"known_sites": 0, "sites": {}, "callables": callables}


def see(*reasons: Optional[str]) -> list[str]:
    return [line for line in run_summary.format_report(report(*reasons)) if line.startswith("  see ")]


def test_a_kind_of_break_is_told_with_its_page() -> None:
    lines = run_summary.format_report(report("Unsupported context manager"))
    assert lines[1:] == [
        "  breaks   f1 (model.py:1): Unsupported context manager",
        "  see      graphmend rule GB0142",
    ]
    assert core.rule_page("GB0142").startswith("# GB0142 Unsupported context manager\n")


def test_each_page_is_told_once() -> None:
    reasons = ["Data-dependent branching", "Unsupported context manager", "Data-dependent branching"]
    assert see(*reasons) == ["  see      graphmend rule GB0170", "  see      graphmend rule GB0142"]


@pytest.mark.parametrize("reason", [None, "", "frame skipped", "u0 is not known", "\udcff", "GB"])
def test_what_is_no_kind_of_break_has_no_page(reason: Optional[str]) -> None:
    assert len(run_summary.format_report(report(reason))) == 2
    assert see(reason) == []


def test_only_what_is_shown_is_explained() -> None:
    reasons = ["frame skipped"] * run_summary.LIMIT + ["Unsupported context manager"]
    assert see(*reasons) == []


def test_a_callable_may_break_in_some_calls() -> None:
    found = report("Unsupported context manager", None)
    for item in found["callables"]:
        item["mode"] = "whole"
    assert run_summary.format_report(found)[:2] == [
        "graphmend: 0 places mended, 1 compiled callable still breaks",
        "  breaks   f1 (model.py:1): some calls: Unsupported context manager",
    ]


def test_places_of_graphmend_itself_are_not_told() -> None:
    from graphmend.runtime.base import trace_state

    trace_state.registry.reset()
    trace_state.registry.mended([f"{run_summary.OWN_FOLDER}runtime/polyfill.py:1:1:GM105", "/model.py:1:1:GM105"])
    found = run_summary.own_report()
    trace_state.registry.reset()
    assert found is not None
    assert list(found["sites"]) == ["/model.py:1:1:GM105"]
