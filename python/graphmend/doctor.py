"""`graphmend doctor` and `graphmend debug hooks`: the state of graphmend in this environment, as text for a report."""

from __future__ import annotations

import json
import platform
import sys
from typing import Any

import graphmend
from graphmend import cache, core, private, terminal

STATUS = {"whole": 0, "reduced": 1, "source only": 2, "off": 2}


def cache_state() -> str:
    """Where the cache is, or why there is none."""
    try:
        return cache.folder()
    except private.Refused as error:
        return f"none: {error}"
    except OSError as error:
        return f"none: {error.strerror}"


def library_state() -> str:
    """The path of the core, or the reason why the core cannot be loaded."""
    try:
        return f"{core.version()} ({core.library_path()})"
    except core.CoreError as error:
        return f"none: {error}"


def copies_of_torch() -> list[str]:
    """The folders of all torch packages on the path; the first one is imported."""
    import os

    found = [os.path.join(folder, "torch") for folder in dict.fromkeys(sys.path) if folder]
    return [folder for folder in found if os.path.isfile(os.path.join(folder, "__init__.py"))]


def mode() -> dict[str, Any]:
    """The mode of the installed torch, as data."""
    import dataclasses

    try:
        import torch  # noqa: F401 - whether it can be imported
    except Exception as error:
        return {
            "name": "off",
            "torch": None,
            "lost": {},
            "reason": f"torch is not here ({type(error).__name__}: {error})",
        }
    try:
        from graphmend.runtime.driver import modes

        return dataclasses.asdict(modes.found())
    except Exception as error:
        reason = f"the runtime does not load beside it ({type(error).__name__}: {error})"
        return {"name": "off", "torch": torch.__version__, "lost": {}, "reason": reason}


def examined() -> dict[str, Any]:
    """The output of `doctor`, as data."""
    found = mode()
    return {
        "graphmend": graphmend.__version__,
        "core": library_state(),
        "torch": found["torch"],
        "torch_folders": copies_of_torch(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cache": cache_state(),
        "mode": found["name"],
        "reason": found["reason"],
        "off": found["lost"],
    }


def main(arguments: list[str]) -> int:
    """Print the state; the exit status says how much of graphmend is in force."""
    data = examined()
    if arguments == ["--json"]:
        terminal.say(*json.dumps(data, indent=1).split("\n"))
        return STATUS[data["mode"]]
    terminal.say(
        *(f"{name.replace('_', ' '):<14} {shown(data[name])}" for name in data if name not in ("off", "reason"))
    )
    if data["reason"]:
        terminal.say(f"{'reason':<14} {data['reason']}")
    if len(data["torch_folders"]) > 1:
        terminal.say("two copies of torch are on the path; the first one is imported")
    for feature, reason in sorted(data["off"].items()):
        terminal.say(f"off            {feature}: {reason}")
    return STATUS[data["mode"]]


def shown(value: Any) -> str:
    """A value in a person's words."""
    return ", ".join(value) if isinstance(value, list) else str(value)


def hooks(arguments: list[str]) -> int:
    """Print the table of hooks for the installed torch, or for the torch in the folder of `--torch`."""
    if arguments[:1] == ["--torch"] and len(arguments) == 2:
        sys.path.insert(0, arguments[1])
    elif arguments:
        terminal.complain("usage: graphmend debug hooks [--torch PATH]")
        return 2
    from graphmend.runtime.base import hooks as table
    from graphmend.runtime.base import slots, torch_names
    from graphmend.runtime.driver import features

    features.load()
    table.table()
    terminal.say(f"torch {torch_names.version()}")
    missing = 0
    for capability, found, reason in slots.all_found():
        users = [hook.feature for hook in table.all_hooks() if hook.capability == capability]
        names = ", ".join(f"{feature.name} ({feature.kind})" for feature in users) or "-"
        where = " | ".join(slot.place.text for slot in found) or f"not there: {reason}"
        terminal.say(f"  {capability:<24} {where}", f"  {'':<24} for {names}")
        missing += not found
    absent = [name for name in torch_names.release().names if not torch_names.has(name)]
    terminal.say(f"{missing} places and {len(absent)} names are not there{': ' if absent else ''}{', '.join(absent)}")
    for name, reason in table.features_off.items():
        terminal.say(f"off: {name}: {reason}")
    return 0
