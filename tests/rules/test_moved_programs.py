"""What is said of a program and written for it moves with the program: lines in front, and imports that come last.

The programs are the cases of the rules. Each is asked alone, below lines that mean nothing, and with another end of its
lines; what is said must be the same but for its lines.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import rule_cases

CASES = rule_cases.all_cases()
FRONTS = {"a blank line": "\n", "a comment": "# words\n", "a statement": "pass\n\n"}


def begins_compiled(text: str) -> str:
    """The program with its imports behind all else, so that a definition may begin the file."""
    lines = text.splitlines(keepends=True)
    imports = [line for line in lines if re.match(r"(import|from) ", line)]
    others = "".join(line for line in lines if line not in imports).lstrip("\n")
    return others + "".join(imports)


def findings(executable: str, folder: Path, texts: list[str]) -> list[list[Any]]:
    """What `check` says of each text, by the line that it is said of."""
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.py").write_text(text, newline="")
    command = [executable, "check", "--no-cache", "--isolated", "--all", "--output-format", "json-lines", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    found: list[list[Any]] = [[] for _ in texts]
    for row in map(json.loads, done.stdout.splitlines()):
        if "path" in row and "code" in row:
            found[int(Path(row["path"]).stem)].append(row)
    return found


def dialects(executable: str, folder: Path, texts: list[str]) -> list[str]:
    """The dialect of each text, without the numbers of lines that it names."""
    told = []
    for number in range(len(texts)):
        command = [executable, "debug", "mend", f"{number}.py"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        told.append(re.sub(r"\d+", "N", done.stdout))
    return told


def moved(value: Any, by: int) -> Any:
    """A finding whose lines are others; texts name lines too."""
    if isinstance(value, dict):
        others = {key: moved(item, by) for key, item in value.items()}
        lines = {key: others[key] + by for key in ("line", "end_line") if isinstance(others.get(key), int)}
        site = {"site": [others["site"][0] + by, others["site"][1]]} if others.get("site") else {}
        return {**others, **lines, **site}
    if isinstance(value, list):
        return [moved(item, by) for item in value]
    return (
        re.sub(r"\bline (\d+)", lambda found: f"line {int(found[1]) + by}", value) if isinstance(value, str) else value
    )


@pytest.mark.parametrize("kind", ["as they are", "imports last"])
def test_findings_move(executable: str, tmp_path: Path, kind: str) -> None:
    texts = [case.text if kind == "as they are" else begins_compiled(case.text) for case in CASES]
    plain = findings(executable, tmp_path / "plain", texts)
    assert sum(map(bool, plain)) > len(texts) / 3
    for name, front in FRONTS.items():
        by = front.count("\n")
        other = findings(executable, tmp_path / name, [front + text for text in texts])
        for text, rows, again in zip(texts, plain, other):
            assert moved(rows, by) == again, (name, text)


def test_the_dialect_moves(executable: str, tmp_path: Path) -> None:
    texts = [begins_compiled(case.text) for case in CASES]
    texts += [re.sub(r"^(def f\(|class )", r"@torch.compile\n\1", text, count=1, flags=re.M) for text in texts]
    findings(executable, tmp_path / "plain", texts)
    findings(executable, tmp_path / "moved", [f"\n{text}" for text in texts])
    plain, other = dialects(executable, tmp_path / "plain", texts), dialects(executable, tmp_path / "moved", texts)
    for text, one, again in zip(texts, plain, other):
        assert one.strip("\n") == again.strip("\n"), text
