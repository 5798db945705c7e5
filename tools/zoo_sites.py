"""Every place where the models of a zoo break: what kind it is, who comes there, and whether it is gone when mended.

usage: zoo_sites.py keep FOLDER COMMAND ...
       zoo_sites.py list --records FOLDER --kept FOLDER --score FILE.json [--json FILE.json]

`keep` stands before the command that a scorer mends with (`--mend "python tools/zoo_sites.py keep FOLDER graphmend
run"`): the command runs as it is; its record and what it says on stderr stay in FOLDER. `list` reads the records of the
plain runs, those kept, and the scorer's results, and prints the sites, kind by kind.

A site is gone for a model if its mended run does not break there and is whole, or graphmend says that it has mended
the place; without either, the run has not come there ("unseen"). The reason of a site that is left is what graphmend
says of it: while tracing, or of the file, or of the compiled call that breaks here.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import site_kinds

PLACE = re.compile(r"in user code at (?P<path>.+):(?P<line>\d+)$")
SAID = re.compile(r"^  (?P<what>mended|as it is) +(?P<path>\S.*?):(?P<line>\d+) (?P<code>GM\d+)(?:: (?P<reason>.*))?$")
STILL = re.compile(r"^  breaks +\S+ \(.*?:\d+\): (?P<reason>.*)$")
WHOLE = ("whole", "clean")
NOT_TRACED = "nothing of the calls is compiled: they raise or run in eager Python"
NOTHING_SAID = "nothing is said of this place"
RAISES = "every call of its models raises an exception in eager Python"
Place = tuple[str, int]


@dataclasses.dataclass
class Site(site_kinds.BrokenLine):
    """One place where plain runs break."""

    breaks: int = 0  # in all plain runs together
    fates: dict[str, str] = dataclasses.field(default_factory=dict)  # by model: gone, left, unseen, not run
    reason: str = ""

    def fate(self) -> str:
        """The fate in all models: the one they share; `left` as soon as it is left in one."""
        found = set(self.fates.values()) - {"not run"} or {"not run"}
        return next(fate for fate in ("left", "unseen", "gone", "not run") if fate in found)


@dataclasses.dataclass
class Kept:
    """What a mended run left behind."""

    places: set[Place]
    graphs: int
    said: list[re.Match[str]]
    still: list[str]  # why compiled callables still break
    verdict: str
    raises: bool  # whether every call raises in eager Python


def short(path: str) -> str:
    """A path from its package on, or as it is below a standard library."""
    for mark in ("/site-packages/", "/dist-packages/"):
        if mark in path:
            return path.rpartition(mark)[2]
    return re.sub(r"^.*/lib/python3\.\d+/", "python/", path)


# --- keep ---------------------------------------------------------------------------


def keep(folder: Path, command: list[str]) -> None:
    """Become the command, with its record and a copy of its stderr in the folder."""
    case, out = (Path(command[command.index(flag) + step]) for flag, step in (("--mode", -1), ("--out", 1)))
    folder.mkdir(parents=True, exist_ok=True)
    record, said = (folder.resolve() / f"{case.stem}.{kind}" for kind in ("json", "txt"))
    for path in (record, said):
        path.unlink(missing_ok=True)  # what an earlier run left is not of this one
    out.symlink_to(record)
    copy = subprocess.Popen(["tee", str(said)], stdin=subprocess.PIPE, stdout=2)
    assert copy.stdin is not None
    os.dup2(copy.stdin.fileno(), 2)
    os.environ["GRAPHMEND_SUMMARY"] = "full"
    os.execvp(command[0], command)


# --- list ---------------------------------------------------------------------------


def broken_places(record: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    """Place and reason of each graph break of a record."""
    compiled = record["phases"]["compiled"]
    for text, reason in zip(compiled["breaks"], compiled["break_reasons"]):
        place = PLACE.search(text)
        if place:
            yield (place["path"], int(place["line"])), reason


def read_json(path: Path) -> Any:
    """The JSON of a file, or None where it has not been made to its end."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def plain_record(folder: Path, name: str) -> Any:
    """The newest plain record of a model; the scorer puts a hash behind the name."""
    pattern = re.compile(re.escape(name.replace("/", "_")) + r"-[0-9a-f]{24}\.json")
    found = [path for path in folder.iterdir() if pattern.fullmatch(path.name)]
    return read_json(max(found, key=lambda path: path.stat().st_mtime)) if found else None


