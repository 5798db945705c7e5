"""The summary at the end of a mended program: on stderr, short, once for all processes, and empty without graph breaks.

`GRAPHMEND_SUMMARY=0` turns the summary off, and `GRAPHMEND_SUMMARY=full` names every place. `graphmend.summary()`
returns the summary at any time.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from collections.abc import Iterable
from typing import Any, Optional

from graphmend import children, core, terminal

LIMIT = 10
CHECKED_NOTHING = "graphmend: check: nothing was compiled, so nothing was compared"
OWN_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
PACKAGE_FOLDERS = ("site-packages", "dist-packages")


def short_path(path: str) -> str:
    """A path in its familiar form: below the current folder, below site-packages, or whole."""
    parts = path.split(os.sep)
    for folder in PACKAGE_FOLDERS:
        if folder in parts:
            return os.path.join(*parts[len(parts) - parts[::-1].index(folder) :])
    try:
        current = os.path.join(os.getcwd(), "")
    except OSError:
        return path
    return os.path.relpath(path, current) if path.startswith(current) else path


def describe_site(site: str) -> str:
    """`model.py:12 GM101` for a site of the runtime dialect."""
    path, line, _, code = site.rsplit(":", 3)
    return f"{short_path(path)}:{line} {code}"


def by_place(item: tuple[str, Any]) -> tuple[str, int, int, str]:
    """Sites by file, line and column, however the compiler came to them."""
    path, line, column, code = item[0].rsplit(":", 3)
    return path, int(line), int(column), code


def shown(lines: list[str], limit: int) -> list[str]:
    """The first lines, and how many more there are."""
    rest = len(lines) - limit
    return lines if rest <= 0 else [*lines[:limit], f"  ... and {rest} more (GRAPHMEND_SUMMARY=full shows all)"]


def place_of(item: dict[str, Any]) -> tuple[str, int]:
    """The first line of a callable. Callables with one first line share graphs: a callable may have no graph itself."""
    return item["file"], item["line"]


def count(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"


def pages_of(reasons: Iterable[Optional[str]]) -> list[str]:
    """The commands that explain the reasons that are kinds of graph break, each once."""
    found: dict[str, None] = {}
    for reason in reasons:
        with contextlib.suppress(core.CoreError, UnicodeError):
            title = core.rule_page(reason or "").partition("\n")[0].split()
            found[f"  see      graphmend rule {title[1]}"] = None
    return list(found)


def is_better(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the first record of a callable reports more breaks, and so represents both records."""
    order = ("unused", "whole", "waiting", "partial", "plain")
    return order.index(one["mode"]) > order.index(other["mode"])


def merged(reports: list[dict[str, Any]]) -> dict[str, Any]:
    """One report for all processes of a job: each site and each callable once."""
    if len(reports) == 1:
        return reports[0]
    sites: dict[str, dict[str, Any]] = {}
    callables: dict[Any, dict[str, Any]] = {}
    for report in reports:
        for site, fate in report["sites"].items():
            known = sites.setdefault(site, {"mended": 0, "refused": []})
            known["mended"] += fate["mended"]
            known["refused"] = list(dict.fromkeys([*known["refused"], *fate["refused"]]))
        for item in report["callables"]:
            key = item["name"], item["file"], item["line"]
            if key not in callables or is_better(item, callables[key]):
                callables[key] = item
    notes = dict.fromkeys(note for report in reports for note in report.get("unmended", ()))
    unread = dict.fromkeys(tuple(item) for report in reports for item in report.get("unread", ()))
    return {
        "sites": sites,
        "callables": list(callables.values()),
        "unmended": list(notes),
        "unread": list(map(list, unread)),
        "processes": sum(bool(report["callables"]) for report in reports),
    }


