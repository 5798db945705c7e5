"""What every option and every setting says of each kind of value, at its limits and next to them."""

from __future__ import annotations

from pathlib import Path

from stated_texts import hold

STATED = Path(__file__).parent / "stated"
NUMBERS = [
    *("-1", "-0", "0", "1", "01", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "", "x", "1023", "1024", "1025"),
    *("4094", "4095", "4096", "4294967295", "4294967296", "4294967297", "9223372036854775808", "18446744073709551617"),
]
OPTIONS = [
    ["check", "--no-cache", "--threads"],
    ["check", "--no-cache", "--max-file-size"],
    ["fix", "--diff", "--no-cache", "--threads"],
]
SETTINGS = ["select", "ignore", "all", "exclude", "max-file-size", "threads", "torch-version", "per-file-ignores"]
VALUES = [
    *("-1", "0", "1", "1024", "1025", "4095", "4096", "4294967297", "1.0", "true", "false", "1979-05-27"),
    *("''", "'GM1'", "'2.13.1'", "'1'", "'*.py'", "[]", "['']", "['GM1']", "['*.py']", "['GM1', 3]", "[['GM1']]"),
    *("{}", "{a = []}", "{a = ['GM1']}", "{a = 'GM1'}", "{a = [1]}", "{a = {}}", "{'*.py' = ['GM1', 'GM3']}"),
]


def test_options(cli) -> None:
    cli.write("a.py", "x = 1\n")
    stated = []
    for option in OPTIONS:
        for number in NUMBERS:
            ended = cli(*option, number, "a.py")
            stated.append(f"{' '.join(option)} {number!r}: {ended.status} {ended.out.strip()}{ended.err.strip()}\n")
    hold(STATED / "numbers.options.txt", "".join(stated))


def test_settings(cli) -> None:
    """Each in front of one that is right, and of one that is unknown: the first that is wrong is told, and no other."""
    cli.write("a.py", "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x.sum())\n    return x\n")
    stated = []
    for behind in ("", "unknown = 1\n"):
        for name in SETTINGS:
            for value in VALUES:
                cli.write("pyproject.toml", f"[tool.graphmend]\n{name} = {value}\n{behind}")
                ended = cli("check", "--no-cache", "--output-format", "concise", "a.py")
                err = ended.err.strip().partition("pyproject.toml`: ")[2] or ended.err.strip()
                told = "; ".join(line.split(": ")[0] for line in ended.out.splitlines())
                stated.append(f"{name} = {value} {behind.strip()}: {ended.status} {told}{err}\n")
    hold(STATED / "numbers.settings.txt", "".join(stated))
