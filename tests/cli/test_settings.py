"""`[tool.graphmend]` in pyproject.toml, ignore files, and what the command line puts in their place."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess

import pytest

BREAKS = (
    "import logging\nimport torch\nlogger = logging.getLogger(__name__)\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n"
    "    print(x)\n    logger.info('x')\n    if x.sum() > 0:\n        x = x * 2\n    return x\n"
)
ALL = {"GM101", "GM301", "GM302"}


def codes(cli, *arguments: str) -> dict[str, set[str]]:
    """The codes that are told, by path."""
    ended = cli("check", "--output-format", "concise", *arguments)
    assert ended.err == "" and ended.status in (0, 1), ended
    found: dict[str, set[str]] = {}
    for line in ended.out.splitlines():
        path, _, rest = line.partition(":")
        found.setdefault(path, set()).add(rest.split(" ")[1])
    return found


def settings(text: str) -> str:
    return f"[project]\nname = 'x'\n\n[tool.graphmend]\n{text}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ALL),
        ('select = ["GM1"]', {"GM101"}),
        ("select = ['GM1', 'GM302',] # both", {"GM101", "GM302"}),
        ('ignore = [\n  "GM3", # effects\n]', {"GM101"}),
        ('select = ["GM3"]\nignore = ["GM301"]', {"GM302"}),
        ('per-file-ignores = { "a.py" = ["GM301"], "b.py" = ["GM302"] }', {"GM101", "GM302"}),
        ('[tool.graphmend.per-file-ignores]\n"*.py" = ["GM1"]\n\'src/\' = ["GM3"]', {"GM301", "GM302"}),
        ('torch-version = "2.13.1"', ALL),
        ('threads = 2\nall = true\nexclude = ["b.py"]', ALL),
    ],
)
def test_settings(cli, text, expected) -> None:
    cli.write("a.py", BREAKS)
    cli.write("pyproject.toml", settings(text))
    assert codes(cli, "a.py") == {"a.py": expected}


@pytest.mark.parametrize(
    "text",
    [
        'tool.graphmend.select = ["GM1"]',
        '[tool]\ngraphmend.select = ["GM1"]',
        '[tool]\ngraphmend = { select = ["GM1"] }',
        '["tool"]\n"graphmend" . \'select\' = ["\\u0047M1"]\r\n',
        '[tool.other]\nx = """\n[tool.graphmend]\nselect = ["GM3"]\n"""\ny = 1979-05-27T07:32:00Z\n'
        'z = [[1, 2.5], ["a", {b = +inf}]]\n'
        "[[tool.list]]\nu = '''it's'''\n[[tool.list]]\n[tool.list.inner]\nv = 0x1F\n[tool.graphmend]\nselect = ['GM1']",
        '\ufeff# a comment\n[ tool . graphmend ] # another\nselect=["GM\\\n"]'.replace("GM\\\n", "GM1"),
        '[tool.graphmend]\nselect = ["""\\\n   GM\\\n   1"""]',
    ],
)
def test_toml_is_read_as_toml(cli, text) -> None:
    cli.write("a.py", BREAKS)
    cli.write("pyproject.toml", text)
    assert codes(cli, "a.py") == {"a.py": {"GM101"}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('selekt = ["GM1"]', "line 5: unknown setting `selekt`"),
        ('select = ["E501"]', "line 5: no rule `E501`"),
        ("select = 'GM1'", "line 5: must be a list of strings: `select`"),
        ("ignore = [\n  'GM1',\n  3]", "line 7: must be a list of strings: `ignore`"),
        ("threads = -1", "line 5: must be a number from 0 to 1024: `threads`"),
        ("threads = 1.5", "line 5: must be a number from 0 to 1024: `threads`"),
        ("all = 1", "line 5: must be true or false: `all`"),
        ("torch-version = '1.7'", "line 5: there are no facts about torch `1.7`"),
        ("torch-version = 2.13", "line 5: must be a string: `torch-version`"),
        ("per-file-ignores = ['a.py']", "line 5: must be a table of patterns and codes: `per-file-ignores`"),
        ("per-file-ignores = {'a.py' = ['X']}", "line 5: no rule `X`"),
        ("select = ['GM1'", "line 5: an array is never closed"),
        ("select = 'GM1", "line 5: a string is never closed"),
        ('select = "\\q"', "line 5: a string has an escape that is unknown"),
        ("select", "line 5: a key has no value, `=` is missing"),
        ("= 3", "line 5: a key is missing"),
        ("select = ", "line 5: a value is missing"),
        ("select = [] []", "line 5: something follows the value on its line"),
        ("select = []\nselect.a = 1", "line 6: a key is used as a table and is none"),
        ("[tool.graphmend", "line 5: the name of a table is never closed"),
        ("select = " + "[" * 100, "line 5: values are nested too deeply"),
    ],
)
def test_wrong_settings(cli, text, words) -> None:
    cli.write("a.py", BREAKS)
    path = cli.write("pyproject.toml", settings(text))
    before = cli.snapshot()
    for command in ("check", "fix"):
        ended = cli(command, "a.py")
        assert (ended.status, ended.out) == (2, "")
        assert ended.err.startswith(f"graphmend: `{path.resolve()}`: {words}")
    assert cli.snapshot() == before
    assert codes(cli, "--isolated", "a.py") == {"a.py": ALL}


def test_every_prefix_of_a_file_is_read_or_refused(cli) -> None:
    text = settings(
        'select = ["GM1", \'GM3\'] # x\nignore = ["""\\\n G\\u004D2"""]\n"per-file-ignores" = { "a.py" = ["GM1"] }\n'
        "[tool.graphmend.per-file-ignores]\n'b' = []\n[[a.b]]\nc.d = 1_000\n"
    )
    cli.write("a.py", "x = 1\n")
    for length in range(len(text)):
        cli.write("pyproject.toml", text[:length])
        ended = cli("check", "--no-cache", "a.py")
        assert (ended.status, ended.err == "") in ((0, True), (2, False)), text[:length]


def test_broken_toml_of_others_is_named(cli) -> None:
    cli.write("a.py", BREAKS)
    cli.write("pyproject.toml", b"\xff\x00[[[")
    assert cli("check", "a.py").status == 2


def test_the_closest_file_with_a_section_wins(cli) -> None:
    cli.write("pyproject.toml", settings('select = ["GM1"]'))
    cli.write("one/pyproject.toml", "[project]\nname = 'no section of ours'\n")
    cli.write("two/pyproject.toml", settings('ignore = ["GM302"]'))
    for name in ("a.py", "one/a.py", "two/a.py", "two/deep/a.py"):
        cli.write(name, BREAKS)
    expected = {
        "a.py": {"GM101"},
        "one/a.py": {"GM101"},
        "two/a.py": {"GM101", "GM301"},
        "two/deep/a.py": {"GM101", "GM301"},
    }
    assert codes(cli, ".") == codes(cli, *expected) == expected
    assert codes(cli, "two/deep") == {"two/deep/a.py": {"GM101", "GM301"}}
    assert codes(cli, "--select", "GM302", ".") == {"a.py": {"GM302"}, "one/a.py": {"GM302"}}
    assert codes(cli, "--select", "GM302", "--ignore", "GM1", "two") == {
        name: {"GM302"} for name in ("two/a.py", "two/deep/a.py")
    }
    assert codes(cli, "--isolated", ".") == {name: ALL for name in expected}


def test_exclude(cli) -> None:
    cli.write("pyproject.toml", settings('exclude = ["third_party", "/top.py", "*_pb2.py"]'))
    for name in ("a.py", "third_party/a.py", "sub/third_party/deep/a.py", "top.py", "sub/top.py", "sub/x_pb2.py"):
        cli.write(name, BREAKS)
    assert set(codes(cli, ".")) == {"a.py", "sub/top.py"}
    assert set(codes(cli, "top.py", "third_party/a.py")) == {"top.py", "third_party/a.py"}
    assert set(codes(cli, "--force-exclude", "a.py", "top.py", "sub/third_party/deep/a.py")) == {"a.py"}


def test_per_file_ignores_match_folders_and_files(cli) -> None:
    cli.write("pyproject.toml", settings('[tool.graphmend.per-file-ignores]\n"tests/" = ["GM3"]\n"src/*.py" = ["GM1"]'))
    for name in ("tests/a.py", "src/a.py", "src/deep/a.py", "src/tests/a.py"):
        cli.write(name, BREAKS)
    assert codes(cli, ".") == {
        "tests/a.py": {"GM101"},
        "src/a.py": {"GM301", "GM302"},
        "src/deep/a.py": ALL,
        "src/tests/a.py": {"GM101"},
    }


def test_all(cli) -> None:
    cli.write("a.py", BREAKS.replace("@torch.compile\n", ""))
    assert codes(cli, "a.py") == {}
    cli.write("pyproject.toml", settings("all = true"))
    assert codes(cli, "a.py") == {"a.py": ALL}


def test_settings_hold_for_standard_input_and_for_fix(cli) -> None:
    cli.write("src/pyproject.toml", settings('select = ["GM301"]'))
    cli.write("src/a.py", BREAKS)
    done = subprocess.run(
        [cli.executable, "check", "--output-format", "concise", "--stdin-filename", "src/x.py", "-"],
        input=BREAKS.encode(),
        capture_output=True,
        cwd=cli.folder,
    )
    assert done.stdout == b"src/x.py:8:5: GM301 `print` ends the graph\n"
    done = subprocess.run(
        [cli.executable, "check", "--statistics", "-"], input=BREAKS.encode(), capture_output=True, cwd=cli.folder
    )
    assert done.stdout.count(b"\n") == 3
    assert cli("fix", "--unsafe", "src/a.py").status == 0
    fixed = (cli.folder / "src/a.py").read_text()
    assert "is_compiling" in fixed and "    if x.sum() > 0:\n" in fixed and "    logger.info('x')\n" in fixed


def test_gitignore_of_the_repository_around(cli) -> None:
    cli.write(".gitignore", "generated\n/src/only_top.py\n")
    cli.write("src/.gitignore", "!generated/\nsecret.py\n")
    for name in (
        "src/a.py",
        "src/only_top.py",
        "src/deep/secret.py",
        "src/deep/a.py",
        "src/deep/generated/a.py",
        "generated/a.py",
    ):
        cli.write(name, BREAKS)
    assert set(codes(cli, "src/deep")) == {"src/deep/a.py", "src/deep/generated/a.py", "src/deep/secret.py"}
    (cli.folder / ".git").mkdir()
    assert set(codes(cli, "src/deep")) == {"src/deep/a.py", "src/deep/generated/a.py"}
    assert set(codes(cli, "src")) == {"src/a.py", "src/deep/a.py", "src/deep/generated/a.py"}
    assert set(codes(cli, ".")) == set(codes(cli, "src"))
    assert set(codes(cli, "generated/a.py")) == {"generated/a.py"}


def test_torch_version(cli) -> None:
    cli.write("a.py", BREAKS)
    assert codes(cli, "--torch-version", "2.13", "a.py") == {"a.py": ALL}
    ended = cli("check", "--torch-version", "1.0", "a.py")
    assert (ended.status, ended.out) == (2, "") and "there are no facts about torch `1.0`" in ended.err


RELEASES = """import contextvars
import random
import torch
level = contextvars.ContextVar("level", default=0)
@torch.compile
def f(x: torch.Tensor):
    x.requires_grad = True
    return x * random.random() + level.get() + random.gauss(0, 1)
