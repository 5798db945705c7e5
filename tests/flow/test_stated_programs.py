"""All that is known of the variables of random programs, and their graphs of control flow, as it stands in `stated`.

test_variables.py holds that a run shows nothing that was not foreseen; this test, that no less is foreseen. A variable
is told behind a statement as `a!` where it is always bound there, `a?` where it may be, with `*` where it is live; a
read with the lines that its value may come from.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import programs
import pytest
from stated_texts import hold
from test_variables import facts_of

STATED = Path(__file__).parent / "stated"
SEEDS = range(30)
SIGNS = {"always": "!", "maybe": "?", "never": "", "live": "*", "dead": ""}

pytestmark = pytest.mark.skipif(
    not (3, 10) <= sys.version_info < (3, 14), reason="the programs of other versions of Python are others"
)


def written() -> list[programs.Program]:
    return [program for program in map(programs.write, SEEDS) if program is not None]


def known(executable: str, path: Path, program: programs.Program) -> str:
    facts, told = facts_of(executable, path, program.text), ""
    for number, line in enumerate(program.text.splitlines(), 1):
        signs = {
            name: SIGNS[facts.bound.get((number, name), "never")] + SIGNS[facts.live.get((number, name), "dead")]
            for name in programs.NAMES
        }
        words = [f"{name}{sign}" for name, sign in signs.items() if sign]
        words += [
            f"{name}<-{','.join(map(str, sorted(lines)))}"
            for (read, name), lines in facts.reads.items()
            if read == number and name in programs.NAMES
        ]
        told += f"{number:3} {line:60} | {' '.join(words)}".rstrip() + "\n"
    return told


def test_stated_variables(executable: str, tmp_path: Path) -> None:
    told = [known(executable, tmp_path / "a.py", program) for program in written()]
    hold(STATED / "programs.variables.txt", "\n".join(told))


def test_stated_graphs(executable: str, tmp_path: Path) -> None:
    told = ""
    for program in written():
        (tmp_path / "a.py").write_text(program.text)
        done = subprocess.run([executable, "debug", "cfg", "a.py"], cwd=tmp_path, capture_output=True, text=True)
        told += f"{program.text}{done.stdout[done.stdout.index('f, line') :]}{done.stderr}\n"
    hold(STATED / "programs.cfg.txt", told)
