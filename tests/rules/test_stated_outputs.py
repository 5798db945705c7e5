"""What is said of calls that write something, by all forms of arguments; and of programs with classes of all kinds.

Findings stand beside this file (stated/outputs.txt, stated/programs.*) with all that is told of them.
"""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

HERE = Path(__file__).parent
HEAD = """import logging
import sys
import warnings
from warnings import warn

import torch

logger = logging.getLogger(__name__)
STREAM = sys.stderr
SHARED = None


"""
FILES = [
    "sys.stderr",
    "sys.stdout",
    "None",
    "stream",
    "stream or sys.stderr",
    "sys.stderr or stream",
    "stream or other",
    "own",
]
FILES += [
    "sys.stderr if stream is None else stream",
    "stream if stream is not None else sys.stdout",
    "sys.stderr if flag else stream",
]
FILES += [
    "stream if stream is None else open('a')",
    "open('a')",
    "STREAM",
    "SHARED",
    "stream and sys.stderr",
    "stream or other or sys.stderr",
]
FILES += [
    "(stream or sys.stderr) if flag is None else sys.stdout",
    "sys.stdin",
    "sys.__stderr__",
    "x",
    "stream.other",
    "self",
    "1",
]
ARGUMENTS = [
    "x",
    "",
    "'seen', x.sum().item()",
    "*x",
    "x, sep=''",
    "x, end=own",
    "x, flush=True",
    "x, sep=x",
    "**own",
    "x, **own",
    "f'{x}'",
]
ARGUMENTS += [
    "x, file=sys.stderr, flush=flag",
    "x, end='', sep=', '",
    "x.shape",
    "own, stream",
    "[x]",
    "str(x)",
    "x if flag else 1",
]
CALLS = [f"print(x, file={file})" for file in FILES] + [f"print({given})" for given in ARGUMENTS]
WARNED = [
    "'a'",
    "f'{x.sum()}'",
    "x",
    "UserWarning('a')",
    "'a', UserWarning",
    "'a', category=own",
    "'a', stacklevel=2",
    "'a', stacklevel=flag",
]
WARNED += ["'a', UserWarning, 2", "'a', source=x", "'a', skip_file_prefixes=()", "*own", "**own", "message='a'", ""]
CALLS += [f"{name}({given})" for name, given in itertools.product(["warnings.warn", "warn"], WARNED)]
CALLS += [
    "warnings.warn_explicit('a', UserWarning, 'b', 1)",
    "warnings.simplefilter('ignore')",
    "sys.stderr.write('a')",
    "sys.stdout.write(str(x))",
]
LOGGED = [
    "'a'",
    "'a %s', x",
    "x",
    "f'{x}'",
    "'a', exc_info=True",
    "'a', extra=own",
    "'a', stacklevel=2",
    "*own",
    "'%d' % x.sum()",
    "''.join(own)",
]
LOGGERS = [
    "logger.info",
    "logger.debug",
    "logger.exception",
    "logging.warning",
    "logging.getLogger('a').error",
    "own.info",
    "self.logger.info",
]
CALLS += [f"{name}({given})" for name, given in itertools.product(LOGGERS, LOGGED)]
CALLS += [
    "logger.log(10, 'a')",
    "logger.log(flag, x)",
    "logger.setLevel(10)",
    "logger.isEnabledFor(10)",
    "logger.handlers.clear()",
    "logger.warn('a')",
]
PLACES = {
    "statement": "    {}\n",
    "value": "    y = {}\n",
    "condition": "    if flag:\n        {}\n",
    "loop": "    for i in range(3):\n        {}\n",
}
TOLD = ("code", "message", "because", "reason", "fix", "fix_note", "run", "run_note")


def told(one: dict[str, Any]) -> str:
    return " | ".join(f"{name}={one[name]}" for name in TOLD if one.get(name) not in (None, ""))


def findings(executable: str, folder: Path, *names: str) -> list[dict[str, Any]]:
    command = [executable, "check", "--no-cache", "--isolated", "--output-format", "json-lines", *names]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1) and done.stderr == "", done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_stated_outputs(executable: str, tmp_path: Path) -> None:
    text, places = HEAD, []
    for call in CALLS:
        for place in PLACES if call in CALLS[::4] else ["statement"]:
            places.append((call, place, text.count("\n") + 1))
            given = "self, x: torch.Tensor, flag, stream=None, other=None"
            body = f"    own = []\n{PLACES[place].format(call)}    return x\n\n\n"
            text += f"@torch.compile\ndef f{len(places)}({given}):\n{body}"
    compile(text, "a.py", "exec")
    (tmp_path / "a.py").write_text(text)
    rows: dict[int, list[str]] = {}
    for one in findings(executable, tmp_path, "a.py"):
        at = max(number for number, (_, _, line) in enumerate(places) if line <= one["line"])
        rows.setdefault(at, []).append(f"    {one['line'] - places[at][2]}:{one['column']} {told(one)}\n")
    lines = [f"{call} as a {place}\n{''.join(rows.get(at, []))}" for at, (call, place, _) in enumerate(places)]
    hold(HERE / "stated" / "outputs.txt", "".join(lines))


PROGRAMS = sorted((HERE.parent / "values").glob("programs/*.py")) + sorted((HERE.parent / "values").glob("[dn]*ed.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_stated_programs(executable: str, path: Path) -> None:
    found = findings(executable, path.parent, "--all", path.name)
    lines = [f"{one['line']}:{one['column']}-{one['end_line']}:{one['end_column']} {told(one)}\n" for one in found]
    hold(HERE / "stated" / f"programs.{path.stem}.txt", "".join(lines))
