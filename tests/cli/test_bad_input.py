"""What cannot be used is named on stderr with the reason; the status is 2, stdout is empty, no file is written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

BREAKS = "import torch\n\n\n@torch.compile\ndef f(x):\n    print(x.shape)\n    return x + 1\n"
BAD_OPTIONS = [
    (["check", "--no-such-option", "a.py"], "unknown option `--no-such-option`"),
    (
        ["check", "--output-format", "xml", "a.py"],
        "unknown format `xml`, there are full, concise, json, json-lines, github, gitlab, sarif, junit",
    ),
    (["check", "--output-format"], "`--output-format` needs a value"),
    (["check", "--all=yes", "a.py"], "`--all` takes no value"),
    (["check", "--threads", "many", "a.py"], "`--threads` takes a number from 0 to 1024"),
    (["check", "--threads", "-1", "a.py"], "`--threads` takes a number from 0 to 1024"),
    (["check", "--select", "GM9", "a.py"], "no rule `GM9`"),
    (["check", "--ignore", "E501", "a.py"], "no rule `E501`"),
    (["check", "--color", "blue", "a.py"], "`--color` takes auto, always or never"),
    (["check", "-", "a.py"], "standard input, `-`, goes alone"),
    (["check", "--add-ignore", "--fix", "a.py"], "`--add-ignore` and `--fix` exclude each other"),
    (["check", "--add-ignore", "-"], "`--add-ignore` needs files, not standard input"),
    (["check", "--statistics", "--diff", "a.py"], "`--statistics` counts what is reported"),
    (["fix", "--no-such-option", "a.py"], "unknown option `--no-such-option`"),
    (["fix", "--diff=yes", "a.py"], "`--diff` takes no value"),
    (["fix", "--threads", "many", "a.py"], "`--threads` takes a number from 0 to 1024"),
    (["fix", "--select", "GM9", "a.py"], "no rule `GM9`"),
    (["check", "--slect", "GM1", "a.py"], "did you mean `--select`?"),
    (["check", "--select", "print-in-grph", "a.py"], "did you mean `print-in-graph`?"),
    (["check", "--config", "no-such.toml", "a.py"], "`no-such.toml`: "),
    (["check", "--output-file", "no/such/folder/x", "a.py"], "`no/such/folder/x`: "),
    (["check", "--watch", "--fix", "a.py"], "`--watch` reports again and again"),
    (["rule", "GM3011"], "did you mean `GM301`?"),
    (["help", "chekc"], "did you mean `check`?"),
    (["rule", "GM999"], "no rule `GM999`"),
    (["rule", "gm101x"], "no rule `gm101x`"),
    (["rule", "GM101", "GM102"], "one rule at a time"),
    (["rule", "--no-such-option"], "unknown option `--no-such-option`"),
    (["completion"], "`completion` takes the name of a shell"),
    (["completion", "tcsh"], "`completion` takes the name of a shell"),
    (["run"], "no script"),
    (["run", "-m"], "no module"),
    (["run", "--no-such-option", "a.py"], "unknown option `--no-such-option`"),
    (["no-such-command"], "unknown command `no-such-command`"),
    ([], "usage: graphmend COMMAND"),
]


def assert_refused(cli, before, ended, *texts: str) -> None:
    assert ended.status == 2, ended
    assert ended.out == ""
    for text in texts:
        assert text in ended.err
    assert cli.snapshot() == before


@pytest.mark.parametrize(("arguments", "text"), BAD_OPTIONS, ids=lambda value: str(value)[:40])
def test_wrong_command_lines(cli, arguments, text) -> None:
    cli.write("a.py", BREAKS)
    before = cli.snapshot()
    assert_refused(cli, before, cli(*arguments), text)


@pytest.mark.parametrize("command", ["check", "fix"])
class TestPaths:
    def refused(self, cli, command: str, path: str, reason: str) -> None:
        before = cli.snapshot()
        assert_refused(cli, before, cli(command, path), f"graphmend: `{path}`: {reason}\n")

    def test_no_such_file(self, cli, command) -> None:
        self.refused(cli, command, "absent.py", "no such file or directory")

    def test_part_of_path_is_a_file(self, cli, command) -> None:
        cli.write("a.py", BREAKS)
        self.refused(cli, command, "a.py/b.py", "a part of the path is not a directory")

    def test_file_that_is_not_python(self, cli, command) -> None:
        cli.write("notes.txt", "x = 1\n")
        self.refused(cli, command, "notes.txt", "is not a Python file")

    def test_device(self, cli, command) -> None:
        self.refused(cli, command, "/dev/null", "is not a regular file")

    def test_pipe_is_not_opened(self, cli, command) -> None:
        os.mkfifo(cli.folder / "pipe.py")
        self.refused(cli, command, "pipe.py", "is not a regular file")

    def test_link_to_nothing(self, cli, command) -> None:
        (cli.folder / "link.py").symlink_to("absent.py")
        self.refused(cli, command, "link.py", "no such file or directory")

    def test_link_to_itself(self, cli, command) -> None:
        (cli.folder / "loop.py").symlink_to("loop.py")
        self.refused(cli, command, "loop.py", "too many symbolic links")

    def test_name_too_long(self, cli, command) -> None:
        self.refused(cli, command, "a" * 300 + ".py", "the name is too long")

    def test_huge_file_is_not_read(self, cli, command) -> None:
        path = cli.write("huge.py", "")
        os.truncate(path, 5 << 30)
        ended = cli(command, "huge.py")
        assert (ended.status, ended.err) == (2, "graphmend: `huge.py`: is too large, 4 GiB or more\n")

    def test_unreadable_file(self, limited_cli, command) -> None:
        path = limited_cli.write("secret.py", BREAKS)
        path.chmod(0)
        ended = limited_cli(command, "secret.py")
        assert (ended.status, ended.err) == (2, "graphmend: `secret.py`: permission denied\n")

    def test_unreadable_folder(self, limited_cli, command) -> None:
        path = limited_cli.write("secret/a.py", BREAKS).parent
        path.chmod(0)
        ended = limited_cli(command, "secret")
        path.chmod(0o700)
        assert (ended.status, ended.out, ended.err) == (2, "", "graphmend: `secret`: permission denied\n")

    def test_one_bad_path_does_not_hide_the_others(self, cli, command) -> None:
        cli.write("a.py", BREAKS)
        ended = cli(command, "absent.py", "a.py")
        assert ended.status == 2
        assert ended.err == "graphmend: `absent.py`: no such file or directory\n"
        assert "GM301" in ended.out


class TestFilesThatAreFine:
    """What could be mistaken for bad input and is not."""

    def test_link_to_a_file_is_read(self, cli) -> None:
        cli.write("a.py", BREAKS)
        (cli.folder / "link.py").symlink_to("a.py")
        ended = cli("check", "--output-format", "concise", "link.py")
        assert ended.status == 1 and ended.out.startswith("link.py:6:5: GM301")

    def test_links_to_folders_are_not_followed(self, cli) -> None:
        cli.write("code/a.py", "x = 1\n")
        (cli.folder / "code" / "up").symlink_to("..")
        assert cli("check", "code") == cli("check", "code/a.py")

    def test_read_only_file_is_read(self, limited_cli) -> None:
        path = limited_cli.write("a.py", BREAKS)
        path.chmod(0o444)
        before = limited_cli.snapshot()
        assert limited_cli("check", "a.py").status == 1
        assert limited_cli.snapshot() == before

    def test_script_without_suffix(self, cli) -> None:
        cli.write("tool", "#!/usr/bin/env python3\n" + BREAKS)
        ended = cli("check", "--output-format", "concise", "tool")
        assert ended.status == 1 and ended.out.startswith("tool:7:5: GM301")

    @pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"# comment", b"x = 1\r\ny = 2\r", b"\x0c\nx = 1\n"])
    def test_files_with_little_in_them(self, cli, data) -> None:
        cli.write("a.py", data)
        ended = cli("check", "a.py")
        assert (ended.status, ended.out, ended.err) == (0, "no findings in 1 file\n", "")

    def test_file_that_is_not_text_has_a_syntax_error(self, cli) -> None:
        cli.write("a.py", bytes(range(256)))
        ended = cli("check", "--output-format", "concise", "a.py")
        assert ended.status == 1 and ended.out.startswith("a.py:1:1: syntax ") and ended.err == ""

    def test_strange_names(self, cli) -> None:
        names = ["sp ace.py", "new\nline.py", "-dash.py", "ünï.py", "quote'`.py"]
        for name in names:
            cli.write(name, BREAKS)
        ended = cli("check", "--output-format", "concise", "--", *names)
        assert ended.status == 1 and ended.err == ""
        shown = [name.replace("\n", "\\n") for name in names]
        assert all(f"{name}:6:5: GM301" in ended.out for name in shown)

    def test_full_disk_is_an_error(self, cli) -> None:
        if not os.path.exists("/dev/full"):
            pytest.skip("there is no /dev/full here")
        cli.write("a.py", BREAKS)
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [cli.executable, "check", "a.py"], cwd=cli.folder, stdout=full, stderr=subprocess.PIPE
            )
        assert (done.returncode, done.stderr) == (2, b"graphmend: cannot write to standard output\n")


FIXABLE = (
    "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    y = x * 2\n"
    "    if (y < 0).any():\n        y[y < 0] = 0.25\n    return y\n"
)
FIXED = FIXABLE.replace("    if (y < 0).any():\n    ", "")


class TestFix:
    """What `fix` writes, where, and where it refuses to."""

    def test_writes_and_keeps_the_mode(self, cli) -> None:
        path = cli.write("a.py", FIXABLE)
        path.chmod(0o750)
        ended = cli("fix", "a.py")
        assert (ended.status, ended.err) == (0, "")
        assert cli.snapshot() == {"a.py": (0o100750, FIXED.encode())}

    def test_the_second_time_writes_nothing(self, cli) -> None:
        path = cli.write("a.py", FIXABLE)
        cli("fix", "a.py")
        os.utime(path, (1, 1))
        before = path.stat()
        assert cli("fix", "a.py").status == 0
        assert (path.stat().st_ino, path.stat().st_mtime) == (before.st_ino, 1)

    def test_diff_writes_nothing(self, cli) -> None:
        cli.write("a.py", FIXABLE)
        before = cli.snapshot()
        ended = cli("fix", "--diff", "a.py")
        assert (ended.status, ended.err) == (1, "")
        assert "-    if (y < 0).any():\n" in ended.out
        assert cli.snapshot() == before

    def test_link_stays_and_its_target_is_written(self, cli) -> None:
        target = cli.write("code/real.py", FIXABLE)
        link = cli.folder / "link.py"
        link.symlink_to("code/real.py")
        assert cli("fix", "link.py").status == 0
        assert link.is_symlink() and target.read_text() == FIXED
        assert os.listdir(cli.folder / "code") == ["real.py"]

    def test_read_only_file_is_refused(self, limited_cli) -> None:
        limited_cli.write("a.py", FIXABLE).chmod(0o444)
        before = limited_cli.snapshot()
        ended = limited_cli("fix", "a.py")
        assert (ended.status, ended.err) == (2, "graphmend: `a.py`: permission denied\n")
        assert limited_cli.snapshot() == before

    def test_read_only_folder_is_refused(self, limited_cli) -> None:
        folder = limited_cli.write("code/a.py", FIXABLE).parent
        before = limited_cli.snapshot()
        folder.chmod(0o555)
        ended = limited_cli("fix", "code/a.py")
        folder.chmod(0o755)
        assert (ended.status, ended.err) == (2, "graphmend: `code/a.py`: permission denied\n")
        assert limited_cli.snapshot() == before

    def test_syntax_error_is_left_alone(self, cli) -> None:
        cli.write("a.py", FIXABLE + "def f(:\n")
        before = cli.snapshot()
        ended = cli("fix", "a.py")
        assert ended.status == 2 and ended.err.startswith("graphmend: `a.py`: syntax error")
        assert cli.snapshot() == before

    def test_one_bad_file_does_not_stop_the_others(self, cli) -> None:
        cli.write("a.py", "def f(:\n")
        path = cli.write("b.py", FIXABLE)
        assert cli("fix", ".").status == 2
        assert path.read_text() == FIXED


class TestRun:
    def test_absent_script(self, cli) -> None:
        ended = cli("run", "absent.py")
        assert ended.status == 2 and "can't open file" in ended.err and ended.out == ""

    def test_folder_without_main(self, cli) -> None:
        (cli.folder / "empty").mkdir()
        ended = cli("run", "empty")
        assert ended.status == 1 and "__main__" in ended.err

    def test_script_that_is_not_python(self, cli) -> None:
        cli.write("a.py", "this is no Python\n")
        ended = cli("run", "a.py")
        assert ended.status == 1 and "SyntaxError" in ended.err

    def test_absent_interpreter(self, cli) -> None:
        cli.write("a.py", "print(1)\n")
        ended = cli("run", "a.py", GRAPHMEND_PYTHON="/no/such/python")
        assert (ended.status, ended.out) == (2, "")
        assert ended.err == "graphmend: cannot run `/no/such/python`: No such file or directory\n"


class TestReplace:
    """gm_file_replace, which all writing goes through, by a test program."""

    @pytest.fixture
    def program(self, executable) -> str:
        path = Path(executable).with_name("gm-replace")
        if not path.exists():
            pytest.skip("the test programs are not built, `make test` builds them")
        return str(path)

    def run(self, program: str, *arguments: str) -> tuple[int, str]:
        done = subprocess.run([program, *arguments], capture_output=True, text=True)
        assert done.stderr == ""
        return done.returncode, done.stdout

    def test_replaces_and_keeps_the_mode(self, program, cli) -> None:
        path = cli.write("a.py", "before\n")
        path.chmod(0o751)
        assert self.run(program, str(path)) == (0, "replaced\n")
        assert cli.snapshot() == {"a.py": (0o100751, b"after\n")}

    @pytest.mark.parametrize("meanwhile", ["befora\n", "before\nmore\n", "before", ""])
    def test_file_that_changed_is_left_alone(self, program, cli, meanwhile) -> None:
        path = cli.write("a.py", "before\n")
        assert self.run(program, str(path), meanwhile) == (1, "has changed since it was read, it is left alone\n")
        assert [text for _, text in cli.snapshot().values()] == [meanwhile.encode()]

    def test_link_stays_and_its_target_is_replaced(self, program, cli) -> None:
        cli.write("real/a.py", "before\n")
        link = cli.folder / "link.py"
        link.symlink_to("real/a.py")
        assert self.run(program, str(link)) == (0, "replaced\n")
        assert link.is_symlink() and (cli.folder / "real" / "a.py").read_bytes() == b"after\n"
        assert sorted(os.listdir(cli.folder / "real")) == ["a.py"]

    def test_folder_is_refused(self, program, cli) -> None:
        assert self.run(program, str(cli.folder)) == (1, "is a directory\n")
