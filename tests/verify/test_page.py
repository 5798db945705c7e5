"""The page of a report: what it shows is what the JSON has, and it needs nothing from elsewhere.

Tests with a browser need Chromium, the one on accessibility also axe-core: `npm install --prefix build axe-core`,
or the path of an axe.min.js in $GRAPHMEND_AXE. They are skipped where these are missing.
"""

from __future__ import annotations

import contextlib
import html.parser
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import chromium
import page_report
import pytest

from graphmend.verify.page import render, sources
from graphmend.verify.page.elements import Report, as_bytes, as_count, as_seconds

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "verify.md"
VOID = {"meta", "link", "br", "hr", "img", "input"}
AXE = Path(os.environ.get("GRAPHMEND_AXE") or ROOT / "build" / "node_modules" / "axe-core" / "axe.min.js")
WINDOWS = [(width, dark) for width in (1280, 390) for dark in (False, True)]


class Parsed(html.parser.HTMLParser):
    """A page as a list of elements; anything that is not closed in order is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, Optional[str]], list[str]]] = []
        self.open: list[tuple[str, dict[str, Optional[str]], list[str]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, Optional[str]]]) -> None:
        assert len(dict(attributes)) == len(attributes), f"an attribute twice: {attributes}"
        one = (tag, dict(attributes), [])
        self.elements.append(one)
        if tag not in VOID:
            self.open.append(one)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1][0] == tag, f"</{tag}> in {[name for name, _, _ in self.open]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for one in self.open:
            one[2].append(data)

    def named(self, *names: str) -> list[tuple[dict[str, Optional[str]], str]]:
        return [(attributes, "".join(text)) for name, attributes, text in self.elements if name in names]

    def texts(self) -> str:
        return " ".join(text for name, _, parts in self.elements if name == "body" for text in parts)


REPORTS = {"full": page_report.report, "bare": page_report.bare_report}


@pytest.fixture(params=REPORTS)
def data(request: pytest.FixtureRequest) -> dict[str, Any]:
    return REPORTS[request.param]()


def test_it_is_well_formed(data) -> None:
    page = Parsed(render(data))
    ids = [attributes["id"] for _, attributes, _ in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for attributes, _ in page.named("a")]
    assert links and {link[1:] for link in links if link} <= set(ids) and all(link and link[0] == "#" for link in links)
    labels = {
        value for _, attributes, _ in page.elements for key, value in attributes.items() if key == "aria-labelledby"
    }
    assert labels <= set(ids)
    levels = [int(name[1]) for name, _, _ in page.elements if re.fullmatch("h[1-6]", name)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))


def test_it_needs_nothing_from_elsewhere(data) -> None:
    page = Parsed(render(data))
    loading = {"src", "srcset", "action", "poster", "data", "background", "formaction", "ping", "xlink:href"}
    assert not [one for one in page.elements if loading & one[1].keys()]
    assert [attributes["href"] for attributes, _ in page.named("link")] == ["data:,"]
    style, script = page.named("style")[0][1], page.named("script")[1][1]
    assert not re.search(r"url\(|@import|https?:", style) and not re.search(
        r"fetch|XMLHttp|import|https?:|eval", script
    )
    policy = next(attributes["content"] for attributes, _ in page.named("meta") if "http-equiv" in attributes)
    assert policy and policy.startswith("default-src 'none';") and "http" not in policy


def test_what_the_program_says_stays_text(data) -> None:
    """Names and messages are hostile here."""
    page = Parsed(render(data))
    assert len(page.named("script")) == 2 and page.named("b", "3e-4", "lambda", "shape", "in", "two", "img") == []
    assert 'gate <&> "co".py' in page.texts()
    embedded = next(text for attributes, text in page.named("script") if attributes.get("id") == "report")
    assert json.loads(embedded) == data


def numbers(value: Any, path: str = "") -> Iterator[str]:
    """The paths of all numbers of a report that a page has to show."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in parts:
        yield from numbers(below, f"{path}.{key}" if path else str(key))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


NOT_FIGURES = re.compile(
    r"(version|status|threads|options\..*|equality\.tolerance\..*|files\..*|.*\.line|.*\.end_line|.*\.column|.*\.call|.*\.site"
    r"|.*\.(first|last)|.*\.exit_status|.*\.where\..*|worse\..*|.*\.(steady|backward)\.calls)$"
)


