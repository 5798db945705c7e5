"""`fix` that is killed or let down by the system: every file is the old one or the new one, and there is no other file.

`GRAPHMEND_KILLS=1000` kills that many times; `make crashes` does.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

KILLS = int(os.environ.get("GRAPHMEND_KILLS", "30"))
HEAD = "import torch\n\n\n"
BEFORE = (
    "@torch.compile\ndef f{0}(x: torch.Tensor):\n    if x.mean() > 0:\n        y = x * 2\n"
    "    else:\n        y = x * 3\n    return y\n"
)
AFTER = "@torch.compile\ndef f{0}(x: torch.Tensor):\n    y = torch.where(x.mean() > 0, x * 2, x * 3)\n    return y\n"


def notebook(text: str) -> str:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": text.splitlines(keepends=True)}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


@dataclasses.dataclass
class Tree:
    """A folder whose files `fix` changes."""

    folder: Path
    old: dict[str, bytes]
    new: dict[str, bytes]

    def restore(self) -> None:
        for name, data in self.old.items():
            path = self.folder / name
            if not path.exists() or path.read_bytes() != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                path.chmod(0o640)

    def changed(self) -> set[str]:
        """The files that are new. Everything else must be as it was."""
        found = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if not path.is_dir()}
        assert found == set(self.old)
        new = set()
        for name in found:
            path = self.folder / name
            data = path.read_bytes()
            assert data in (self.old[name], self.new[name]), name
            assert path.stat().st_mode & 0o7777 == 0o640
            if data == self.new[name]:
                new.add(name)
        return new


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    old: dict[str, bytes] = {}
    new: dict[str, bytes] = {}
    for number in range(12):
        name = f"{'sub/' * (number % 3)}m{number}.py"
        old[name], new[name] = ((HEAD + text.format(number) * (number + 1)).encode() for text in (BEFORE, AFTER))
        if number % 4 == 0:
            name = f"n{number}.ipynb"
            old[name], new[name] = (notebook(HEAD + text.format(number)).encode() for text in (BEFORE, AFTER))
    made = Tree(tmp_path / "tree", old, new)
    made.folder.mkdir()
    made.restore()
    return made


def test_undisturbed(executable: str, tree: Tree) -> None:
    done = subprocess.run([executable, "fix", "."], cwd=tree.folder, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"") and tree.changed() == set(tree.new)


def test_killed(executable: str, tree: Tree) -> None:
    """At a random moment, the process alone or with its group. Its pipes close when nothing of it is left."""
    started = time.perf_counter()
    subprocess.run([executable, "fix", "."], cwd=tree.folder, capture_output=True, timeout=60, check=True)
    usual = time.perf_counter() - started
    dice = random.Random(KILLS)
    counts = []
    for number in range(KILLS):
        tree.restore()
        command = [executable, "fix", "--threads", str(dice.choice((1, 2, 4))), "."]
        process = subprocess.Popen(
            command, cwd=tree.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        time.sleep(dice.uniform(0, usual))
        if number % 2:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.communicate(timeout=60)
        counts.append(len(tree.changed()))
    if KILLS >= 1000:
        assert {0, len(tree.new)} < set(counts), "the moments of the kills should differ"


def faulty(executable: str) -> str:
    path = Path(executable).with_name("gm-faulty")
    if not path.exists():
        pytest.skip("the test programs are not built, `make test` builds them")
    return str(path)


FAULTS = [
    ("read", errno.EIO),
    ("read", errno.EINTR),
    ("read", "short"),
    ("write", errno.ENOSPC),
    ("write", errno.EINTR),
    ("write", "short"),
    ("fsync", errno.EIO),
    ("rename", errno.EACCES),
    ("linkat", errno.EPERM),
    ("open", errno.EMFILE),
    ("open", errno.EOPNOTSUPP),
    ("close", errno.EIO),
    ("fstat", errno.EIO),
    ("fchmod", errno.EPERM),
]


@pytest.mark.parametrize(("call", "number"), FAULTS)
def test_every_call_fails_once(executable: str, tree: Tree, tmp_path: Path, call: str, number: object) -> None:
    """The n-th call fails, for all n: what is reported as fixed is fixed, and nothing else."""
    for name in sorted(tree.old)[4:]:
        (tree.folder / name).unlink()
        del tree.old[name], tree.new[name]
    fired = tmp_path / "fired"
    program = faulty(executable)
    for index in range(1, 1000):
        tree.restore()
        fired.unlink(missing_ok=True)
        environment = {**os.environ, "GM_FAULT": f"{call}:{index}:{number}", "GM_FAULT_FIRED": str(fired)}
        command = [program, "fix", "--threads", "1", "."]
        done = subprocess.run(command, cwd=tree.folder, env=environment, capture_output=True, text=True, timeout=60)
        told = {line.split(":")[0] for line in done.stdout.splitlines() if " fixed: " in line}
        assert done.returncode in (0, 2), done
        assert tree.changed() == told, (call, index, done)
        assert (done.returncode == 0) == (told == set(tree.new)) or done.stderr, (call, index, done)
        if number in (errno.EINTR, "short"):
            assert done.returncode == 0, (call, index, done)
        if not fired.exists():
            break
    assert index > 1 and done.returncode == 0 and not fired.exists()