def breaking_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The compiled callables that are not one graph, in some of their calls at least."""
    whole = {place_of(item) for item in report["callables"] if item["mode"] == "whole"}
    return [
        item
        for item in report["callables"]
        if item["mode"] in ("partial", "plain")
        or (item["mode"] == "waiting" and place_of(item) not in whole)
        or (item["mode"] == "whole" and item["reason"])
    ]


def why_it_breaks(item: dict[str, Any]) -> str:
    """Why a compiled callable breaks, in all of its calls or in some."""
    some = "some calls: " if item["mode"] == "whole" else ""
    return f"{some}{item['reason'] or 'not one graph'}"


def format_report(report: dict[str, Any], limit: int = LIMIT) -> list[str]:
    """The lines of the summary; none if no compiled call has reached a mended site or still breaks."""
    sites = sorted(report["sites"].items(), key=by_place)
    mended = [f"  mended   {describe_site(site)}" for site, fate in sites if fate["mended"]]
    refused = [
        f"  as it is {describe_site(site)}: {'; '.join(fate['refused'])}"
        for site, fate in sites
        if fate["refused"] and not fate["mended"]
    ]
    breaking = breaking_of(report)
    broken = [
        f"  breaks   {item['name']} ({short_path(item['file'])}:{item['line']}): {why_it_breaks(item)}"
        for item in breaking
    ]
    unread = [
        f"  not read {name} ({short_path(path)}:{line}): {reason}"
        for name, path, line, reason in report.get("unread", ())
    ]
    notes = [f"  unmended {note}" for note in report.get("unmended", ())]
    if not broken:
        unread = []  # whatever is in them, nothing breaks
        refused = refused if limit != LIMIT else []
    if not mended and not refused and not broken and not notes:
        return []
    title = f"graphmend: {count(len(mended), 'place', 'places')} mended"
    if report.get("processes", 1) > 1:
        title += f" in {report['processes']} processes"
    if refused:
        title += f", {len(refused)} left as written"
    if broken:
        title += f", {count(len(broken), 'compiled callable still breaks', 'compiled callables still break')}"
    see = pages_of(item["reason"] for item in breaking[:limit])
    parts = (mended, refused, broken, unread, notes)
    return [title, *(line for part in parts for line in shown(part, limit)), *see]


def own_report() -> Optional[dict[str, Any]]:
    """The report of this process; None without a runtime, because torch was not imported."""
    runtime = sys.modules.get("graphmend.runtime")
    if runtime is None:
        return None
    found: dict[str, Any] = runtime.report()
    sites = {site: fate for site, fate in found["sites"].items() if not site.startswith(OWN_FOLDER)}  # not our own code
    # Not imported at the end: dataclasses are made by `exec`, and Python would forget that an interrupt ends the run.
    mends = sys.modules.get("graphmend.function_mends")
    unread: list[list[Any]] = []
    notes = list(children.state.ignoring)
    if mends is not None:
        unread = [[item.name, item.path, item.line, item.reason] for item in mends.state.unread.values()]
        notes = [*mends.state.earlier, *notes]
    hook = sys.modules.get("graphmend.hook")
    notes += hook.state.choosing if hook is not None else ()
    return {**found, "sites": sites, "unread": unread, "unmended": notes}


def collected() -> Optional[dict[str, Any]]:
    """The reports of all processes of the job so far, with the report of this process."""
    reports = [report for report in (own_report(), *children.reports()) if report is not None]
    return merged(reports) if reports else None


def other_rank() -> bool:
    """Whether this process is one of several equal processes of a launcher, and not the first."""
    return os.environ.get("RANK", "0") not in ("0", "") and "WORLD_SIZE" in os.environ


def self_check() -> Any:
    """The module that compares calls for `--check`; None where nothing has been compiled."""
    return sys.modules.get("graphmend.runtime.driver.self_check")


def calls_differ() -> bool:
    """Whether a call differs from eager Python, by the comparison of `--check`."""
    check = self_check()
    return check is not None and bool(check.checks.differing)


def of_check() -> list[str]:
    """The lines about the calls that `--check` has compared; none without `--check`."""
    from graphmend import hook

    check = self_check()
    if not hook.state.compared:
        return []
    return [CHECKED_NOTHING] if check is None or check.checks.is_idle() else list(check.summary())


def write_check() -> None:
    """Print the lines of `--check`, in each process of a job."""
    lines = of_check()
    if lines:
        terminal.complain(*lines)


def write() -> None:
    """Print the summary of a job in the first process; further processes leave a report for the first process."""
    mode = os.environ.get("GRAPHMEND_SUMMARY", "")
    with contextlib.suppress(Exception):  # as below
        write_check()
    if not children.state.first:
        children.leave_report()
        return
    try:
        report = collected()
        if report is not None and mode != "0" and not other_rank():
            lines = format_report(report, sys.maxsize if mode == "full" else LIMIT)
            if lines:
                terminal.complain(*lines)
    except Exception:
        pass  # the program has ended; whatever is wrong with its stderr by now is its own affair
    children.end()


def at_exit() -> None:
    """Print the summary at the end of this process, after all exit handlers of the program."""
    children.state.told = True
    atexit.register(write)


class Summary:
    """The summary of this process so far, as text and, in a notebook, as a table."""

    def __init__(self, report: Optional[dict[str, Any]]) -> None:
        self.report = report or {"sites": {}, "callables": []}

    def lines(self) -> list[str]:
        """The lines of the summary; one line with the reason for an empty summary."""
        return format_report(self.report, sys.maxsize) or [nothing_of(self.report)]

    def __repr__(self) -> str:
        return "\n".join(map(terminal.visible, self.lines()))

    def _repr_html_(self) -> str:
        from graphmend import summary_table

        return summary_table.of(self.report, self.lines()[0])


def nothing_of(report: dict[str, Any]) -> str:
    """The reason for an empty summary."""
    if not report["callables"]:
        return "graphmend: nothing has been compiled since `install()`"
    number = count(len(report["callables"]), "compiled callable", "compiled callables")
    return f"graphmend: {number}, and nothing in the way of their graphs"
