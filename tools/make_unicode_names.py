#!/usr/bin/env python3
"""Write src/syntax/unicode_names_data.c: character names and printable characters.

usage: python3.13 tools/make_unicode_names.py OLDER_PYTHON... > src/syntax/unicode_names_data.c

Names come from the Unicode database of the Python that runs this, aliases from data/unicode/aliases.txt as far as that
database knows them. The older interpreters (3.9 and later) tell since when a character counts as printable. A name is
kept as 39 bits of its hash with the 21 bits of its character, in ten characters of text; entries are sorted.
"""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from pathlib import Path

ALIASES = Path(__file__).resolve().parent.parent / "data" / "unicode" / "aliases.txt"
COMPUTED = ("CJK UNIFIED IDEOGRAPH-", "HANGUL SYLLABLE ")
HASH_BITS = 39
DIGITS = 10
FIRST_DIGIT = ord(
    "0"
)  # the 64 digits are the characters from "0" to "o", in order; the backslash among them is escaped
PER_LINE = 8


def name_hash(name: str) -> int:
    """FNV-1a in 64 bits, the upper bits kept."""
    value = 0xCBF29CE484222325
    for byte in name.encode("ascii"):
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value >> (64 - HASH_BITS)


def all_names() -> dict[str, int]:
    names = {}
    for code in range(0x110000):
        name = unicodedata.name(chr(code), "")
        if name and not name.startswith(COMPUTED):
            names[name] = code
    for alias in ALIASES.read_text(encoding="ascii").splitlines():
        try:
            names.setdefault(alias, ord(unicodedata.lookup(alias)))
        except (KeyError, TypeError):
            continue
    return names


def encode(entry: int) -> str:
    digits = [chr(FIRST_DIGIT + (entry >> shift & 63)) for shift in range(6 * (DIGITS - 1), -1, -6)]
    return "".join(digits).replace("\\", "\\\\").replace("?", "\\?")


def printable_here() -> set[int]:
    return {code for code in range(0x80, 0x110000) if chr(code).isprintable()}


def printable_in(python: str) -> tuple[int, set[int]]:
    program = (
        "import sys; print(sys.version_info[1]); print(*(c for c in range(0x80, 0x110000) if chr(c).isprintable()))"
    )
    text = subprocess.run([python, "-c", program], check=True, capture_output=True, text=True).stdout
    minor, _, codes = text.partition("\n")
    return 300 + int(minor), set(map(int, codes.split()))


def printable_ranges(older: list[str]) -> list[tuple[int, int, int]]:
    """Runs of printable characters: first, last, the version since when."""
    tables = sorted([printable_in(python) for python in older] + [(300 + sys.version_info[1], printable_here())])
    since: dict[int, int] = {}
    for version, codes in tables:
        for code in codes:
            since.setdefault(code, version)
    runs: list[tuple[int, int, int]] = []
    for code in sorted(since):
        version = since[code] if since[code] > tables[0][0] else 0
        if runs and runs[-1][1] == code - 1 and runs[-1][2] == version:
            runs[-1] = (runs[-1][0], code, version)
        else:
            runs.append((code, code, version))
    return runs


def main() -> None:
    entries = sorted(name_hash(name) << 21 | code for name, code in all_names().items())
    hashes = [entry >> 21 for entry in entries]
    assert len(set(hashes)) == len(hashes), "two names share a hash: keep more bits"
    runs = printable_ranges(sys.argv[1:])
    print(f"/* Written by tools/make_unicode_names.py from Unicode {unicodedata.unidata_version}. */")
    print('#include "syntax/unicode_names_data.h"\n')
    print(f"const uint32_t gm_unicode_name_count = {len(entries)};")
    print("const char *const gm_unicode_names[] = {")
    for start in range(0, len(entries), PER_LINE):
        print(f'    "{"".join(map(encode, entries[start : start + PER_LINE]))}",')
    print("};\n")
    print(f"const uint32_t gm_unicode_printable_count = {len(runs)};")
    print("const gm_unicode_printable gm_unicode_printables[] = {")
    for start in range(0, len(runs), 5):
        row = ", ".join(f"{{0x{a:x}, 0x{b:x}, {v}}}" for a, b, v in runs[start : start + 5])
        print(f"    {row},")
    print("};")


if __name__ == "__main__":
    main()
