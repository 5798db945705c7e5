"""Symbol tables of random programs: those of the Python that runs the tests, and of others by digests of their answers.

What is refused is refused at the same line, but for `nonlocal`, which is told at the head of its function.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import cpython
import pytest
import scope_programs

RUNNING = f"3.{sys.version_info[1]}"
NAMED_AT_HEAD = re.compile("nonlocal|duplicate")
STATED = [line.split() for line in scope_programs.STATED.read_text().splitlines()]


def tables_of(executable: str, folder: Path, version: str, newest: bool) -> list[str]:
    paths = scope_programs.write(folder, newest)
    return cpython.graphmend_lines(executable, ["scopes", "--symtable"], paths, target=version)


@pytest.mark.parametrize("row", STATED, ids=lambda row: f"{row[0]}-{row[1]}")
def test_tables_of_each_version(executable: str, tmp_path: Path, row: list[str]) -> None:
    version, kind, *digests = row
    lines = tables_of(executable, tmp_path, version, kind == "newest")
    told = [scope_programs.digest(f"ok {line}") if line.startswith("[") else "rejected" for line in lines]
    wrong = [number for number, pair in enumerate(zip(told, digests)) if pair[0] != pair[1]]
    assert wrong == [], (tmp_path / f"{wrong[0]}.py").read_text()


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="has annotation scopes that earlier ones do not have")
def test_tables_and_refusals_of_this_version(executable: str, tmp_path: Path) -> None:
    newest = sys.version_info >= (3, 13)
    lines = tables_of(executable, tmp_path, RUNNING, newest)
    paths = [tmp_path / f"{number}.py" for number in range(len(lines))]
    accepted = 0
    for path, line, answer in zip(paths, lines, scope_programs.answers(sys.executable, paths)):
        if answer.startswith("ok "):
            accepted += 1
            assert json.loads(line) == json.loads(answer[3:]), path.read_text()
            continue
        refused = json.loads(line)
        assert "error" in refused, path.read_text()
        at = int(answer.split()[1].partition(":")[0])
        assert NAMED_AT_HEAD.search(refused["error"]) or refused["line"] == at, (answer, refused, path.read_text())
    assert accepted > len(lines) // 4
