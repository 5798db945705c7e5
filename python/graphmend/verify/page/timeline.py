"""A call as a row of graphs and gaps: what compilation met, in order."""

from __future__ import annotations

import itertools
from typing import Any

from .elements import Report, element, joined, short_path, text

SIDES = (("plain", "without graphmend"), ("mended", "with graphmend"))
Event = tuple[str, dict[str, Any]]  # with its path in the report

MOST_EVENTS = 120  # of one row; more are counted
MOST_CALLS = 12


def write(report: Report) -> str:
    """The rows of all callables, before and after."""
    return joined(one_callable(report, path) for path in report.paths("callables"))


def one_callable(report: Report, path: str) -> str:
    rows = joined(track(report, f"{path}.{side}.timeline", title) for side, title in SIDES)
    return element("h3", text(report.at(f"{path}.name"))) + rows if rows else ""


def track(report: Report, path: str, title: str) -> str:
    """One row; calls without compilation have no events."""
    events = list(zip(report.paths(path), report.at(path) or []))
    if not events:
        return ""
    calls = [(call, list(group)) for call, group in itertools.groupby(events, key=lambda event: event[1].get("call"))]
    rows, left = [], MOST_EVENTS
    for call, group in calls[:MOST_CALLS]:
        shown = joined(map(event_of(report), in_time(group)[:left]))
        rows.append(
            element("li", element("span", f"call {call}", class_="call") + element("ol", shown)) if shown else ""
        )
        left -= len(group[:left])
    hidden = len(events) - (MOST_EVENTS - left)
    more = element("p", f"{hidden} more of these") if hidden else ""
    return element("h4", text(title)) + element("ol", joined(rows), class_="track") + more


def in_time(events: list[Event]) -> list[Event]:
    """The events of a call in order of execution: the report has a break in front of the ended graph, if any."""
    ordered: list[Event] = []
    breaks: list[Event] = []
    for event in events:
        if event[1]["kind"] == "break":
            breaks.append(event)
            continue
        ended = [one for one in breaks if was_ended(event[1], one[1])]
        ordered += [*(one for one in breaks if one not in ended), event, *ended]
        breaks = []
    return ordered + breaks


def was_ended(event: dict[str, Any], by: dict[str, Any]) -> bool:
    """Whether a break may have ended a graph: a graph from lines behind the break is the continuation."""
    if event["kind"] != "graph":
        return False
    first = [part["first"] for part in event.get("lines") or [] if part["file"] == by.get("file")]
    return not first or min(first) <= by["line"]


def event_of(report: Report) -> Any:
    kinds = {"graph": graph, "break": gap, "skipped": skipped}

    def write_event(event: Event) -> str:
        path, data = event
        return kinds[data["kind"]](report, path, data) if data["kind"] in kinds else ""

    return write_event


def graph(report: Report, path: str, data: dict[str, Any]) -> str:
    """As wide as it is long, within limits."""
    lines = joined(
        element("small", text(f"{short_path(part['file'])} {part['first']}–{part['last']}"))
        for part in (data.get("lines") or [])[:3]
    )
    count = report.figure(f"{path}.operations")
    words = "operation" if data.get("operations") == 1 else "operations"
    grow = min(max(data.get("operations") or 1, 1), 60)
    return element("li", f"graph, {count} {words}{lines}", class_="graph", style=f"flex-grow:{grow}")


def gap(report: Report, path: str, data: dict[str, Any]) -> str:
    place = element("small", text(f"{short_path(data.get('file') or '')}:{data.get('line')}"))
    says = f"break: {text(data.get('reason') or '')}{place}"
    site = data.get("site")
    inside = says if site is None else element("a", says, href=f"#site-{site}")
    return element("li", inside, class_="gap")


def skipped(report: Report, path: str, data: dict[str, Any]) -> str:
    place = element("small", text(f"{short_path(data.get('file') or '')}:{data.get('line')}"))
    says = f"no graph: Python runs {text(data.get('name') or 'the function')}, {text(data.get('reason') or '')}{place}"
    return element("li", says, class_="gap skipped")