def test_figures_are_those_of_the_report(data) -> None:
    """Every figure names its path in the report and has its value; no figure of the report is missing."""
    report = Report(data)
    found: dict[str, str] = {}
    for attributes, text in Parsed(render(data)).named("data", "span"):
        path = attributes.get("data-at")
        if path is None:
            continue
        value = report.at(path)
        words = (
            {True: "yes", False: "no"}.get(value) if isinstance(value, bool) else None if value is None else str(value)
        )
        assert attributes.get("value") == words, path
        forms = [as_count, as_seconds, as_bytes] if isinstance(value, (int, float)) else [lambda one: "–"]
        assert text in ([words] if isinstance(value, bool) else [form(value) for form in forms]), path
        found[path] = text
    shown = {path for path in numbers(data) if not NOT_FIGURES.fullmatch(path)}
    hidden = {path for path in shown if re.fullmatch(r"callables\.1\.plain\.timeline\.\d+\.operations", path)}
    assert shown - found.keys() <= hidden and (len(hidden - found.keys()) == 18 or not hidden)


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (as_seconds, 0.000214, "214 µs"),
        (as_seconds, 0.0, "0.00 µs"),
        (as_seconds, 0.0615, "61.5 ms"),
        (as_seconds, 9.8125, "9.81 s"),
        (as_seconds, 3600.0, "3600 s"),
        (as_bytes, 702115840, "669.6 MiB"),
        (as_bytes, 4096, "4.0 KiB"),
        (as_bytes, 5, "5 B"),
        (as_count, 1234567, "1\u202f234\u202f567"),
        (as_count, 0, "0"),
    ],
)
def test_how_figures_are_written(form, value, text) -> None:
    assert form(value) == text


def test_places_link_to_their_lines_and_back() -> None:
    page = Parsed(render(page_report.report()))
    links = {attributes["href"] for attributes, _ in page.named("a")}
    assert {"#line-0-3", "#line-1-6", "#line-1-16", "#line-1-18", "#site-0", "#site-1", "#site-2", "#site-3"} <= links
    marked = [text for attributes, text in page.named("div") if "marked" in (attributes.get("class") or "")]
    assert [text.split()[0] for text in marked] == ["3", "6", "16", "18"]
    changed = [text for attributes, text in page.named("div") if "changed" in (attributes.get("class") or "")]
    assert len(changed) == 4 and '_gm.on("gate.py:6:9:GM401")' in changed[0] and "_gm.defer" in changed[-1]
    assert "3 lines" in page.texts() and "y = y - 3" not in page.texts().split("Source")[-1].split("Is it the same?")[0]


def test_time_runs_forwards() -> None:
    """A graph stands in front of the break that ended it."""
    items = [
        (attributes["class"], text)
        for attributes, text in Parsed(render(page_report.report())).named("li")
        if attributes.get("class") in ("graph", "gap", "gap skipped")
    ]
    assert [kind for kind, _ in items][:9] == ["graph", "gap"] * 3 + ["graph", "gap", "gap skipped"]
    assert items[0][1].startswith("graph, 2 operations") and items[2][1].startswith("graph, 14 operations")
    data = page_report.report()
    data["callables"][0]["plain"]["timeline"] = [page_report.gap(0, None, 9), page_report.graph(0, 1, 10, 11)]
    kinds = [attributes.get("class") for attributes, _ in Parsed(render(data)).named("li")]
    assert [kind for kind in kinds if kind][:2] == ["gap", "graph"]


@pytest.mark.parametrize(
    ("lines", "source", "expected"),
    [
        ([1, 2, 3], 3, [([1], [0]), ([2], [1]), ([3], [2])]),
        ([1, 3], 4, [([1], [0]), ([2], []), ([3], [1]), ([4], [])]),
        ([1, 1, 2, 3, 2, 3, 4], 4, [([1], [0, 1]), ([2, 3], [2, 3, 4, 5]), ([4], [6])]),
        ([3, 1, 2], 3, [([1, 2, 3], [0, 1, 2])]),
        ([], 2, [([1, 2], [])]),
    ],
)
def test_blocks(lines, source, expected) -> None:
    found = [(list(left), list(right)) for left, right in sources.blocks(lines, source)]
    assert [one for one in found if one != ([], [])] == expected


