"""HTML elements, and figures with their path in the report."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any, Callable, Optional

from graphmend import terminal

NONE = "–"
GOOD = ("whole", "clean")
BAD = ("different", "failed", "worse", "not in force", "not run")


def text(value: Any) -> str:
    """Text of the report as HTML: marks of direction and other hidden characters of names and source are shown."""
    return html.escape(terminal.visible_page(str(value)))


def joined(parts: Iterable[str]) -> str:
    return "".join(parts)


def element(name: str, inside: str = "", **attributes: Any) -> str:
    """An element; `class_` and `data_at` stand for `class` and `data-at`, attributes that are None are left out."""
    given = [
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    ]
    return f"<{name}{''.join(given)}>{inside}</{name}>"


# ---- Figures


def as_count(value: Any) -> str:
    return f"{value:,}".replace(",", "\u202f")


def as_seconds(value: float) -> str:
    """Three digits and a unit."""
    units = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
    unit, size = next((one for one in units if abs(value) >= one[1]), units[-1])
    scaled = value / size
    digits = 0 if scaled >= 100 else 1 if scaled >= 10 else 2
    return f"{scaled:.{digits}f} {unit}"


def as_bytes(value: float) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if abs(value) >= size:
            return f"{value / size:.1f} {unit}"
    return f"{value:.0f} B"


def as_word(value: Any) -> str:
    """Yes, no, or the words themselves."""
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


class Report:
    """The report, read by paths such as `callables.0.plain.graphs`."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def at(self, path: str) -> Any:
        """The value at a path; None where the report has nothing there."""
        found: Any = self.data
        for part in path.split("."):
            if isinstance(found, list):
                found = found[int(part)] if int(part) < len(found) else None
            elif isinstance(found, dict):
                found = found.get(part)
            else:
                return None
        return found

    def paths(self, path: str) -> list[str]:
        """The paths of the items of a list."""
        return [f"{path}.{index}" for index in range(len(self.at(path) or []))]

    def figure(self, path: str, form: Callable[[Any], str] = as_count) -> str:
        """A shown value of the report, with the path and the raw value."""
        value = self.at(path)
        if value is None:
            return element("span", NONE, data_at=path)
        return element("data", text(form(value)), value=as_word(value), data_at=path)

    def mood(self) -> str:
        """What to think of the verdict."""
        verdict = self.at("verdict")
        return "good" if verdict in GOOD else "bad" if verdict in BAD else "fair"

    def site_at(self, file: Any, line: Any) -> Optional[int]:
        """The first site that stands on a line."""
        for index, site in enumerate(self.at("sites") or []):
            if site["file"] == file and site["line"] <= line <= (site.get("end_line") or site["line"]):
                return index
        return None


# ---- Tables


class Cell:
    """A cell: the shown text, and the sort key."""

    def __init__(self, shown: str, key: Any = None) -> None:
        self.shown, self.key = shown, key


def figure_cell(report: Report, path: str, form: Callable[[Any], str] = as_count) -> Cell:
    value = report.at(path)
    return Cell(report.figure(path, form), -1 if value is None else as_word(value))


def text_cell(value: Any) -> Cell:
    return Cell(NONE if value is None or value == "" else text(value), "" if value is None else value)


def table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[Cell]], class_: Optional[str] = None) -> str:
    """A sortable table, in a box with a scroll bar in narrow windows."""
    head = joined(
        element("th", element("button", text(name), type="button"), scope="col", aria_sort="none") for name in headings
    )
    body = joined(
        element(
            "tr",
            joined(
                element(
                    "th" if column == 0 else "td", cell.shown, data_key=cell.key, scope="row" if column == 0 else None
                )
                for column, cell in enumerate(row)
            ),
        )
        for row in rows
    )
    inside = element("caption", text(caption)) + element("thead", element("tr", head)) + element("tbody", body)
    box = element("table", inside, class_=class_)
    return element("div", box, class_="scroll", role="region", aria_label=caption, tabindex="0")


def short_path(path: str) -> str:
    """The last two parts of a path."""
    return "/".join(str(path).replace("\\", "/").split("/")[-2:])
