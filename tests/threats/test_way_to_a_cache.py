"""The short way to a folder that is opened often: taken where nobody else can exchange what is on it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from neighbours import NOBODY, needs_root

from graphmend import private


def folders(often: private.Often) -> int:
    """How many descriptors there are while it is open and behind it."""
    before = len(os.listdir("/dev/fd"))
    with often.opened() as within:
        assert len(os.listdir("/dev/fd")) == before + 1
        private.replace(within, "a", b"a")
    return len(os.listdir("/dev/fd")) - before


def test_no_descriptor_is_kept(tmp_path: Path) -> None:
    assert folders(private.Often(str(tmp_path / "cache"), "inner")) == 0


def test_a_way_that_others_can_change_is_walked_each_time(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    often = private.Often(str(shared / "cache"), "inner")
    (shared / "cache").rename(shared / "away")
    (tmp_path / "own" / "inner").mkdir(parents=True)
    (shared / "cache").symlink_to(tmp_path / "own")
    with pytest.raises(private.Refused), often.opened():
        pass


def test_a_folder_that_is_opened_to_others_later(tmp_path: Path) -> None:
    often = private.Often(str(tmp_path / "cache"), "inner")
    (tmp_path / "cache" / "inner").chmod(0o777)
    with pytest.raises(private.Refused), often.opened():
        pass


@needs_root
def test_a_folder_that_is_given_away_later(tmp_path: Path) -> None:
    often = private.Often(str(tmp_path / "cache"), "inner")
    os.chown(tmp_path / "cache" / "inner", NOBODY, NOBODY)
    with pytest.raises(private.Refused), often.opened():
        pass


def test_a_program_that_changes_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    often = private.Often("cache")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert folders(often) == 0 and (tmp_path / "cache" / "a").exists()
