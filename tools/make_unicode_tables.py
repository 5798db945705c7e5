#!/usr/bin/env python3
"""Write src/syntax/unicode_tables.c from the Unicode database of the Python that runs this.

usage: python3.13 tools/make_unicode_tables.py > src/syntax/unicode_tables.c
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator

HANGUL = range(0xAC00, 0xD7A4)
POINTS = [point for point in range(0x80, 0x110000) if not 0xD800 <= point < 0xE000]


def ranges(points: Iterable[int], key: Callable[[int], int] = lambda point: 0) -> Iterator[tuple[int, int, int]]:
    """Runs of neighbours with the same key: first, last, key."""
    run: tuple[int, int, int] | None = None
    for point in points:
        if run is not None and point == run[1] + 1 and key(point) == run[2]:
            run = (run[0], point, run[2])
            continue
        if run is not None:
            yield run
        run = (point, point, key(point))
    if run is not None:
        yield run


def emit(name: str, kind: str, rows: Iterable[str]) -> None:
    items = list(rows)
    print(f"\nconst {kind} gm_unicode_{name}[] = {{")
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > 118:
            print(line)
            line = "   "
        line += f" {item},"
    print(line)
    print("};")
    print(f"const uint32_t gm_unicode_{name}_count = {len(items)};")


def main() -> None:
    start = {point for point in POINTS if chr(point).isidentifier()}
    tail = {point for point in POINTS if ("a" + chr(point)).isidentifier()}
    decomposed = {}
    for point in POINTS:
        full = unicodedata.normalize("NFKD", chr(point))
        if point in tail and point not in HANGUL and full != chr(point):
            decomposed[point] = full
    flat = ""
    places = []
    for point, full in decomposed.items():
        at = flat.find(full)
        if at < 0:
            at = len(flat)
            flat += full
        places.append((point, at, len(full)))
    relevant = tail | {ord(char) for char in flat if ord(char) >= 0x80}
    classes = [point for point in sorted(relevant) if unicodedata.combining(chr(point)) != 0]
    pairs = []
    for point in POINTS:
        parts = unicodedata.decomposition(chr(point)).split()
        if len(parts) == 2 and not parts[0].startswith("<") and point in tail:
            if unicodedata.normalize("NFC", chr(point)) == chr(point):
                pairs.append((int(parts[0], 16), int(parts[1], 16), point))
    print(f"/* Written by tools/make_unicode_tables.py from Unicode {unicodedata.unidata_version}. */")
    print('#include "syntax/unicode_tables.h"')
    emit("start", "gm_unicode_range", (f"{{{a:#x}, {b:#x}}}" for a, b, _ in ranges(sorted(start))))
    emit("tail", "gm_unicode_range", (f"{{{a:#x}, {b:#x}}}" for a, b, _ in ranges(sorted(tail - start))))
    emit("decompositions", "gm_unicode_decomposition", (f"{{{p:#x}, {at}, {n}}}" for p, at, n in places))
    emit("decomposed", "uint32_t", (f"{ord(char):#x}" for char in flat))
    runs = ranges(classes, lambda point: unicodedata.combining(chr(point)))
    emit("classes", "gm_unicode_class", (f"{{{a:#x}, {b:#x}, {c}}}" for a, b, c in runs))
    emit("pairs", "gm_unicode_pair", (f"{{{a:#x}, {b:#x}, {c:#x}}}" for a, b, c in sorted(pairs)))


if __name__ == "__main__":
    sys.exit(main())
