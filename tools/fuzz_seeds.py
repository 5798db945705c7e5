"""Seeds for the fuzz entries that do not read files of the repository as they are.

usage: fuzz_seeds.py FOLDER

Writes FOLDER/server (what a client sends over the files of tests/data/check), FOLDER/read (the texts of
tests/meaning/meaning_corpus.py behind bytes that choose type and flags), FOLDER/meaning (its types) and FOLDER/notebook
(the files of tests/data/check as notebooks).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "meaning"))

from meaning_corpus import CASES, types_of

ROOT = Path(__file__).resolve().parents[1]
CHOICES = (0b00001000, 0b01010010, 0b10011000, 0b11100100)  # type, size of pieces, flags
CAT = '{"name": "Tom", "age": "3", "kittens": [{"name": "Kim"}, Cat("Eve", age=1)]}'
DOG = """{name: 'Rex', "breed": "Breed.BIG", "born": "31 January 2025",}"""
SHELF = """{"kind": "a b", "mode": "READ|WRITE", "data": "aGk=", "Preis": "$12.50", "count": "1,000", "path": "/tmp/a",
"at": "9:30 pm", "next": {"kind": 1, "more": {"x": {"kind": null}}}, "tags": ["a", "a"],
"ids": {1, 2}, "row": (1, 2.5), "rest": 3}"""
SCALARS = (
    "1,234|$12.50|Yes|None|2025-01-31T10:00:00Z|P1DT30M|00000000-0000-0000-0000-000000000001|{1: true, 2: [1, 2.5]}"
    "|[1, -2e3]"
)
OWN = ((0, CAT), (0, DOG), (0, f"[{CAT}, {DOG}]"), (3, SHELF), *((1, text) for text in SCALARS.split("|")))
FRAMES = ("{}", "Here it is:\n```json\n{}\n```\nDone.", "<think>{}</think>{}")


def write_notebooks(folder: Path) -> None:
    for path in (ROOT / "tests" / "data" / "check").glob("*.py"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        code = {"cell_type": "code", "metadata": {}, "source": lines, "outputs": [], "execution_count": None}
        words = {"cell_type": "markdown", "metadata": {}, "source": "# words"}
        whole = {"cells": [words, code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (folder / f"{path.stem}.ipynb").write_text(json.dumps(whole, indent=1), encoding="utf-8")


def write_sessions(folder: Path) -> None:
    place = {"line": 3, "character": 4}
    for path in (ROOT / "tests" / "data" / "check").glob("*.py"):
        uri = {"uri": "file:///seed.py"}
        text = path.read_text(encoding="utf-8")
        where = {"range": {"start": place, "end": {"line": 90, "character": 0}}, "context": {"diagnostics": []}}
        sent: list[tuple[str, dict[str, object]]] = [
            ("initialize", {"capabilities": {"general": {"positionEncodings": ["utf-32"]}}, "rootUri": "file:///"}),
            ("textDocument/didOpen", {"textDocument": {**uri, "languageId": "python", "version": 1, "text": text}}),
            ("textDocument/didChange", {"textDocument": uri, "contentChanges": [{**where, "text": "x = 1\n"}]}),
            *(
                (f"textDocument/{name}", {"textDocument": uri, **where})
                for name in ("codeAction", "inlayHint", "codeLens")
            ),
            ("textDocument/hover", {"textDocument": uri, "position": place}),
            ("textDocument/diagnostic", {"textDocument": uri}),
        ]
        frames = []
        for number, (method, params) in enumerate(sent):
            request = {} if "/did" in method else {"id": number}
            body = json.dumps({"jsonrpc": "2.0", **request, "method": method, "params": params})
            frames.append(f"Content-Length: {len(body)}\r\n\r\n{body}")
        (folder / path.stem).write_text("".join(frames), encoding="utf-8", newline="")


def main(folder: Path) -> None:
    for name in ("read", "meaning", "notebook", "server", "settings"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in ("pyproject.toml", ".gitignore"):
        (folder / "settings" / name).write_bytes((ROOT / name).read_bytes())
    write_notebooks(folder / "notebook")
    write_sessions(folder / "server")
    for number, case in enumerate(CASES):
        for choice in CHOICES:
            (folder / "read" / f"{number}-{choice}").write_bytes(bytes([choice]) + case.text.encode())
    for number, (kind, text) in enumerate(OWN):
        for flags in range(8):
            for frame in FRAMES:
                name = f"own-{number}-{flags}-{FRAMES.index(frame)}"
                choice = kind << 6 | (number + flags) % 8 << 3 | flags
                (folder / "read" / name).write_bytes(bytes([choice]) + frame.replace("{}", text).encode())
    for kind in {case.type for case in CASES}:
        (folder / "meaning" / kind).write_text(json.dumps(types_of(kind)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
