"""What a person names is written as a whole, through no link, and under no name that could be guessed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from graphmend import baseline, files
from graphmend.verify import page, report
from graphmend.verify.page import elements


def test_no_name_that_can_be_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a neighbour could put a link or a file, nothing is opened but what is new."""
    opened: list[tuple[str, int]] = []
    usual = os.open

    def watched(path: str, flags: int, *rest: int, **more: int) -> int:
        opened.append((str(path), flags))
        return usual(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", watched)
    target = tmp_path / "report.json"
    for _ in range(2):
        report.save({"a": 1}, str(target))
    assert all(flags & os.O_EXCL and flags & os.O_NOFOLLOW for _, flags in opened)
    assert len({path for path, _ in opened}) == 2 and not any(str(os.getpid()) in path for path, _ in opened)
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.parametrize("save", [lambda path: report.save({}, path), lambda path: baseline.write(path, "verify", [])])
def test_a_link_is_replaced(tmp_path: Path, save) -> None:
    letter = tmp_path / "letter"
    letter.write_text("dear friend")
    target = tmp_path / "report.json"
    target.symlink_to(letter)
    save(str(target))
    assert letter.read_text() == "dear friend" and not target.is_symlink() and target.stat().st_size > 0


def test_modes_stay(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    files.replace(target, "a")
    assert target.stat().st_mode & 0o111 == 0
    target.chmod(0o600)
    files.replace(target, "b")
    assert (target.stat().st_mode & 0o777, target.read_text()) == (0o600, "b")


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(OSError):
        files.replace(tmp_path / "there", "a")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    files.replace("/dev/null", "a")
    assert not os.path.isfile("/dev/null")


def test_the_page_goes_the_same_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "render", lambda data: "page")
    page.save({}, str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").read_text() == "page"


def test_a_page_shows_what_is_hidden(tmp_path: Path) -> None:
    """Names and source in it are UTF-8, whatever they are, keep the order of their characters, and end no element."""
    evil = "</script><img src=x onerror=a>\x1b[31m\u202e\u2028\u200b\udcff@@script@@\tb\nc"
    made = elements.element("p", elements.text(evil), title=evil) + page.embedded({evil: [evil]})
    made.encode("utf-8")
    assert not any(one in made for one in "\x1b\u202e\u2028\u200b") and "<img" not in made and "</script" not in made
    assert "\\u202e" in made and "@@script@@\tb\nc</p>" in made
    assert json.loads(page.embedded({evil: [evil]})) == {evil: [evil]}
