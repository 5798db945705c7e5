"""Settings, lists and links of a repository that is only checked ask for no more work than its files are long."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from threat_limits import run

MEGABYTE = 1 << 20


def write_lines(path: Path, megabytes: int) -> None:
    path.write_text("x = 1  # aaaaaaa\n" * (megabytes * MEGABYTE // 17 + 1))


def test_settings_do_not_raise_the_limit(executable: str, tmp_path: Path) -> None:
    """They may lower it; the person who checks may raise it."""
    (tmp_path / "pyproject.toml").write_text("[tool.graphmend]\nmax-file-size = 4095\n")
    write_lines(tmp_path / "a.py", 17)
    ran = run([executable, "check", "--no-cache", "."], folder=tmp_path)
    assert "`a.py`: is too large, not analysed: `--max-file-size`" in ran.stderr and ran.returncode == 0
    ran = run([executable, "check", "--no-cache", "--max-file-size", "18", "."], folder=tmp_path)
    assert (ran.stdout, ran.stderr) == ("no findings in 1 file\n", "")
    (tmp_path / "pyproject.toml").write_text("[tool.graphmend]\nmax-file-size = 1\n")
    write_lines(tmp_path / "a.py", 2)
    assert "is too large" in run([executable, "check", "--no-cache", "."], folder=tmp_path).stderr


@pytest.mark.parametrize("number", ["0", "4096", "-1", "x", "1x", ""])
def test_a_limit_that_is_none(executable: str, tmp_path: Path, number: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    ran = run([executable, "check", "--max-file-size", number, "."], folder=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr == "graphmend: `--max-file-size` takes a number of megabytes from 1 to 4095\n"


@pytest.mark.parametrize("command", [["check"], ["check", "--fix"], ["check", "--diff"]])
def test_standard_input_has_the_limit(executable: str, tmp_path: Path, command: list[str]) -> None:
    text = "x = 1\n" * (3 * MEGABYTE)
    ran = run([executable, *command, "-"], text, folder=tmp_path)
    assert "is too large, not analysed" in ran.stderr and ran.stdout in ("", "no findings in 0 files\n")


@pytest.mark.parametrize("name", ["pyproject.toml", ".gitignore"])
def test_what_says_where_to_look_is_small(executable: str, tmp_path: Path, name: str) -> None:
    """Without it the search would be another one, so there is none."""
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / name).write_text("# aaaaaaaaaaaa\n" * 1200000)
    ran = run([executable, "check", "."], folder=tmp_path)
    assert ran.returncode == 2 and f"{name}`: is too large, it may have 16 MB" in ran.stderr and ran.stdout == ""


def test_a_list_that_is_a_link_is_none(executable: str, tmp_path: Path) -> None:
    """As for git: one long list would be read again in each of many folders."""
    (tmp_path / "list").write_text("a.py\n")
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / ".gitignore").symlink_to("list")
    assert run([executable, "check", "."], folder=tmp_path).stdout == "no findings in 1 file\n"


def test_settings_by_many_links(executable: str, tmp_path: Path) -> None:
    (tmp_path / "long").write_text("# aaaaaaaaaaaa\n" * 70000)
    for i in range(70):
        (tmp_path / f"d{i}").mkdir()
        (tmp_path / f"d{i}" / "pyproject.toml").symlink_to("../long")
    (tmp_path / "a.py").write_text("x = 1\n")
    ran = run([executable, "check", "."], folder=tmp_path)
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and "may have 64 MB" in ran.stderr


def test_links_to_one_file(executable: str, tmp_path: Path) -> None:
    """A file is looked at by its own name and by one link."""
    write_lines(tmp_path / "a.py", 2)
    for i in range(2000):
        (tmp_path / f"link{i}.py").symlink_to("a.py")
    assert run([executable, "check", "--no-cache", "."], folder=tmp_path).stdout == "no findings in 2 files\n"


def test_many_folders_that_are_named(executable: str, tmp_path: Path) -> None:
    """A hook names files: the settings of each folder are found at once."""
    names = []
    for i in range(4000):
        (tmp_path / f"d{i}").mkdir()
        names.append(f"d{i}/a.py")
        (tmp_path / names[-1]).write_text("x = 1\n")
    (tmp_path / "d7" / "pyproject.toml").write_text('[tool.graphmend]\nexclude = ["a.py"]\n')
    ran = run([executable, "check", "--no-cache", "--force-exclude", *names], folder=tmp_path)
    assert ran.stdout == "no findings in 3999 files\n"


def test_names_that_are_no_text(executable: str, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff\xfe"
    os.mkdir(folder)
    with open(folder + b"/\x80.py", "wb") as file:
        file.write(b"x = = 1\n")
    for form in ("full", "json", "sarif", "junit", "gitlab", "github"):
        ran = run([executable, "check", "--no-cache", "--output-format", form, "."], folder=tmp_path)
        assert ran.returncode == 1 and ran.stdout


def test_deep_folders(executable: str, tmp_path: Path) -> None:
    """As deep as names of the system are long: what lies deeper is told."""
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        for _ in range(2500):
            os.mkdir("dd", dir_fd=here)
            inner = os.open("dd", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
        (tmp_path / "a.py").write_text("x = 1\n")
        ran = run([executable, "check", "--no-cache", "."], folder=tmp_path)
    finally:
        os.close(here)
        subprocess.run(["rm", "-rf", tmp_path / "dd"], check=True)  # too deep for pytest's own way
    assert ran.returncode in (0, 2) and "no findings in 1 file" in ran.stdout
