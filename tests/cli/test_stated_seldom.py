"""What is said where little is said: stale sites, lines that hold no comment, links that lead nowhere, odd settings.

Each run with its status, and what it prints and leaves behind; the texts stand in `stated` and are read as a diff.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

HEAD = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor, n: int):\n"
MODEL = f"{HEAD}    print(x.sum())\n    return x\n"
# What `--add-ignore` has to write a comment behind, and cannot always.
LINES = [
    "print(x.sum())",
    "print(x.sum())  # why",
    "print(x.sum()); print(n)",
    "print(x.sum(),\n        n)",
    "print('''a\n    b''', x.sum())",
    "print('''\n    ''', x.sum(), '''\n    ''')",
    "print(x.sum()), \\\n        n",
    "n, \\\n        print(x.sum())",
    "n, '#', \\\n        print(x.sum()), \\\n        n",
    "if x.sum() > 0: print(n)",
    "if (x.sum() > 0 and\n            n):\n        print(n)",
    "a = '\\\n#' + str(x.sum().item()) + '\\\n'",
    "print(x.sum())  # graphmend: ignore[GM101]",
    "print(x.sum())  # graphmend: ignore",
    "print(x.sum())  # noqa: E501",
    "print(x.sum())  # type: ignore \\",
    "n = (  # a\n        print(x.sum())\n    )",
    "print(x.sum())\f",
]


def ran(cli: Any, *arguments: str) -> str:
    ended = cli(*arguments)
    text = f"{ended.out}{ended.err}".replace(str(cli.folder), "ABOVE")
    return f"$ {' '.join(arguments)}: {ended.status}\n{text}".replace(str(cli.folder), "ABOVE") + "\n"


def stated(name: str, *texts: str) -> None:
    hold(Path(__file__).parent / "stated" / f"seldom.{name}.txt", "".join(texts))


@pytest.mark.parametrize("end", ["", "    return x\n", "    return x", "\n\n# end\n"])
def test_comments_to_add(cli: Any, end: str) -> None:
    files = [f"{number:02}.py" for number in range(len(LINES))]
    for name, line in zip(files, LINES):
        cli.write(name, f"{HEAD}    {line}\n{end}")
    texts = [ran(cli, "check", "--add-ignore", "--no-cache", *files)]
    for name in files:
        texts.append(f"{name}\n{(cli.folder / name).read_text()}\n")
    texts.append(ran(cli, "check", "--no-cache", "--output-format", "concise", *files))
    number = ["", "    return x\n", "    return x", "\n\n# end\n"].index(end)
    stated(f"comments{number}", *texts)


def test_stale_sites(cli: Any) -> None:
    texts = []
    for count in (0, 1, 2, 9, 10, 11, 12, 30):
        cli.write("a.py", HEAD + "".join(f"    print({number}, x.sum())\n" for number in range(count)))
        (cli.folder / "list.json").unlink(missing_ok=True)
        texts.append(ran(cli, "check", "--no-cache", "--write-baseline", "list.json", "a.py"))
        texts.append(ran(cli, "check", "--no-cache", "--baseline", "list.json", "a.py"))
        cli.write("a.py", "x = 1\n")
        texts.append(ran(cli, "check", "--no-cache", "--baseline", "list.json", "a.py"))
    stated("stale", *texts)


def test_links(cli: Any) -> None:
    """Links to files, to folders, to nowhere and to each other, below the folder and beside it."""
    for name in ("in/a.py", "in/deep/b.py", "out/c.py", "in/d.txt"):
        cli.write(name, MODEL)
    links = {
        "file.py": "a.py",
        "again.py": "a.py",
        "outer.py": "../out/c.py",
        "folder": "deep",
        "none.py": "nowhere.py",
    }
    links |= {
        "self.py": "self.py",
        "one.py": "two.py",
        "two.py": "one.py",
        "text.py": "d.txt",
        "up": "..",
        "out": "../out",
    }
    for name, target in links.items():
        os.symlink(target, cli.folder / "in" / name)
    texts = [
        ran(cli, "check", "--no-cache", "--show-files", path) for path in ("in", ".", "in/folder", "in/out", "in/")
    ]
    for name in sorted(links):
        texts.append(ran(cli, "check", "--no-cache", "--output-format", "concise", f"in/{name}"))
    stated("links", *texts)


def test_settings(cli: Any) -> None:
    cli.write("a.py", MODEL)
    cli.write("odd/pyproject.toml", "[tool]\ngraphmend = 3\n")
    cli.write("odd/a.py", MODEL)
    cli.write("list/pyproject.toml", '[[tool.graphmend]]\nignore = ["GM301"]\n')
    cli.write("list/a.py", MODEL)
    cli.write("broken/pyproject.toml", "[tool.graphmend\n")
    cli.write("broken/a.py", MODEL)
    texts = [ran(cli, "check", "--show-settings", "--select", "GM9,nothing", "a.py")]
    for folder in ("odd", "list", "broken"):
        texts.append(ran(cli, "check", "--no-cache", "--show-settings", f"{folder}/a.py"))
        texts.append(ran(cli, "check", "--no-cache", f"{folder}/a.py"))
        texts.append(ran(cli, "check", "--no-cache", "--stdin-filename", f"{folder}/a.py", "-"))
        texts.append(ran(cli, "fix", "--diff", "--stdin-filename", f"{folder}/a.py", "-"))
        texts.append(ran(cli, "fix", "--stdin-filename", f"{folder}/a.py", "-"))
    stated("settings", *texts)


def test_meanings(cli: Any) -> None:
    cli.write(
        "a.py", "def f(x: Nowhere) -> int: ...\n\n\ndef g() -> Nowhere: ...\n\n\nclass C:\n    def h(self) -> 3: ...\n"
    )
    cli.write("b.py", "def f(:\n")
    names = [
        "a.py",
        "a.py:f",
        "a.py:g",
        "a.py:C",
        "a.py:C.h",
        "a.py:nothing",
        "a.py:C.nothing",
        "a.py:",
        "b.py",
        "b.py:f",
        "c.py",
    ]
    stated("meanings", *(ran(cli, "meaning", name) for name in names))


@pytest.mark.parametrize("rounds", [[], ["--rounds", "1"], ["--rounds", "3"]])
def test_speed(cli: Any, rounds: list[str]) -> None:
    texts = ["", "x = 1\n", MODEL]
    names = [f"{number}.py" for number in range(len(texts))]
    tokens = []
    for name, text in zip(names, texts):
        cli.write(name, text)
        tokens.append(len(cli("debug", "tokens", name).out.splitlines()))
        told = json.loads(cli("debug", "bench", *rounds, name).out)
        assert told.pop("seconds") >= 0
        assert told == {"files": 1, "bytes": len(text), "tokens": tokens[-1]}
    told = json.loads(cli("debug", "bench", *rounds, *names).out)
    assert (told["files"], told["bytes"], told["tokens"]) == (3, sum(map(len, texts)), sum(tokens))
    ended = cli("debug", "bench", *rounds, names[0], "nowhere.py")
    assert (ended.status, ended.out, ended.err) == (2, "", "graphmend: `nowhere.py`: no such file or directory\n")


@pytest.mark.parametrize(
    "rounds", [[], ["--rounds", "1"], ["--rounds", "0", "a.py"], ["--rounds", "x", "a.py"], ["--rounds"]]
)
def test_speed_of_nothing(executable: str, rounds: list[str]) -> None:
    done = subprocess.run([executable, "debug", "bench", *rounds], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ") or "no such file" in done.stderr
