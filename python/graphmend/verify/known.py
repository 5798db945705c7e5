"""The baseline of `verify`: known and new breaks of the mended program (docs/guard.md)."""

from __future__ import annotations

import os
from typing import Any, Optional

from graphmend import baseline, terminal
from graphmend.baseline import BaselineError, Site

from .verdict import DIFFERENT, IMPOSSIBLE, SAME

__all__ = ["Baseline", "BaselineError"]

OF = "verify"


def breaks_left(data: dict[str, Any], folder: str) -> list[Site]:
    """Where the mended program was seen to break."""
    found = []
    for site in data["sites"]:
        observed = (site.get("observed") or {}).get("mended") or {}
        if observed.get("breaks"):
            kind = site.get("break_id") or site.get("code") or "; ".join(observed.get("reasons") or [])
            found.append(baseline.site_at(site["file"], site["line"], kind, folder))
    return found


def was_seen(data: dict[str, Any]) -> bool:
    """Whether the mended program ran to the end, and all breaks are known."""
    return any(run["name"] == "mended" and run["outcome"] == "ended" for run in data["runs"])


class Baseline:
    """The files of `--baseline` and `--write-baseline`, read before the runs."""

    def __init__(self, path: Optional[str], write_to: Optional[str]) -> None:
        self.path, self.write_to = path, write_to
        self.sites = baseline.read(path, OF) if path is not None else []

    def judge(self, data: dict[str, Any], status: int) -> int:
        """Write the new baseline, report breaks outside the old baseline, and return the exit status."""
        if (self.path is None and self.write_to is None) or not was_seen(data):
            return status
        if self.write_to is not None and not self.write(data):
            return IMPOSSIBLE
        if self.path is None:
            return status
        result = baseline.compare(self.sites, breaks_left(data, os.path.dirname(self.path) or "."))
        if result.new:
            terminal.say("", f"breaks that are not in `{self.path}`:", *(f"  {site}" for site in result.new))
        if result.stale:
            said = f"graphmend: `{self.path}`: no longer seen, `--write-baseline` forgets them:"
            terminal.complain(said, *(f"  {site}" for site in result.stale))
        return status or (DIFFERENT if result.new else SAME)

    def write(self, data: dict[str, Any]) -> bool:
        assert self.write_to is not None
        found = breaks_left(data, os.path.dirname(self.write_to) or ".")
        try:
            baseline.write(self.write_to, OF, found)
        except OSError as error:
            terminal.complain(f"graphmend: cannot write `{self.write_to}`: {error.strerror}")
            return False
        terminal.say(f"{len(found)} break{'s' if len(found) != 1 else ''} listed in {self.write_to}")
        return True
