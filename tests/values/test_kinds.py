"""What is said of the result of an operator, by the kinds of its operands, beside what CPython makes of it.

Each operator stands between all kinds of value, and forms of one operand take each of them. A part of the pairs is
drawn here; `GRAPHMEND_KINDS=all` runs each of them.
"""

from __future__ import annotations

import itertools
import logging
import os
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

import kinds  # noqa: E402
from test_claims import is_wrong, read_claims  # noqa: E402

# Nothing is known of these. Beside a tensor, such an operand is taken for a number or a tensor, so that comparing gives
# a tensor.
OPAQUE = {"Colour.RED", "int", "len", "math", "ValueError('a')", "datetime.timedelta(1)"}
EQUALITIES = {"a == b", "a != b", "a == b == a"}
DRAWN = 160


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def judge(
    executable: str, folder: Path, pairs: list[kinds.Pair], forms: Iterable[str], augmented: Iterable[str] = ()
) -> tuple[int, list[str]]:
    """The number of claims that CPython's value was compared with, and the wrong ones."""
    text, places = kinds.write(pairs, forms, augmented)
    path = folder / "program.py"
    path.write_text(text)
    claims = {
        (line, end): claim for (line, start, _, end), claim in read_claims(executable, path).items() if start == 4
    }
    lines = text.splitlines()
    machine = kinds.Machine()
    judged, wrong = 0, []
    for number, (left, right, form) in places.items():
        class_, said, words, reason = claims.get((number, len(lines[number - 1])), ("unknown", "", set(), ""))
        if class_ == "unknown" or (form in EQUALITIES and {left, right} & OPAQUE):
            continue
        for value in machine.run(left, right, form):
            judged += 1
            if is_wrong(value, class_, said, words):
                wrong.append(
                    f"a = {left}, b = {right}: `{form}` is {type(value).__name__}, said to be {class_} {said}: {reason}"
                )
    return judged, wrong


def draw(seed: int, count: int = DRAWN) -> list[kinds.Pair]:
    every = list(itertools.product(kinds.KINDS, kinds.KINDS))
    return every if os.environ.get("GRAPHMEND_KINDS") == "all" else random.Random(seed).sample(every, count)


def test_operators(executable: str, tmp_path: Path) -> None:
    judged, wrong = judge(executable, tmp_path, draw(1), kinds.PAIRS)
    assert not wrong, "\n".join(wrong)
    assert judged > 1000


def test_augmented_assignments(executable: str, tmp_path: Path) -> None:
    judged, wrong = judge(executable, tmp_path, draw(2), (), kinds.AUGMENTED)
    assert not wrong, "\n".join(wrong)
    assert judged > 80


def test_equality_with_a_tensor(executable: str, tmp_path: Path) -> None:
    pairs = [pair for kind in kinds.KINDS for pair in ((kind, "torch.ones(2)"), ("torch.tensor(2)", kind))]
    judged, wrong = judge(executable, tmp_path, pairs, ("a == b", "a != b", "a * b", "a + b"))
    assert not wrong, "\n".join(wrong)
    assert judged > 200


def test_forms_of_one_operand(executable: str, tmp_path: Path) -> None:
    judged, wrong = judge(executable, tmp_path, [(kind, "None") for kind in kinds.KINDS], kinds.SINGLE)
    assert not wrong, "\n".join(wrong)
    assert judged > 2000


def test_made_kinds(executable: str, tmp_path: Path) -> None:
    pairs = list(itertools.product(kinds.MADE, kinds.MADE))
    judged, wrong = judge(executable, tmp_path, pairs, kinds.PAIRS, kinds.AUGMENTED)
    singles = [(kind, "None") for kind in kinds.MADE]
    more, wrong_too = judge(executable, tmp_path, singles, kinds.SINGLE)
    assert not wrong + wrong_too, "\n".join(wrong + wrong_too)
    assert judged > 4000 and more > 400
