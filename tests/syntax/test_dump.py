"""Trees and literals equal those of the Python that runs the tests, to the letter."""

from __future__ import annotations

from pathlib import Path

import cpython
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def check(executable: str, path: Path, data: bytes) -> None:
    """graphmend accepts what Python accepts, with the same tree, and rejects the rest."""
    path.write_bytes(data)
    assert cpython.difference(data, cpython.graphmend_trees(executable, [path])[0]) is None


@pytest.mark.parametrize("path", cpython.standard_files(40), ids=lambda path: str(path.relative_to(cpython.STDLIB)))
def test_standard_library(executable: str, tmp_path: Path, path: Path) -> None:
    check(executable, tmp_path / "file.py", path.read_bytes())


SNIPPETS = {
    "numbers": "x = 0, 00, 1_000, 0x_ff, 0o17, 0b1_01, 1e5, 1E-7, .5, 5., 1e309, 1e16, 12345678.123, 1j, .5e3J, 5e-324",
    "large numbers": "x = " + "9" * 4000 + ", 0x" + "f" * 500 + ", 0b" + "10" * 300,
    "escapes": r"""x = '\a\b\f\n\r\t\v\\\'\"\0\101\x41\u00e9\U0001F600\N{DIGIT ONE}\N{latin small letter a}\q\
'""",
    "octal": r"x = '\777\400\08', b'\777'",
    "computed names": r"x = '\N{CJK UNIFIED IDEOGRAPH-4E00}\N{HANGUL SYLLABLE GGWALB}\N{LF}\N{NULL}'",
    "surrogates": r"x = '\ud800', '\udc80\ud800\udc00'",
    "quotes": "x = \"it's\", 'say \"x\"', '''it's \"both\"''', b\"it's\", r'\\'",
    "unprintable": "x = '\\x7f\\x80\\xa0\\xad\\u200b\\u2028\\ufeff\\U000e0001', '\u00e9\u4e00'",
    "bytes": r"x = b'\x00\xff\'', rb'\x', B'a' b'b'",
    "line ends": "x = '''a\r\nb\rc\n'''\r\ny = 1\r",
    "concatenation": "x = 'a' 'b' u'c' r'\\d'\ny = u'a' 'b'\nz = ('a'\n  'b')",
    "format strings": "x = f'a{b}c{d!r:>{w}}{{}}' 'e' f'{f=}' f'' f'{x:%H:%M}'",
    "source text": 'x = f\'{a+1 = }{ b=!s}{e = :x}{"a" "b"=}{f[0]==1=}\'\n',
    "source text in several lines": 'x = f"""{a\r\n=}{(b\n)  =\t}{\'c\' = }"""\n',
    "source text with comments": "x = f'''1{a = # it is\n  }{# b\nc # d\r\n= # e\n!r}''' 'g'\n",
    "source text in format specs": "x = f'''{a:{b = # c\n}}{d:{{{e}}}}'''\n",
    "source text two levels deep": "x = f'{f:{g:{h=}}}'\n",
    "format specs": "x = f'{a:}{a:{b}}{a:b{c}}{a:{b}{c}}{a:{b}c}{a:{b:{c}}}{a:{b:c}}{a!r:^{b}.{c}}'\n",
    "empty format specs": "x = f'{a:{b:}}{a:{b:{c:}}}{a:{b!r:}{c}}' f'{a:}' ''\n",
    "prefix u": "x = u'a' f'b{c}' 'd', f'' u'e', f'{g}' u'h' 'i', 'j' u'k{l}' f'm', u'' f'n', f'o' u'p'\n",
    "prefix u and format specs": "x = u'' f'{a:b{c}d{e:f}}' 'g' f'{h:i}{j:k{l}m}'\n",
    "identifiers": "\u212b = \u00b5 = \ufb01 = \u1e9b\u0323 = 1\n",
    "positions": "\u00e9 = '\u00e9\u00e9'; y = \u00e9.z(\n\t1)\n",
    "decorators": "@a.b(1)\n@c\nclass D(E, f=1, *g, **h):\n async def i(self, j, /, k=1, *, l: m, **o) -> p: await q\n",
    "statements": "with a as b, c: pass\ntry: pass\nexcept (A, B) as e: raise X from e\nelse: pass\nfinally: del a\n",
    "match": "match a:\n case [1, *_, -1+2j]: 0\n case {'k': v, **r} if x: pass\n case A(b, c=d) | None as e: pass\n",
    "bad escape": r"x = '\N{NO SUCH NAME}'",
    "bad hexadecimal": r"x = '\x1'",
    "bad bytes": r"x = b'\xg0'",
    "bad character": r"x = '\U00110000'",
    "bad utf-8": "x = 1\n".encode() + b"\xff",
    "bad cookie": "# coding: uft-8\nx = 1\n",
    "latin-1": "# coding: latin-1\nx = '\u00e9' + y\n".encode("latin-1"),
    "koi8-r": "# -*- coding: koi8-r -*-\nx = '\u043f\u0440\u0438\u0432\u0435\u0442'\n".encode("koi8-r"),
    "mark": b"\xef\xbb\xbfx = 1\n",
    "mark and cookie": b"\xef\xbb\xbf# coding: latin-1\nx = 1\n",
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets(executable: str, tmp_path: Path, name: str) -> None:
    text = SNIPPETS[name]
    check(executable, tmp_path / "file.py", text if isinstance(text, bytes) else text.encode("utf-8"))


MANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(values=st.lists(st.text(max_size=12) | st.binary(max_size=12), min_size=1, max_size=30))
def test_strings_round_trip(executable: str, tmp_path: Path, values: list[str | bytes]) -> None:
    """The repr of any text or bytes reads back and prints as Python does."""
    check(
        executable,
        tmp_path / "file.py",
        "".join(f"x = {value!a}, {value!r}\n" for value in values).encode("utf-8", "ignore"),
    )


@MANY
@given(values=st.lists(st.floats(min_value=0, allow_nan=False) | st.integers(0, 10**60), min_size=1, max_size=40))
def test_numbers_round_trip(executable: str, tmp_path: Path, values: list[float | int]) -> None:
    """The shortest digits of every double, and integers of any size in three bases."""
    lines = [f"x = {value!r}, {value!r}j\n" for value in values if value != float("inf")]
    lines += [f"y = {value:#x}, {value:#o}, {value:#b}\n" for value in values if isinstance(value, int)]
    check(executable, tmp_path / "file.py", "".join(lines).encode())


@MANY
@given(
    body=st.text(alphabet="\\xuN{}'\"abf0123 \n=:!r%", max_size=20),
    prefix=st.sampled_from(["", "f", "r", "b", "rf", "u"]),
)
def test_odd_strings(executable: str, tmp_path: Path, body: str, prefix: str) -> None:
    """Strings that may or may not be right: accepted and rejected as Python does."""
    check(executable, tmp_path / "file.py", f"x = {prefix}'''{body}'''\n".encode())
