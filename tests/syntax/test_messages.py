"""Each message of lexer, parser and validation once, in full and with its place.

Places are `line:column`, columns from 0. A case is a target (`""`: the newest), a text, and what is reported.
A message that the sources have and no case has fails a test.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src" / "syntax"
CASES = [
    ("", b"a and b = 1\n", ["1:0: cannot assign to an expression"]),
    ("", b"(a := 1) = 1\n", ["1:1: cannot assign to an assignment expression"]),
    ("", b"a + b = 1\n", ["1:0: cannot assign to an expression"]),
    ("", b"-a = 1\n", ["1:0: cannot assign to an expression"]),
    ("", b"lambda: 0 = 1\n", ["1:0: cannot assign to a lambda"]),
    ("", b"(a if b else c) = 1\n", ["1:1: cannot assign to a conditional expression"]),
    ("", b"{1: 2} = 1\n", ["1:0: cannot assign to a dict display"]),
    ("", b"{1} = 1\n", ["1:0: cannot assign to a set display"]),
    ("", b"[a for a in b] = 1\n", ["1:0: cannot assign to a list comprehension"]),
    ("", b"{a for a in b} = 1\n", ["1:0: cannot assign to a set comprehension"]),
    ("", b"{a: a for a in b} = 1\n", ["1:0: cannot assign to a dict comprehension"]),
    ("", b"(a for a in b) = 1\n", ["1:0: cannot assign to a generator expression"]),
    ("", b"a < b = 1\n", ["1:0: cannot assign to a comparison"]),
    ("", b"f() = 1\n", ["1:0: cannot assign to a function call"]),
    ("", b"f'{a}' = 1\n", ["1:0: cannot assign to an f-string"]),
    ("", b"t'{a}' = 1\n", ["1:0: cannot assign to a t-string"]),
    ("", b"1 = 1\n", ["1:0: cannot assign to a literal"]),
    ("", b"[f()] = 1\n", ["1:1: cannot assign to a function call"]),
    ("", b"(a, 1) = 1\n", ["1:4: cannot assign to a literal"]),
    ("", b"async def f():\n    await a = 1\n", ["2:4: cannot assign to an await expression"]),
    ("", b"def f():\n    (yield) = 1\n", ["2:5: cannot assign to a yield expression"]),
    ("", b"def f():\n    (yield from a) = 1\n", ["2:5: cannot assign to a yield expression"]),
    ("", b"a, b += 1\n", ["1:0: cannot use augmented assignment on a tuple"]),
    ("", b"[a] += 1\n", ["1:0: cannot use augmented assignment on a list"]),
    ("", b"f() += 1\n", ["1:0: cannot use augmented assignment on a function call"]),
    ("", b"(a + b) += 1\n", ["1:1: cannot use augmented assignment on an expression"]),
    ("", b"{} += 1\n", ["1:0: cannot use augmented assignment on a dict display"]),
    ("", b"*a += 1\n", ["1:0: cannot use augmented assignment on a starred expression"]),
    ("", b"a, b: int = 1\n", ["1:0: cannot annotate a tuple"]),
    ("", b"[a]: int = 1\n", ["1:0: cannot annotate a list"]),
    ("", b"f(): int = 1\n", ["1:0: cannot annotate a function call"]),
    ("", b"(a and b): int = 1\n", ["1:1: cannot annotate an expression"]),
    ("", b"del f()\n", ["1:4: cannot delete a function call"]),
    ("", b"del a + b\n", ["1:4: cannot delete an expression"]),
    ("", b"del (a, 1)\n", ["1:8: cannot delete a literal"]),
    ("", b"del lambda: 0\n", ["1:4: expected an expression, found `lambda`"]),
    ("", b"for f() in b: pass\n", ["1:4: cannot assign to a function call"]),
    ("", b"for 1 in b: pass\n", ["1:4: cannot assign to a literal"]),
    ("", b"for (a, 'b') in b: pass\n", ["1:8: cannot assign to a literal"]),
    ("", b"with a as f(): pass\n", ["1:10: cannot assign to a function call"]),
    ("", b"with a as 1: pass\n", ["1:10: cannot assign to a literal"]),
    ("", b"with a as (b, c.d()): pass\n", ["1:14: cannot assign to a function call"]),
    ("3.8", b"__debug__ = 1\n", ["1:0: cannot assign to `__debug__`"]),
    ("3.8", b"def f(__debug__): pass\n", ["1:6: cannot assign to `__debug__`"]),
    ("3.8", b"f(a=1, a=2)\n", ["1:7: keyword argument repeated"]),
    ("3.8", b"f(a=1, a=2, a=3)\n", ["1:7: keyword argument repeated", "1:12: keyword argument repeated"]),
    (
        "",
        b"[f(), 1] = (a, g()) = 1\n",
        [
            "1:1: cannot assign to a function call",
            "1:6: cannot assign to a literal",
            "1:15: cannot assign to a function call",
        ],
    ),
    (
        "",
        b"f(**a, *b, *c)\n",
        [f"1:{at}: iterable argument unpacking follows keyword argument unpacking" for at in (7, 11)],
    ),
    ("", b"\xef\xbb\xbf# coding: latin-1\n", ["1:10: encoding problem: `latin-1` contradicts the byte order mark"]),
    ("", b"# coding: no-such\n", ["1:10: encoding problem: unknown encoding `no-such`"]),
    ("", b"# coding: gbk\n", ["1:10: encoding problem: graphmend reads no source in `gbk`, though Python may"]),
    (
        "",
        "# coding: gbk\nx = '\u4e2d' = = 1\n".encode("gbk"),
        ["1:10: encoding problem: graphmend reads no source in `gbk`, though Python may"],
    ),
    ("", b"# coding: utf-16\n", ["1:10: encoding problem: Python reads no source in `utf-16`"]),
    (
        "",
        b"#!/usr/bin/python\n# -*- coding: UTF_32 -*-\n",
        ["2:14: encoding problem: Python reads no source in `UTF_32`"],
    ),
    ("", b"# coding: punycode\n", ["1:10: encoding problem: Python reads no source in `punycode`"]),
    ("", b"x = '\xff'\n", ["1:5: encoding problem: byte 0xFF is no UTF-8, and no encoding is declared"]),
    ("", b"# coding: utf-8\nx = '\xff'\n", ["2:5: encoding problem: byte 0xFF is no UTF-8"]),
    ("", b"\xef\xbb\xbfx = '\xff'\n", ["1:5: encoding problem: byte 0xFF is no UTF-8"]),
    (
        "",
        "x = 1\ny = '\u4e2d'\n".encode("gbk"),
        ["2:5: encoding problem: byte 0xD6 is no UTF-8, and no encoding is declared"],
    ),
    ("", b"# coding: ascii\nx = '\xe9'\n", ["2:5: encoding problem: byte 0xE9 is no character of `ascii`"]),
    (
        "",
        "x = 1\n".encode("utf-16"),
        ["1:0: encoding problem: byte 0xFF is no UTF-8, and no encoding is declared"],
    ),
    (
        "",
        b"x = = 1\ny = '\xff' = = 1\n",
        [
            "1:4: expected an expression, found `=`",
            "2:5: encoding problem: byte 0xFF is no UTF-8, and no encoding is declared",
        ],
    ),
    (
        "",
        b"".join(b" " * depth + b"if a:\n" for depth in range(101)) + b" " * 101 + b"b\n",
        [
            "101:100: more than 100 levels of indentation, a limit of Python",
            "101:100: expected an indented block",
            "102:101: more than 100 levels of indentation, a limit of Python",
        ],
    ),
    ("", b"if a:\n    b\n  c\n", ["3:2: unindent does not match any outer indentation level"]),
    ("", b"x = \\", ["1:5: unexpected end of file after a line continuation"]),
    ("", b"x = 1 \\ 2\n", ["1:6: unexpected character after a line continuation"]),
    ("3.11", b"f'{a \\\n}'\n", ["1:5: f-string: a backslash in an expression needs Python 3.12"]),
    ("", b"x\\", ["1:2: unexpected end of file after a line continuation"]),
    ("", b"x = ?\n", ["1:4: invalid character"]),
    ("", b"x = $\n", ["1:4: invalid character"]),
    ("3.11", b"f'''{a # b\n}'''\n", ["1:7: f-string: a comment in an expression needs Python 3.12"]),
    ("", b"x = 1\x00\n", ["1:5: source text cannot contain null bytes"]),
    ("", b"x = 1  # a\x00b\n", ["1:10: source text cannot contain null bytes"]),
    ("", b"x = 'a\x00b'\n", ["1:6: source text cannot contain null bytes"]),
    ("", b"# \x00\x00\ny = f'{x}\x00'\n", ["1:2: source text cannot contain null bytes"]),
    ("", b"x = \xc2\xa0 1\n", ["1:4: invalid character in a name"]),
    ("", b"x = a\xe2\x82\xacb\n", ["1:5: invalid character in a name"]),
    ("", b"x = (\n", ["1:4: `(` was never closed"]),
    ("", b"x = [\n", ["1:4: `[` was never closed"]),
    ("", b"x = {\n", ["1:4: `{` was never closed"]),
    ("", b"x = )\n", ["1:4: unmatched `)`"]),
    ("", b"x = ]\n", ["1:4: unmatched `]`"]),
    ("", b"x = }\n", ["1:4: unmatched `}`"]),
    ("", b"x = (]\n", ["1:4: `(` was never closed", "1:5: closing `]` does not match opening `(`"]),
    (
        "",
        b"x = " + b"(" * 201 + b"a" + b")" * 201 + b"\n",
        ["1:204: more than 200 nested parentheses, a limit of Python"],
    ),
    ("", b"x = 1a\n", ["1:5: expected end of line, found name"]),
    ("", b"x = 0x\n", ["1:4: invalid digits in a number with a base"]),
    ("", b"x = 0b2\n", ["1:4: invalid digits in a number with a base"]),
    ("", b"x = 0o8\n", ["1:4: invalid digits in a number with a base"]),
    ("", b"x = 1_\n", ["1:4: invalid decimal number"]),
    ("", b"x = 1e\n", ["1:5: expected end of line, found name"]),
    ("", b"x = 012\n", ["1:4: leading zeros in a decimal number; an octal number starts with `0o`"]),
    (
        "",
        b"x = " + b"1" * 4301 + b"\n",
        ["1:4: more than 4300 digits in a decimal number, a limit of Python that can be set"],
    ),
    ("", b"x = 'a\n", ["1:4: unterminated string"]),
    ("", b"x = '''a\n", ["1:4: unterminated triple-quoted string"]),
    ("", b"x = f'a\n", ["1:4: unterminated f-string"]),
    ("", b"x = f'''a\n", ["1:4: unterminated triple-quoted f-string"]),
    ("3.11", b"f'{a[\"\\n\"]}'\n", ["1:5: f-string: a backslash in an expression needs Python 3.12"]),
    ("3.11", b"f'{a['b']}'\n", ["1:0: f-string: nested quotes of the same kind need Python 3.12"]),
    ("", b"f'{a:{b:{c:{d}}}}'\n", ["1:11: f-string: expressions nested too deeply"]),
    (
        "",
        b"f'{a:{b:{c:{d:{e}}}}}'\n",
        ["1:11: f-string: expressions nested too deeply", "1:14: f-string: expressions nested too deeply"],
    ),
    ("3.11", b"f'{f\"\\n\"}'\n", ["1:5: f-string: a backslash in an expression needs Python 3.12"]),
    ("", b"f'{a'\n", ["1:2: `{` was never closed", "1:4: unterminated string"]),
    ("", b"f'}'\n", ["1:2: f-string: single `}` is not allowed"]),
    ("3.8", b"f'{a:{b:{c}}}'\n", ["1:8: f-string: expressions nested too deeply"]),
    ("", b"def 1(): pass\n", ["1:4: expected a name, found number"]),
    ("", b"f(a for a in b, c)\n", ["1:14: expected `)`, found `,`"]),
    ("", b"f(**a, *b)\n", ["1:7: iterable argument unpacking follows keyword argument unpacking"]),
    ("", b"f(**a, b)\n", ["1:7: positional argument follows keyword argument unpacking"]),
    ("", b"f(a=1, b)\n", ["1:7: positional argument follows keyword argument"]),
    (
        "3.8",
        b"f(a := 1 for b in c)\n",
        ["1:2: an assignment expression without parentheses in a generator argument needs Python 3.9"],
    ),
    ("3.10", b"def f(*a: *b): pass\n", ["1:10: `*` in an annotation needs Python 3.11"]),
    ("", b"def f(/, a): pass\n", ["1:6: `/` must follow a parameter, once and before `*`"]),
    ("", b"def f(*a, *b): pass\n", ["1:10: `*` can be used once"]),
    ("", b"def f(*a=1): pass\n", ["1:8: a `*` parameter cannot have a default"]),
    ("", b"def f(**a=1): pass\n", ["1:9: a `**` parameter cannot have a default"]),
    ("", b"def f(a=1, b): pass\n", ["1:11: parameter without a default follows parameter with a default"]),
    ("", b"def f(**a, b): pass\n", ["1:11: parameters cannot follow a `**` parameter"]),
    ("", b"def f(*): pass\n", ["1:6: named parameters must follow a bare `*`"]),
    ("3.12", b"def f[T = int](): pass\n", ["1:8: a default of a type parameter needs Python 3.13"]),
    ("3.11", b"def f[T](): pass\n", ["1:5: a list of type parameters needs Python 3.12"]),
    ("", b"[*a for a in b]\n", ["1:1: iterable unpacking cannot be used in a comprehension"]),
    ("", b"{**a for a in b}\n", ["1:0: dict unpacking cannot be used in a comprehension"]),
    ("3.8", b"{a := 1}\n", ["1:1: an assignment expression without parentheses in a set needs Python 3.9"]),
    ("", b"x = \n", ["1:4: expected an expression, found end of line"]),
    ("", b"if a:\nb\n", ["2:0: expected an indented block"]),
    ("3.8", b"for a in *b, c: pass\n", ["1:9: `*` in the iterable of a `for` statement needs Python 3.9"]),
    ("3.8", b"with a as *b: pass\n", ["1:10: `*` behind `as` needs Python 3.9"]),
    ("3.13", b"try: pass\nexcept a, b: pass\n", ["2:7: a list of exceptions without parentheses needs Python 3.14"]),
    ("", b"try: pass\nexcept a, b as c: pass\n", ["2:7: several exceptions with `as` must be parenthesized"]),
    ("3.10", b"try: pass\nexcept* a: pass\n", ["2:6: `except*` needs Python 3.11"]),
    (
        "",
        b"try: pass\nexcept a: pass\nexcept* b: pass\n",
        ["3:0: cannot have both `except` and `except*` on the same `try`"],
    ),
    ("", b"try: pass\nx\n", ["1:0: expected `except` or `finally` block"]),
    ("", b"class a(b for b in c): pass\n", ["1:7: a class cannot have a bare generator expression as base"]),
    (
        "3.8",
        b"@a[0]\ndef f(): pass\n",
        ["1:1: a decorator that is not a dotted name or a call of one needs Python 3.9"],
    ),
    ("", b"@a b\ndef f(): pass\n", ["1:3: expected end of line, found name"]),
    ("", b"@a\nx\n", ["2:0: expected a function or class behind decorators, found name"]),
    ("", b"async x\n", ["1:6: expected `def`, `for` or `with` behind `async`, found name"]),
    ("3.9", b"match a:\n    case b: pass\n", ["1:0: the `match` statement needs Python 3.10"]),
    ("3.10", b"a[*b]\n", ["1:2: `*` in a subscript needs Python 3.11"]),
    ("3.9", b"a[b := 1]\n", ["1:2: an assignment expression without parentheses in a subscript needs Python 3.10"]),
    ("", b"match a:\n    case b c: pass\n", ["2:11: expected `:`, found name"]),
    ("", b"match a:\n    case -b: pass\n", ["2:10: expected a number, found name"]),
    ("", b"match a:\n    case 1j + 1j: pass\n", ["2:9: real number required in a complex literal"]),
    ("", b"match a:\n    case 1 + 1: pass\n", ["2:13: expected an imaginary number, found number"]),
    ("", b"match a:\n    case b as _: pass\n", ["2:14: cannot use `_` as a target"]),
    ("", b"match a:\n    case (*b): pass\n", ["2:10: a starred pattern in parentheses needs a comma"]),
    ("", b"match a:\n    case {b: 1}: pass\n", ["2:10: expected a literal or a dotted name as key, found name"]),
    ("", b"match a:\n    case b(c, _=1): pass\n", ["2:14: `_` cannot be the first keyword behind positional patterns"]),
    ("", b"match a:\n    case b(c=1, d): pass\n", ["2:16: positional patterns follow keyword patterns"]),
    ("", b"match a:\n    case : pass\n", ["2:9: expected a pattern, found `:`"]),
    ("", b"match a:\n    case b(c d): pass\n", ["2:13: expected `)`, found name"]),
    ("", b"match a:\n    x\n", ["2:4: expected `case`, found name"]),
    (
        "",
        b"match a:\ncase b: pass\n",
        ["2:0: expected an indented block behind `match`", "2:5: expected end of line, found name"],
    ),
    ("3.8", b"a += *b, c\n", ["1:5: `*` in the value of an augmented assignment needs Python 3.9"]),
    ("3.11", b"type a = int\n", ["1:0: the `type` statement needs Python 3.12"]),
    ("", b"a b\n", ["1:2: expected end of line, found name"]),
    ("", b"  a\n", ["1:2: unexpected indent"]),
    ("3.8", b"if a:\n    b\n    \\\n\n    c\n", ["4:0: empty statement in a block"]),
    ("", b"b'\xc3\xa9'\n", ["1:2: bytes can only contain ASCII literal characters"]),
    ("", b"f'{a!b}'\n", ["1:4: f-string: the conversion must be `!s`, `!r` or `!a`"]),
    ("", b"f'{a!r b}'\n", ["1:7: expected `}`, found name"]),
    ("3.13", b"t'a'\n", ["1:0: a t-string needs Python 3.14"]),
    ("", b"b'a' 'b'\n", ["1:0: cannot mix bytes and nonbytes literals"]),
    ("", b"t'a' 'b'\n", ["1:0: cannot mix t-string literals with string literals"]),
    ("", b"x not y\n", ["1:6: expected `in`, found name"]),
    ("", b"import a.\n", ["1:9: expected a name, found end of line"]),
    ("", b"from a import *, b\n", ["1:15: expected end of line, found `,`"]),
    ("", b"return = 1\n", ["1:7: expected end of line, found `=`"]),
    ("", b"x = " + b"-" * 4000 + b"1\n", ["1:4: more than 3000 levels of nesting, a limit of graphmend"]),
    ("", b"f(a, b for b in c)\n", ["1:5: a generator expression must be parenthesized"]),
    ("3.10", b"x = 1a\n", ["1:4: invalid number literal"]),
    ("3.10", b"x = 0x1g\n", ["1:4: invalid number literal"]),
    ("", b"x = 0b12\n", ["1:4: invalid digit in a binary number"]),
    ("", b"x = 0o18\n", ["1:4: invalid digit in an octal number"]),
    ("", b"x = 1_a\n", ["1:4: invalid decimal number"]),
    ("", b"x ! y\n", ["1:2: invalid syntax"]),
    ("3.9", b"(*a)\n", ["1:1: cannot use starred expression here"]),
    ("3.11", b"f'{*a}'\n", ["1:3: f-string: cannot use starred expression here"]),
    ("3.11", b"f'{a!r }'\n", ["1:6: f-string: expecting `}`"]),
    ("", b"f'{a:b'\n", ["1:6: f-string: expecting `}`"]),
    ("", b"match *a:\n    case b: pass\n", ["1:8: expected `,`, found `:`"]),
    ("", b"match a:\n    case *b: pass\n", ["2:11: expected `,`, found `:`"]),
    (
        "",
        b"x = " + b"f'{" * 151 + b"\n",
        ["1:454: more than 150 nested f-strings, a limit of Python", "1:456: `{` was never closed"],
    ),
    ("", b"  \\\n", ["2:0: unexpected end of file after a line continuation"]),
    ("", b"x = 1e5_\n", ["1:4: invalid decimal number"]),
]
REPORTED = re.compile(
    r"\b(?:gm_parser_fail|gm_parser_report|gm_parser_need|gm_parser_expected|gm_parser_limit|gm_parser_refuse_star|gm_lexer_report"
    r"|emit_error|invalid|report|report_cookie)\((.*)"
)
TEXTS = re.compile(r'"((?:[^"\\]|\\.)+)"')


def reported(executable: str, folder: Path, target: str, text: bytes) -> list[str]:
    path = folder / "a.py"
    path.write_bytes(text)
    command = [executable, "debug", "tree", *(["--target", target] if target else []), str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line.removeprefix(f"{path}:") for line in ran.stderr.splitlines()]


@pytest.mark.parametrize(("target", "text", "expected"), CASES, ids=[str(number) for number in range(len(CASES))])
def test_a_message(executable: str, tmp_path: Path, target: str, text: bytes, expected: list[str]) -> None:
    assert reported(executable, tmp_path, target, text) == expected


def test_a_newer_target_takes_what_an_older_one_refuses(executable: str, tmp_path: Path) -> None:
    """What needs a version is taken from that version on, and refused in the one before it."""
    needs = re.compile(r"needs Python 3\.(\d+)$")
    for target, text, expected in CASES:
        found = [needs.search(message) for message in expected]
        for version in {int(one.group(1)) for one in found if one}:
            assert reported(executable, tmp_path, f"3.{version}", text) == [], text
            assert reported(executable, tmp_path, f"3.{version - 1}", text) == expected, (target, text)


def test_every_message_of_the_sources_has_a_case() -> None:
    told = "\n".join(message for _, _, expected in CASES for message in expected)
    missing = []
    for path in sorted(SOURCES.glob("*.c")):
        if path.name == "cpython_dump.c":
            continue
        for call in REPORTED.findall(path.read_text(encoding="utf-8")):
            missing += [f"{path.name}: {text}" for text in TEXTS.findall(call) if text not in told]
    assert missing == []
