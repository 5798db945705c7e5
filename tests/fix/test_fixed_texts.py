"""What `fix` has written is finished: it writes nothing more of it, and `check` offers none of these mends again.

The programs are those of the cases of `fix`, the cases of the rules, and comments that silence nothing in every place.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import fix_cases
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "rules"))
import rule_cases  # noqa: E402

IGNORES = ["# graphmend: ignore[GM101]", "# graphmend: ignore[GM101,GM301]", "# graphmend: ignore", "# words", ""]
IGNORES += ["# graphmend: ignore[GM301, GM202] words", "# words  # graphmend: ignore[GM999]"]
LINES = "import torch  {}\n\n\n@torch.compile  {}\ndef f(x: torch.Tensor):  {}\n    y = x.sum() > 0  {}\n"
LINES += "    print(y)  {}\n    return x  {}\n"
OPTIONS = {"safe": ["--all"], "unsafe": ["--all", "--unsafe"]}
OFFERED = {"safe": {"safe"}, "unsafe": {"safe", "assumes"}}


def programs() -> list[str]:
    texts = [
        case.text for path in sorted(Path(rule_cases.__file__).parent.glob("gm*.md")) for case in rule_cases.read(path)
    ]
    texts += [case.before for case in fix_cases.all_cases()]
    rotated = itertools.cycle(IGNORES)
    for _ in range(3 * len(IGNORES)):
        next(rotated)
        texts.append(LINES.format(*(next(rotated) for _ in range(6))))
    return texts


def run(executable: str, folder: Path, *arguments: str) -> str:
    done = subprocess.run([executable, *arguments, "."], cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def offered(executable: str, folder: Path) -> list[Any]:
    told = run(executable, folder, "check", "--all", "--no-cache", "--isolated", "--output-format", "json-lines")
    return [row for row in map(json.loads, told.splitlines()) if "code" in row]


@pytest.mark.parametrize("name", OPTIONS)
def test_fixed_texts_are_finished(executable: str, tmp_path: Path, name: str) -> None:
    texts = programs()
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.py").write_text(text)
    before = offered(executable, tmp_path)
    assert sum(row["fix"] in OFFERED[name] for row in before) > 60
    run(executable, tmp_path, "fix", "--isolated", *OPTIONS[name])
    fixed = [(tmp_path / f"{number}.py").read_text() for number in range(len(texts))]
    assert sum(one != other for one, other in zip(texts, fixed)) > 40
    for row in offered(executable, tmp_path):
        number = int(Path(row["path"]).stem)
        assert row["fix"] not in OFFERED[name], (row, texts[number], fixed[number])
    run(executable, tmp_path, "fix", "--isolated", *OPTIONS[name])
    for number, text in enumerate(fixed):
        assert (tmp_path / f"{number}.py").read_text() == text, texts[number]
