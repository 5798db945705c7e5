"""Comments that silence a line, in every short row of what may stand in them: what is silenced, and what is said.

And what `fix` takes out of them: what is left silences the same, and is left as it is.
"""

from __future__ import annotations

import itertools
import json
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

from stated_texts import hold

PARTS = ["[", "]", "GM301", "GM101", "GM3", ",", " ", "print-in-graph", " why", ":", "\t", "gm301", "-"]
STARTS = ["# graphmend: ignore", "# graphmend:ignore[GM301", "# noqa", "# noqa: GM301", "#graphmend: ignore[GM101,"]
HEAD = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n"


def rows() -> list[str]:
    found = [
        f"{start}{''.join(row)}"
        for start in STARTS
        for size in range(3)
        for row in itertools.product(PARTS, repeat=size)
    ]
    found += [f"{STARTS[0]}[{''.join(row)}]" for row in itertools.product(PARTS[2:9], repeat=3)]
    found += [f"# a {found[at]}" for at in range(0, len(found), 9)] + [
        f"{found[at]} # b" for at in range(4, len(found), 9)
    ]
    return list(dict.fromkeys(found))


def check(executable: str, folder: Path) -> dict[int, list[str]]:
    command = [executable, "check", "--no-cache", "--isolated", "--output-format", "json-lines", "a.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    found: dict[int, list[str]] = defaultdict(list)
    for one in map(json.loads, done.stdout.splitlines()):
        shown: Any = (one["code"], one["column"], one["message"], one.get("fix"))
        found[one["line"] - HEAD.count("\n") - 1].append(" ".join(map(str, shown)))
    return found


def test_stated_comments(executable: str, tmp_path: Path) -> None:
    comments, path = rows(), tmp_path / "a.py"
    path.write_text(HEAD + "".join(f"    print(x)  {comment}\n" for comment in comments) + "    return x\n")
    before = check(executable, tmp_path)
    command = [executable, "fix", "--isolated", "--select", "GM001", "a.py"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    lines = path.read_text().splitlines()[HEAD.count("\n") :]
    fixed = [line[len("    print(x)") :].strip() for line in lines[: len(comments)]]
    after = check(executable, tmp_path)
    said: dict[str, list[str]] = defaultdict(list)
    for at, comment in enumerate(comments):
        silenced = not any(row.startswith("GM301") for row in before[at])
        assert silenced == (not any(row.startswith("GM301") for row in after[at])), comment
        said[" | ".join(before[at])].append(comment if fixed[at] == comment else f"{comment} -> {fixed[at]}")
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert path.read_text().splitlines()[HEAD.count("\n") :] == lines
    rows_of = [f"{told}\n" + "".join(f"  {comment}\n" for comment in some) for told, some in said.items()]
    hold(Path(__file__).parent / "stated" / "comments.txt", "".join(rows_of))
