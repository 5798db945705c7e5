"""Words of others reach terminals and logs as text that is seen: escapes, line ends, marks of direction, commands."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from neighbours import run

from graphmend import run_summary, terminal
from graphmend.meaning.errors import CallError, ReadError

CHECKER = Path(__file__).parents[2] / "tools" / "check_writers.py"
DIRECTIONS = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
# Default_Ignorable_Code_Point of Unicode 15 but the selectors that emoji have, and what is about annotations.
IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0)),
    *((0xFFF0, 0xFFFB), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
EVIL = "a\x1b[2J\n::error::b\x9b31m\u202ec\r##[error]d"


def is_seen(text: str) -> bool:
    """Whether a line shows all that is in it."""
    return not any(
        unicodedata.category(one) in {"Cc", "Cs", "Zl", "Zp"}
        or unicodedata.bidirectional(one) in DIRECTIONS
        or any(first <= ord(one) <= last for first, last in IGNORABLE)
        for one in text
    )


def test_every_character() -> None:
    for code in range(0x110000):
        one = chr(code)
        shown = terminal.visible(one)
        assert is_seen(shown) and (shown == one) == is_seen(one), hex(code)


def test_how_it_looks() -> None:
    assert terminal.visible("a b \u00e4 \u2764\ufe0f \U0001f600 \\n") == "a b \u00e4 \u2764\ufe0f \U0001f600 \\n"
    assert terminal.visible("a\tb\ufeff\U000e0041") == "a\\tb\\ufeff\\U000e0041"
    assert terminal.visible("\x1b\x9b\u202e\n\r\x7f\x00\udc9b") == "\\x1b\\x9b\\u202e\\n\\r\\x7f\\x00\\x9b"
    assert terminal.visible_lines("a\x1b\nb") == "a\\x1b\nb"


def test_commands_of_github_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert terminal.visible("::error::a ##[error]") == "::error::a ##[error]"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    for text in ("::error::a", " \u3000::set-env a", "##[error]a", "b ##[group]", "\n::error::a"):
        for line in (terminal.visible(text), *terminal.visible_lines(text).splitlines()):
            assert not line.lstrip().startswith("::") and "##[" not in line
    assert terminal.visible("a::b") == "a::b"


@pytest.mark.parametrize("command", [["run", "-" + EVIL], ["run", EVIL + ".py"]])
def test_names_on_the_command_line(tmp_path: Path, command: list[str]) -> None:
    ended = run([sys.executable, "-m", "graphmend", *command], tmp_path, GITHUB_ACTIONS="true")
    assert ended.status == 2 and all(map(is_seen, ended.err.splitlines()))
    assert not any(line.startswith("::") or "##[" in line for line in ended.err.splitlines())


def test_a_file_whose_name_is_told(tmp_path: Path) -> None:
    """The name is in what the hook says of a file that it cannot mend, and in what the program itself says."""
    program = "from graphmend import hook\nhook.warn(__file__ + ' is not mended', ValueError(__file__))\n"
    (tmp_path / f"{EVIL.replace('/', '')}.py").write_text(program)
    (name,) = (path.name for path in tmp_path.iterdir())
    ended = run([sys.executable, "-m", "graphmend", "run", name], tmp_path, GITHUB_ACTIONS="true")
    assert ended.status == 0 and ended.err.count("\n") == 1 and is_seen(ended.err[:-1]) and "\\u202e" in ended.err


def test_reasons_in_the_summary(capfd: pytest.CaptureFixture[str]) -> None:
    """As evidence that somebody has written may hold them."""
    item = {"mode": "plain", "name": EVIL, "file": f"/{EVIL}", "line": 3, "reason": EVIL}
    sites = {f"/{EVIL}:1:2:GM101": {"mended": False, "refused": [EVIL]}}
    terminal.complain(*run_summary.format_report({"sites": sites, "callables": [item]}, sys.maxsize))
    said = capfd.readouterr().err
    assert "\\x1b[2J" in said and all(map(is_seen, said.splitlines()))
    assert not any(line.lstrip().startswith("::") for line in said.splitlines())


@pytest.mark.parametrize("style", [None, "bold red"])
def test_lines_with_styles(capfd: pytest.CaptureFixture[str], style: str | None) -> None:
    terminal.Out("never").line(EVIL, style)
    said = capfd.readouterr().out
    assert said.count("\n") == 1 and is_seen(said[:-1])


def test_words_of_models() -> None:
    assert all(is_seen(str(error)) for error in (CallError(EVIL), ReadError("type", EVIL, EVIL)))


PAST = (
    "print(1)",
    "import builtins; builtins.print(1)",
    "say = print",
    "import sys; sys.stdout.write('a')",
    "import sys; out = sys.stderr",
    "from sys import stderr",
    "import os; os.write(2, b'a')",
    "open(1, 'w')",
    "import traceback; traceback.print_exc()",
    "from rich.console import Console",
    "import sys; sys.stderr.buffer.write(b'a')",
)


@pytest.mark.parametrize("text", PAST)
def test_ways_past_the_writer_are_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text)
    assert subprocess.run([sys.executable, CHECKER, tmp_path], capture_output=True).returncode == 1


def test_there_is_no_way_past_the_writer() -> None:
    ended = subprocess.run([sys.executable, CHECKER, CHECKER.parents[1] / "python" / "graphmend"], capture_output=True)
    assert ended.returncode == 0, ended.stderr.decode()


@pytest.mark.parametrize(
    ("name", "code", "found"),
    [
        ("flow/a.c", "void a(void) { printf(1); }", True),
        ("cli/a.c", "void a(FILE *f) { fputs(x, f); }", True),
        ("report/a.c", "FILE *a(void) { return stderr; }", True),
        ("cli/a.c", "ssize_t a(void) { return write(2, x, 1); }", True),
        ("cli/a.c", 'void a(void) { gm_cli_say(stdout, "printf(") ; /* puts( */ }', False),
        ("base/a.c", "int a(void) { return snprintf(b, 1, c) + gm_buffer_printf(b); }", False),
        ("cli/say.c", "void a(void) { fputs(x, stdout); }", False),
    ],
)
def test_lint_of_c(tmp_path: Path, name: str, code: str, found: bool) -> None:
    """Other ways to the streams than the one writer."""
    (tmp_path / "src" / name).parent.mkdir(parents=True)
    (tmp_path / "src" / name).write_text(code)
    (tmp_path / "python").mkdir()
    folders = [str(tmp_path / "python"), str(tmp_path / "src")]
    ended = subprocess.run([sys.executable, str(CHECKER), *folders], capture_output=True, check=False)
    assert ended.returncode == int(found), ended.stderr
