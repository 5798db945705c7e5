"""A neighbour plants results where `check` keeps its own: nothing of it is told, nothing of the user's is touched."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from neighbours import NOBODY, Ended, needs_root, run, snapshot
from siphash import siphash

BREAKS = "import torch\n\n\n@torch.compile\ndef f(x):\n    print(x)\n    return x\n"
NOTEBOOK = (
    '{"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": '
    '["import torch\\n", "@torch.compile\\n", "def f(x):\\n", "    print(x)\\n", "    return x"]}], '
    '"metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}'
)


class Victim:
    """A user with a folder of code, a cache and files of his own."""

    def __init__(self, executable: str, folder: Path) -> None:
        self.executable, self.code, self.cache, self.own = executable, folder / "code", folder / "cache", folder / "own"
        for each in (self.code, self.own):
            each.mkdir()
        (self.code / "a.py").write_text(BREAKS)
        (self.own / "letter").write_text("dear friend")
        self.honest = self.check("--no-cache")
        assert self.honest.status == 1 and self.honest.err == ""

    def check(self, *options: str) -> Ended:
        command = [self.executable, "check", *options, "."]
        return run(command, self.code, GRAPHMEND_CACHE_DIR=str(self.cache))

    def fill(self) -> Path:
        """Let a run keep its results; the file."""
        assert self.check() == self.honest
        (pack,) = [path for path in self.cache.rglob("*") if path.is_file()]
        return pack

    def plant(self, pack: Path) -> None:
        """Other words and the right hash behind them."""
        data = pack.read_bytes()[:-16].replace(b"ends the graph", b"ends the world")
        pack.write_bytes(data + siphash(data))

    def is_unharmed(self, told: bool = True) -> None:
        before = snapshot(self.own)
        for _ in range(2):
            again = self.check()
            assert (again.status, again.out) == (self.honest.status, self.honest.out)
            assert again.err.count("\n") == told and again.err.startswith("graphmend: results are not kept" * told)
        assert snapshot(self.own) == before


@pytest.fixture
def victim(executable: str, tmp_path: Path) -> Victim:
    return Victim(executable, tmp_path)


def test_what_is_made_is_private(victim: Victim) -> None:
    previous = os.umask(0)
    try:
        pack = victim.fill()
    finally:
        os.umask(previous)
    for path in (victim.cache, *victim.cache.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path
    assert pack.stat().st_nlink == 1


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775, 0o722])
def test_a_folder_that_others_can_write(victim: Victim, mode: int) -> None:
    victim.plant(victim.fill())
    victim.cache.chmod(mode)
    victim.is_unharmed()


def test_a_folder_that_others_can_read_has_a_private_one_in_it(victim: Victim) -> None:
    victim.cache.mkdir(mode=0o755)
    pack = victim.fill()
    assert pack.parent.parent == victim.cache / "private"
    assert pack.parent.parent.stat().st_mode & 0o777 == 0o700
    victim.plant(pack)
    pack.parent.parent.chmod(0o755)
    victim.is_unharmed()


def test_a_new_folder_in_a_shared_one_is_private(victim: Victim, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    victim.cache = shared / "mine"
    victim.fill()
    victim.is_unharmed(told=False)


@needs_root
@pytest.mark.parametrize("which", ["cache", "inner", "file"])
def test_what_belongs_to_another(victim: Victim, which: str) -> None:
    pack = victim.fill()
    victim.plant(pack)
    os.chown({"cache": victim.cache, "inner": pack.parent, "file": pack}[which], NOBODY, NOBODY)
    victim.is_unharmed()


@pytest.mark.parametrize("which", ["cache", "inner", "file"])
def test_links_are_not_followed(victim: Victim, which: str) -> None:
    pack = victim.fill()
    victim.plant(pack)
    place = {"cache": victim.cache, "inner": pack.parent, "file": pack}[which]
    place.rename(victim.own / "there")
    place.symlink_to(victim.own / "there")
    victim.is_unharmed()


@needs_root
def test_another_users_link_on_the_way(victim: Victim, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(victim.own)
    victim.cache = tmp_path / "way" / "cache"
    os.lchown(tmp_path / "way", NOBODY, NOBODY)
    victim.is_unharmed()
    assert not (victim.own / "cache").exists()


def test_the_users_own_link_on_the_way_is_followed(victim: Victim, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to("own")
    victim.cache = tmp_path / "way" / "cache"
    assert victim.check() == victim.honest
    assert len(list((victim.own / "cache" / "check").iterdir())) == 1


def test_links_in_a_ring(victim: Victim, tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    victim.cache = tmp_path / "one" / "cache"
    victim.is_unharmed()


def test_what_is_no_file(victim: Victim) -> None:
    """A pipe keeps nobody waiting, and what is large takes no memory."""
    pack = victim.fill()
    pack.unlink()
    os.mkfifo(pack, 0o600)
    victim.is_unharmed()
    pack.unlink()
    pack.mkdir()
    victim.is_unharmed()
    pack.rmdir()
    with open(os.open(pack, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as stream:
        stream.truncate(8 << 30)
    victim.is_unharmed()
    pack.unlink()
    os.link(victim.own / "letter", pack)
    victim.is_unharmed()


def test_formats_share_what_is_kept(victim: Victim) -> None:
    """Findings are kept as data: each format shows them as if they had just been found, also in notebooks."""
    (victim.code / "b.ipynb").write_text(NOTEBOOK)
    (victim.code / "c.ipynb").write_text("no notebook")
    (victim.code / "d.py").write_text("x = (\n")
    (victim.code / "e.py").write_bytes(b"# coding: latin-1\n" + BREAKS.replace("x", "\xe4").encode("latin-1"))
    victim.honest = victim.check("--no-cache")
    pack = victim.fill()
    state = pack.stat().st_mtime_ns
    for name in ("full", "concise", "json", "json-lines", "github", "gitlab", "sarif", "junit"):
        for more in ((), ("--color", "always"), ("--statistics",)):
            options = ("--output-format", name, *more)
            assert victim.check(*options) == victim.check("--no-cache", *options)
    assert pack.stat().st_mtime_ns == state


def test_damage_is_no_harm(victim: Victim) -> None:
    """Bytes that have changed, with the right hash: the program ends well, and no control character comes out."""
    pack = victim.fill()
    whole = pack.read_bytes()[:-16]
    dice = random.Random(3)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(dice.randrange(1, 4)):
            data[dice.randrange(8, len(data))] = dice.choice((0, 1, 27, 0x7F, 0x9B, 0xFF, dice.randrange(256)))
        pack.write_bytes(bytes(data) + siphash(bytes(data)))
        again = victim.check("--output-format", "concise")
        assert again.status in (0, 1) and again.err == ""
        assert all(character.isprintable() or character == "\n" for character in again.out)


@needs_root
def test_two_users_and_one_folder(executable: str, tmp_path: Path) -> None:
    """A sticky folder that all may write, as /tmp: who comes first keeps his results, the other has none."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    for folder in (tmp_path, *tmp_path.parents):
        if folder != Path("/tmp") and str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    program = tmp_path / "graphmend"
    subprocess.run(["cp", executable, program], check=True)
    (shared / "a.py").write_text(BREAKS)
    command, settings = [str(program), "check", "a.py"], {"GRAPHMEND_CACHE_DIR": str(shared / "cache")}
    first = run(command, shared, user=NOBODY, **settings)
    pack = next(path for path in (shared / "cache").rglob("*") if path.is_file())
    data = pack.read_bytes()[:-16].replace(b"ends the graph", b"ends the world")
    pack.write_bytes(data + siphash(data))
    second = run(command, shared, **settings)
    assert first.err == "" and second.out == first.out and "belongs to another user" in second.err
    assert sys.platform != "linux" or pack.stat().st_uid == NOBODY
