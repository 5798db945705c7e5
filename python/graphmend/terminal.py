"""The one writer of text for people and logs: text from outside reaches a terminal only in visible form.

Names of files, messages of programs and answers of models may hold any character. A control character can rewrite the
screen. A mark of direction can show a false order of the text. A space without width makes two names look alike. A
line end in a name can begin a new line, and a log of GitHub Actions reads some lines as commands. So each line goes
through `visible`, where the characters become readable escapes: `\\x1b`, `\\u202e`, `\\n`.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator
from typing import Any, Optional, Union

# C0, DEL and C1; halves of pairs, which no stream can encode; what is not seen where it stands, as in src/base/utf8.c.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_NAMES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_COMMAND = re.compile(r"^(\s*):(?=:)")
_BRACKETS = re.compile(r"##(?=[A-Za-z]*\[)")
_OBEYED = (
    "GITHUB_ACTIONS",
    "TF_BUILD",
    "TEAMCITY_VERSION",
)  # commands in logs of GitHub, Azure and TeamCity


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a name that is no UTF-8
        code -= 0xDC00
    escape = f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return _NAMES.get(match.group(), escape)


def visible(text: str) -> str:
    """A text on one line: invisible characters are shown, and commands to the log of a build machine are broken."""
    line = _HIDDEN.sub(_shown, text)
    if any(name in os.environ for name in _OBEYED):
        line = _BRACKETS.sub(r"##\\", _COMMAND.sub(r"\1\\:", line))
    return line


def visible_page(text: str) -> str:
    """The same for a document, which keeps its lines and tabs, and which no build machine obeys."""
    return "\n".join("\t".join(_HIDDEN.sub(_shown, part) for part in line.split("\t")) for line in text.split("\n"))


def visible_lines(text: str) -> str:
    """The visible form of a text with several lines."""
    return "\n".join(map(visible, text.split("\n")))


def say(*lines: str) -> None:
    """Write lines to standard output."""
    if sys.stdout is not None:
        print(*map(visible, lines), sep="\n")


def complain(*lines: str) -> None:
    """Write lines to standard error. A program runs on when nobody can read there."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            print(*map(visible, lines), sep="\n", file=sys.stderr, flush=True)


class Out:
    """Standard output, with styles if `rich` is installed and the caller wants styles."""

    def __init__(self, color: str) -> None:
        self.console: Any = None
        with contextlib.suppress(ImportError):
            from rich.console import Console

            wanted = color == "always" or (color == "auto" and sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
            width = None if sys.stdout.isatty() else 120
            self.console = Console(
                force_terminal=wanted, no_color=not wanted, highlight=False, soft_wrap=True, width=width, emoji=False
            )

    def line(self, text: str, style: Optional[str] = None) -> None:
        if self.console is None:
            say(text)
        else:
            self.console.print(visible(text), style=style, markup=False)


class Progress:
    """A bar that tells which run is in progress."""

    def __init__(self, bar: Any, task: Any) -> None:
        self.bar, self.task = bar, task

    def begin(self, name: str) -> None:
        self.bar.update(self.task, description=f"running: {visible(name)}")

    def end(self) -> None:
        self.bar.advance(self.task)


class ProgressLines:
    """The same where there is no terminal: a line on standard error for each run, with an estimate of the rest."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.started = time.monotonic()
        self.seconds = 0.0

    def begin(self, name: str) -> None:
        self.started = time.monotonic()
        left = self.seconds / self.done * (self.total - self.done) if self.done else 0.0
        rest = f", about {left:.0f} s left" if left >= 1 else ""
        complain(f"graphmend: run {self.done + 1} of {max(self.total, self.done + 1)}: {name}{rest}")

    def end(self) -> None:
        self.seconds += time.monotonic() - self.started
        self.done += 1


AnyProgress = Union[Progress, ProgressLines]


@contextlib.contextmanager
def progress(total: int) -> Iterator[AnyProgress]:
    """The current run: a bar on standard error at a terminal, lines elsewhere."""
    try:
        if not sys.stderr.isatty():
            raise ImportError
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar
    except ImportError:
        yield ProgressLines(total)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Progress(bar, bar.add_task("starting", total=total))
