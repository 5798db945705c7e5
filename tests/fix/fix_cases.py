"""The Markdown files of cases/ as data.

Under `## Mends` and `## Mends with --unsafe`, a block that is marked `python before` is followed by what it becomes, a
block that is marked `python after`. Under `## Left alone` blocks are marked `python` and stay as they are. Every block
is a module; every function in it that has no underscore in front is executed, too.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

FOLDER = Path(__file__).parent / "cases"
HEADINGS = ("Mends", "Mends with --unsafe", "Left alone")
FENCE = "```"


@dataclasses.dataclass(frozen=True)
class Case:
    path: Path
    line: int  # of the first block
    heading: str
    before: str
    after: str

    @property
    def name(self) -> str:
        return f"{self.path.stem}-{self.line}"

    @property
    def options(self) -> list[str]:
        return ["--unsafe"] if self.heading.endswith("--unsafe") else []


@dataclasses.dataclass
class Block:
    heading: str
    kind: str
    line: int
    text: str


def blocks(path: Path) -> list[Block]:
    found: list[Block] = []
    heading, inside = "", False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith(FENCE):
            inside = not inside
            if inside:
                found.append(Block(heading, line[len(FENCE) :].strip(), number + 1, ""))
        elif inside:
            found[-1].text += line + "\n"
        elif line.startswith("## "):
            heading = line[3:]
            assert heading in HEADINGS, f"{path}:{number}: the headings are {', '.join(HEADINGS)}"
    return found


def read(path: Path) -> list[Case]:
    """The cases of a file."""
    cases = []
    rest = iter(blocks(path))
    for block in rest:
        if block.heading == "Left alone":
            assert block.kind == "python", f"{path}:{block.line}"
            cases.append(Case(path, block.line, block.heading, block.text, block.text))
        else:
            after = next(rest)
            assert (block.kind, after.kind) == ("python before", "python after"), f"{path}:{block.line}"
            cases.append(Case(path, block.line, block.heading, block.text, after.text))
    return cases


def all_cases() -> list[Case]:
    return [case for path in sorted(FOLDER.glob("*.md")) for case in read(path)]
