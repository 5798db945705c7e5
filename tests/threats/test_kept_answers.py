"""Answers that are kept for `Endpoint(cache=...)`: planted ones are not read, and none of them calls a tool."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from neighbours import NOBODY, needs_root

from graphmend.meaning.answers import Answers
from graphmend.meaning.model import Scored, ToolCall

ASKED = ["http://localhost/v1", {"model": "m"}]


def planted(folder: Path, content: object) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / Answers.name_of(ASKED)).write_text(content if isinstance(content, str) else json.dumps(content))


def test_an_answer_is_kept(tmp_path: Path) -> None:
    Answers(str(tmp_path / "cache")).keep(ASKED, Scored("forty", [{"forty": -0.1}]))
    found = Answers(str(tmp_path / "cache")).find(ASKED)
    assert found is not None and (found.text, found.logprobs, found.calls) == ("forty", [{"forty": -0.1}], [])
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "cache", *(tmp_path / "cache").iterdir()))


def test_calls_of_tools_are_neither_kept_nor_read(tmp_path: Path) -> None:
    Answers(str(tmp_path / "cache")).keep(ASKED, Scored("", None, [ToolCall("delete", "{}", "c1")]))
    assert not (tmp_path / "cache").exists()
    planted(tmp_path / "cache", {"text": "", "logprobs": None, "calls": [["delete", "{}", "c1"]]})
    assert Answers(str(tmp_path / "cache")).find(ASKED) is None


@pytest.mark.parametrize(
    "content",
    ["", "{", "[" * 100_000, "[]", {"text": 1}, {"text": "a", "logprobs": 1}, {"text": "a", "logprobs": [{"b": "c"}]}],
)
def test_what_is_no_answer(tmp_path: Path, content: object) -> None:
    planted(tmp_path / "cache", content)
    assert Answers(str(tmp_path / "cache")).find(ASKED) is None


def test_a_shared_folder_keeps_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    planted(tmp_path / "cache", {"text": "planted", "logprobs": None})
    (tmp_path / "cache").chmod(0o777)
    answers = Answers(str(tmp_path / "cache"))
    assert answers.find(ASKED) is None
    answers.keep(["other"], Scored("text"))
    assert len(list((tmp_path / "cache").iterdir())) == 1
    assert capfd.readouterr().err.count("\n") == 1


@needs_root
@pytest.mark.parametrize("which", ["folder", "file"])
def test_what_belongs_to_another(tmp_path: Path, which: str) -> None:
    folder = tmp_path / "cache"
    planted(folder, {"text": "planted", "logprobs": None})
    os.chown(folder if which == "folder" else folder / Answers.name_of(ASKED), NOBODY, NOBODY)
    assert Answers(str(folder)).find(ASKED) is None


def test_links_and_pipes(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    planted(folder, {"text": "planted", "logprobs": None})
    place = folder / Answers.name_of(ASKED)
    place.rename(tmp_path / "there")
    place.symlink_to(tmp_path / "there")
    assert Answers(str(folder)).find(ASKED) is None
    place.unlink()
    os.mkfifo(place)
    assert Answers(str(folder)).find(ASKED) is None
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    assert Answers(str(folder)).find(ASKED) is None
