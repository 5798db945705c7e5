"""`graphmend fix`: what it writes, what it prints, and that it leaves alone what it cannot handle."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from fix_command import AFTER, BEFORE, Command

LEFT = """import torch


@torch.compile
def g(x: torch.Tensor):
    print(x.shape)
    return x
"""
CLEAN = "x = 1\n"


def patched(fix: Command, patch: str, tool: list[str]) -> None:
    (fix.folder / "it.patch").write_bytes(patch.encode("utf-8", errors="surrogateescape"))
    done = subprocess.run([*tool, "it.patch"], cwd=fix.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# What is written


def test_file_is_rewritten_and_reported(fix: Command) -> None:
    path = fix.write("model.py", BEFORE)
    ended = fix("model.py")
    assert ended.status == 0 and ended.err == ""
    assert (
        ended.out
        == "model.py:6:5: GM101 fixed: branch on the value of a tensor: `mean` of a tensor\n1 fixed, 0 left in 1 file\n"
    )
    assert path.read_text() == AFTER
    assert os.listdir(fix.folder) == ["model.py"]


def test_nothing_to_fix(fix: Command) -> None:
    path = fix.write("clean.py", CLEAN)
    before = path.stat()
    ended = fix("clean.py")
    assert (ended.status, ended.out, ended.err) == (0, "0 fixed, 0 left in 1 file\n", "")
    assert path.stat().st_mtime_ns == before.st_mtime_ns and path.stat().st_ino == before.st_ino


def test_what_is_left_is_reported(fix: Command) -> None:
    fix.write("model.py", LEFT)
    ended = fix("model.py")
    assert ended.status == 1
    assert "model.py:6:5: GM301" in ended.out and ended.out.endswith("0 fixed, 1 left in 1 file\n")
    assert (fix.folder / "model.py").read_text() == LEFT


def test_assumptions_are_stated(fix: Command) -> None:
    fix.write("model.py", LEFT)
    ended = fix("--unsafe", "--select", "GM301", "model.py")
    assert ended.status == 0
    assert "assumed: compiled code leaves this call out\n" in ended.out
    assert (
        "    if not torch.compiler.is_compiling():\n        print(x.shape)\n" in (fix.folder / "model.py").read_text()
    )


def test_rules_can_be_chosen(fix: Command) -> None:
    path = fix.write("model.py", BEFORE)
    assert fix("--ignore", "GM1", "model.py").status == 0
    assert path.read_text() == BEFORE
    assert fix("--select", "GM101", "model.py").status == 0
    assert path.read_text() == AFTER


@pytest.mark.parametrize("options", [[], ["--select", "GM301"], ["--unsafe"], ["--unsafe", "--select", "GM30"]])
def test_output_stays_unless_its_rule_is_named(fix: Command, options: list[str]) -> None:
    path = fix.write("model.py", LEFT)
    ended = fix(*options, "model.py")
    named = "GM301" in options and "--unsafe" not in options
    words = "fix --unsafe assumes: compiled code leaves" if named else "`--unsafe --select GM301` leaves it out there\n"
    assert ended.status == 1 and words in ended.out
    assert path.read_text() == LEFT


def test_message_that_depends_on_data_needs_both_codes(fix: Command) -> None:
    text = LEFT.replace("    print(x.shape)\n", "    if x.sum() > 0:\n        print(x.shape)\n")
    path = fix.write("model.py", text)
    assert "`--unsafe --select GM101,GM301` leaves it out there\n" in fix("--unsafe", "model.py").out
    assert fix("--unsafe", "--select", "GM101", "model.py").status == 1 and path.read_text() == text
    assert fix("--unsafe", "--select", "GM101,GM301", "model.py").status == 0
    assert "if not torch.compiler.is_compiling() and x.sum() > 0:\n        print(" in path.read_text()


def test_settings_name_rules_as_well(fix: Command) -> None:
    path = fix.write("model.py", LEFT)
    fix.write("pyproject.toml", '[tool.graphmend]\nselect = ["GM301"]\n')
    assert fix("model.py").status == 1 and path.read_text() == LEFT
    assert fix("--unsafe", "model.py").status == 0 and "is_compiling" in path.read_text()


def test_functions_that_nothing_compiles(fix: Command) -> None:
    path = fix.write("model.py", BEFORE.replace("@torch.compile\n", ""))
    assert fix("--diff", "model.py").status == 0
    assert fix("--all", "model.py").status == 0
    assert path.read_text() == AFTER.replace("@torch.compile\n", "")


def test_assumption_about_arguments(fix: Command) -> None:
    path = fix.write("model.py", BEFORE.replace(": torch.Tensor", ""))
    assert fix("model.py").status == 1
    ended = fix("--unsafe", "model.py")
    assert ended.status == 0 and "= assumed: `x` is a floating point tensor\n" in ended.out
    assert path.read_text() == AFTER.replace(": torch.Tensor", "")


def test_folders(fix: Command) -> None:
    for name in ("a/one.py", "a/b/two.py", "a/.venv/three.py", "a/text.txt"):
        fix.write(name, BEFORE)
    assert fix("a").status == 0
    changed = [
        str(path.relative_to(fix.folder))
        for path in fix.folder.rglob("*.*")
        if path.is_file() and path.read_text() == AFTER
    ]
    assert sorted(changed) == ["a/b/two.py", "a/one.py"]


def test_mode_and_link_stay(fix: Command) -> None:
    path = fix.write("real/model.py", BEFORE)
    path.chmod(0o640)
    link = fix.folder / "link.py"
    link.symlink_to("real/model.py")
    assert fix("link.py").status == 0
    assert link.is_symlink() and path.read_text() == AFTER and path.stat().st_mode & 0o777 == 0o640


def test_json(fix: Command) -> None:
    core = pytest.importorskip("graphmend.core")
    result = core.fix_source("model.py", ("\ufeff" + BEFORE + LEFT).encode())
    assert result["changed"] and result["text"] == AFTER + LEFT and result["problem"] is None
    assert [(one["code"], one["assumption"]) for one in result["fixed"]] == [("GM101", None)]
    assert [finding["code"] for finding in result["findings"]] == ["GM101", "GM301"]
    assert not core.fix_source("model.py", (AFTER + LEFT).encode(), core.FIX_ASSUMED)["changed"]
    assert not core.fix_source("model.py", (AFTER + LEFT).encode(), core.FIX_DROP_OUTPUT)["changed"]
    again = core.fix_source("model.py", (AFTER + LEFT).encode(), core.FIX_ASSUMED | core.FIX_DROP_OUTPUT)
    assert [one["assumption"] for one in again["fixed"]] == ["compiled code leaves this call out"]
    assert core.fix_source("model.py", b"def (:\n") == {
        **core.check_source("model.py", b"def (:\n"),
        **{"changed": False, "text": "def (:\n", "fixed": [], "problem": None},
    }
    with pytest.raises(core.CoreError):
        core.fix_source("model.py", b"", 4)


# Bytes of every kind


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_stay(fix: Command, end: str) -> None:
    path = fix.write("model.py", BEFORE.replace("\n", end))
    assert fix("model.py").status == 0
    assert path.read_bytes() == AFTER.replace("\n", end).encode()


def test_line_ends_of_new_lines(fix: Command) -> None:
    path = fix.write("model.py", LEFT.replace("\n", "\r\n"))
    assert fix("--unsafe", "--select", "GM301", "model.py").status == 0
    assert b"is_compiling():\r\n        print(x.shape)\r\n" in path.read_bytes()


def test_byte_order_mark_stays(fix: Command) -> None:
    path = fix.write("model.py", b"\xef\xbb\xbf" + BEFORE.encode())
    assert fix("model.py").status == 0
    assert path.read_bytes() == b"\xef\xbb\xbf" + AFTER.encode()


@pytest.mark.parametrize("name", ["latin-1", "cp1252", "koi8-r", "utf-8"])
def test_encodings_stay(fix: Command, name: str) -> None:
    word = "ящик" if name == "koi8-r" else "Größe"
    head = f"# -*- coding: {name} -*-\n"
    before = head + BEFORE.replace("x * 2", f"x * 2  # {word}") + f"S = '{word}'\n"
    after = head + AFTER.replace("    y =", f"    # {word}\n    y =") + f"S = '{word}'\n"
    path = fix.write("model.py", before.encode(name))
    assert fix("model.py").status == 0
    assert path.read_bytes() == after.encode(name)


def test_no_line_end_at_the_end(fix: Command) -> None:
    text = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x * 2 if x.mean() > 0 else x * 3"
    path = fix.write("model.py", text)
    assert fix("model.py").status == 0
    assert path.read_text().endswith("return torch.where(x.mean() > 0, x * 2, x * 3)")


def test_tabs_stay(fix: Command) -> None:
    path = fix.write("model.py", LEFT.replace("    ", "\t"))
    assert fix("--unsafe", "--select", "GM301", "model.py").status == 0
    assert "\tif not torch.compiler.is_compiling():\n\t\tprint(x.shape)\n" in path.read_text()


# Patches


@pytest.mark.parametrize("tool", [["patch", "-p1", "-i"], ["git", "apply"]], ids=["patch", "git"])
@pytest.mark.parametrize(
    "text",
    [
        BEFORE,
        BEFORE.replace("\n", "\r\n"),
        BEFORE.rstrip("\n") + "  # end",
        "\ufeff" + BEFORE,
        BEFORE + "\n\n" + BEFORE.replace("def f", "def g") + "\n" * 20 + BEFORE.replace("def f", "def h"),
        "\n".join(
            ["import torch", "@torch.compile", "def f(x: torch.Tensor):", "    return x*2 if x.mean() > 0 else x*3"]
        ),
    ],
    ids=["plain", "crlf", "no-end", "mark", "many", "last-line"],
)
def test_patch_gives_the_same_bytes(fix: Command, tool: list[str], text: str) -> None:
    if shutil.which(tool[0]) is None:
        pytest.skip(f"{tool[0]} is not installed")
    path = fix.write("some folder/model.py", text)
    fix.write("other.py", BEFORE)
    ended = subprocess.run([fix.executable, "fix", "--diff", "."], cwd=fix.folder, capture_output=True)
    assert (ended.returncode, ended.stderr) == (1, b"")
    assert path.read_bytes() == text.encode()
    (fix.folder / "wanted").mkdir()
    wanted = fix.folder / "wanted" / "model.py"
    shutil.copy(path, wanted)
    assert fix(str(wanted)).status == 0
    (fix.folder / "it.patch").write_bytes(ended.stdout)
    done = subprocess.run([*tool, "it.patch"], cwd=fix.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert path.read_bytes() == wanted.read_bytes() != text.encode()
    assert (fix.folder / "other.py").read_text() == AFTER


def test_nothing_to_patch(fix: Command) -> None:
    fix.write("clean.py", CLEAN)
    fix.write("left.py", LEFT)
    ended = fix("--diff", "clean.py", "left.py")
    assert (ended.status, ended.out, ended.err) == (0, "", "")


# Bad input


def test_missing_file(fix: Command) -> None:
    ended = fix("none.py")
    assert (ended.status, ended.out, ended.err) == (2, "", "graphmend: `none.py`: no such file or directory\n")


def test_folder_without_python(fix: Command) -> None:
    fix.write("texts/a.txt", "hello")
    ended = fix("texts")
    assert (ended.status, ended.err) == (0, "graphmend: warning: `texts` holds no Python files\n")


@pytest.mark.parametrize("option", [[], ["--diff"], ["--unsafe"]])
def test_no_python(fix: Command, option: list[str]) -> None:
    path = fix.write("broken.py", BEFORE + "def (:\n")
    ended = fix(*option, "broken.py")
    assert ended.status == 2 and "`broken.py`: syntax error" in ended.err
    assert "---" not in ended.out
    assert path.read_text() == BEFORE + "def (:\n"


def test_others_are_fixed_all_the_same(fix: Command) -> None:
    fix.write("broken.py", "def (:\n")
    path = fix.write("model.py", BEFORE)
    assert fix("broken.py", "model.py").status == 2
    assert path.read_text() == AFTER


def test_wrong_options(fix: Command) -> None:
    for arguments in (["--what", "a.py"], ["--select", "XX9", "a.py"]):
        ended = fix(*arguments)
        assert ended.status == 2 and ended.out == "" and ended.err.startswith("graphmend: "), ended


def test_help_says_what_the_statuses_mean(fix: Command) -> None:
    ended = fix("--help")
    assert ended.status == 0 and "Exit status" in ended.out and "--unsafe" in ended.out


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everything")
def test_read_only_file(fix: Command) -> None:
    path = fix.write("model.py", BEFORE)
    path.chmod(0o444)
    ended = fix("model.py")
    assert (ended.status, ended.err) == (2, "graphmend: `model.py`: permission denied\n")
    assert path.read_text() == BEFORE


def test_read_only_file_as_nobody(fix: Command, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same where tests run as the superuser, who steps down."""
    if os.geteuid() != 0:
        pytest.skip("needs the superuser")
    folder = Path("/tmp") / f"graphmend-{os.getpid()}"
    folder.mkdir(mode=0o755)
    try:
        program = folder / "graphmend"
        shutil.copy2(fix.executable, program)
        path = folder / "model.py"
        path.write_text(BEFORE)
        path.chmod(0o644)

        def step_down() -> None:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

        done = subprocess.run([program, "fix", str(path)], capture_output=True, text=True, preexec_fn=step_down)
        assert done.returncode == 2 and "permission denied" in done.stderr
        assert path.read_text() == BEFORE and sorted(os.listdir(folder)) == ["graphmend", "model.py"]
        path.chmod(0o600)
        done = subprocess.run([program, "fix", str(path)], capture_output=True, text=True, preexec_fn=step_down)
        assert done.returncode == 2 and "permission denied" in done.stderr
    finally:
        shutil.rmtree(folder)