def kept_run(folder: Path, name: str, verdict: str) -> Optional[Kept]:
    """What the mended run of a model left behind, None if it has no record."""
    stem = name.replace("/", "_")
    record = read_json(folder / f"{stem}.json")
    if record is None:
        return None
    text = folder / f"{stem}.txt"
    lines = text.read_text(encoding="utf-8", errors="replace").splitlines() if text.exists() else []
    said = [match for match in map(SAID.match, lines) if match]
    still = [match["reason"] for match in map(STILL.match, lines) if match]
    places = {place for place, _ in broken_places(record)}
    raises = all(call["error"] for call in record["phases"]["eager"]["calls"])
    return Kept(places, record["phases"]["compiled"]["graphs"], said, still, verdict, raises)


def speaks_of(said: re.Match[str], site: Site) -> bool:
    """Whether a line of graphmend's summary is about the statement of a site."""
    path = said["path"]
    same = path == site.path or site.path.endswith(os.sep + path)
    return same and int(said["line"]) in site_kinds.lines_at(site.path, site.line)


def fate_in(site: Site, kept: Optional[Kept]) -> str:
    """What became of a site in a mended run; calls that raise in eager Python come to no end in any graph."""
    if kept is None or kept.raises:
        return "not run"
    if (site.path, site.line) in kept.places:
        return "left"
    mended = any(said["what"] == "mended" and speaks_of(said, site) for said in kept.said)
    return "gone" if mended or kept.verdict in WHOLE else "unseen"


@functools.lru_cache(maxsize=None)
def left_in_file(path: str) -> tuple[dict[str, Any], ...]:
    """What graphmend finds in a file and leaves as it is."""
    from graphmend import core

    try:
        return tuple(core.mend_source(path, Path(path).read_bytes())["left"])
    except (OSError, ValueError):
        return ()


def reason_of(site: Site, runs: list[Kept]) -> str:
    """Why a site is left or unseen, in graphmend's words where it has any."""
    lines = (said for kept in runs for said in kept.said if said["what"] == "as it is" and speaks_of(said, site))
    found = [f"{said['code']}: {said['reason']}" for said in lines]
    if not found:
        span = site_kinds.lines_at(site.path, site.line)
        left = [item for item in left_in_file(site.path) if item["line"] in span]
        found = [f"{item['code']}: {item.get('reason') or item['message']}" for item in left]
    if not found and site.fate() == "unseen" and all(kept.graphs == 0 for kept in runs):
        found = [NOT_TRACED]
    if not found:
        found = [f"the call is not one graph: {reason}" for kept in runs for reason in kept.still]
    counted = collections.Counter(map(without_names, found)).most_common()
    return "; ".join(f"{text} ({count} times)" if count > 1 else text for text, count in counted) or NOTHING_SAID


def without_names(reason: str) -> str:
    """A reason without addresses, the numbers of symbols and what torch adds in brackets, so that equal ones meet."""
    reason = re.sub(r"\s*\((unhinted|Size-like symbols): (\([^()]*\)|[^()])*\)\.?", "", reason)
    reason = re.sub(r" at 0x[0-9a-f]+", "", reason)
    return re.sub(r"\b(u|s|zuf)\d+\b", r"\1", reason)


