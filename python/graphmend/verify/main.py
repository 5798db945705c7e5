"""`graphmend verify`: run the program in each way, compare, report."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from typing import Any, Optional

from graphmend import terminal

from . import known, page, processes, report, text, verdict
from . import options as command_line
from .equality import Equality
from .options import Options
from .reading import Seen
from .settings import COMPARED, ROUNDED, ROUNDINGS, RUNS, Settings
from .verdict import IMPOSSIBLE

CALLS_IN_FULL = 100  # of a script
CALLS_MADE = 10  # of a callable


def settings_of(options: Options, role: str, fullgraph: bool) -> Settings:
    """The settings of one run."""
    calls, rounds = options.calls or CALLS_IN_FULL, CALLS_MADE
    if options.kind == "callable":
        calls, rounds = sys.maxsize, options.calls or CALLS_MADE
    return Settings(
        role=role,
        fullgraph=fullgraph,
        kind=options.kind,
        name=options.name,
        backend=options.backend,
        seed=options.seed,
        calls=calls,
        rounds=rounds,
        inputs=options.inputs,
    )


def is_needed(role: str, fullgraph: bool, runs: dict[str, Seen]) -> bool:
    """Whether a run is informative: runs behind a run without end or without compiled callables are not."""
    before = COMPARED if fullgraph else COMPARED[: COMPARED.index(role)]
    return all(way in runs and runs[way].ended.outcome == processes.ENDED and runs[way].callables for way in before)


class Interrupted(Exception):
    """Ctrl-C behind the runs that are compared."""

    def __init__(self, runs: dict[str, Seen]) -> None:
        super().__init__()
        self.runs = runs


def run_all(options: Options, folder: str, progress: terminal.AnyProgress) -> dict[str, Seen]:
    """Run the program in each way that is asked for."""
    runs: dict[str, Seen] = {}
    arguments = arguments_of(options)
    for number, (name, role, fullgraph) in enumerate(RUNS):
        if (fullgraph and not options.fullgraph) or not is_needed(role, fullgraph, runs):
            continue
        progress.begin(name)
        place = os.path.join(folder, str(number))
        settings = settings_of(options, role, fullgraph)
        try:
            ended = processes.run(name, settings, arguments, place, options.timeout, options.kernels)
        except KeyboardInterrupt:
            if not all(way in runs for way in COMPARED):
                raise
            raise Interrupted(runs) from None
        runs[name] = Seen(ended)
        progress.end()
    return runs


def run_with_other_rounding(
    options: Options, folder: str, progress: terminal.AnyProgress, runs: dict[str, Seen]
) -> None:
    """Measure the effect of rounding on the program's numbers, while differences are above the tolerance."""
    ways = [runs.get(name) for name in COMPARED]
    if verdict.cannot_be_verified(runs) is not None or any(
        seen is None or seen.ended.outcome != processes.ENDED for seen in ways
    ):
        return
    rounded: list[Seen] = []
    for name in ROUNDINGS:
        if not Equality(*ways, *rounded).needs_spread():  # type: ignore[arg-type]
            return
        progress.begin(name)
        settings = dataclasses.replace(settings_of(options, ROUNDED, False), number=len(rounded))
        place = os.path.join(folder, name)
        ended = processes.run(name, settings, arguments_of(options), place, options.timeout, options.kernels)
        runs[name] = Seen(ended)
        rounded.append(runs[name])
        progress.end()


def arguments_of(options: Options) -> list[str]:
    """What the process of a run is given to execute."""
    return options.arguments if options.kind == "callable" else [options.name, *options.arguments]


def is_there(options: Options) -> Optional[str]:
    """The reason against a start of a script; further faults show in the run."""
    if options.kind == "script" and not os.path.exists(options.name):
        return f"cannot read `{options.name}`: no such file"
    return None


def main(arguments: Sequence[str]) -> int:
    """The command; returns the exit status."""
    options = command_line.read(arguments)
    missing = is_there(options)
    if missing is not None:
        terminal.complain(f"graphmend: {missing}")
        return IMPOSSIBLE
    try:
        baseline = known.Baseline(options.baseline, options.write_baseline)
    except known.BaselineError as error:
        terminal.complain(f"graphmend: {error}")
        return IMPOSSIBLE
    folder = tempfile.mkdtemp(prefix="graphmend-verify-")
    try:
        with terminal.progress(len(RUNS if options.fullgraph else COMPARED)) as progress:
            try:
                runs = run_all(options, folder, progress)
                run_with_other_rounding(options, folder, progress, runs)
            except Interrupted as stopped:
                runs = stopped.runs
                terminal.complain("graphmend: interrupted: this is the verdict so far, without the runs that were left")
        data = report.make(options, runs)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not write_files(options, data):
        return IMPOSSIBLE
    text.show(data, options.color)
    status: int = data["status"]
    return baseline.judge(data, status)


def write_files(options: Options, data: dict[str, Any]) -> bool:
    """Write the requested files; print a failure to write."""
    for path, save in ((options.json, report.save), (options.html, page.save)):
        try:
            if path is not None:
                save(data, path)
        except OSError as error:
            terminal.complain(f"graphmend: cannot write `{path}`: {error.strerror}")
            return False
    return True


def run(arguments: Sequence[str]) -> int:
    """`main`, interrupted like any other program."""
    try:
        return main(arguments)
    except KeyboardInterrupt:
        terminal.complain("graphmend: interrupted")
        return IMPOSSIBLE
