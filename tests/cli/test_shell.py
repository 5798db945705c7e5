"""What other programs read of ours: completion scripts, hooks, examples for pipelines."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "ci").iterdir())
BREAKS = "import torch\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x)\n    return x\n"


def completed(cli, *words: str) -> set[str]:
    """What bash offers for the last word."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    script = cli("completion", "bash").out
    name = shlex.quote(cli.executable)
    text = f'graphmend() {{ {name} "$@"; }}\n{script}\nCOMP_WORDS=({" ".join(map(shlex.quote, words))})\n'
    text += f"COMP_CWORD={len(words) - 1}\n_graphmend\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    done = subprocess.run([bash, "-c", text], cwd=cli.folder, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return set(done.stdout.split())


def test_completion(cli) -> None:
    cli.write("model.py", "")
    assert {"check", "fix", "run", "verify", "rule", "--version"} <= completed(cli, "graphmend", "")
    assert completed(cli, "graphmend", "che") == {"check"}
    help_text = cli("check", "--help").out
    options = set(re.findall(r"^  (--[a-z-]+)", help_text, re.MULTILINE))
    assert len(options) > 12 and completed(cli, "graphmend", "check", "--") == options | {"--help"}
    assert completed(cli, "graphmend", "check", "--output-format", "j") == {"json", "json-lines", "junit"}
    assert completed(cli, "graphmend", "fix", "--color", "") == {"auto", "always", "never"}
    assert "GM101" in completed(cli, "graphmend", "rule", "GM1")
    assert completed(cli, "graphmend", "check", "mod") == {"model.py"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_read_by_their_shells(cli, shell) -> None:
    ended = cli("completion", shell)
    assert ended.status == 0 and "graphmend" in ended.out
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} here")
    assert subprocess.run([program, "-n"], input=ended.out, text=True, capture_output=True).stderr == ""


def entries(text: str, key: str) -> list[str]:
    return re.findall(rf"^\s*-?\s*{key}:\s*(.*)$", text, re.MULTILINE)


def test_hooks(cli) -> None:
    """The commands of the hooks, with file names behind them as pre-commit calls them."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert entries(text, "id") == ["graphmend-check", "graphmend-fix"]
    cli.write("a.py", BREAKS)
    cli.write("left/b.py", BREAKS)
    cli.write("pyproject.toml", "[tool.graphmend]\nexclude = ['left']\n")
    for entry in entries(text, "entry"):
        program, *arguments = entry.split()
        ended = cli(*arguments, "a.py", "left/b.py")
        assert program == "graphmend" and ended.status == 1 and ended.err == ""
        assert "a.py:4:5: GM301" in ended.out and "left/" not in ended.out
    config = (ROOT / "examples" / "ci" / "pre-commit-config.yaml").read_text(encoding="utf-8")
    assert set(entries(config, "id")) <= set(entries(text, "id"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_yaml(path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_commands_of_the_examples(cli, path: Path) -> None:
    cli.write("a.py", BREAKS)
    cli.write("breaks.json", '{"baseline": 1, "of": "check", "sites": []}')
    commands = re.findall(r"(?:run: |    - )graphmend (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands or "pre-commit" in path.name
    for command in commands:
        arguments = command.partition(" > ")[0].split()
        ended = cli(*arguments)
        assert ended.err == "" and ended.out and ended.status == (0 if "--exit-zero" in arguments else 1)
