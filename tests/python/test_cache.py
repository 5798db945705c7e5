"""The cache gives back what was stored for the same file and versions, and survives any damage."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import stat

import pytest

from graphmend import cache


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entry(text: str = "x = 1") -> cache.Entry:
    return cache.Entry(compile(text, "m.py", "exec"), [{"site": "m.py:1:0:GM101"}], [])


def files(folder) -> list:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_round_trip(folder):
    key = cache.Cache.key("m.py", b"x = 1")
    cache.Cache().store(key, entry())
    loaded = cache.Cache().load(key)
    assert loaded is not None
    assert loaded.code == entry().code and loaded.sites == entry().sites and loaded.left == []


def test_key_depends_on_content_and_path():
    keys = {cache.Cache.key(path, data) for path in ("a.py", "b.py") for data in (b"", b"x", b"x\0")}
    assert len(keys) == 6


def test_unmended_files_are_remembered(folder):
    first, keys = cache.Cache(), [cache.Cache.key("m.py", bytes([i])) for i in range(50)]
    for key in keys:
        first.add_unmended(key)
    second = cache.Cache()
    assert all(second.is_unmended(key) for key in keys)
    assert not second.is_unmended(cache.Cache.key("m.py", b"other"))


@pytest.mark.parametrize("cut", [0, 1, 15, 16, 20, -1])
def test_cut_entries_are_not_used(folder, cut):
    key = cache.Cache.key("m.py", b"x = 1")
    cache.Cache().store(key, entry())
    (path,) = files(folder)
    path.write_bytes(path.read_bytes()[:cut])
    assert cache.Cache().load(key) is None


def test_changed_bytes_are_not_used(folder):
    key = cache.Cache.key("m.py", b"x = 1")
    cache.Cache().store(key, entry())
    (path,) = files(folder)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    assert cache.Cache().load(key) is None


def test_cut_list_of_unmended_files(folder):
    keys = [cache.Cache.key("m.py", bytes([i])) for i in range(3)]
    first = cache.Cache()
    for key in keys:
        first.add_unmended(key)
    (path,) = files(folder)
    path.write_bytes(path.read_bytes()[:-5])
    second = cache.Cache()
    assert [second.is_unmended(key) for key in keys] == [True, True, False]
    second.add_unmended(keys[2])
    third = cache.Cache()
    assert all(third.is_unmended(key) for key in keys)


def test_other_versions_are_apart(folder, monkeypatch):
    key = cache.Cache.key("m.py", b"x = 1")
    cache.Cache().store(key, entry())
    monkeypatch.setattr(cache, "torch_version", lambda: "9.9")
    assert cache.Cache().load(key) is None


def test_folder_that_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "file"))
    store, key = cache.Cache(), cache.Cache.key("m.py", b"x")
    store.store(key, entry())
    store.add_unmended(key)
    assert store.load(key) is None and store.is_unmended(key)


def test_folder_that_vanishes(folder):
    store, key = cache.Cache(), cache.Cache.key("m.py", b"x")
    shutil.rmtree(folder)
    store.store(key, entry())
    assert store.load(key) is None


def test_records_that_others_add_meanwhile(folder, monkeypatch):
    """Another program adds a record whenever this one has looked at the file."""
    mine, other, fstat = cache.Cache(), cache.Cache(), os.fstat
    added: list[bytes] = []

    def look(handle: int) -> os.stat_result:
        state = fstat(handle)
        if stat.S_ISREG(state.st_mode):
            monkeypatch.setattr(os, "fstat", fstat)
            added.append(cache.Cache.key("other.py", bytes([len(added)])))
            other.add_unmended(added[-1])
            monkeypatch.setattr(os, "fstat", look)
        return state

    monkeypatch.setattr(os, "fstat", look)
    mine.add_unmended(cache.Cache.key("m.py", b""))
    monkeypatch.setattr(os, "fstat", fstat)
    after = cache.Cache()
    assert added and all(after.is_unmended(key) for key in added)
    assert after.is_unmended(cache.Cache.key("m.py", b""))


PROCESSES, RECORDS, STORED = 4, 250, 30


def numbered(process: int, i: int) -> bytes:
    return cache.Cache.key("m.py", bytes([process, i]))


def write_at_once(process: int, start) -> None:
    """One of the processes: they store the same module, and each remembers files of its own."""
    key, text = cache.Cache.key("m.py", b"x = 1"), "x = 1\n" * 50
    store = cache.Cache()
    start.wait()
    for i in range(RECORDS):
        store.add_unmended(numbered(process, i))
    for _ in range(STORED):
        store.store(key, entry(text))
        loaded = store.load(key)
        assert loaded is not None and loaded.code == compile(text, "m.py", "exec")


def test_processes_that_write_at_once(folder):
    """Neither a torn entry nor a lost one, though nobody waits for another."""
    forks = multiprocessing.get_context("fork")
    start = forks.Barrier(PROCESSES)
    writers = [forks.Process(target=write_at_once, args=(process, start)) for process in range(PROCESSES)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * PROCESSES
    after = cache.Cache()
    assert all(after.is_unmended(numbered(process, i)) for process in range(PROCESSES) for i in range(RECORDS))
    assert sorted(path.name[-4:] for path in files(folder)) == [".bin", "nded"]


def test_nothing_partial_is_left(folder):
    store = cache.Cache()
    for i in range(5):
        store.store(cache.Cache.key("m.py", bytes([i])), entry(f"x = {i}"))
    assert sorted(os.path.splitext(path.name)[1] for path in files(folder)) == [".bin"] * 5


def test_default_folder(monkeypatch):
    monkeypatch.delenv("GRAPHMEND_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache.folder() == os.path.join("/somewhere", "graphmend")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.folder().endswith(os.path.join(".cache", "graphmend"))


def test_sets_of_numbers_keep_their_order(folder):
    key = cache.Cache.key("m.py", b"sets")
    for text, is_kept in (("s = {40, 8, 16}", False), ("s = {1, 2, 3}", True), ("s = {'a', 'b', 'c'}", True)):
        cache.Cache().store(key + text.encode(), entry(text))
        assert (cache.Cache().load(key + text.encode()) is not None) is is_kept
