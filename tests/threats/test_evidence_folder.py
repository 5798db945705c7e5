"""Evidence is read and written by name: only where nobody else can come between."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from neighbours import NOBODY, needs_root

from graphmend import cache, private


def test_a_folder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "cache"))
    assert cache.folder() == str(tmp_path / "cache")
    (tmp_path / "cache").mkdir(mode=0o755)
    assert cache.folder() == str(tmp_path / "cache")


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o720])
def test_a_shared_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(mode)
    with pytest.raises(private.Refused):
        cache.folder()


def test_a_folder_in_one_where_others_can_exchange_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "shared" / "cache"))
    (tmp_path / "shared" / "cache").mkdir(parents=True, mode=0o700)
    (tmp_path / "shared").chmod(0o1777)
    assert cache.folder() == str(tmp_path / "shared" / "cache")
    (tmp_path / "shared").chmod(0o777)
    with pytest.raises(private.Refused):
        cache.folder()


@needs_root
def test_a_folder_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    os.chown(tmp_path / "cache", NOBODY, NOBODY)
    with pytest.raises(private.Refused):
        cache.folder()


def test_files_beside_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is read; a pipe, a link and what is too old or too large are not."""
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "cache"))
    assert cache.read("a.json") is None
    cache.write("a.json", b"{}")
    assert cache.read("a.json") == b"{}"
    (path,) = tmp_path.rglob("a.json")
    assert cache.read("a.json", age=path.stat().st_mtime + 1) is None
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert cache.read("a.json") is None
    path.unlink()
    os.mkfifo(path)
    assert cache.read("a.json") is None
    path.unlink()
    with open(path, "wb") as stream:
        stream.truncate(cache.MOST_OTHER + 1)
    assert cache.read("a.json") is None
