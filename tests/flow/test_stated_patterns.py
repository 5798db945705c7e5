"""What patterns of `match` bind and read, and the way through its cases: variables and graphs of small programs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
PATTERNS = [
    *(
        "1",
        "-1.5",
        "1 + 2j",
        "'a'",
        "None",
        "_",
        "a",
        "a.b",
        "a.b.c",
        "(a)",
        "a as b",
        "1 as b",
        "(a as b)",
        "a.b as a",
    ),
    *(
        "[]",
        "[a]",
        "[a, b]",
        "(a, b)",
        "a, b",
        "a, *b",
        "[*_]",
        "*a, b",
        "[a.b, [b, *_]]",
        "{}",
        "{'k': a}",
        "{a.b: b}",
    ),
    *("{'k': a, **b}", "{a.b: {a.c: b}}", "K()", "K(a)", "K(a, b)", "K(x=a)", "K(a, x=a.b)", "a.K(b)", "a.b.K(x=b)"),
    *(
        "1 | 2",
        "a.b | a.c",
        "[a] | (a, _)",
        "K(a) | [a]",
        "(1 | 2) as b",
        "{'k': 1 | 2}",
        "K(x=1 | a.b)",
        "[a, (b | b)]",
    ),
]
GUARDS = ["", " if a", " if (c := a)", " if b and n"]
FUNCTION = """def f{number}(n, a):
    b = c = a
    match n:
        case {pattern}{guard}:
            return b
        case [x, y] if y:
            b = x
        case _ if n:
            del a
    return a, b, c


"""


def programs() -> list[tuple[str, str]]:
    pairs = [(pattern, GUARDS[number % 4]) for number, pattern in enumerate(PATTERNS)]
    return [(pattern, guard) for pattern, guard in pairs if guard or pattern not in ("_", "a", "(a)")]


@pytest.mark.parametrize("stage", ["variables", "cfg", "scopes"])
def test_patterns(executable: str, tmp_path: Path, stage: str) -> None:
    texts = [
        FUNCTION.format(number=number, pattern=pattern, guard=guard)
        for number, (pattern, guard) in enumerate(programs())
    ]
    (tmp_path / "a.py").write_text("".join(texts))
    done = subprocess.run([executable, "debug", stage, "a.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    hold(STATED / f"patterns.{stage}.txt", done.stdout)
