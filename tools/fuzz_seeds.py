"""Seeds for the fuzz entries that do not read files of the repository as they are.

usage: fuzz_seeds.py FOLDER

Writes FOLDER/read (the texts of tests/meaning/meaning_corpus.py behind bytes that choose type and flags) and
FOLDER/meaning (its types)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "meaning"))

from meaning_corpus import CASES, types_of

CHOICES = (0b00001000, 0b01010010, 0b10011000, 0b11100100)  # type, size of pieces, flags


def main(folder: Path) -> None:
    for name in ("read", "meaning"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number, case in enumerate(CASES):
        for choice in CHOICES:
            (folder / "read" / f"{number}-{choice}").write_bytes(bytes([choice]) + case.text.encode())
    for kind in {case.type for case in CASES}:
        (folder / "meaning" / kind).write_text(json.dumps(types_of(kind)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
