"""Source with marked sites, beside the compiled text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

from .elements import Report, element, joined, text

AROUND = 3  # lines shown around what matters


class Row:
    """A line of the source beside a mended line; either may be missing."""

    def __init__(self, number: Optional[int], left: Optional[str], right: Optional[str], site: Optional[int]) -> None:
        self.number, self.left, self.right, self.site = number, left, right, site
        self.changed = (left or "").rstrip() != (right or "").rstrip() and not (right is None and is_silent(left))
        self.matters = self.changed or site is not None


def is_silent(line: Optional[str]) -> bool:
    """Whether a line of source does nothing, as blank lines and comments."""
    return not (line or "").strip() or (line or "").lstrip().startswith("#")


def line_id(report: Report, file: str, line: int) -> str:
    files = sorted({site["file"] for site in report.at("sites") or []})
    return f"line-{files.index(file)}-{line}"


def write(report: Report) -> str:
    """Every file with sites."""
    texts = {file["file"]: file for file in report.at("files") or []}
    named = sorted({site["file"] for site in report.at("sites") or []})
    return joined(one_file(report, file, texts.get(file)) for file in named)


def one_file(report: Report, file: str, data: Optional[dict[str, Any]]) -> str:
    rows = list(
        rows_of(report, file, data["source"], data["mended"], data["lines"]) if data else lone_lines(report, file)
    )
    columns = (
        ""
        if data is None
        else element("p", element("span", "source") + element("span", "what is compiled"), class_="columns")
    )
    code = element(
        "div",
        joined(shown(report, file, rows)),
        class_="code" if data else "code lone",
        role="region",
        tabindex="0",
        aria_label=f"Source of {file}",
    )
    return element("h3", text(file)) + columns + code


def lone_lines(report: Report, file: str) -> Iterator[Row]:
    """Sites of a file without mends: only their own lines are known."""
    last = 0
    for index, site in enumerate(report.at("sites")):
        if site["file"] == file and site["line"] != last:
            last = site["line"]
            yield Row(last, site.get("source") or "", site.get("source") or "", index)


def blocks(lines: list[int], source: int) -> Iterator[tuple[range, range]]:
    """Line numbers of the source with the matching indices of the mended text, in blocks of minimal length.

    A mended line maps to a line of the source; around a mended statement, lines of the block map back and forth.
    """
    least = [source + 1]
    for line in reversed(lines):
        least.append(min(least[-1], line))
    least.reverse()  # the least of what follows
    most = told = begin = 0
    for index, line in enumerate(lines):
        most = max(most, line)
        if most < least[index + 1]:
            first = min(lines[begin : index + 1])
            yield range(told + 1, first), range(begin, begin)
            yield range(first, most + 1), range(begin, index + 1)
            told, begin = most, index + 1
    yield range(told + 1, source + 1), range(begin, len(lines))


def rows_of(report: Report, file: str, source: str, mended: str, lines: list[int]) -> Iterator[Row]:
    """Both texts, a statement beside what is compiled instead."""
    left, right = source.splitlines(), mended.splitlines()
    lines = [min(max(line, 1), len(left)) for line in lines[: len(right)]]
    lines += [len(left)] * (len(right) - len(lines))
    for numbers, indices in blocks(lines, len(left)):
        for step in range(max(len(numbers), len(indices))):
            number = numbers[step] if step < len(numbers) else None
            yield Row(
                number,
                None if number is None else left[number - 1],
                right[indices[step]] if step < len(indices) else None,
                None if number is None else report.site_at(file, number),
            )


def shown(report: Report, file: str, rows: list[Row]) -> Iterator[str]:
    """The marked lines with some context; of further lines only the count."""
    near: set[int] = set()
    for index, row in enumerate(rows):
        if row.matters:
            near.update(range(index - AROUND, index + AROUND + 1))
    hidden = 0
    told: set[int] = set()
    for index, row in enumerate(rows):
        if index not in near:
            hidden += 1
            continue
        yield skip(hidden)
        hidden = 0
        yield pair(report, file, row)
        if row.site is not None and row.site not in told:
            told.add(row.site)
            yield note(report, row.site)
    yield skip(hidden)


def skip(count: int) -> str:
    return element("p", f"{count} line{'s' if count != 1 else ''}", class_="skipped-lines") if count else ""


def pair(report: Report, file: str, row: Row) -> str:
    kind = "changed" if row.changed else "same"
    marked = " marked" if row.site is not None else ""
    number = element("span", "" if row.number is None else str(row.number), class_="number")
    name = line_id(report, file, row.number) if row.site is not None and row.number is not None else None
    return element(
        "div", half(row.left, "left", number) + half(row.right, "right", ""), class_=f"pair {kind}{marked}", id=name
    )


def half(line: Optional[str], side: str, number: str) -> str:
    return element(
        "div", number + element("code", text(line or "")), class_=side if line is not None else f"{side} none"
    )


def note(report: Report, index: int) -> str:
    """The note on a site, below the line."""
    site = report.at(f"sites.{index}")
    code = " ".join(filter(None, (site.get("code"), site.get("break_id"))))
    fate = "mended" if site.get("mended") else f"as it is: {site['why_not']}" if site.get("why_not") else "as it is"
    says = text(f"{code} {site.get('message') or ''}".strip()) + " " + element("strong", text(fate))
    return element(
        "p", element("a", says, href=f"#site-{index}"), class_="note mended" if site.get("mended") else "note"
    )
