"""The Markdown files of this folder as data: which case stands under which heading, and what it expects.

Each file belongs to one rule. Its cases are fenced Python blocks under four headings; the prose in front of a block is
for people. A comment at the end of a line says what is found there:

    if x.sum() > 0:          # GM101
    if x.sum() > 0:          # GM101: calls a method whose effects are not known

The first is a finding with a mend, the second one without, and the text is part of the reason that is given. Every
finding of a block is in a comment, whatever the rule; several on one line are separated by commas. A block that defines
`f` and a list `inputs` (of tuples of arguments) is executed as well, `grad = False` switches gradients off. Under
"Follows" no finding has a mend, and yet the mended program is one graph for each of its paths.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Optional

HEADINGS = ("Mends", "Follows", "Reports only", "Stays silent")
FENCE = "```"
COMMENT = re.compile(r"#\s*(GM\d{3}(?:, GM\d{3})*)(?::\s*(.*?))?\s*$")


@dataclasses.dataclass(frozen=True)
class Expected:
    """A finding; `reason` is None where it has a mend."""

    line: int
    code: str
    reason: Optional[str]


@dataclasses.dataclass(frozen=True)
class Case:
    path: Path
    line: int  # of the first line of the block in the Markdown file
    heading: str
    text: str

    @property
    def code(self) -> str:
        """The rule that the file is about."""
        return self.path.stem.upper()

    @property
    def name(self) -> str:
        return f"{self.path.stem}-{self.heading.lower().replace(' ', '-')}-{self.line}"

    @property
    def expected(self) -> list[Expected]:
        found = []
        for number, line in enumerate(self.text.splitlines(), 1):
            match = COMMENT.search(line)
            codes = match.group(1).split(", ") if match else []
            found += [Expected(number, code, match.group(2) if match else None) for code in codes]
        return found

    @property
    def runs(self) -> bool:
        """Whether the block can be executed."""
        return re.search(r"^inputs = ", self.text, re.MULTILINE) is not None


def read(path: Path) -> list[Case]:
    """The cases of one file."""
    cases = []
    heading, start, block = "", 0, None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if block is not None:
            if line.startswith(FENCE):
                cases.append(Case(path, start, heading, "\n".join(block) + "\n"))
                block = None
            else:
                block.append(line)
        elif line.startswith(FENCE):
            block, start = [], number + 1
        elif line.startswith("## "):
            heading = line[3:].strip()
            if heading not in HEADINGS:
                raise ValueError(f"{path}:{number}: the headings are {', '.join(HEADINGS)}")
    if block is not None:
        raise ValueError(f"{path}:{start}: the block does not end")
    return cases


def files() -> list[Path]:
    return sorted(Path(__file__).parent.glob("gm*.md"))


def all_cases() -> list[Case]:
    return [case for path in files() for case in read(path)]