def collect(records: Path, kept: Path, results: list[dict[str, Any]]) -> list[Site]:
    """All sites of the models of a scorer's results, with their fates."""
    sites: dict[Place, Site] = {}
    runs: dict[str, Kept] = {}
    for result in results:
        name = result["name"]
        run = kept_run(kept, name, result["verdict"])
        if run is not None:
            runs[name] = run
        for place, cause in broken_places(plain_record(records, name) or {"phases": {"compiled": EMPTY}}):
            if place not in sites:
                sites[place] = Site.at(*place, cause)
            sites[place].breaks += 1
            sites[place].fates[name] = ""
    for site in sites.values():
        site.fates = {name: fate_in(site, runs.get(name)) for name in site.fates}
        if site.fate() in ("left", "unseen"):
            missed = [name for name, fate in site.fates.items() if fate == site.fate()]
            site.reason = reason_of(site, [runs[name] for name in missed])
        elif site.fate() == "not run" and all(name in runs for name in site.fates):
            site.reason = RAISES
    return sorted(sites.values(), key=Site.order)


EMPTY: dict[str, list[str]] = {"breaks": [], "break_reasons": []}


def as_data(site: Site) -> dict[str, Any]:
    """A site as plain data, with no folder of the machine."""
    return {**dataclasses.asdict(site), "path": short(site.path), "fate": site.fate()}


def count_rows(sites: list[dict[str, Any]]) -> list[list[object]]:
    """Per kind: sites, those that are gone, those left, those unseen, and breaks."""
    rows: list[list[object]] = []
    for kind in site_kinds.KINDS:
        chosen = [site for site in sites if site["kind"] == kind]
        fates = collections.Counter(site["fate"] for site in chosen)
        rows.append([kind, len(chosen), *(fates[fate] for fate in ("gone", "left", "unseen", "not run"))])
        rows[-1].append(sum(site["breaks"] for site in chosen))
    return rows


HEADINGS = ("kind", "sites", "gone", "left", "unseen", "not run", "breaks in plain runs")


def headline(sites: list[dict[str, Any]]) -> str:
    """How many branches and guards are gone, of those in models that eager Python runs to the end."""
    parts = []
    for kind, name in (("branch", "branches on data"), ("guard", "guards on data")):
        fates = [site["fate"] for site in sites if site["kind"] == kind]
        idle = fates.count("not run")
        rest = f", and {idle} are in calls that raise in eager Python" if idle else ""
        parts.append(f"of {len(fates) - idle} {name}, {fates.count('gone')} are gone{rest}")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def missed_branches(sites: list[dict[str, Any]]) -> list[list[object]]:
    """The branches and guards that are not gone, each with the reason."""
    missed = [site for site in sites if site["kind"] in ("branch", "guard") and site["fate"] != "gone"]
    return [
        [f"{site['path']}:{site['line']}", f"`{site['text']}`", site["form"], share_gone(site), site["reason"]]
        for site in missed
    ]


def share_gone(site: dict[str, Any]) -> str:
    """In how many models a site is gone, of those that come there."""
    return f"{list(site['fates'].values()).count('gone')} of {len(site['fates'])}"


def print_sites(sites: list[dict[str, Any]]) -> None:
    """The sites, kind by kind, and the counts."""
    for site in sites:
        print(f"{site['kind']:<7} {site['fate']:<7} {site['path']}:{site['line']}  {site['text']}")
        print(f"        {site['form'] or 'no form'}; {site['breaks']} breaks; gone in {share_gone(site)}:", end=" ")
        print(", ".join(f"{name} ({fate})" for name, fate in site["fates"].items()))
        if site["reason"]:
            print(f"        {site['reason']}")
    for row in (HEADINGS, *count_rows(sites)):
        print("".join(f"{cell!s:<10}" for cell in row))


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["keep"]:  # what follows is the command's
        keep(Path(arguments[1]), arguments[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["list"])
    parser.add_argument("--records", type=Path, required=True, help="folder of plain records (the scorer's cache)")
    parser.add_argument("--kept", type=Path, required=True, help="folder that `keep` filled")
    parser.add_argument("--score", type=Path, required=True, help="the scorer's results")
    parser.add_argument("--json", type=Path, help="file for the sites")
    options = parser.parse_args(arguments)
    found = collect(options.records, options.kept, json.loads(options.score.read_text(encoding="utf-8")))
    sites = [as_data(site) for site in found]
    print_sites(sites)
    if options.json:
        options.json.write_text(json.dumps(sites, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
