"""tools/check_state.py: no module of the runtime writes to the state of another module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[1] / "tools/check_state.py"
OWNER = """
from ..base import hooks
from ..base.owned_state import OwnedState


class Draws:
    count: int = 0
    sites: dict

    def add(self, site):
        self.sites[site] = None


DRAWS = hooks.Feature(__name__, hooks.GAIN, "draws", state=Draws)
OLDER = OwnedState(__name__, Draws)


def draws_of(trace) -> Draws:
    return DRAWS.of(trace)


def note(trace):
    DRAWS.of(trace).count += 1
    draws_of(trace).sites["a"] = None
"""
READER = """
from . import draws
from .draws import DRAWS, Draws, draws_of, note


def read(trace, given: Draws):
    note(trace)
    known = draws.DRAWS.of(trace)
    total = known.count + given.count + len(draws_of(trace).sites)
    sites = dict(known.sites)
    sites["b"] = total
    known.add("c")
    return {site: count.of(trace) for site, count in sites.items()}


class Own:
    def __init__(self):
        self.count = 0
"""


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """Two modules: one with a state, and one that reads it."""
    (tmp_path / "draws.py").write_text(OWNER)
    (tmp_path / "reader.py").write_text(READER)
    return tmp_path


def check(runtime: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, str(TOOL), str(runtime)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_reading_and_the_owners_writes_are_no_faults(runtime: Path) -> None:
    assert check(runtime) == (0, f"state: every module of {runtime} writes to its own\n")


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("draws.DRAWS.of(trace).count = 1", "draws.DRAWS.of(trace).count"),
        ("DRAWS.of(trace).count += 1", "DRAWS.of(trace).count"),
        ("draws.OLDER.of(trace).count = 1", "draws.OLDER.of(trace).count"),
        ("draws_of(trace).sites['a'] = 1", "draws_of(trace).sites['a']"),
        ("given.count: int = 1", "given.count"),
        ("del given.count", "given.count"),
        ("setattr(given, 'count', 1)", "given.*"),
        ("given.sites.update(a=1)", "given.sites"),
        ("known = DRAWS.of(trace); known.sites.pop('a')", "known.sites"),
        ("known, other = draws.draws_of(trace), 1; known.count = 1", "known.count"),
        ("(lambda: given.sites.clear())()", "given.sites"),
        ("[item.append(1) for item in given.sites]", "item"),
        ("trace.notes['draws'] = 1", "trace.notes['draws']"),
        ("trace.notes.clear()", "trace.notes"),
    ],
)
def test_a_write_to_the_state_of_another_module(runtime: Path, statement: str, place: str) -> None:
    with (runtime / "reader.py").open("a") as file:
        file.write(f"\n\ndef write(trace, given: 'Draws'):\n    {statement}\n")
    line = (runtime / "reader.py").read_text().count("\n")
    told = f"`{place}` is a state of another module; call a function or method of its owner"
    assert check(runtime) == (1, f"{runtime / 'reader.py'}:{line}: {told}\n")
