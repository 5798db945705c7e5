"""The parts of the page, in order; a part with nothing to say is left out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, Callable, Optional

from . import sources, timeline
from .elements import (
    NONE,
    Cell,
    Report,
    as_bytes,
    as_count,
    as_seconds,
    as_word,
    element,
    figure_cell,
    joined,
    short_path,
    table,
    text,
    text_cell,
)

SIDES = (("plain", "before"), ("mended", "after"))
COUNTS = (
    ("breaks", "breaks"),
    ("graphs", "graphs"),
    ("operations", "operations in graphs"),
    ("skipped_frames", "skipped frames"),
    ("recompiles", "recompiles"),
)


@dataclasses.dataclass(frozen=True)
class Section:
    """A section: id, heading and content."""

    name: str
    title: str
    write: Callable[[Report], str]


# ---- Before and after


@dataclasses.dataclass(frozen=True)
class Measure:
    """One measurement of both sides."""

    label: str
    before: str  # path in the report
    after: str
    form: Callable[[Any], str] = as_count


def run_path(report: Report, name: str, rest: str) -> Optional[str]:
    runs = [index for index, run in enumerate(report.at("runs") or []) if run["name"] == name]
    return f"runs.{runs[0]}.{rest}" if runs else None


def measures(report: Report) -> Iterator[Measure]:
    """All of them, counts first."""
    for name, label in COUNTS:
        yield Measure(label, f"totals.plain.{name}", f"totals.mended.{name}")
    for path in report.paths("callables"):
        of = report.at(f"{path}.name")
        for rest, label in (
            ("first_call", "first call"),
            ("steady.median", "a call"),
            ("backward.median", "a backward"),
        ):
            yield Measure(f"{of}: {label}", f"{path}.plain.{rest}", f"{path}.mended.{rest}", as_seconds)
    for kind, label in (("host", "peak memory"), ("device", "peak memory of the device")):
        before, after = (run_path(report, name, f"peak_memory.{kind}") for name, _ in SIDES)
        if before and after:
            yield Measure(label, before, after, as_bytes)


def bar(value: Any, most: float) -> str:
    width = 0.0 if not value or not most else 100.0 * value / most
    return element(
        "span", element("span", "", class_="fill", style=f"width:{width:.1f}%"), class_="bar", aria_hidden="true"
    )


def spread(report: Report, path: str) -> str:
    """The quartiles of a median, behind it."""
    base = path[: -len(".median")] if path.endswith(".median") else ""
    if not base or report.at(f"{base}.low") is None:
        return ""
    ends = " to ".join(report.figure(f"{base}.{end}", as_seconds) for end in ("low", "high"))
    return element("small", f" ({ends})")


def before_and_after(report: Report) -> str:
    rows = []
    for one in measures(report):
        values = [report.at(path) for path in (one.before, one.after)]
        if values == [None, None]:
            continue
        most = max(value or 0 for value in values)
        cells = [text_cell(one.label)]
        for path, value, (_, side) in zip((one.before, one.after), values, SIDES):
            shown = report.figure(path, one.form) + spread(report, path)
            cells.append(Cell(element("span", shown + bar(value, most), class_=side), -1 if value is None else value))
        rows.append([*cells, change_cell(*values)])
    if not rows:
        return ""
    return table(
        "What was measured, without and with graphmend", ["measure", "before", "after", "change"], rows, "bars"
    )


def change_cell(before: Any, after: Any) -> Cell:
    """The ratio of two figures; the row decides whether a small ratio is good."""
    if before is None or after is None or not (before or not after):
        return Cell(NONE, -1)
    ratio = after / before if before else 1.0
    return Cell(
        "same" if ratio == 1 else "gone" if ratio == 0 else f"× {ratio:.2f}" if ratio >= 0.1 else f"× {ratio:.1g}",
        ratio,
    )


# ---- Callables


def callables(report: Report) -> str:
    headings = [
        "callable",
        "run",
        "calls",
        *(label for _, label in COUNTS),
        "one graph",
        "mode",
        "paths",
        "undone calls",
    ]
    rows = []
    for path in report.paths("callables"):
        place = f"{short_path(report.at(f'{path}.file'))}:{report.at(f'{path}.line')}"
        name = text(report.at(f"{path}.name")) + element("small", text(f" {place}"))
        for side, shown in SIDES:
            below = f"{path}.{side}"
            if report.at(below) is None:
                continue
            whole = report.figure(f"{below}.fullgraph.whole", as_word)
            reason = report.at(f"{below}.fullgraph.reason")
            rows.append(
                [
                    Cell(name, report.at(f"{path}.name")),
                    text_cell(shown),
                    figure_cell(report, f"{path}.calls"),
                    *(figure_cell(report, f"{below}.{count}") for count, _ in COUNTS),
                    Cell(whole + (element("small", text(f" {reason}")) if reason else "")),
                    text_cell(report.at(f"{below}.mode")),
                    figure_cell(report, f"{below}.paths"),
                    figure_cell(report, f"{below}.eager_calls"),
                ]
            )
    return table("Callables, before and after", headings, rows) if rows else ""


# ---- Sites


def sites(report: Report) -> str:
    headings = ["place", "kind", "what", "predicted", "breaks before", "breaks after", "mended", "why not"]
    rows = []
    for index, path in enumerate(report.paths("sites")):
        site = report.at(path)
        place = f"{short_path(site['file'])}:{site['line']}"
        link = element("a", text(place), href=f"#{sources.line_id(report, site['file'], site['line'])}")
        what = site.get("message") or "; ".join(reasons(site)) or NONE
        known = (site.get("code"), site.get("break_id"))
        kinds = " ".join(code for code in known if code)
        notes = joined(
            element("small", element("br") + text(site[key])) for key in ("because", "advice") if site.get(key)
        )
        rows.append(
            [
                Cell(element("span", link, id=f"site-{index}", tabindex="-1"), f"{site['file']}:{site['line']:09}"),
                text_cell(kinds),
                Cell(text(what) + notes.replace("</br>", ""), what),
                Cell(report.figure(f"{path}.predicted", as_word)),
                figure_cell(report, f"{path}.observed.plain.breaks"),
                figure_cell(report, f"{path}.observed.mended.breaks"),
                Cell(report.figure(f"{path}.mended", as_word)),
                text_cell(site.get("why_not")),
            ]
        )
    return table("Places, predicted and observed", headings, rows) if rows else ""


def reasons(site: dict[str, Any]) -> Iterable[str]:
    observed = site.get("observed") or {}
    found = [reason for side, _ in SIDES for reason in (observed.get(side) or {}).get("reasons") or []]
    return dict.fromkeys(found)


# ---- Equality


def equality(report: Report) -> str:
    if report.at("equality") is None:
        return ""
    known = {True: "yes", False: "no", None: "not known"}
    says = element(
        "p",
        "The mended program does the same: "
        + element("strong", known[report.at("equality.equal")])
        + f". Calls compared: {report.figure('equality.compared')} of {report.figure('equality.calls')}.",
    )
    names = ("compared", "exact", "rounded", "mended", "torch", "unsettled")
    headings = [
        "what",
        "compared",
        "the same to the bit",
        "different by rounding",
        "different with graphmend",
        "different by torch itself",
        "unsettled",
    ]
    rows = [
        [text_cell(report.at(f"{path}.name")), *(figure_cell(report, f"{path}.{name}") for name in names)]
        for path in report.paths("equality.aspects")
    ]
    parts = [says, table("What was compared", headings, rows) if rows else "", differences(report), worse(report)]
    return joined(parts)


def differences(report: Report) -> str:
    found = report.at("equality.differences") or []
    keys = ("place", "aspect", "whose", "eager", "plain", "mended")
    headings = ["place", "what", "whose", "eager Python", "compiled", "compiled with graphmend"]
    same = {"plain": "the same as eager Python", "mended": "the same as eager Python"}
    rows = [[text_cell(same.get(key) if one.get(key) is None else one[key]) for key in keys] for one in found]
    return table("Differences", headings, rows) if rows else ""


def worse(report: Report) -> str:
    rows = [[text_cell(one.get("text")), text_cell(one.get("kind"))] for one in report.at("worse") or []]
    return table("What is worse than without graphmend", ["what", "kind"], rows) if rows else ""


# ---- Runs


def runs(report: Report) -> str:
    headings = ["run", "outcome", "exit status", "time", "peak memory", "peak memory of the device"]
    rows = []
    for path in report.paths("runs"):
        run = report.at(path)
        signal = f" {run['signal']}" if run.get("signal") else ""
        rows.append(
            [
                text_cell(run.get("name")),
                text_cell(f"{run.get('outcome')}{signal}"),
                figure_cell(report, f"{path}.exit_status"),
                figure_cell(report, f"{path}.seconds", as_seconds),
                figure_cell(report, f"{path}.peak_memory.host", as_bytes),
                figure_cell(report, f"{path}.peak_memory.device", as_bytes),
            ]
        )
    listed = table("Processes, in the order in which they ran", headings, rows) if rows else ""
    return listed + joined(map(ending, report.at("runs") or [])) + surroundings(report)


def ending(run: dict[str, Any]) -> str:
    """The end of a failed run."""
    error, where = run.get("exception"), run.get("where") or {}
    lines = [f"{error.get('type')}: {error.get('text')}"] if error else []
    lines += [f"in {where['callable']}, call {where.get('call')}"] if where.get("callable") else []
    lines += [*(where.get("stack") or []), *(run.get("stderr") or [])]
    if not lines:
        return ""
    box = element(
        "pre", text("\n".join(map(str, lines))), tabindex="0", role="region", aria_label=f"End of {run.get('name')}"
    )
    return element("details", element("summary", text(f"How {run.get('name')} ended")) + box)


def surroundings(report: Report) -> str:
    names = ("graphmend", "torch", "mode", "python", "platform", "device", "threads")
    given = {name: report.at(name) for name in names}
    given["arguments"] = " ".join(map(str, report.at("target.arguments") or []))
    given.update(report.at("options") or {})
    shown = [(key, value) for key, value in given.items() if value not in (None, "")]
    return element("dl", joined(element("dt", text(key)) + element("dd", text(as_word(value))) for key, value in shown))


SECTIONS = (
    Section("measures", "Before and after", before_and_after),
    Section("timeline", "What a call does", timeline.write),
    Section("sites", "Places", sites),
    Section("source", "Source", sources.write),
    Section("equality", "Is it the same?", equality),
    Section("callables", "Callables", callables),
    Section("runs", "Runs", runs),
)
