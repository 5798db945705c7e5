"""The help of every command, completions, pages and the stages of the compiler for one file, as whole texts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from stated_texts import hold

STATED = Path(__file__).parent / "stated"
COMMANDS = ["check", "fix", "run", "verify", "doctor", "rule", "server", "completion", "meaning", "debug"]
HELP = [["--help"], *([command, "--help"] for command in COMMANDS)]
COMPLETIONS = [["completion", shell] for shell in ("bash", "zsh", "fish")]
PAGES = [
    ["rule"],
    ["rule", "GM301"],
    ["rule", "print-in-graph"],
    ["rule", "gm1"],
    ["rule", "GB0170"],
    ["rule", "gb0001"],
]
PAGES += [["rule", "--output-format", "json", "GM301"]]
# Options of `run` and `verify` in front of a program that is not there.
RUN = [
    [command, *options, *script]
    for command in ("run", "verify")
    for options in (
        *([f"--check{value}"] for value in ("", "=1", "=20", "=0", "=00", "=", "=1x", "=-1", "=x", "x")),
        *([f"--timings{value}"] for value in ("=", "=a.json", "x")),
        ["--check", "--check=3"],
        ["--check", "--timings=a.json", "--nonsense"],
        ["--", "--check"],
        ["-m"],
        ["-c"],
    )
    for script in ([], ["-m"])
]
TEXT = '''"""Words."""
import torch


@torch.compile
def f(x: torch.Tensor, n=1, *args, k: int = 2, **more) -> int:
    y = [a for a in args if a]  # graphmend: ignore[GM101]
    while n and (z := n - 1):
        n -= 1; print(f"{x!r:>{n}} {{}} {n=}", b"\\x00", 0x1F, 1.5e3j)
    try:
        with torch.no_grad() as g:
            if x.sum() > 0:
                y = x * 2
            else:
                y = x
            del g
    except (ValueError, TypeError) as error:
        raise error from None
    finally:
        pass
    return lambda: (y, z)
'''
BROKEN = "def f(:\n    x = (1\n  y = ?\n"
STAGES = [
    ["tokens"],
    ["tokens", "--rebuild"],
    ["tokens", "--diagnostics"],
    ["tree"],
    ["tree", "--cpython"],
    ["tree", "--cpython", "--target", "3.8"],
    ["scopes"],
    ["scopes", "--symtable"],
    ["cfg"],
    ["cfg", "--verify"],
    ["variables"],
    ["facts"],
    ["facts", "--tests"],
    ["mend"],
    ["mend", "--lines"],
    ["paths"],
]


def asked(executable: str, folder: Path, arguments: list[str], text: str = "") -> str:
    environment = {**os.environ, "GRAPHMEND_PYTHON": sys.executable, "COLUMNS": "80"}
    command = [executable, *arguments]
    done = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, env=environment)
    said = (done.stdout + done.stderr).replace(sys.executable, "PYTHON")
    return f"$ {' '.join(arguments)}\n{said.replace(str(folder), 'HERE')}= {done.returncode}\n"


def test_help(executable: str, tmp_path: Path) -> None:
    said = [asked(executable, tmp_path, arguments) for arguments in [*HELP, *COMPLETIONS, *PAGES]]
    hold(STATED / "help.txt", "\n".join(said))
    for command in COMMANDS:
        whole = asked(executable, tmp_path, [command, "--help"]).partition("\n")[2]
        for other in ([command, "-h"], ["help", command]):
            assert asked(executable, tmp_path, other).partition("\n")[2] == whole, other


def test_options_in_front_of_a_program(executable: str, tmp_path: Path) -> None:
    said = [asked(executable, tmp_path, arguments).splitlines() for arguments in RUN]
    hold(STATED / "run_options.txt", "".join(f"{lines[0]}\n{lines[1]}\n{lines[-1]}\n" for lines in said))


def test_stages(executable: str, tmp_path: Path) -> None:
    for name, text in (("a.py", TEXT), ("broken.py", BROKEN), ("empty.py", "")):
        (tmp_path / name).write_text(text)
    said = []
    for stage in STAGES:
        said += [asked(executable, tmp_path, ["debug", *stage, name]) for name in ("a.py", "broken.py", "empty.py")]
        said.append(asked(executable, tmp_path, ["debug", *stage, "empty.py", "nowhere.py", "a.py"]))
        said.append(asked(executable, tmp_path, ["debug", *stage, "-"], "x = 1\n"))
    hold(STATED / "stages.txt", "\n".join(said))


def test_standard_input(executable: str, tmp_path: Path) -> None:
    said = []
    for text in (TEXT, BROKEN, "", "x = 1"):
        for command in (
            ["check", "-"],
            ["fix", "-"],
            ["check", "--diff", "-"],
            ["fix", "--unsafe", "-"],
            ["check", "--fix", "-"],
        ):
            for more in ([], ["--stdin-filename", "src/b.py"], ["--stdin-filename", "c.ipynb"]):
                said.append(asked(executable, tmp_path, [*command[:1], "--no-cache", *command[1:], *more], text))
    hold(STATED / "stdin.txt", "\n".join(said))
