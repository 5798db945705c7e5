#!/usr/bin/env python3
"""Write src/syntax/encoding_tables.c: the character sets that a coding cookie may name, from Python's own codecs.

usage: python3.13 tools/make_encodings.py > src/syntax/encoding_tables.c

A character set that is ASCII below 128 and has one character a byte above becomes a table: 128 characters of three
digits, six bits each, the digits being the characters from "0" to "o". Codecs in which a line of ASCII is no text, such
as utf-16, are listed as refused: CPython reads a file by lines, and has an "encoding problem" with them. All others are
listed as unsupported.
"""

from __future__ import annotations

import codecs
import encodings
import pkgutil
import sys
from encodings.aliases import aliases

FIRST_DIGIT = ord("0")
UNDEFINED = 0x3FFFF
PER_LINE = 32  # characters of a table
NOT_EVERYWHERE = ("mbcs", "oem")  # Windows alone has them
UTF8 = ("utf_8", "utf_8_sig")


def encode(code: int) -> str:
    digits = "".join(chr(FIRST_DIGIT + (code >> shift & 63)) for shift in (12, 6, 0))
    return digits.replace("\\", "\\\\").replace("?", "\\?")


def decode(module: str, data: bytes) -> str | None:
    """The text of one byte, None where the codec has none."""
    try:
        text = data.decode(module)
    except (UnicodeError, ValueError):
        return None
    return text if len(text) == 1 else None


def table(module: str) -> list[int] | None:
    """Characters of the bytes from 128 on, None for a codec that is not of that kind."""
    if any(decode(module, bytes([byte])) != chr(byte) for byte in range(128)):
        return None
    characters = [decode(module, bytes([byte])) for byte in range(128, 256)]
    if module != "ascii" and not any(characters):
        return None
    # A lead byte stands for nothing alone: with one behind it, two bytes must still be two characters.
    for byte, character in zip(range(128, 256), characters):
        pairs = (bytes([byte, second]) for second in range(256))
        if character is None and any(decode(module, pair) for pair in pairs):
            return None
    return [UNDEFINED if character is None else ord(character) for character in characters]


def is_refused(module: str) -> bool:
    """Whether CPython reads no source in this codec, as the line with the cookie is none: of an even or odd length."""
    for line in (b"# coding: x\n", b"# coding: xx\n"):
        try:
            line.decode(module)
        except (UnicodeError, ValueError):
            return True
    return False


def text_codecs() -> dict[str, str]:
    """Modules of the codecs that decode to text, with their names."""
    found = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(encodings.__path__)):
        try:
            codec = codecs.lookup(module)
        except LookupError:
            continue
        if module not in NOT_EVERYWHERE and codec._is_text_encoding:
            found[module] = codec.name
    return found


def write_encoding(module: str, name: str) -> None:
    characters = None if module == "raw_unicode_escape" else table(module)
    if module in UTF8:
        print(f'    {{"{name}", GM_ENCODING_UTF8, NULL}},')
    elif is_refused(module):
        print(f'    {{"{name}", GM_ENCODING_REFUSED, NULL}},')
    elif characters is None:
        print(f'    {{"{name}", GM_ENCODING_UNSUPPORTED, NULL}},')
    else:
        print(f'    {{"{name}", GM_ENCODING_TABLE,')
        lines = [characters[start : start + PER_LINE] for start in range(0, 128, PER_LINE)]
        print("\n".join(f'     "{"".join(map(encode, line))}"' for line in lines) + "},")


def main() -> None:
    modules = text_codecs()
    order = list(modules)
    names = {module: module for module in order}
    dotted = {alias.replace(".", "_"): module for alias, module in aliases.items() if module in modules}
    names.update(dotted)
    print(f"/* Written by tools/make_encodings.py from Python {sys.version_info[0]}.{sys.version_info[1]}. */")
    print('#include "syntax/encoding.h"\n')
    print("const gm_encoding gm_encodings[] = {")
    for module, name in modules.items():
        write_encoding(module, name)
    print("};\n")
    print("const gm_encoding_alias gm_encoding_aliases[] = {")
    line = "   "
    for alias in sorted(names):
        item = f' {{"{alias}", {order.index(names[alias])}, {str(alias in dotted).lower()}}},'
        if len(line) + len(item) > 118:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};")
    print(f"const uint32_t gm_encoding_alias_count = {len(names)};")


if __name__ == "__main__":
    main()
