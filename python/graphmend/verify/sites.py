"""The sites of a program: predictions, observed breaks, mends, and reasons against mends."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Optional

from graphmend import core
from graphmend.run_summary import PACKAGE_FOLDERS

from .reading import Seen

OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
Place = tuple[str, int, int, str]  # file, line, column and rule of a site
TEXTS = ("code", "name", "break_id", "message", "because", "advice", "level")


def is_installed(path: str) -> bool:
    """Whether a file belongs to an installed package."""
    return any(f"/{folder}/" in path for folder in PACKAGE_FOLDERS)


def read(path: str) -> Optional[bytes]:
    with contextlib.suppress(OSError):
        with open(path, "rb") as stream:
            return stream.read()
    return None


def place_of(site: str) -> Place:
    """The place of a site of the runtime; columns count from 0."""
    path, line, column, code = site.rsplit(":", 3)
    return path, int(line), int(column) + 1, code


class Site:
    """One place."""

    def __init__(self, file: str, line: int, end_line: int, column: Optional[int]) -> None:
        self.file, self.line, self.end_line, self.column = file, line, end_line, column
        self.texts: dict[str, Any] = dict.fromkeys(TEXTS)
        self.predicted = False
        self.certain = False
        self.observed: dict[str, list[dict[str, Any]]] = {"plain": [], "mended": []}
        self.mended = False
        self.refused: list[str] = []
        self.reason: Optional[str] = None

    def holds(self, line: int) -> bool:
        return self.line <= line <= self.end_line

    def matters(self) -> bool:
        """Whether there is anything to tell."""
        seen = self.observed["plain"] or self.observed["mended"] or self.mended or self.refused
        return not self.file.startswith(OURS) and bool(
            seen or (self.predicted and self.certain and not is_installed(self.file))
        )

    def why_not(self) -> Optional[str]:
        """Why the place is not mended."""
        if self.mended:
            return None
        if self.refused:
            return "; ".join(self.refused)
        if self.reason is not None:
            return self.reason
        if self.predicted and not self.observed["plain"] and not self.observed["mended"]:
            return "nothing that is compiled came here"
        if not self.predicted:
            return next((seen["explanation"] for seen in self.observed["mended"] if seen.get("explanation")), None)
        return "the mend was not in force where this is traced" if self.observed["mended"] else "it did not have to be"

    def as_data(self, source: list[str]) -> dict[str, Any]:
        shown = {
            name: {"breaks": len(seen), "reasons": list(dict.fromkeys(one["reason"] for one in seen))}
            for name, seen in self.observed.items()
        }
        if self.texts["break_id"] is None:
            told = [one["break_id"] for seen in self.observed.values() for one in seen if one["break_id"]]
            self.texts["break_id"] = told[0] if told else None
        return {
            "file": self.file,
            "line": self.line,
            "end_line": self.end_line,
            "column": self.column,
            **self.texts,
            "source": source[self.line - 1] if 0 < self.line <= len(source) else None,
            "predicted": self.predicted,
            "observed": shown,
            "mended": self.mended,
            "why_not": self.why_not(),
        }


class Sites:
    """All sites in compiled code of a program, and the sites in files of the program."""

    def __init__(self, plain: Seen, mended: Seen) -> None:
        self.places: dict[Place, Site] = {}
        self.by_file: dict[str, list[Site]] = {}
        self.sources: dict[str, list[str]] = {}
        report = mended.report()
        files = dict.fromkeys(key[1] for key in plain.callables)
        files.update(
            dict.fromkeys(line["file"] for seen in (plain, mended) for _, _, line in seen.dynamo if line.get("file"))
        )
        files.update(dict.fromkeys(place_of(site)[0] for site in report["sites"]))
        for path in files:
            self.predict(path)
        for path, found in report["files"].items():
            if path in files:
                self.take_left(path, found["left"])
        told = {entry["site"]: entry for found in report["files"].values() for entry in found["sites"]}
        for name, record in report["sites"].items():
            self.take_record(place_of(name), record, told.get(name, {}))
        self.matched: dict[int, Site] = {}
        for name, seen in (("plain", plain), ("mended", mended)):
            for key, _, line in seen.dynamo:
                if key is not None and line["kind"] == "break" and line["file"] is not None:
                    site = self.site_at(line)
                    site.observed[name].append(line)
                    self.matched[id(line)] = site
        self.shown = sorted(
            (site for sites in self.by_file.values() for site in sites if site.matters()),
            key=lambda site: (is_installed(site.file), site.file, site.line, site.column or 0),
        )

    def predict(self, path: str) -> None:
        """Note what `graphmend check` says of a file."""
        self.by_file[path] = []
        data = read(path)
        if data is None:
            return
        self.sources[path] = data.decode("utf-8", "replace").splitlines()
        with contextlib.suppress(core.CoreError):
            for finding in core.check_source(path, data)["findings"]:
                line, column = finding["site"]
                site = Site(path, min(line, finding["line"]), max(line, finding["end_line"]), finding["column"])
                site.texts = {name: finding.get(name) for name in TEXTS}
                site.predicted, site.reason = True, finding["reason"]
                site.certain = finding["certain"] and finding["reached"]
                self.places[path, line, column, finding["code"]] = site
                self.by_file[path].append(site)

    def take_left(self, path: str, left: list[dict[str, Any]]) -> None:
        """Note why the core left places as they are."""
        for entry in left:
            site = self.places.get((path, entry["line"], entry["column"], entry["code"]))
            if site is not None and site.reason is None:
                site.reason = entry["reason"]

    def take_record(self, place: Place, record: dict[str, Any], told: dict[str, Any]) -> None:
        """Note what the runtime did with a site."""
        path, line, column, code = place
        site = self.places.get(place)
        if site is None and record["mended"]:  # a decision that the graph follows; a finding there is as good as mended
            site = next((one for one in self.by_file[path] if one.predicted and one.line == line), None)
        if site is None:
            if not record["mended"]:
                return  # a decision that the runtime follows where it can; a break there is told by itself
            site = self.places[place] = Site(path, line, line, column)
            site.texts.update(code=code, name=told.get("rule"), message=told.get("message"))
            self.by_file[path].append(site)
        site.mended = site.mended or bool(record["mended"])
        site.refused += record["refused"]

    def site_at(self, line: dict[str, Any]) -> Site:
        """The site of a break: the narrowest site around the line, if possible of the same kind."""
        found = [site for site in self.by_file[line["file"]] if site.holds(line["line"])]
        if not found:
            found = [Site(line["file"], line["line"], line["line"], None)]
            self.by_file[line["file"]] += found
        return min(found, key=lambda site: (site.texts["break_id"] != line["break_id"], site.end_line - site.line))

    def number_of(self, line: dict[str, Any]) -> Optional[int]:
        """The number of a break's site among the shown sites."""
        site = self.matched.get(id(line))
        return self.shown.index(site) if site in self.shown else None

    def as_data(self) -> list[dict[str, Any]]:
        return [site.as_data(self.sources.get(site.file, [])) for site in self.shown]

    def files(self) -> list[dict[str, Any]]:
        """The files with mended sites, and the compiled text."""
        found = []
        for path in dict.fromkeys(site.file for site in self.shown):
            data = read(path)
            if data is None:
                continue
            with contextlib.suppress(core.CoreError):
                result = core.mend_source(path, data)
                if result["mended"]:
                    source = data.decode("utf-8", "replace")
                    found.append({"file": path, "source": source, "mended": result["text"], "lines": result["lines"]})
        return found
