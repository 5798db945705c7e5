"""Run a program as `graphmend run` does, and note which features did something for it.

usage: ACTED=FILE python hooks_that_act.py SCRIPT [ARGUMENTS]

A feature acts where one of its hooks gives something else than the hook behind it, does not ask it, or refuses. FILE
gets a line for each case and feature; the case is the first argument whose name ends in `.py`.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from graphmend import launch
from graphmend.runtime.base import hooks

linked = hooks.linked
noted: set[tuple[str, str]] = set()


def note(feature: str) -> None:
    """Write that a feature has acted; lines are short enough for one write each."""
    case = next((os.path.basename(name) for name in sys.argv[1:] if name.endswith(".py")), "")
    if (case, feature) not in noted:
        noted.add((case, feature))
        with open(os.environ["ACTED"], "a", encoding="utf-8") as stream:
            stream.write(f"{case} {feature}\n")


def watched(hook: hooks.Hook, following: Any, original: Any, trace: Any) -> Any:
    """The link of a hook, which notes whether it acts."""

    def link(*args: Any, **kwargs: Any) -> Any:
        given = []

        def noting(*others: Any, **options: Any) -> Any:
            given.append(None)
            given[-1] = following(*others, **options)
            return given[-1]

        try:
            result = linked(hook, noting, original, trace)(*args, **kwargs)
        except BaseException:
            if not given:
                note(hook.feature.name)
            raise
        if not given or given[-1] is not result:
            note(hook.feature.name)
        return result

    return link


if __name__ == "__main__":
    hooks.linked = watched
    launch.run(sys.argv[1:])
