"""Run a program as `graphmend run` does, and note which features did something for it.

usage: ACTED=FILE python hooks_that_act.py SCRIPT [ARGUMENTS]

A feature acts where one of its hooks neither declines nor returns what the hook behind it has returned. FILE gets a
line for each case and feature; the case is the first of the program's arguments whose name ends in `.py`.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
from typing import Any

from graphmend import launch
from graphmend.runtime.base import hooks

dispatcher = hooks.dispatcher
noted: set[tuple[str, str]] = set()


def note(feature: str) -> None:
    """Write that a feature has acted; lines are short enough for one write each."""
    case = next((os.path.basename(name) for name in sys.argv[1:] if name.endswith(".py")), "")
    if (case, feature) not in noted:
        noted.add((case, feature))
        with open(os.environ["ACTED"], "a", encoding="utf-8") as stream:
            stream.write(f"{case} {feature}\n")


def watched(hook: hooks.Hook) -> hooks.Hook:
    """The hook, which notes whether it acts."""

    @functools.wraps(hook.function)
    def function(call: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
        given = []

        def noting(*others: Any, **options: Any) -> Any:
            given.append(None)
            given[-1] = call(*others, **options)
            return given[-1]

        try:
            result = hook.function(noting, trace, *args, **kwargs)
        except BaseException:
            if not given:
                note(hook.feature.name)
            raise
        if result is not hooks.DECLINED and (not given or given[-1] is not result):
            note(hook.feature.name)
        return result

    # A hook that asks for the frame of its caller passes by those of the dispatcher.
    function.__code__ = function.__code__.replace(co_filename=hooks.__file__)
    return hook if hook.is_note else dataclasses.replace(hook, function=function)


def dispatch(capability: str, chain: list[hooks.Hook], original: Any, trace: Any) -> Any:
    return dispatcher(capability, [watched(hook) for hook in chain], original, trace)


if __name__ == "__main__":
    hooks.dispatcher = dispatch
    launch.run(sys.argv[1:])
