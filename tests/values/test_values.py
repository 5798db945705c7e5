"""What is believed of expressions: each file in `programs` says so in comments.

`#: EXPRESSION -> CLASS WORD ... because REASON` expects of an expression of the line its class (tensor, maybe, not,
unknown), words of its form, dtype and traits, and a part of the reason, which may be left out; `!WORD` must be missing.
`# ? CLASS` expects the class of the condition of the line.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
FILES = [path for path in PROGRAMS if "#: " in path.read_text()]  # of the others test_stated.py states everything
LINE = re.compile(r"(\d+):\d+-\d+:\d+ (.*) \| (\w+)((?: [\w-]+)*) \| (.*)")


def facts(executable: str, path: Path, *options: str) -> dict[tuple[int, str], tuple[str, set[str], str]]:
    """By line and text: class, words and reason."""
    command = [executable, "debug", "facts", *options, str(path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found = {}
    for line in lines:
        match = LINE.fullmatch(line)
        assert match, line
        number, text, class_, words, reason = match.groups()
        found[int(number), text] = (class_, set(words.split()), reason)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_expressions(executable: str, path: Path) -> None:
    found = facts(executable, path)
    problems = []
    count = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        expected = re.search(r"#: (.*) -> (.*)", line)
        if expected is None:
            continue
        stated, _, because = expected[2].partition(" because ")
        text, (class_, *words) = expected[1], stated.split()
        key = text if len(text) <= 48 else text[:48] + "..."
        is_class, has, reason = found[number, key]
        count += 1
        wanted = {word for word in words if not word.startswith("!")}
        unwanted = {word[1:] for word in words if word.startswith("!")}
        if is_class != class_ or not wanted <= has or unwanted & has or not reason or because not in reason:
            problems.append(f"{number}: {text}: {is_class} {sorted(has)} ({reason}), not {expected[2]}")
    assert count
    assert not problems, "\n".join(problems)


def test_conditions(executable: str) -> None:
    seen = set()
    for path in FILES:
        conditions = {number: class_ for (number, _), (class_, _, _) in facts(executable, path, "--tests").items()}
        for number, line in enumerate(path.read_text().splitlines(), 1):
            expected = re.search(r"# \? (\w+)", line)
            if expected is not None:
                assert conditions[number] == expected[1], f"{path.name}:{number}: {line.strip()}"
                seen.add(expected[1])
    assert seen == {"tensor", "maybe", "not", "unknown"}


def test_reasons_end_well(executable: str) -> None:
    """A reason goes behind a colon: no capital, no full stop."""
    for path in FILES:
        for _, _, reason in facts(executable, path).values():
            assert reason[0] == "`" or reason[0].islower() or reason.startswith("F."), reason
            assert not reason.endswith("."), reason
