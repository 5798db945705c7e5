"""Modes: how much of graphmend the installed torch allows, decided when the first callable is compiled.

- `whole`: every feature has its hooks.
- `reduced`: gains are missing and are named; calls that need a missing gain break as without graphmend.
- `source only`: a guard behind all mends is missing. Mends proved from the text alone stay in force.
- `off`: torch is too old, or the runtime does not load beside the installed torch. Programs run unchanged.

Three checks decide: the version, the table of hooks (every place exists and takes the arguments), and the canaries
(Dynamo calls every hook). Canaries take seconds, so canaries run for releases outside CHECKED only, in an extra
process, and the cache keeps the result.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import subprocess
import sys
from typing import Any, Optional

from ..base import hooks, torch_names, trace_state
from ..base.torch_tables import releases
from . import features
from .profile_cache import own_version

WHOLE, REDUCED, SOURCE_ONLY, OFF = "whole", "reduced", "source only", "off"
CHECKED = tuple((2, minor) for minor in range(9, 16))  # releases whose canaries `make matrix` has run
SECONDS = 300
# Names that the driver uses where no trace is on its way.
NEEDED = (
    "dynamo",
    "OptimizeContext",
    "_optimize",
    "optimize",
    "innermost_fn",
    "lookup_backend",
    "set_eval_frame",
    "compile_lock",
    "_top_saved_tensors_default_hooks",
    "_is_torch_function_mode_enabled",
    "_get_current_function_mode_stack",
)
trusted: list[bool] = []  # holds an item in the process that runs the canaries


@dataclasses.dataclass(frozen=True)
class Mode:
    """A mode, with the release of torch and the lost features, or a reason for the whole mode."""

    name: str
    torch: str
    lost: dict[str, str] = dataclasses.field(default_factory=dict)
    reason: Optional[str] = None


def decide() -> Mode:
    """The mode of this process. Where it is not `whole`, one line on stderr says so, once."""
    mode = found()
    if trace_state.registry.mode is None:
        trace_state.registry.mode = dataclasses.asdict(mode)
        if (line := sentence(mode)) is not None:
            from graphmend import terminal

            terminal.complain(line)
    return mode


@functools.lru_cache(maxsize=None)
def found() -> Mode:
    """The result of the checks."""
    version = torch_names.version()
    known = releases.version_of(version)
    if known is None or known < releases.OLDEST:
        oldest = ".".join(map(str, releases.OLDEST))
        return Mode(OFF, version, reason=f"graphmend mends with torch {oldest} and later")
    missing = [name for name in NEEDED if not torch_names.has(name)]
    if missing:
        return Mode(OFF, version, reason=f"it has no `{', '.join(missing)}`")
    try:
        features.load()
        hooks.table()
        if known not in CHECKED and not trusted:
            silent, passing = canaries()
            lose_uncalled(silent)
            for name in passing:
                hooks.switch_off(name, f"its guard lets a program pass with torch {version}")
    except Exception as error:
        return Mode(OFF, version, reason=f"{type(error).__name__}: {error}")
    return current()


def current() -> Mode:
    """The mode by the lost features so far; a later fault may lose a further feature."""
    version, lost = torch_names.version(), dict(hooks.features_off)
    if any(feature.kind == hooks.GUARD and not feature.rules for feature in lost_features()):
        return Mode(SOURCE_ONLY, version, lost)
    return Mode(REDUCED if lost else WHOLE, version, lost)


def lost_features() -> list[hooks.Feature[Any]]:
    """The features without force."""
    return [hooks.features[name] for name in hooks.features_off if name in hooks.features]


def sentence(mode: Mode) -> Optional[str]:
    """The line for people about a mode; None where all features are in force."""
    if mode.name == WHOLE:
        return None
    start = f"graphmend: with torch {mode.torch}"
    if mode.name == OFF:
        return f"{start} nothing is mended ({mode.reason}); the program runs as it is"
    names = ", ".join(sorted(mode.lost))
    if mode.name == SOURCE_ONLY:
        return f"{start} only what the text alone proves is mended; missing: {names} (`graphmend doctor` says more)"
    return f"{start} all mends are in force but for {names} (`graphmend doctor` says more)"


def lose_uncalled(names: list[str]) -> None:
    """Switch off features whose needed hooks Dynamo never calls."""
    for hook in hooks.all_hooks():
        if hook.needed and hook.capability in names:
            hooks.switch_off(hook.feature.name, f"torch {torch_names.version()} never calls `{hook.capability}`")


def canaries() -> tuple[list[str], list[str]]:
    """The result of the canaries for an unknown release, from the cache or from a process of their own.

    Returns the capabilities without a call, and the guards without a refusal.
    """
    from graphmend import cache

    subject = repr((torch_names.version(), sys.version_info[:3], own_version())).encode()
    digest = hashlib.blake2b(subject, digest_size=8).hexdigest()
    name = f"canaries-{digest}.json"
    found = read(cache.read(name))
    if found is None:
        command = [sys.executable, "-m", "graphmend.canaries"]
        run = subprocess.run(command, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL, check=False)
        found = read(run.stdout)
        if found is None:
            raise RuntimeError(f"the self-check ended with status {run.returncode}")
        cache.write(name, run.stdout)
    return found


def read(data: Optional[bytes]) -> Optional[tuple[list[str], list[str]]]:
    """Capabilities and guards in the output of the canaries; None for malformed output."""
    try:
        value: Any = json.loads(data or b"")
        found = value["uncalled"], value["passing"]
    except (ValueError, KeyError, TypeError):
        return None
    names = [name for part in found if isinstance(part, list) for name in part]
    known = all(isinstance(part, list) for part in found) and all(isinstance(name, str) for name in names)
    return found if known else None
