"""Of two reasons against a mend in one expression the first one is told: that of the first operand that has one."""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

from test_stated_sides import FUNCTION, HEAD, OPERANDS

# What the statement is around the operands; Python evaluates these in the order in which they are written.
FORMS = [
    "print(x, {})\n",
    "print(f'{{x}}', end=str(({},)))\n",
    "print([x, {}])\n",
    "print(x, sep='' if n else ({}, 1))\n",
]
MORE = ["items.append(n)", "setattr(self, 'a', 1)", "open('a')", "(k := n)", "next(items)"]
MORE += ["input()", "items.sort()", "self.update(n)", "[k := a for a in items]"]
MORE += [
    "y.data_ptr()",
    "y.backward()",
    "y.register_hook(n)",
    "torch.manual_seed(n)",
    "torch.save(y, 'a')",
    "TABLE.pop(n)",
]


def program(statements: list[str]) -> str:
    head, _, rest = FUNCTION.partition("        if {test}:")
    assert rest, FUNCTION
    return HEAD + "".join(
        head.format(number=number) + f"        {statement}        return z, y, n, items\n"
        for number, statement in enumerate(statements)
    )


def reasons(executable: str, folder: Path, statements: list[str]) -> list[Any]:
    """What is said of the first finding of each function."""
    text = program(statements)
    (folder / "a.py").write_text(text)
    command = [executable, "check", "--no-cache", "--isolated", "--all", "--output-format", "json-lines", "a.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    starts = [
        at for at, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith("def f") and "(self" in line
    ]
    found: list[Any] = [None] * len(statements)
    for row in map(json.loads, done.stdout.splitlines()):
        inside = sum(start <= row.get("line", 0) for start in starts) - 1
        if inside >= 0 and row.get("code") in ("GM101", "GM301"):
            found[inside] = found[inside] or (row["reason"], row["run_note"])
    return found


def test_the_first_reason_is_told(executable: str, tmp_path: Path) -> None:
    operands = [operand for operand in [*OPERANDS, *MORE] if "print" not in operand]
    pairs = list(itertools.permutations(operands, 2))
    told = 0
    for form in FORMS:
        alone = dict(zip(operands, reasons(executable, tmp_path, [form.format(operand) for operand in operands])))
        joined = [form.format(", ".join(pair)) for pair in pairs]
        for pair, found in zip(pairs, reasons(executable, tmp_path, joined)):
            first, second = (alone[operand] for operand in pair)
            expected = first if first is not None and any(first) else second
            told += expected is not None and any(expected)
            assert found == expected, (form, pair, found, first, second)
    assert told > 1000, told
