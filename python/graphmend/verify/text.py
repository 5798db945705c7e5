"""The report for people. Colours need `rich`; without it, lines are plain."""

from __future__ import annotations

from typing import Any, Callable, Optional

from graphmend import terminal
from graphmend.run_summary import short_path

SITES = 20
DIFFERENCES = 10
COLORS = {"whole": "green", "fewer": "green", "clean": "green", "same": "yellow"}
VERDICTS = {
    "whole": "one graph each, and nothing differs",
    "fewer": "fewer breaks, and nothing differs",
    "same": "breaks as before, and nothing differs",
    "clean": "no breaks before and none now, and nothing differs",
    "worse": "worse than without graphmend",
    "different": "the mended program does something else",
    "failed": "the mended program fails",
    "not in force": "the mends could not be in force",
    "not run": "the program cannot be verified",
}


class Out(terminal.Out):
    """Standard output, with tables."""

    def table(self, title: str, headings: list[str], rows: list[list[str]]) -> None:
        """A table, its first column to the left and numbers to the right."""
        self.line(title, "bold")
        rows = [[terminal.visible(cell) for cell in row] for row in rows]
        widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]
        for number, row in enumerate([headings, *rows]):
            cells = [cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))]
            self.line("  " + "  ".join(cells).rstrip(), None if number else "dim")


def seconds(value: Optional[float]) -> str:
    """A time as people say it."""
    if value is None:
        return "-"
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def spread(value: Optional[dict[str, Any]]) -> str:
    if value is None:
        return "-"
    return f"{seconds(value['median'])} ({seconds(value['low'])} to {seconds(value['high'])})"


def size(value: Optional[int]) -> str:
    return "-" if value is None else f"{value / (1 << 20):.0f} MiB"


def whole(value: Optional[dict[str, Any]]) -> str:
    return "-" if value is None else "yes" if value["whole"] else "no"


FIGURES: tuple[tuple[str, Callable[[Any], str]], ...] = (
    ("graph breaks", lambda side: str(side["breaks"])),
    ("graphs", lambda side: str(side["graphs"])),
    ("operators in graphs", lambda side: str(side["operations"])),
    ("skipped frames", lambda side: str(side["skipped_frames"])),
    ("recompilations", lambda side: str(side["recompiles"])),
    ("one graph with fullgraph=True", lambda side: whole(side["fullgraph"])),
    ("first call", lambda side: seconds(side["first_call"])),
    ("steady call (quartiles)", lambda side: spread(side["steady"])),
    ("steady backward (quartiles)", lambda side: spread(side["backward"])),
)


def show_callable(out: Out, item: dict[str, Any]) -> None:
    """The figures of one callable."""
    rows = [[name, figure(item["plain"]), figure(item["mended"])] for name, figure in FIGURES]
    rows = [row for row in rows if row[1:] != ["-", "-"]]
    title = f"{item['name']} ({short_path(item['file'])}:{item['line']}), {item['calls']} calls"
    out.table(title, ["", "plain", "mended"], rows)
    mended = item["mended"]
    if mended["mode"] == "whole" and mended["paths"] > 1:
        out.line(f"  {mended['paths']} graphs, one for each path through the decisions of the program")
    if mended["eager_calls"]:
        out.line(f"  {mended['eager_calls']} calls were undone and ran in eager Python")
    if mended["reason"] is not None and mended["mode"] != "whole":
        out.line(f"  compiled in parts: {mended['reason']}")


def show_sites(out: Out, sites: list[dict[str, Any]]) -> None:
    """Each place: predicted, observed, mended, and why not."""
    if not sites:
        return
    out.line("")
    headings = ["place", "rule", "predicted", "breaks plain", "mended", "breaks left"]
    rows = []
    for site in sites[:SITES]:
        seen = site["observed"]
        rule = site["code"] or site["break_id"] or "-"
        predicted, mended = ("yes" if site[name] else "no" for name in ("predicted", "mended"))
        counts = str(seen["plain"]["breaks"]), str(seen["mended"]["breaks"])
        rows.append([f"{short_path(site['file'])}:{site['line']}", rule, predicted, counts[0], mended, counts[1]])
    out.table("places", headings, rows)
    if len(sites) > SITES:
        out.line(f"  ... and {len(sites) - SITES} more (--json has all)")
    for site in sites[:SITES]:
        if not site["mended"] and site["why_not"] is not None:
            out.line(f"  {short_path(site['file'])}:{site['line']} is not mended: {site['why_not']}")


def show_differences(out: Out, equality: dict[str, Any]) -> None:
    """What differs, ours first."""
    found = equality["differences"]
    if not found:
        return
    out.line("")
    out.line("differences", "bold")
    titles = {"mended": "graphmend's", "torch": "torch's own", "unsettled": "unsettled"}
    for entry in found[:DIFFERENCES]:
        style = "red" if entry["whose"] == "mended" else None
        out.line(f"  {titles[entry['whose']]}: {entry['aspect']}, {entry['place']}", style)
        for name in ("eager", "plain", "mended"):
            said = entry[name] if entry[name] is not None else "the same as eager"
            first, *more = said.split("\n")
            out.line(f"    {name + ':':<8} {first}")
            for line in more:
                out.line(f"             {line}")
    if len(found) > DIFFERENCES:
        out.line(f"  ... and {len(found) - DIFFERENCES} more (--json has up to 100)")


def show_run(out: Out, run: dict[str, Any]) -> None:
    """A failed run: the last output, and the stack."""
    if run["where"] is None and not (run["exception"] or run["stderr"]):
        return
    out.line("")
    out.line(f"the {run['name']} run: {ending(run)}", "bold")
    if run["where"] is not None:
        for line in run["where"]["stack"][:8]:
            out.line(f"  {line}")
    for line in run["stderr"][-8:]:
        out.line(f"  | {line}")


def ending(run: dict[str, Any]) -> str:
    if run["outcome"] == "timeout":
        return f"killed after {run['seconds']:.0f} s"
    if run["outcome"] == "signal":
        return f"ended by {run['signal']}"
    return f"exit status {run['exit_status']}"


def show(data: dict[str, Any], color: str) -> None:
    """Print the report."""
    out = Out(color)
    word = data["verdict"]
    out.line(f"graphmend verify {data['target']['name']}: {VERDICTS[word]}", f"bold {COLORS.get(word, 'red')}")
    for sentence in data["summary"]:
        out.line(f"  {sentence}")
    for item in data["callables"]:
        out.line("")
        show_callable(out, item)
    show_sites(out, data["sites"])
    if data["equality"]["differences"]:
        show_differences(out, data["equality"])
    if data["callables"]:
        memory = {run["name"]: size(run["peak_memory"]["host"]) for run in data["runs"][:3]}
        out.line("")
        out.line("peak memory: " + ", ".join(f"{name} {value}" for name, value in memory.items()), "dim")
    if word in ("not run", "failed"):
        for run in data["runs"]:
            show_run(out, run)
