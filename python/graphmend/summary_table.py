"""The summary as an HTML table for notebooks: a row for each place, with the result and the reason."""

from __future__ import annotations

import html
from typing import Any

from graphmend import terminal
from graphmend.run_summary import breaking_of, by_place, describe_site, why_it_breaks

STYLE = "text-align:left"


def rows_of(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Place, result and reason of each site."""
    rows = []
    for site, fate in sorted(report["sites"].items(), key=by_place):
        outcome = "mended" if fate["mended"] else "as it is"
        rows.append((describe_site(site), outcome, "" if fate["mended"] else "; ".join(fate["refused"])))
    for item in breaking_of(report):
        rows.append((f"{item['name']} ({item['file']}:{item['line']})", "breaks", why_it_breaks(item)))
    if breaking_of(report):
        rows += [(f"{name} ({path}:{line})", "not read", why) for name, path, line, why in report.get("unread", ())]
    return rows + [("", "unmended", note) for note in report.get("unmended", ())]


def cell(kind: str, text: str) -> str:
    return f'<{kind} style="{STYLE}">{html.escape(terminal.visible(text))}</{kind}>'


def of(report: dict[str, Any], title: str) -> str:
    """The table, below its title."""
    rows = rows_of(report)
    if not rows:
        return f"<p>{html.escape(terminal.visible(title))}</p>"
    head = "".join(cell("th", name) for name in ("place", "now", "why"))
    body = "".join("<tr>" + "".join(cell("td", part) for part in row) + "</tr>" for row in rows)
    caption = html.escape(terminal.visible(title))
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
