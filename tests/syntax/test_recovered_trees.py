"""What is left of a program of which a token is gone: what is said of it, and the statements that were read around it.

Of each statement there is its kind and where it ends, with a dot for each level that it stands below the module.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from stated_texts import hold
from test_changed_programs import NEWER, STATEMENTS, tokens_of

STATED = Path(__file__).parent / "stated"
STATEMENT = re.compile(r"( *)(?:body|orelse|handlers|finalbody|cases): (\w+) .*-(\d+:\d+)")
# How Python splits an f-string depends on its version.
TEXTS = [text for text in dict.fromkeys([*STATEMENTS, *NEWER.values()]) if not re.search(r"\b[ft]'", text)]
TEXTS.append(NEWER[3, 12].rpartition("f'")[0])
PROGRAMS = {"lines": [text for text in TEXTS if text.count("\n") == 1]}
PROGRAMS["blocks"] = [text for text in TEXTS if text not in PROGRAMS["lines"]]


def shapes(executable: str, folder: Path, texts: list[str]) -> list[str]:
    """Of each text what is said of it, and its statements."""
    names = [f"{number}.py" for number in range(len(texts))]
    for name, text in zip(names, texts):
        (folder / name).write_text(text)
    done = subprocess.run([executable, "debug", "tree", *names], cwd=folder, capture_output=True, text=True)
    said: dict[str, list[str]] = {}
    for line in done.stderr.splitlines():
        name, _, words = line.removeprefix("graphmend: ").partition(":")
        said.setdefault(name, []).append(words)
    trees = re.split(r"^Module .*\n", done.stdout, flags=re.M)[1:]
    assert len(trees) == len(texts)
    found = []
    for name, tree in zip(names, trees):
        parts = [f"{'.' * (len(blanks) // 2 - 1)}{kind} {end}" for blanks, kind, end in STATEMENT.findall(tree)]
        found.append(f"{' | '.join(said[name])}\n    {' '.join(parts)}\n" if name in said else "")
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_token_is_gone(executable: str, tmp_path: Path, name: str) -> None:
    rows = [(text, tokens_of(text)) for text in PROGRAMS[name]]
    places = [(text, tokens, at) for text, tokens in rows for at in range(len(tokens))]
    texts = ["".join(tokens[:at] + tokens[at + 1 :]) for _, tokens, at in places]
    told, last = [], ""
    for (text, tokens, at), shape in zip(places, shapes(executable, tmp_path, texts)):
        told += [f"\n{text}\n"] if text != last else []
        last = text
        told += [f"{at} {tokens[at]!r}: {shape}"] if shape else []
    assert len(told) > 100
    hold(STATED / f"recovered.{name}.txt", "".join(told))
