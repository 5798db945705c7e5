"""What every command says of arguments that are wrong, and of none: whole texts, which stand in `stated`."""

from __future__ import annotations

from pathlib import Path

from stated_texts import hold

COMMANDS = [
    "",
    "check",
    "fix",
    "run",
    "verify",
    "doctor",
    "rule",
    "server",
    "completion",
    "meaning",
    "debug",
    "nothing",
]
STAGES = [
    "tokens",
    "tree",
    "scopes",
    "cfg",
    "variables",
    "facts",
    "bench",
    "paths",
    "mend",
    "hooks",
    "nothing",
]
WRONG = [["--nonsense"], ["--nonsense=1"], ["-x"], ["--help", "more"], ["nowhere.py"]]
OF_STAGES = [
    *WRONG[:3],
    ["-"],
    ["--"],
    ["-xy"],
    ["-", "quiet.py"],
    ["-x", "quiet.py"],
    ["--target"],
    ["--target", "quiet.py"],
]
OF_STAGES += [
    ["--target", "3.12", "-"],
    ["quiet.py", "--target", "3.12"],
    ["quiet.py", "nowhere.py", "-"],
    ["-h"],
    ["--help"],
]
VALUES = [
    *(
        ["check", option, "odd", "quiet.py"]
        for option in ("--output-format", "--color", "--select", "--ignore", "--jobs")
    ),
    *(
        ["check", option]
        for option in ("--output-format", "--output-file", "--select", "--baseline", "--stdin-filename")
    ),
    *(
        ["check", f"{option}=1", "quiet.py"]
        for option in ("--all", "--no-cache", "--isolated", "--exit-zero", "--statistics")
    ),
    *(["fix", option, "odd", "quiet.py"] for option in ("--select", "--ignore", "--diff")),
    *(
        ["debug", stage, "--target", version, "quiet.py"]
        for stage in ("tokens", "tree")
        for version in ("3", "3.2", "4.0", "x", "3.99")
    ),
    ["rule", "GM999"],
    ["rule", "gm101", "more"],
    ["rule", "GB9999"],
    ["meaning", "quiet.py:Nothing"],
    ["meaning", "quiet.py"],
    ["completion", "tcsh"],
    ["debug", "mend", "--lines"],
    ["debug", "facts", "--tests"],
    ["check", "-", "quiet.py"],
    ["check", "--stdin-filename", "a.py", "quiet.py"],
    ["fix", "-", "--diff"],
    ["check", "--baseline", "nowhere.json", "quiet.py"],
    ["check", "--output-file", "nowhere/a.txt", "quiet.py"],
]
LEFT_OUT = [["server"], ["doctor"], ["debug", "hooks"]]  # which begin to work


def test_stated_usage(cli) -> None:
    cli.write("quiet.py", "x = 1\n")
    asked = [[command, *wrong] if command else wrong for command in COMMANDS for wrong in [[], *WRONG]]
    asked += [["debug", stage, *wrong] for stage in STAGES for wrong in [[], *WRONG[:2]]]
    timeless = [stage for stage in STAGES if stage not in ("bench", "hooks", "nothing")]
    asked += [["debug", stage, *wrong] for stage in timeless for wrong in OF_STAGES]
    stated = []
    for arguments in [*asked, *VALUES]:
        if (
            arguments in LEFT_OUT
            or arguments[:1] in (["doctor"], ["run"], ["verify"])
            and arguments[1:] == ["nowhere.py"]
        ):
            continue
        ended = cli(*arguments)
        out = ended.out if len(ended.out) < 2000 else f"{ended.out[:200]}...\n"
        stated.append(f"$ {' '.join(arguments)}\n{out}{ended.err}= {ended.status}\n")
    hold(Path(__file__).parent / "stated" / "usage.txt", "\n".join(stated).replace(str(cli.folder), "HERE"))