"""


def test_the_message_names_every_release(cli) -> None:
    cli.write("a.py", RELEASES)
    message = cli("check", "--torch-version", "1.0", "a.py").err
    names = re.findall(r"\d\.\d+", message.partition("only about")[2])
    assert len(names) == 7 and all(cli("check", "--torch-version", name, "a.py").status == 1 for name in names)


def test_releases_of_torch_differ(cli) -> None:
    """What 2.15 traces is no break there, and a kind of break may have another id."""
    cli.write("a.py", RELEASES)

    def found(*arguments: str) -> list[tuple[str, str, int]]:
        out = cli("check", "--output-format", "json-lines", *arguments, "a.py").out
        return [(one["code"], one["break_id"], one["column"]) for one in map(json.loads, out.splitlines())]

    older = [("GM504", "GB0206", 5), ("GM501", "GB0007", 16), ("GM502", "GB0007", 34)]
    newer = [("GM504", "GB8985", 5), ("GM501", "GB0007", 48)]
    assert found() == found("--torch-version", "2.13.1") == older
    assert all(found("--torch-version", version) == older for version in ("2.9.1", "2.10", "2.11", "2.12"))
    between = [("GM504", "GB0206", 5), ("GM501", "GB0007", 48)]
    assert found("--torch-version", "2.14.1") == between
    assert found("--torch-version", "2.15.0+cpu") == newer and found("--torch-version", "2.15") == newer
    cli.write("pyproject.toml", '[tool.graphmend]\ntorch-version = "2.15"\n')
    assert found() == newer and found("--torch-version", "2.13") == older


OPERATORS = """import torch
@torch.compile
def f(x: torch.Tensor):
    u, p = torch.linalg.polar(x)
    if p.sum() > 0:
        return u
    q, r = x.qr()
    if r.sum() > 0:
        return q
    return r
