"""What is counted, on programs where the usual counters lie."""

from __future__ import annotations

import json

import pytest
from verifying import Verified


@pytest.mark.verifies("counted")
def test_breaks_that_other_counters_do_not_see(verified: Verified) -> None:
    naive = json.loads((verified.folder / "naive.json").read_text(encoding="utf-8"))
    names = ("loop", "handler", "printed", "logged")
    ours = [verified.callable(name)["plain"]["breaks"] for name in names]
    assert ours == [1, 1, 1, 1]
    assert naive["explained"] != ours  # otherwise this program shows nothing
    plain = {name: verified.callable(name)["plain"] for name in names}
    assert [plain[name]["graphs"] for name in names] == [0, 0, 2, 2]
    assert [plain[name]["skipped_frames"] for name in names] == [1, 1, 0, 0]


@pytest.mark.verifies("counted")
def test_recompilation_in_every_call(verified: Verified) -> None:
    growing = verified.callable("growing")["plain"]
    assert growing["breaks"] == 0 and growing["fullgraph"]["whole"]
    assert growing["recompiles"] == 3 and growing["graphs"] == 4 and growing["steady"] is None


@pytest.mark.verifies("counted")
def test_fullgraph_is_another_mode(verified: Verified) -> None:
    straight = verified.callable("straight")["plain"]
    assert straight["breaks"] == 1 and straight["fullgraph"]["whole"]
    assert not verified.callable("printed")["plain"]["fullgraph"]["whole"]


@pytest.mark.verifies("counted")
def test_a_clean_callable_stays_clean(verified: Verified) -> None:
    for side in ("plain", "mended"):
        clean = verified.callable("clean")[side]
        assert (clean["breaks"], clean["graphs"], clean["recompiles"], clean["skipped_frames"]) == (0, 1, 0, 0)
    assert verified.callable("clean")["plain"]["operations"] == 2


@pytest.mark.verifies("counted")
def test_the_mended_program_breaks_nowhere(verified: Verified) -> None:
    assert verified.data["totals"]["mended"]["breaks"] == 0, verified.out
    assert verified.data["totals"]["mended"]["skipped_frames"] == 0
    for name in ("loop", "handler", "printed", "logged"):
        assert verified.callable(name)["mended"]["graphs"] == 1


@pytest.mark.verifies("counted")
def test_sites(verified: Verified) -> None:
    sites = {(site["source"] or "").strip(): site for site in verified.data["sites"]}
    for text in ('print("loop", number)', 'print("handler")', 'print("printed")', 'log.warning("logged")'):
        site = sites[text]
        assert site["predicted"] and site["mended"] and site["why_not"] is None
        assert site["observed"]["plain"]["breaks"] == 1 and site["observed"]["mended"]["breaks"] == 0


@pytest.mark.verifies("counted")
def test_the_timeline_tells_graphs_and_breaks_in_order(verified: Verified) -> None:
    entries = verified.callable("printed")["plain"]["timeline"]
    assert [entry["kind"] for entry in entries] == ["break", "graph", "graph"]
    site = verified.data["sites"][entries[0]["site"]]
    assert site["line"] == entries[0]["line"] and site["source"].strip() == 'print("printed")'
    assert entries[1]["lines"][0]["last"] < entries[2]["lines"][0]["first"]
