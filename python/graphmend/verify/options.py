"""The command line of `graphmend verify`. The executable has checked the names of options; values are checked here."""

from __future__ import annotations

import dataclasses
import math
import os
import re
import sys
from collections.abc import Sequence
from typing import Callable, NoReturn, Optional

from graphmend import terminal

CALLABLE = re.compile(r"^(?P<home>[\w./\\-]+?):(?P<name>[A-Za-z_][\w.]*)$")


@dataclasses.dataclass
class Options:
    """What is asked for. `kind` is `script`, `module` or `callable`."""

    kind: str = "script"
    name: str = ""
    arguments: list[str] = dataclasses.field(default_factory=list)
    backend: Optional[str] = None
    calls: Optional[int] = None
    seed: int = 0
    timeout: float = 3600.0
    fullgraph: bool = True
    inputs: str = "inputs"
    kernels: Optional[str] = None
    json: Optional[str] = None
    html: Optional[str] = None
    baseline: Optional[str] = None
    write_baseline: Optional[str] = None
    color: str = "auto"


def fail(message: str) -> NoReturn:
    terminal.complain(f"graphmend: {message}")
    sys.exit(2)


def whole_number(option: str, text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        fail(f"`{option}` takes a whole number, {least} or more")
    return number


def seconds(option: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not (0 <= number < math.inf):
        fail(f"`{option}` takes seconds, 0 for no limit")
    return number


def color(option: str, text: str) -> str:
    if text not in ("auto", "always", "never"):
        fail(f"`{option}` takes auto, always or never")
    return text


VALUES: dict[str, Callable[[str, str], object]] = {
    "backend": lambda option, text: text,
    "calls": lambda option, text: whole_number(option, text, 1),
    "seed": lambda option, text: whole_number(option, text, 0),
    "timeout": seconds,
    "inputs": lambda option, text: text,
    "kernels": lambda option, text: os.path.abspath(text),
    "json": lambda option, text: text,
    "html": lambda option, text: text,
    "baseline": lambda option, text: text,
    "write-baseline": lambda option, text: text,
    "color": color,
}


def read(arguments: Sequence[str]) -> Options:
    """The options in front of the program, and the program."""
    options, rest = Options(), list(arguments)
    while rest and rest[0].startswith("--"):
        name, equals, value = rest.pop(0)[2:].partition("=")
        if name == "":
            break
        if name == "no-fullgraph":
            options.fullgraph = False
        elif name in VALUES:
            if not equals:
                value = rest.pop(0) if rest else fail(f"`--{name}` needs a value")
            setattr(options, name.replace("-", "_"), VALUES[name](f"--{name}", value))
        else:
            fail(f"unknown option `--{name}`")
    take_program(options, rest)
    return options


def take_program(options: Options, rest: list[str]) -> None:
    """What is to be verified."""
    module = rest[:1] == ["-m"]
    if module:
        rest = rest[1:]
    if not rest:
        fail("no module" if module else "no script")
    options.name, options.arguments = rest[0], rest[1:]
    if module:
        options.kind = "module"
    elif CALLABLE.match(options.name) and not os.path.exists(options.name):
        options.kind = "callable"
        if options.arguments:
            fail("a callable takes no arguments here; its inputs come from a function of its file")
