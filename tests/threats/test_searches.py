"""A search stays inside its folder, names of files are no options, and what else a file has stays with it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from neighbours import NOBODY, needs_root
from neighbours import run as run_as_user
from threat_limits import run

FINDING = (
    "import torch\n\n\n@torch.compile\ndef f(x):\n"
    "    if x.sum() > 0:\n        y = x + 1\n    else:\n        y = x - 1\n    return y\n"
)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A repository, and a file beside it."""
    (tmp_path / "repository").mkdir()
    (tmp_path / "outside.py").write_text(FINDING)
    return tmp_path / "repository", tmp_path / "outside.py"


@pytest.mark.parametrize("command", [["check"], ["fix", "--unsafe"], ["check", "--write-baseline", "b.json"]])
def test_links_out_of_the_folder(executable: str, folders: tuple[Path, Path], command: list[str]) -> None:
    """They are not looked at, and nothing is written through them."""
    repository, outside = folders
    (repository / "inner.py").write_text("x = 1\n")
    (repository / "link.py").symlink_to(outside)
    (repository / "further.py").symlink_to("link.py")
    ran = run([executable, *command, "."], folder=repository)
    assert "link.py" not in ran.stdout + ran.stderr
    assert "further.py" not in ran.stdout + ran.stderr
    assert outside.read_text() == FINDING


def test_a_link_that_is_named(executable: str, folders: tuple[Path, Path]) -> None:
    """It is what the person means."""
    repository, outside = folders
    (repository / "link.py").symlink_to(outside)
    assert run([executable, "fix", "--unsafe", "link.py"], folder=repository).returncode in (0, 1)
    assert outside.read_text() != FINDING
    assert (repository / "link.py").is_symlink()


def test_names_that_look_like_options(executable: str, tmp_path: Path) -> None:
    """Behind `--`, as the hooks call it."""
    for name in ("--exit-zero.py", "--write-baseline=conftest.py"):
        (tmp_path / name).write_text(FINDING)
    ran = run([executable, "check", "--all", "--", "--exit-zero.py", "--write-baseline=conftest.py"], folder=tmp_path)
    assert "--exit-zero.py:6" in ran.stdout
    assert "--write-baseline=conftest.py:6" in ran.stdout
    assert not (tmp_path / "conftest.py").exists()


def test_hooks_end_their_options() -> None:
    """The names of files come last."""
    hooks = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text()
    assert hooks.count('args: ["--"]') == hooks.count("- id:")


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="the system has no attributes")
def test_fix_keeps_attributes(executable: str, tmp_path: Path) -> None:
    """Mode, attributes of users, access lists."""
    path = tmp_path / "a.py"
    path.write_text(FINDING)
    path.chmod(0o640)
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        pytest.skip("the file system has no attributes")
    listed = shutil.which("setfacl") is not None
    if listed:
        subprocess.run(["setfacl", "-m", "u:1:r", str(path)], check=True)
        subprocess.run(["setfacl", "-d", "-m", "u:2:rwx", str(tmp_path)], check=True)
    before = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    mode = stat.S_IMODE(path.stat().st_mode)
    assert run([executable, "fix", "--unsafe", "a.py"], folder=tmp_path).returncode in (0, 1)
    assert path.read_text() != FINDING
    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == before
    assert stat.S_IMODE(path.stat().st_mode) == mode


@needs_root
def test_fix_keeps_the_whole_mode(executable: str, tmp_path: Path) -> None:
    """Writing takes the bits away by which a file runs as its owner or group: the mode comes last."""
    path = tmp_path / "a.py"
    path.write_text(FINDING)
    for one in (tmp_path, path):
        os.chown(one, NOBODY, NOBODY)
    path.chmod(0o6755)
    program = shutil.copy(executable, tmp_path / "graphmend")  # where that user may run it
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o755)
    assert run_as_user([str(program), "fix", "--unsafe", "a.py"], tmp_path, user=NOBODY).status in (0, 1)
    assert path.read_text() != FINDING and stat.S_IMODE(path.stat().st_mode) == 0o6755


def test_a_file_that_is_too_large(executable: str, tmp_path: Path) -> None:
    """300 MB of zeros are not read, which is told and is no error; the rest is checked."""
    with open(tmp_path / "zeros.py", "wb") as stream:
        stream.truncate(300 << 20)
    (tmp_path / "a.py").write_text("x = 1\n")
    ran = run([executable, "check", "."], folder=tmp_path)
    assert ran.returncode == 0
    assert "zeros.py" in ran.stderr and "too large, not analysed" in ran.stderr
