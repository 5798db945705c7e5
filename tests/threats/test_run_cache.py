"""A neighbour plants code where `graphmend run` keeps its own: it is not run, and nothing of the user's is touched."""

from __future__ import annotations

import hashlib
import json
import marshal
import os
import sys
from pathlib import Path

import pytest
from neighbours import NOBODY, Ended, needs_root, run, snapshot

PROGRAM = """
import sys
import other
if len(sys.argv) > 9:
    import torch

    @torch.compile
    def f(x):
        print(x)
        return x * 2
print("honest")
"""


def planted() -> bytes:
    """What the cache would keep for a program of the neighbour's."""
    payload = marshal.dumps((compile('print("planted")', "program.py", "exec"), json.dumps([[], []])))
    return hashlib.blake2b(payload, digest_size=16).digest() + payload


class Victim:
    """A user who runs a program, with a cache and files of his own."""

    def __init__(self, folder: Path) -> None:
        self.code, self.cache, self.own = folder / "code", folder / "cache", folder / "own"
        for each in (self.code, self.own):
            each.mkdir()
        (self.code / "program.py").write_text(PROGRAM)
        (self.code / "other.py").write_text("import sys\n")
        (self.own / "letter").write_text("dear friend")

    def run(self) -> Ended:
        command = [sys.executable, "-m", "graphmend", "run", "program.py"]
        return run(command, self.code, GRAPHMEND_CACHE_DIR=str(self.cache))

    def fill(self) -> tuple[Path, Path]:
        """Let a run keep what it can: the code of the program, and the list of what has no mend."""
        assert self.run() == Ended(0, "honest\n", "")
        (code,) = self.cache.rglob("*.bin")
        (unmended,) = self.cache.rglob("unmended")
        code.write_bytes(planted())
        return code, unmended

    def is_unharmed(self, told: bool = True) -> None:
        before = snapshot(self.own)
        for _ in range(2):
            ended = self.run()
            assert (ended.status, ended.out) == (0, "honest\n")
            assert ended.err.count("\n") == told and ended.err.startswith("graphmend: nothing is kept" * told)
        assert snapshot(self.own) == before


@pytest.fixture
def victim(tmp_path: Path) -> Victim:
    return Victim(tmp_path)


def test_what_is_kept_is_run(victim: Victim) -> None:
    """So the other tests can fail."""
    victim.fill()
    assert victim.run().out == "planted\n"


def test_what_is_made_is_private(victim: Victim) -> None:
    previous = os.umask(0)
    try:
        victim.fill()
    finally:
        os.umask(previous)
    assert all(path.stat().st_mode & 0o077 == 0 for path in (victim.cache, *victim.cache.rglob("*")))


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775])
def test_a_folder_that_others_can_write(victim: Victim, mode: int) -> None:
    victim.fill()
    victim.cache.chmod(mode)
    victim.is_unharmed()


def test_inner_folders_that_others_can_write(victim: Victim) -> None:
    code, _ = victim.fill()
    code.parent.chmod(0o777)
    victim.is_unharmed()


def test_a_folder_that_others_can_read(victim: Victim) -> None:
    victim.cache.mkdir(mode=0o755)
    code, _ = victim.fill()
    assert code.parent.parent == victim.cache / "private"
    code.parent.parent.chmod(0o711)
    victim.is_unharmed()


@needs_root
@pytest.mark.parametrize("which", ["cache", "inner", "code", "unmended"])
def test_what_belongs_to_another(victim: Victim, which: str) -> None:
    code, unmended = victim.fill()
    os.chown({"cache": victim.cache, "inner": code.parent, "code": code, "unmended": unmended}[which], NOBODY, NOBODY)
    victim.is_unharmed()


@pytest.mark.parametrize("which", ["cache", "inner", "code", "unmended"])
def test_links_are_not_followed(victim: Victim, which: str) -> None:
    code, unmended = victim.fill()
    place = {"cache": victim.cache, "inner": code.parent, "code": code, "unmended": unmended}[which]
    place.rename(victim.own / "there")
    place.symlink_to(victim.own / "there")
    victim.is_unharmed()


def test_a_file_of_the_user_is_not_appended_to(victim: Victim) -> None:
    _, unmended = victim.fill()
    for plant in (unmended.symlink_to, lambda target: os.link(target, unmended)):
        unmended.unlink()
        plant(victim.own / "letter")
        victim.is_unharmed()


@pytest.mark.parametrize("which", ["code", "unmended"])
def test_what_is_no_file(victim: Victim, which: str) -> None:
    """A pipe keeps nobody waiting, and what is large takes no memory."""
    code, unmended = victim.fill()
    path = code if which == "code" else unmended
    path.unlink()
    os.mkfifo(path, 0o600)
    victim.is_unharmed()
    path.unlink()
    path.mkdir()
    victim.is_unharmed()
    path.rmdir()
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as stream:
        stream.truncate(8 << 30)
    victim.is_unharmed()


def test_damage_is_no_harm(victim: Victim) -> None:
    code, unmended = victim.fill()
    for data in (b"", b"short", planted()[:-4], planted()[:-4] + b"\0" * 4):
        code.write_bytes(data)
        unmended.write_bytes(data)
        victim.is_unharmed(told=False)
