"""What `graphmend run` says when the program has ended: on stderr, short, and nothing where no graph broke.

`GRAPHMEND_SUMMARY=0` turns it off, `GRAPHMEND_SUMMARY=full` names every place.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from collections.abc import Iterable
from typing import Any, Optional

from graphmend import core, terminal

LIMIT = 10
CHECKED_NOTHING = "graphmend: check: nothing was compiled, so nothing was compared"
PACKAGE_FOLDERS = ("site-packages", "dist-packages")


def short_path(path: str) -> str:
    """A path as people know it: below the current folder, below site-packages, or whole."""
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
    """Where a callable starts. Those that start at one place share their graphs, so one may have made none itself."""
    return item["file"], item["line"]


def count(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"


def pages_of(reasons: Iterable[Optional[str]]) -> list[str]:
    """The commands that explain these reasons, where they are kinds of graph break, each once."""
    found: dict[str, None] = {}
    for reason in reasons:
        with contextlib.suppress(core.CoreError, UnicodeError):
            title = core.rule_page(reason or "").partition("\n")[0].split()
            found[f"  see      graphmend rule {title[1]}"] = None
    return list(found)


def format_report(report: dict[str, Any], limit: int = LIMIT) -> list[str]:
    """The lines of the summary; none where no compiled call met anything to mend or still breaks."""
    sites = sorted(report["sites"].items(), key=by_place)
    mended = [f"  mended   {describe_site(site)}" for site, fate in sites if fate["mended"]]
    refused = [
        f"  as it is {describe_site(site)}: {'; '.join(fate['refused'])}"
        for site, fate in sites
        if fate["refused"] and not fate["mended"]
    ]
    whole = {place_of(item) for item in report["callables"] if item["mode"] == "whole"}
    breaking = [
        item
        for item in report["callables"]
        if item["mode"] in ("partial", "plain") or (item["mode"] == "waiting" and place_of(item) not in whole)
    ]
    broken = [
        f"  breaks   {item['name']} ({short_path(item['file'])}:{item['line']}): {item['reason'] or 'not one graph'}"
        for item in breaking
    ]
    if not broken and limit == LIMIT:
        refused = []  # nothing breaks there after all
    if not mended and not refused and not broken:
        return []
    title = f"graphmend: {count(len(mended), 'place', 'places')} mended"
    if refused:
        title += f", {len(refused)} left as written"
    if broken:
        title += f", {count(len(broken), 'compiled callable still breaks', 'compiled callables still break')}"
    see = pages_of(item["reason"] for item in breaking[:limit])
    return [title, *shown(mended, limit), *shown(refused, limit), *shown(broken, limit), *see]


def self_check() -> Any:
    """What compares calls for `--check`; None where nothing has been compiled."""
    return sys.modules.get("graphmend.runtime.driver.self_check")


def calls_differ() -> bool:
    """Whether a call that `--check` has compared differs from eager Python."""
    check = self_check()
    return check is not None and bool(check.checks.differing)


def of_check() -> list[str]:
    """The lines about what `--check` has compared; none without it."""
    from graphmend import hook

    check = self_check()
    if not hook.state.compared:
        return []
    return [CHECKED_NOTHING] if check is None or check.checks.is_idle() else list(check.summary())


def write() -> None:
    """Print the summary of this process."""
    runtime = sys.modules.get("graphmend.runtime")
    mode = os.environ.get("GRAPHMEND_SUMMARY", "")
    try:
        checked = of_check()
        if checked:
            terminal.complain(*checked)
        if runtime is None or mode == "0":
            return
        lines = format_report(runtime.report(), sys.maxsize if mode == "full" else LIMIT)
        if lines:
            terminal.complain(*lines)
    except Exception:
        pass  # the program has ended; whatever is wrong with its stderr by now is its own affair


def at_exit() -> None:
    """Print the summary when this process ends, after everything that the program itself does then."""
    process = os.getpid()

    def write_here() -> None:
        if os.getpid() == process:  # not in forked children
            write()

    atexit.register(write_here)
