"""Guards that Dynamo would look at in every call, although what they look at never changes: the runtime itself.

Mended code is full of the dialect's functions. Each of them, and each module that holds them, would be compared before
every call; that takes as long as a small kernel. What the dialect reads from torch and from Python keeps its guards:
Dynamo has one guard for all readers of a name, and the program may be another of them.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Sequence
from typing import Any, Callable, Optional

import torch

OWN = __package__ or ""
IMPORTED = re.compile(r"G\['__import_\w+'\]")  # a global of Dynamo's own making
READ = re.compile(r"(G\['\w+'\](?:\.\w+)*)\.\w+")
FIXED = (types.FunctionType, torch._ops.OpOverload)
Filter = Callable[[Sequence[Any]], Sequence[bool]]


def is_own_module(value: Any) -> bool:
    """Whether a value is a module of the runtime; programs' values are not asked for their attributes."""
    return type(value) is types.ModuleType and (value.__name__ + ".").startswith(OWN + ".")


def needless(entry: Any, holders: set[str]) -> bool:
    """Whether a guard looks at nothing but a module of the runtime, or at a function that one of `holders` has."""
    if entry.guard_type == "DUPLICATE_INPUT":
        return False
    read = READ.fullmatch(entry.name)
    if read is None:
        return is_own_module(entry.value) and IMPORTED.fullmatch(entry.name) is not None
    return read.group(1) in holders and (is_own_module(entry.value) or type(entry.value) in FIXED)


def without_own(user: Optional[Filter]) -> Filter:
    """A filter that leaves the guards on the runtime out, and of the others what the user's own filter leaves out."""

    def chosen(entries: Sequence[Any]) -> Sequence[bool]:
        holders = {entry.name for entry in entries if is_own_module(entry.value)}
        own = [needless(entry, holders) for entry in entries]
        if user is None:
            return [not left_out for left_out in own]
        rest = [entry for entry, left_out in zip(entries, own) if not left_out]
        answers = user(rest)
        if len(answers) != len(rest):
            return answers  # Dynamo says what is wrong with it
        found = iter(answers)
        return [False if left_out else next(found) for left_out in own]

    return chosen


def accepts(original: Callable[..., Any], option: str) -> bool:
    """Whether `torch._dynamo.optimize` knows of an option; it takes whatever the function behind it takes."""
    behind = getattr(torch._dynamo.eval_frame, "_optimize", original)
    return option in inspect.signature(behind).parameters


def filtered(original: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """The options of `torch._dynamo.optimize` with the filter, where it knows of one."""
    if not accepts(original, "guard_filter_fn"):
        return options
    return {**options, "guard_filter_fn": without_own(options.get("guard_filter_fn"))}
