"""Names of ideographs: the first and the last of each range of them is one, and what stands beside a range is none."""

from __future__ import annotations

import re
import subprocess
import unicodedata
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "syntax" / "unicode_names.c"


def ranges() -> list[tuple[int, int]]:
    found = re.search(r"is_ideograph.*?ranges\[\].*?= \{(.*?)\};", SOURCE.read_text(encoding="utf-8"), re.S)
    assert found is not None
    pairs = re.findall(r"\{(0x\w+), (0x\w+)\}", found[1])
    return [(int(first, 16), int(last, 16)) for first, last in pairs]


def test_names_of_ideographs(executable: str, tmp_path: Path) -> None:
    wanted = {}
    for first, last in ranges():
        wanted |= {first - 1: False, first: True, last: True, last + 1: False}
    for first, last in ranges():
        wanted |= {code: True for code in (first, last)}
    assert len(wanted) > 20
    lines = [f"'\\N{{CJK UNIFIED IDEOGRAPH-{code:X}}}'\n" for code in wanted]
    (tmp_path / "a.py").write_text("".join(lines))
    done = subprocess.run([executable, "debug", "tree", "a.py"], cwd=tmp_path, capture_output=True, text=True)
    refused = {int(line.split(":")[1]) for line in done.stderr.splitlines()}
    for number, (code, there) in enumerate(wanted.items(), 1):
        assert (number not in refused) == there, hex(code)
        if unicodedata.name(chr(code), "").startswith("CJK UNIFIED"):
            assert there, hex(code)
