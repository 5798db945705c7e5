"""Definite assignment, liveness and reaching definitions against Python: what a run shows must have been foreseen."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import programs
import pytest

PROGRAMS = 240
RUNS = 30


class Facts:
    """What `graphmend debug variables` says of one program."""

    def __init__(self, text: str) -> None:
        self.bound: dict[tuple[int, str], str] = {}
        self.live: dict[tuple[int, str], str] = {}
        self.reads: dict[tuple[int, str], set[int]] = {}
        inner = False
        for line in text.splitlines():
            kind, *words = line.split()
            if kind == "f":
                inner = words[0] != "f"
            elif kind == "s" and not inner:
                for name, bound, live in zip(words[1::3], words[2::3], words[3::3]):
                    self.bound[int(words[0]), name] = bound
                    self.live[int(words[0]), name] = live
            elif kind == "r":
                key = (int(words[0].split(":")[0]), words[1])
                self.reads.setdefault(key, set()).update(int(word.split(":")[0]) for word in words[2:])


def facts_of(executable: str, path: Path, text: str) -> Facts:
    path.write_text(text)
    ended = subprocess.run([executable, "debug", "variables", str(path)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return Facts(ended.stdout)


@pytest.fixture(scope="module")
def foreseen(executable: str, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[programs.Program, Facts]]:
    folder = tmp_path_factory.mktemp("programs")
    written = [program for program in map(programs.write, range(PROGRAMS)) if program is not None]
    assert len(written) > PROGRAMS * 0.6
    result = []
    for number, program in enumerate(written):
        result.append((program, facts_of(executable, folder / f"{number}.py", program.text)))
    return result


def numbered(program: programs.Program) -> str:
    return "\n".join(f"{i:3} {line}" for i, line in enumerate(program.text.splitlines(), 1))


def each_run(foreseen: list[tuple[programs.Program, Facts]]) -> Any:
    for program, facts in foreseen:
        for seed in range(RUNS):
            yield program, facts, programs.Run(program, seed).execute()


def test_bound(foreseen: list[tuple[programs.Program, Facts]]) -> None:
    seen = set()
    for program, facts, events in each_run(foreseen):
        for kind, line, names, *_ in events:
            if kind != "line":
                continue
            for name in programs.NAMES:
                expected = facts.bound.get((line, name))
                seen.add((expected, name in names))
                wrong = expected == ("never" if name in names else "always")
                assert not wrong, f"line {line}: {name} is {expected}, but bound: {name in names}\n{numbered(program)}"
    assert {("always", True), ("never", False), ("maybe", True), ("maybe", False)} <= seen


def test_live(foreseen: list[tuple[programs.Program, Facts]]) -> None:
    """The value that a dead variable has is never read: what is read later is made later."""
    seen = set()
    for program, facts, events in each_run(foreseen):
        reads: dict[str, int] = {}
        for index in range(len(events) - 1, -1, -1):
            kind, line, *rest = events[index]
            if kind == "read":
                reads[rest[0]] = rest[2]
                continue
            for name, made in reads.items():
                live = facts.live.get((line, name))
                seen.add((live, made > index))
                assert live != "dead" or made > index, (
                    f"line {line}: {name} is dead, but its value is read\n{numbered(program)}"
                )
    assert {("dead", True), ("live", False), ("live", True)} <= seen


def test_reaching(foreseen: list[tuple[programs.Program, Facts]]) -> None:
    seen = 0
    for program, facts, events in each_run(foreseen):
        for kind, site, name, *made in events:
            if kind != "read":
                continue
            line = program.site_lines[site]
            known = facts.reads.get((line, name))
            if known is None:
                continue
            binding = program.site_lines.get(made[0], 1)
            handled = {binding} | {number for number in known if "case" in program.text.splitlines()[number - 1]}
            seen += 1
            assert handled & known, (
                f"line {line}: {name} comes from line {binding}, not {sorted(known)}\n{numbered(program)}"
            )
    assert seen > 1000


@pytest.mark.parametrize("others", [60, 500])
def test_many_variables(
    executable: str, tmp_path: Path, foreseen: list[tuple[programs.Program, Facts]], others: int
) -> None:
    """In a function with hundreds of variables more, whose sets are trees, all is known of the same ones."""
    more = "".join(f"v{i}=0, " for i in range(others))
    for program, facts in foreseen[:60]:
        head = "def f(s, c, d, u, m, cm, it, k0, "
        assert program.text.startswith(head)
        large = facts_of(executable, tmp_path / "large.py", program.text.replace(head, f"def f({more}{head[6:]}", 1))
        for line, name in facts.bound:
            if name in programs.NAMES:
                assert large.bound[line, name] == facts.bound[line, name]
                assert large.live[line, name] == facts.live[line, name]
        assert large.reads == facts.reads


def test_reads_in_a_large_function(executable: str, tmp_path: Path) -> None:
    """What a question has found serves the next ones: the last reads are told as well as the first ones."""
    branches = "".join(f"    if y > {at}:\n        z = {at}\n" for at in range(3000))
    facts = facts_of(executable, tmp_path / "a.py", f"def f():\n    y = 1\n{branches}    y = 2\n")
    assert {line: found for (line, name), found in facts.reads.items() if name == "y"} == {
        line: {2} for line in range(3, 6003, 2)
    }