def test_the_document_has_a_report_that_can_be_shown() -> None:
    if not DOCUMENT.exists():
        pytest.skip("docs/verify.md is not there")
    example = re.search(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    test_figures_are_those_of_the_report(json.loads(example.group(1)))


def test_command(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(json.dumps(page_report.report()), encoding="utf-8")
    command = [sys.executable, "-m", "graphmend.verify.page", "report.json", "page.html"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == render(page_report.report())


# ---- In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[chromium.Page]:
    if chromium.find() is None:
        pytest.skip("ALOUD: tests/verify in a browser: there is no Chromium here")
    with contextlib.ExitStack() as stack:
        try:
            page = stack.enter_context(chromium.opened())
        except RuntimeError as error:
            pytest.skip(f"ALOUD: tests/verify in a browser: Chromium does not start here, {error}")
        yield page


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(render(page_report.report()), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "dark"), WINDOWS)
def test_it_opens_without_network_and_complaints(browser, file, width, dark) -> None:
    browser.open(file, width, dark)
    assert browser.complaints() == [] and browser.requests() == [file.as_uri()]
    assert browser.run("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window"
    red, green, blue = map(
        int, browser.run("getComputedStyle(document.body).backgroundColor").strip("rgb()").split(",")
    )
    assert (red + green + blue < 200) == dark


def test_complaints_would_be_heard(browser, file) -> None:
    """The test above can fail."""
    browser.open(file)
    browser.run("console.error('x'), fetch('https://example.invalid/x').catch(() => 0)")
    assert len(browser.complaints()) >= 2


SORTED = """
(() => {
  const wrong = [];
  const text = (cell) => cell.dataset.key ?? cell.textContent.trim();
  const whole = (rows) => [...rows].map((row) => row.textContent);
  let clicks = 0;
  for (const table of document.querySelectorAll("table")) {
    const heads = [...table.tHead.rows[0].cells];
    const rows = table.tBodies[0].rows;
    const all = whole(rows).sort().join("|");
    heads.forEach((head, column) => {
      for (const order of ["ascending", "descending"]) {
        head.querySelector("button").click();
        clicks += 1;
        const keys = [...rows].map((row) => text(row.cells[column]));
        const numbers = keys.every((key) => key !== "" && !isNaN(key));
        const expected = [...keys].sort((a, b) => (numbers ? a - b : a.localeCompare(b, "en", { numeric: true })));
        if (order === "descending") expected.reverse();
        const states = heads.map((one) => one.getAttribute("aria-sort")).filter((state) => state !== "none");
        const right = keys.join("|") === expected.join("|") && states.join() === order;
        if (!right) wrong.push([table.caption.textContent, column, keys]);
      }
    });
    if (whole(rows).sort().join("|") !== all) wrong.push("rows are lost");
  }
  return [clicks, wrong];
})()
"""


def test_every_table_is_sorted(browser, file) -> None:
    browser.open(file)
    clicks, wrong = browser.run(SORTED)
    assert wrong == [] and clicks > 80 and browser.complaints() == []


def test_it_works_by_keyboard(browser, file) -> None:
    """Tab comes by every link, heading of a table and box that scrolls, in order; Enter sorts."""
    browser.open(file)
    wanted = browser.run('document.querySelectorAll("a, thead button, summary, [tabindex=\\"0\\"]").length')
    seen = []
    for _ in range(wanted + 5):
        browser.press("Tab", 9)
        if browser.run("document.activeElement === document.body"):
            break
        seen.append(browser.run("[...document.querySelectorAll('*')].indexOf(document.activeElement)"))
        assert browser.run("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert seen == sorted(seen) and len(set(seen)) == wanted - 1  # one stands in details that are closed
    browser.run('document.querySelector("thead button").focus()')
    browser.press("Enter", 13, "\r")
    assert browser.run('document.querySelector("thead th").getAttribute("aria-sort")') == "ascending"


def test_it_can_be_read_without_scripts(browser, file) -> None:
    browser.open(file)
    text = browser.run("document.body.innerText")
    browser.open(file, scripts=False)
    assert "the same as eager Python" in text and "values differ: 0.25 became <0.5>" in text
    assert browser.run("document.body.innerText") == text


@pytest.mark.parametrize(("width", "dark"), WINDOWS)
def test_accessibility(browser, file, width, dark) -> None:
    if not AXE.exists():
        pytest.skip("ALOUD: accessibility of the page: axe-core is not installed (npm install --prefix build axe-core)")
    browser.open(file, width, dark)
    browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    browser.run(AXE.read_text(encoding="utf-8"))
    found = browser.run("axe.run({resultTypes: ['violations']})")
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]] == []
    assert len(found["passes"]) > 30
