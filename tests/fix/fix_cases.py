"""The Markdown files of cases/ as data.

Under `## Mends`, a block that is marked `python before` is followed by what it becomes, a block that is marked
`python after`. Under `## Left alone` blocks are marked `python` and stay as they are. Options of `fix` may follow:
`## Mends with --unsafe`. Every block is a module; every function in it that has no underscore in front is executed.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

FOLDER = Path(__file__).parent / "cases"
HEADINGS = ("Mends", "Left alone")
FENCE = "```"


@dataclasses.dataclass(frozen=True)
class Case:
    path: Path
    line: int  # of the first block
    heading: str
    options: list[str]  # of `graphmend fix`
    before: str
    after: str

    @property
    def name(self) -> str:
        return f"{self.path.stem}-{self.line}"


@dataclasses.dataclass
class Block:
    heading: str
    options: list[str]
    kind: str
    line: int
    text: str


def blocks(path: Path) -> list[Block]:
    found: list[Block] = []
    heading, options, inside = "", "", False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith(FENCE):
            inside = not inside
            if inside:
                found.append(Block(heading, options.split(), line[len(FENCE) :].strip(), number + 1, ""))
        elif inside:
            found[-1].text += line + "\n"
        elif line.startswith("## "):
            heading, _, options = line[3:].partition(" with ")
            assert heading in HEADINGS, f"{path}:{number}: the headings are {', '.join(HEADINGS)}"
    return found


def read(path: Path) -> list[Case]:
    """The cases of a file."""
    cases = []
    rest = iter(blocks(path))
    for block in rest:
        if block.heading == "Left alone":
            assert block.kind == "python", f"{path}:{block.line}"
            cases.append(Case(path, block.line, block.heading, block.options, block.text, block.text))
        else:
            after = next(rest)
            assert (block.kind, after.kind) == ("python before", "python after"), f"{path}:{block.line}"
            cases.append(Case(path, block.line, block.heading, block.options, block.text, after.text))
    return cases


def all_cases() -> list[Case]:
    return [case for path in sorted(FOLDER.glob("*.md")) for case in read(path)]