"""


def test_operators_of_releases_differ(cli) -> None:
    """An operator that a release lacks gives nothing that is known."""
    cli.write("a.py", OPERATORS)

    def certain(version: str) -> tuple[bool, bool]:
        out = cli("check", "--torch-version", version, "a.py").out
        return "`p` is a tensor" in out, "`r` is a tensor" in out

    assert certain("2.9") == certain("2.13") == (False, True)
    assert certain("2.15") == (True, False)


DATA = pathlib.Path(__file__).resolve().parents[2] / "data" / "torch"


@pytest.mark.parametrize("version", ["2.9.1", "2.10.0", "2.11.0", "2.12.1", "2.13.0", "2.14.1", "2.15.0"])
def test_tables_of_operators_are_sorted(version: str) -> None:
    """The core searches them by halves: by space, then by the bytes of the name, each name once."""
    text = (DATA / version / "ops.def").read_text()
    rows = re.findall(r'^GM_TORCH_OP\((\w+), "([\w.]+)", \w+, [^)]+\)$', text, re.MULTILINE)
    keys = [(("FUNCTION", "METHOD", "NN").index(space), name.encode()) for space, name in rows]
    assert len(keys) > 1400 and keys == sorted(set(keys))


EVERY = {
    "select": '["GM1", "GM3"]',
    "ignore": '["GM302"]',
    "all": "true",
    "exclude": '["left_out"]',
    "max-file-size": "7",
    "threads": "3",
    "torch-version": '"2.11"',
    "per-file-ignores": '{"b.py" = ["GM101"]}',
}


@pytest.mark.parametrize("first", range(len(EVERY)))
def test_settings_hold_in_any_order(cli, first: int) -> None:
    """Each setting is taken, and those behind it are."""
    rows = [f"{name} = {value}\n" for name, value in EVERY.items()]
    cli.write("pyproject.toml", settings("".join(rows[first:] + rows[:first])))
    for name in ("a.py", "b.py", "left_out/c.py"):
        cli.write(name, BREAKS)
    assert codes(cli, ".") == {"a.py": {"GM101", "GM301"}, "b.py": {"GM301"}}
    ended = cli("check", "--show-settings", "a.py")
    assert ended.status == 0 and ended.err == ""
    for words in ("max-file-size = 7", "torch-version = 2.11", "all = true"):
        assert words in ended.out, ended.out
