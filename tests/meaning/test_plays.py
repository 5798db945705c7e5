"""The client of endpoints in plays: whatever a server does, a call ends by its deadline, with the text that the server
finished or with an error that says what happened."""

from __future__ import annotations

import collections
from typing import Any

import pytest

pytest.importorskip("h11")

from plays import PLAYS  # noqa: E402
from plays.performance import Graphmend, settled  # noqa: E402

CASES = [(play, form) for play in PLAYS for form in play.forms]


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(("play", "form"), CASES, ids=[f"{play}, {form}" for play, form in CASES])
def test_a_play(play: Any, form: str) -> None:
    assert settled(Graphmend(), play, form) is None


def test_plays_have_names_of_their_own_and_every_class() -> None:
    counts = collections.Counter((str(play), form) for play, form in CASES)
    assert [name for name, count in counts.items() if count > 1] == []
    assert len(PLAYS) >= 200 and len({play.group for play in PLAYS}) >= 7
