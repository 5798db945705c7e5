"""`graphmend run --timings[=FILE]`: the seconds of a mended program by phase, printed at the program's end.

    graphmend: 61.2 s of the processor in 48.0 s
         3.1 s   mending source
        12.4 s   traces kept: 4
        20.9 s   traces thrown away: 6

The table of callables is sorted by cost, the dearest first. FILE gets the same as JSON: seconds of the processor and of
the clock on the wall, for each phase and each callable. Only the first process is measured. The processor time of a
child belongs to the phase of the parent's wait for the child.
"""

from __future__ import annotations

import atexit
import json
import os
from typing import Any, Optional

from graphmend import files, run_summary, terminal
from graphmend.runtime.base import timings

CALLABLES = 10  # the number of callables printed; the file has all
OTHER = "the program itself"


class State:
    """The process that is measured, and the file for its figures."""

    process: Optional[int] = None
    file: Optional[str] = None


state = State()


def start(file: Optional[str]) -> None:
    """Measure from now on, and tell at the end of the process; `file` is to have the figures, too."""
    state.process, state.file = os.getpid(), file
    timings.start()
    atexit.register(tell)


def seconds(row: timings.Phases, name: str) -> timings.Seconds:
    """The time of a phase; zero for a phase that never began."""
    return row.get(name, timings.Seconds())


def total(row: timings.Phases) -> timings.Seconds:
    """The time of all phases of a row."""
    result = timings.Seconds()
    for part in row.values():
        result.add(part)
    return result


def figures(clock: timings.Clock) -> dict[str, Any]:
    """All measurements, in the form of the JSON file."""
    whole, phases = timings.now().since(clock.start), dict(clock.process)
    traces: dict[str, int] = {timings.KEPT: 0, timings.DISCARDED: 0}
    for row in clock.callables.values():
        for name, part in row.phases.items():
            phases.setdefault(name, timings.Seconds()).add(part)
        for name, number in row.traces.items():
            traces[name] += number
    phases[OTHER] = whole.since(total(phases))
    dearest = sorted(clock.callables.items(), key=lambda item: -total(item[1].phases).cpu)
    return {
        "total": vars(whole),
        "phases": {name: vars(part) for name, part in phases.items()},
        "traces": traces,
        "callables": [
            {
                "name": name,
                "file": path,
                "line": line,
                "phases": {phase: vars(part) for phase, part in row.phases.items()},
                "traces": dict(row.traces),
            }
            for (name, path, line), row in dearest
        ],
    }


def lines_of(found: dict[str, Any]) -> list[str]:
    """The figures in the form of the printed report."""
    whole = found["total"]
    lines = [f"graphmend: {whole['cpu']:.1f} s of the processor in {whole['wall']:.1f} s"]
    for name in (*timings.OF_PROCESS, *timings.OF_CALLABLES, OTHER):
        part = found["phases"].get(name)
        if part is not None:
            number = f": {found['traces'][name]}" if name in found["traces"] else ""
            lines.append(f"  {part['cpu']:8.2f} s   {name}{number}")
    for item in found["callables"][:CALLABLES]:
        parts = [
            f"{part['cpu']:.2f} s {name}" + (f" ({item['traces'][name]})" if name in item["traces"] else "")
            for name, part in item["phases"].items()
        ]
        place = f"{run_summary.short_path(item['file'])}:{item['line']}"
        lines.append(f"  {item['name'] or 'a callable'} ({place}): {', '.join(parts)}")
    rest = len(found["callables"]) - CALLABLES
    return [*lines, f"  ... and {rest} more (--timings=FILE has all)"] if rest > 0 else lines


def tell() -> None:
    """Print the figures of this process, and write the file; a forked child prints nothing."""
    if timings.clock is None or os.getpid() != state.process:
        return
    found = figures(timings.clock)
    terminal.complain(*lines_of(found))
    if state.file is None:
        return
    try:
        files.replace(state.file, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        terminal.complain(f"graphmend: {state.file} could not be written: {error.strerror}")
