"""Which of the places where the models of a zoo break does `graphmend check` predict?

usage: check_recall.py --records FOLDER --zoo FILE.jsonl [--sources FOLDER] [--graphmend COMMAND] [--json FILE.json]

Reads the records of the plain runs and compares their breaks with what `check` says of the sources, in its default
scope and with `--all`. A site is a line of the sources where Dynamo ended a graph in at least one run. It is predicted
if a finding has a part on a line of the same statement (of a compound statement: of what stands before its body).
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Optional

import site_kinds
import zoo_sites

Findings = dict[str, list[dict[str, Any]]]  # by path


@dataclasses.dataclass
class Observed(site_kinds.BrokenLine):
    """One line where plain runs break."""

    models: int = 0
    code: Optional[str] = None  # of the finding that predicts it
    code_of_all: Optional[str] = None  # the same with --all


def run_check(command: str, sources: Path, *options: str) -> Findings:
    """What `check` finds in the sources, by path."""
    arguments = [command, "check", "--isolated", "--no-cache", "--output-format", "json-lines", *options, str(sources)]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode > 1 and not done.stdout:
        raise SystemExit(done.stderr)
    found: Findings = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        finding = json.loads(line)
        found[finding["path"]].append(finding)
    return found


def code_at(found: Findings, site: Observed) -> Optional[str]:
    """The code of the finding about the statement of a site, rather of one about its very line."""
    lines = site_kinds.lines_at(site.path, site.line)
    near = [item for item in found.get(site.path, []) if item["line"] in lines or item["end_line"] in lines]
    near.sort(key=lambda item: not item["line"] <= site.line <= item["end_line"])
    return near[0]["code"] if near else None


def observed_sites(records: Path, names: list[str], sources: Path) -> tuple[list[Observed], dict[str, int]]:
    """The sites in the sources, and how many there are elsewhere, by package."""
    sites: dict[tuple[str, int], Observed] = {}
    elsewhere: dict[str, set[tuple[str, int]]] = collections.defaultdict(set)
    for name in names:
        record = zoo_sites.plain_record(records, name)
        if record is None:
            raise SystemExit(f"no record of {name} in {records}")
        met = set()
        for (path, line), cause in zoo_sites.broken_places(record):
            if not Path(path).is_relative_to(sources):
                elsewhere[zoo_sites.short(path).split("/")[0]].add((path, line))
                continue
            if (path, line) not in sites:
                sites[path, line] = Observed.at(path, line, cause)
            met.add((path, line))
        for place in met:
            sites[place].models += 1
    ordered = sorted(sites.values(), key=Observed.order)
    return ordered, {package: len(places) for package, places in sorted(elsewhere.items())}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """The whole measurement as plain data, with no folder of the machine."""
    lines = options.zoo.read_text(encoding="utf-8").splitlines()
    names = [json.loads(line)["id"] for line in lines if line.strip()]
    sites, elsewhere = observed_sites(options.records, names, options.sources)
    default, everything = (run_check(options.graphmend, options.sources, *flags) for flags in ((), ("--all",)))
    for site in sites:
        site.code, site.code_of_all = code_at(default, site), code_at(everything, site)
    return {
        "runs": len(names),
        "findings": sum(map(len, default.values())),
        "findings_of_all": sum(map(len, everything.values())),
        "elsewhere": elsewhere,
        "sites": [{**dataclasses.asdict(site), "path": zoo_sites.short(site.path)} for site in sites],
    }


HEADINGS = ("kind", "sites", "predicted", "share", "with --all", "share with --all")
MISSED_HEADINGS = ("place", "source", "kind", "with --all", "models", "reason of Dynamo")


def count_rows(sites: list[dict[str, Any]]) -> list[list[object]]:
    """Per kind and in total: sites and those that are predicted."""
    rows: list[list[object]] = []
    for kind in (*site_kinds.KINDS, "total"):
        chosen = [site for site in sites if kind in (site["kind"], "total")]
        row: list[object] = [kind, len(chosen)]
        for key in ("code", "code_of_all"):
            count = sum(site[key] is not None for site in chosen)
            row += [count, f"{100 * count / len(chosen):.1f} %" if chosen else ""]
        rows.append(row)
    return rows


def missed_rows(sites: list[dict[str, Any]]) -> list[list[object]]:
    """The sites that are not predicted, with the reason that Dynamo gives."""
    rows: list[list[object]] = []
    for site in sites:
        if site["code"] is None:
            place = f"{site['path']}:{site['line']}"
            form = f"{site['kind']}: {site['form']}" if site["form"] else site["kind"]
            cause = zoo_sites.without_names(site["cause"].strip()).splitlines()[0] if site["cause"].strip() else ""
            rows.append([place, f"`{site['text']}`", form, site["code_of_all"] or "", site["models"], cause])
    return rows


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=Path, required=True, help="folder of plain records (the scorer's cache)")
    parser.add_argument("--zoo", type=Path, required=True, help="the models whose records count")
    parser.add_argument("--sources", type=Path, help="the sources that are checked (default: installed transformers)")
    parser.add_argument("--graphmend", default="graphmend", help="the command")
    parser.add_argument("--json", type=Path, help="file for the result")
    options = parser.parse_args(arguments)
    if options.sources is None:
        found = importlib.util.find_spec("transformers")
        if found is None or found.origin is None:
            raise SystemExit("transformers is not installed; name its sources with --sources")
        options.sources = Path(found.origin).parent
    result = measure(options)
    for row in missed_rows(result["sites"]):
        print(*row[:5], sep="  ")
    for row in (HEADINGS, *count_rows(result["sites"])):
        print("".join(f"{cell!s:<12}" for cell in row))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
