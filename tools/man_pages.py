"""Manual pages: one for each command, made of what its `--help` prints. `make man` writes them into build/man.

`--help` is the only text that says what a command does; a page has it in the sections that `man` expects:

    usage: graphmend check ...    SYNOPSIS
    the first paragraph           NAME, with the summary of `graphmend --help`, and DESCRIPTION
    lines that are indented       EXAMPLES, as they stand
    Exit status: ...              EXIT STATUS
    options:                      OPTIONS

usage: man_pages.py FOLDER [--graphmend PROGRAM]
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

COMMAND = re.compile(r"^  (\w+) +(.+)$", re.MULTILINE)
OPTION = re.compile(r"^  (-.*?)(?:  +| (?=the release ))(\S.*)$")
INTERNAL = frozenset({"debug"})  # a window on the stages of the compiler, without a `--help` of its own
EXIT = re.compile(r"\bExit status:\s*")


def escaped(text: str) -> str:
    """Text as troff reads it: no escapes, no requests at the start of a line, hyphens that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def commands(help_text: str) -> list[tuple[str, str]]:
    """The commands that have a page, with their summaries."""
    return [(command, summary) for command, summary in COMMAND.findall(help_text) if command not in INTERNAL]


def option_lines(text: str) -> list[str]:
    """The options, each with what it does."""
    lines: list[str] = []
    for line in text.splitlines():
        found = OPTION.match(line)
        if found:
            lines += [".TP", f"\\fB{escaped(found[1])}\\fR", escaped(found[2])]
        elif line.strip():
            lines.append(escaped(line.strip()))
    return lines


def paragraphs(text: str) -> tuple[list[str], list[str]]:
    """The description and the examples, both as lines of troff."""
    description: list[str] = []
    examples: list[str] = []
    for block in filter(None, re.split(r"\n{2,}", text.strip("\n"))):
        shown = all(line.startswith("  ") for line in block.splitlines())
        if shown:
            examples += [".nf", escaped(re.sub(r"^  ", "", block, flags=re.MULTILINE)), ".fi"]
        else:
            description += [".PP", escaped(block)]
    return description, examples


def page(command: str, summary: str, text: str, version: str) -> str:
    """The manual page of a command; that of `graphmend` itself has no command."""
    usage, _, rest = text.partition("\n")
    body, _, options = rest.partition("\noptions:\n")
    body, status = (*EXIT.split(body, maxsplit=1), "")[:2]
    description, examples = paragraphs(body)
    name = f"graphmend-{command}" if command else "graphmend"
    lines = [f'.TH "{name.upper()}" "1" "" "{version}" "graphmend"']
    lines += [".SH NAME", f"{escaped(name)} \\- {escaped(summary)}"]
    lines += [".SH SYNOPSIS", f"\\fB{escaped(usage.removeprefix('usage: '))}\\fR"]
    for title, part in (("DESCRIPTION", description), ("OPTIONS", option_lines(options)), ("EXAMPLES", examples)):
        lines += [f".SH {title}", *part] if part else []
    lines += [".SH EXIT STATUS", escaped(" ".join(status.split()))] if status.strip() else []
    return "\n".join(lines) + "\n"


def overview(told: str, version: str) -> str:
    """The page of `graphmend` itself, with a line for each command."""
    usage, _, _ = told.partition("\n")
    first = page("", "finds, explains and removes what makes torch.compile break its graph", usage + "\n", version)
    lines = [first + ".SH COMMANDS"]
    for command, summary in commands(told):
        lines += [".TP", f"\\fBgraphmend\\-{command}\\fR(1)", escaped(summary)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the manual pages.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--graphmend", default="graphmend")
    arguments = parser.parse_args()

    def told(*words: str) -> str:
        return subprocess.run([arguments.graphmend, *words], check=True, capture_output=True, text=True).stdout

    arguments.folder.mkdir(parents=True, exist_ok=True)
    help_text, version = told("--help"), told("--version").strip()
    (arguments.folder / "graphmend.1").write_text(overview(help_text, version), encoding="utf-8")
    for command, summary in commands(help_text):
        text = page(command, summary, told(command, "--help"), version)
        (arguments.folder / f"graphmend-{command}.1").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
