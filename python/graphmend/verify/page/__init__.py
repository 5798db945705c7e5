"""The evidence of `graphmend verify` as one HTML page, made from its JSON (docs/verify.md).

The page is complete: scripts, styles, fonts and pictures are part of the file, and a browser may open the page from a
disk. JavaScript only sorts tables.

    python -m graphmend.verify.page evidence.json page.html
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from graphmend import files

from .elements import Report, element, joined, text
from .sections import SECTIONS

__all__ = ["render", "save"]

FOLDER = Path(__file__).parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def embedded(data: Any) -> str:
    """JSON without an end tag of the script element around the text."""
    return json.dumps(data).replace("<", "\\u003c")


def render(data: dict[str, Any]) -> str:
    """The page of a report."""
    report = Report(data)
    parts = [(section, section.write(report)) for section in SECTIONS]
    shown = [(section, html) for section, html in parts if html]
    links = joined(element("li", element("a", text(section.title), href=f"#{section.name}")) for section, _ in shown)
    body = joined(
        element(
            "section",
            element("h2", text(section.title), id=f"{section.name}-title") + html,
            id=section.name,
            aria_labelledby=f"{section.name}-title",
        )
        for section, html in shown
    )
    template = (FOLDER / "page.html").read_text(encoding="utf-8")
    holes = {
        "policy": POLICY,
        "title": text(f"{report.at('target.name')}: graphmend verify"),
        "style": (FOLDER / "page.css").read_text(encoding="utf-8"),
        "heading": text(report.at("target.name")),
        "verdict": element("p", text(report.at("verdict")), class_=f"verdict {report.mood()}"),
        "summary": joined(element("li", text(line)) for line in report.at("summary")),
        "links": links,
        "body": body,
        "made": text(f"graphmend {report.at('graphmend')}, torch {report.at('torch')}, Python {report.at('python')}"),
        "report": embedded(data),
        "script": (FOLDER / "page.js").read_text(encoding="utf-8"),
    }
    return "".join(holes[part] if index % 2 else part for index, part in enumerate(template.split("@@")))


def save(data: dict[str, Any], path: str) -> None:
    """Write the page of a report."""
    files.replace(path, render(data))
