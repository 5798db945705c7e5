"""All that is said and written of the cases of each rule, as it stands in `stated`.

Every finding in full, with its reason, its evidence and its advice, and the runtime dialect. test_rules.py holds that
the programs do what they did; this test, that no word and no mend of them changes unnoticed.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from rule_cases import files, read
from stated_texts import hold

HERE = Path(__file__).parent
COMMANDS = {
    "findings": ["check", "--no-cache", "--all", "--isolated"],
    "mend": ["debug", "mend"],
}


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
@pytest.mark.parametrize("stage", COMMANDS)
def test_stated(executable: str, tmp_path: Path, path: Path, stage: str) -> None:
    names = []
    for number, case in enumerate(read(path)):
        names.append(f"{case.heading.lower().replace(' ', '_')}_{number}.py")
        (tmp_path / names[-1]).write_text(case.text)
    done = subprocess.run([executable, *COMMANDS[stage], *names], capture_output=True, cwd=tmp_path)
    hold(HERE / "stated" / f"{path.stem}.{stage}.txt", (done.stdout + done.stderr).decode())
