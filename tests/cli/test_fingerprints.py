"""Fingerprints of findings are the published hash of path, rule and code, so that they stay what they were."""

from __future__ import annotations

import json
from typing import Any

LOOP = "    if x.sum() > 0:\n        x = x * 2\n"
PROGRAM = (
    f"import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n{LOOP * 5}    print(x)\n    print(x)\n    return x\n"
)


def mixed(value: int, data: bytes) -> int:
    """FNV-1a, and a byte that no text has behind each part."""
    for byte in (*data, 0xFF):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def test_fingerprints_are_hashes(cli: Any) -> None:
    """A finding like an earlier one of its file adds how many were like it."""
    lines = PROGRAM.splitlines()
    for name in ("a.py", "b c.py", "\u00e9.py"):
        cli.write(name, PROGRAM)
    told = json.loads(cli("check", "--output-format", "gitlab", ".").out)
    found = {(row["location"]["path"], row["location"]["positions"]["begin"]["line"]): row for row in told}
    assert len(found) == len(told) == 3 * 7
    for name in ("a.py", "b c.py", "\u00e9.py"):
        seen: dict[int, int] = {}
        for number, line in enumerate(lines, 1):
            if (row := found.get((name, number))) is None:
                continue
            text = line.strip() if "print" in line else "x.sum() > 0"
            value = mixed(mixed(0xCBF29CE484222325, name.encode()), row["check_name"].encode())
            value = mixed(value, text.encode())
            same = seen[value] = seen.get(value, -1) + 1
            expected = mixed(value, same.to_bytes(4, "little")) if same else value
            assert row["fingerprint"] == f"{expected:016x}", (name, number)
