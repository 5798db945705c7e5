"""Brackets in every order: a closer that fits an outer one closes what is inside; one that fits none is skipped."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

CLOSERS = {"(": ")", "[": "]", "{": "}"}


def said(text: str) -> list[str]:
    """What is wrong in a line of brackets, with the column."""
    opened: list[tuple[int, str]] = []
    found = []
    for at, one in enumerate(text):
        if one in CLOSERS:
            opened.append((at, one))
            continue
        if not opened:
            found.append((at, f"unmatched `{one}`"))
        elif CLOSERS[opened[-1][1]] != one:
            found.append((at, f"closing `{one}` does not match opening `{opened[-1][1]}`"))
        fitting = [place for place, (_, opener) in enumerate(opened) if CLOSERS[opener] == one]
        del opened[fitting[-1] if fitting else len(opened) :]
    found += [(at, f"`{one}` was never closed") for at, one in opened[-1:]]
    return [f"1:{at + 1}: {message}" for at, message in sorted(found)]


def test_brackets_in_every_order(executable: str, tmp_path: Path) -> None:
    texts = ["".join(some) for size in range(1, 5) for some in itertools.product("([{)]}", repeat=size)]
    texts += [
        f"{''.join(some)}{end}" for some in itertools.product("([{", repeat=4) for end in (")", "]", "}", ")]", "])")
    ]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.py").write_text(text)
    names = [f"{number}.py" for number in range(len(texts))]
    done = subprocess.run([executable, "debug", "tokens", *names], cwd=tmp_path, capture_output=True, text=True)
    told: dict[str, list[str]] = {name: [] for name in names}
    for name, words in re.findall(r"^(\d+\.py):(.*)", done.stdout, flags=re.M):
        told[name].append(words)
    # What the parser says of brackets that are right is no matter here.
    wrong = [(text, told[name], said(text)) for name, text in zip(names, texts) if said(text) not in ([], told[name])]
    assert not wrong, (len(wrong), wrong[:5])
