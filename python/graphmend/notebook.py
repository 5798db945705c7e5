"""`%load_ext graphmend` mends cells of a notebook; `%%graphmend` shows the breaks of a cell with and without mends.

    %load_ext graphmend
    %%graphmend
    torch.compile(model)(x)

A cell runs once, with its mends. The breaks without graphmend are the mended sites and the remaining breaks: a mend is
in force only where torch.compile would break.
"""

from __future__ import annotations

from typing import Any, Optional

from graphmend import hook, run_summary

Report = dict[str, Any]


def load(shell: Any) -> None:
    """Install graphmend in a kernel, and the magic `%%graphmend`."""
    hook.install(summary=False)  # nobody reads the last output of a kernel

    def graphmend(line: str, cell: str) -> CellReport:
        """Run a cell and show the graph breaks of the cell, without graphmend and with graphmend."""
        before = run_summary.own_report()
        shell.run_cell(cell).raise_error()
        return CellReport(changed(before, run_summary.own_report()))

    shell.register_magic_function(graphmend, magic_kind="cell")


def changed(before: Optional[Report], after: Optional[Report]) -> Report:
    """The entries of a report that are new since an earlier report: new or continued callables, and reached sites."""
    if after is None:
        return {"sites": {}, "callables": []}
    known: Report = before or {"sites": {}, "callables": []}
    sites = {site: fate for site, fate in after["sites"].items() if known["sites"].get(site) != fate}
    callables = [item for number, item in enumerate(after["callables"]) if item not in known["callables"][number:][:1]]
    used = [item for item in callables if item["mode"] != "unused"]
    return {**after, "sites": sites, "callables": used, "unmended": after.get("unmended", []) if before is None else []}


class CellReport(run_summary.Summary):
    """The output of `%%graphmend` for one cell."""

    def lines(self) -> list[str]:
        mended = sum(bool(fate["mended"]) for fate in self.report["sites"].values())
        left = len(run_summary.breaking_of(self.report))
        if not self.report["callables"]:
            return ["graphmend: the cell compiles nothing new"]
        title = f"graphmend: {mended + left} breaks without graphmend, {left} with it"
        return [title, *run_summary.format_report(self.report, limit=1 << 30)[1:]]
