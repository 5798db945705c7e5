"""Every two options of `check` and of `fix` together: what goes together and what is said of what does not.

It stands beside this file (stated/option_pairs.txt), by what was said.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from pathlib import Path
from typing import Any

from stated_texts import hold

OPTIONS = [
    "--fix",
    "--watch",
    "--baseline known.json",
    "--write-baseline new.json",
    "--diff",
    "--unsafe",
    "--add-ignore",
]
OPTIONS += [
    "--select GM1",
    "--ignore GM1",
    "--exclude b.py",
    "--all",
    "--output-format json",
    "--output-file out.txt",
    "--statistics",
]
OPTIONS += [
    "--stdin-filename b.py",
    "--isolated",
    "--show-settings",
    "--show-files",
    "--force-exclude",
    "--no-cache",
    "--exit-zero",
]
OPTIONS += ["--quiet"]
TEXT = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x)\n    return x\n"


def told(cli: Any, command: str, given: list[str]) -> str:
    """The status and what is on standard error; a watch that goes on is told by its options alone."""
    cli.write("a.py", TEXT)
    ended = cli(command, *given, "a.py")
    wrote = "" if (cli.folder / "a.py").read_text() == TEXT else ", the file is changed"
    shown = "nothing" if not ended.out else "a report"
    words = ended.err.replace(str(cli.folder), "HERE").strip().partition("\n")[0]
    return f"{ended.status}, {shown}{wrote}: {words}"


def test_pairs_of_options(cli: Any) -> None:
    cli.write("a.py", TEXT)
    assert cli("check", "--write-baseline", "known.json", "a.py").status == 0
    said: dict[str, list[str]] = defaultdict(list)
    for command in ("check", "fix"):
        for one, other in itertools.combinations_with_replacement(OPTIONS if command == "check" else OPTIONS[4:14], 2):
            given = one.split() if one == other else [*one.split(), *other.split()]
            blocked = {"--fix", "--diff", "--add-ignore", "--output-file"}
            if "--watch" in given and (command == "fix" or not blocked & set(given)):
                continue  # it would go on
            for name in ("new.json", "out.txt"):
                (cli.folder / name).unlink(missing_ok=True)
            said[told(cli, command, given)].append(f"{command} {' '.join(given)}")
    lines = [f"{words}\n" + "".join(f"  {each}\n" for each in some) for words, some in said.items()]
    hold(Path(__file__).parent / "stated" / "option_pairs.txt", "".join(lines))
