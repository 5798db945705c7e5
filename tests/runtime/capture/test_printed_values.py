"""The texts that the code of a print asks its values for, in the instructions of this Python."""

from __future__ import annotations

from typing import Any, Callable

import pytest

from graphmend.runtime.capture.printed_values import texts_of

STR, REPR, BOTH = {"str"}, {"repr"}, {"str", "repr"}
CODES: dict[str, tuple[Callable[..., Any], Any]] = {
    "argument": (lambda a, b: print(b, a, sep="x"), STR),
    "beside a format": (lambda a, b: print(f"{b:02d}:", a), STR),
    "beside arithmetic": (lambda a, b: print("x", max(b), b[0] / 2, a), STR),
    "parts of an f-string": (lambda a, b: print(f"{a!r} {b:.2f} {a}"), BOTH),
    "converted and aligned": (lambda a: print(f"{a!s:>20}"), STR),
    "to a file": (lambda a, b: print(a, file=b, end=""), STR),
    "by functions": (lambda a: print(str(a) + "x", repr(a)), BOTH),
    "chosen": (lambda a, b: print("x", a if b != 2 else "none"), STR),
    "chosen twice": (lambda a, b: print("x", a if b else repr(a), b), BOTH),
    "at the end": (lambda a, b: print("x", b or a), STR),
    "in containers": (lambda a, b: print({"k": a, "q": (b, [a])}, str([a]), a), BOTH),
    "container in an f-string": (lambda a, b: print(f"{[b, a]}"), REPR),
    "not shown": (lambda a, b: print(b), set()),
    "separator": (lambda a, b: print(b, sep=a), None),
    "format": (lambda a: print(f"{a:02d}"), None),
    "ascii": (lambda a: print(f"{a!a}"), None),
    "attribute": (lambda a: print(a.x), None),
    "method": (lambda a, b: b.w(a), None),
    "length": (lambda a: print(len(a)), None),
    "length of a container": (lambda a: print(len([a])), None),
    "item": (lambda a: print([a][0]), None),
    "key": (lambda a: print({a: 1}), None),
    "set": (lambda a: print({a}), None),
    "old format": (lambda a, b: print("%s %d" % (a, b)), None),
    "test": (lambda a, b: print("x", a if a else b), None),
    "first of two": (lambda a, b: print("x", a or b), None),
    "compared": (lambda a: print(a is None), None),
    "spread": (lambda a: print(*a), None),
    "returned": (lambda a: a, None),
    "loop": (lambda a: print([x for x in a]), None),
}


@pytest.mark.parametrize("name", CODES)
def test_texts(name: str) -> None:
    function, texts = CODES[name]
    assert texts_of(function.__code__, "a") == texts
