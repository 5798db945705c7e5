"""Every way to use what comes from outside of the program, for a function of each kind; and warnings with levels."""

from __future__ import annotations

import subprocess
import textwrap
from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
HEAD = """import datetime
import hashlib
import logging
import os
import random
import threading
import time
import warnings
from datetime import datetime as dt
from pathlib import Path
from time import time as now

import numpy as np
import torch

OWN, NUMPY = random.Random(1), np.random.default_rng(1)
logger = logging.getLogger(__name__)


def own(*args):
    return args
"""
CLASS = """

class Model{number}(torch.nn.Module):
    def __init__(self, x: torch.Tensor, n):
{init}

    @torch.compile
    def forward(self, x: torch.Tensor, n):
{body}
        return x
"""
CALLS = [
    *(
        "random.random()",
        "random.choice(n)",
        "random.randint(1, 2)",
        "np.random.rand(2)",
        "np.random.seed(1)",
        "OWN.random()",
    ),
    *(
        "OWN.other()",
        "NUMPY.normal()",
        "n.normal()",
        "x.normal()",
        "n.random()",
        "self.rng.choice(n)",
        "n[0].choice(n)",
    ),
    *(
        "n().choice(n)",
        "torch.manual_seed(1)",
        "torch.random.manual_seed(n)",
        "time.time()",
        "now()",
        "time.perf_counter_ns()",
    ),
    *(
        "time.sleep(1)",
        "datetime.datetime.now()",
        "dt.now()",
        "dt.now(n)",
        "datetime.date.today()",
        "threading.current_thread()",
    ),
    *(
        "Path(n)",
        "Path('a')",
        "hashlib.md5(n)",
        "os.getcwd()",
        "os.path.exists(n)",
        "os.environ.get('A')",
        "own(n)",
        "dt(1, 2, 3)",
    ),
]
USES = [
    *(
        "{c}",
        "y = {c}",
        "x = x * {c}",
        "y = {c}.year",
        "y = {c}.isoformat()",
        "y = {c}.isoformat(n)",
        "y = {c}.isoformat(sep=n)",
    ),
    *(
        "y = {c}.name.upper()",
        "y = ({c}).exists()",
        "y = {c}, {c}",
        "y = own({c})",
        "y = own({c}.year)",
        "y = {c}[0]",
        "y = {c}()",
    ),
    *(
        "if {c}:\n    x = x + 1",
        "if {c} > 1:\n    x = x + 1",
        "for i in {c}:\n    x = x + i",
        "while {c}:\n    break",
        "return {c}",
    ),
    *(
        "print({c})",
        "y = [{c} for i in n]",
        "y = lambda: {c}",
        'y = f"{{{c}}}"',
        "with {c}:\n    x = x + 1",
        "y = {c} if n else 1",
    ),
    *(
        "y = n and {c}",
        "self.y = {c}",
        "y = x.sum() if {c} else n",
        "if x.sum() > 0:\n    y = {c}",
        "if x.sum() > 0:\n    {c}",
        "y = -{c}",
    ),
    *(
        "y = {c} - {c}",
        "del n; y = {c}",
        "y: float = {c}",
        "n.y = n.z = {c}",
        "n[{c}] = 1",
        "y = n[{c}]",
        "assert {c}",
        "y = await_({c})",
    ),
]


def indented(body: str) -> str:
    return textwrap.indent(body, "        ")


def test_uses(executable: str, tmp_path: Path) -> None:
    """In `forward`, and for every third use in `__init__`, where nothing is compiled."""

    def written(use: str, call: str, number: int) -> str:
        init = use.format(c=call) if USES.index(use) % 3 == 0 and "return" not in use else "pass"
        return CLASS.format(number=number, init=indented(init), body=indented(use.format(c=call)))

    hold(STATED / "outside_calls.txt", matrix(executable, tmp_path, HEAD, USES, CALLS, written, "--all"))


LEVELS = [
    "1",
    "2",
    "9",
    "0",
    "10",
    "-1",
    "1.5",
    "'1'",
    "True",
    "n",
    "self.n",
    "n[0]",
    "n()",
    "n + 1",
    "*n",
    "*n[0]",
    "*self.n",
]
WARNINGS = [
    "warnings.warn('a', UserWarning, {level})",
    "warnings.warn('a', stacklevel={level})",
    "warnings.warn('a', UserWarning, 1, stacklevel={level})",
    "warnings.warn('a', {level})",
    "warnings.warn({level})",
    "warnings.warn('a', UserWarning, 2, {level})",
    "logger.warning('a', stacklevel={level})",
    "logger.warning('a %s', {level})",
    "logger.log(10, 'a', n, stacklevel={level}, extra=n)",
]
OTHERS = [
    *(
        "warnings.warn('a', **n)",
        "warnings.warn('a', **n())",
        "warnings.warn('a', stacklevel=2, **n)",
        "warnings.warn(*n, **n)",
    ),
    *(
        "warnings.warn('a', source=n)",
        "warnings.warn('a', skip_file_prefixes=n)",
        "warnings.warn('a', category=UserWarning)",
    ),
    *(
        "warnings.warn(message='a', stacklevel=3)",
        "logger.info('a', **n)",
        "logging.info('a', stacklevel=n)",
        "warnings.warn()",
    ),
]


def alone(body: str, _: str, number: int) -> str:
    return f"\n\n@torch.compile\ndef f{number}(self, x: torch.Tensor, n):\n    {body}\n    return x\n"


def bodies() -> list[str]:
    rows = [text.format(level=level) for text in WARNINGS for level in LEVELS if not ("=" in text and level[0] == "*")]
    return [*rows, *OTHERS]


def test_levels(executable: str, tmp_path: Path) -> None:
    """The level of the stack that a warning or a record names, by position and by keyword: the text of the dialect."""
    text = HEAD + "".join(alone(body, "", number) for number, body in enumerate(bodies()))
    compile(text, "a.py", "exec")
    (tmp_path / "a.py").write_text(text)
    done = subprocess.run(
        [executable, "debug", "mend", "a.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    hold(STATED / "outside_calls.levels.txt", done.stdout)


def test_levels_that_are_not_known(executable: str, tmp_path: Path) -> None:
    text = matrix(executable, tmp_path, HEAD, bodies(), ["as it is"], alone, "--all")
    hold(STATED / "outside_calls.reasons.txt", text)
