"""Write docs/results.md from what `make demo`, `paper`, `score` and `bench` have left in build/.

usage: write_results.py [--build DIR] [--out FILE.md] [--judged FILE.json]

Nothing is measured here and nothing is left out: every case that is not whole is named. A section of which the build
folder holds no measurement stays as it is in FILE.md; one that has never been measured says so.
"""

from __future__ import annotations

import argparse
import collections
import functools
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import check_recall
import zoo_sites
from page_sections import FOLDERS, VERDICTS, Section, read, sections_of, shortened, table
from results_of_core import fuzz_part, growth_part, mutants_part, runtime_mutants_part, training_part
from results_of_costs import attempts_part, calls_part, fifty_part, first_runs_part
from results_of_meaning import plays_part, reader_speed_part, readers_part
from results_of_releases import gpu_part, matrix_part, worth_part

SCORES = {
    "score-cases.json": ("Cases", "make score KIT=kit"),
    "score-cases-inductor.json": ("Cases, compiled by inductor", "make score KIT=kit INDUCTOR=1"),
    "score-dev.json": ("Models of transformers 5", "make score KIT=kit ZOO=zoo/dev.jsonl"),
    "score-paper.json": ("Models of the GraphMend paper, transformers 5", "make score KIT=kit ZOO=zoo/paper.jsonl"),
    "score-paper-then.json": ("Models of the GraphMend paper, transformers 4.52.4", "make paper KIT=kit"),
}
COUNTED = ("launches", "waits")  # of kernels, and of the host for the device, in a call
OTHER = "Cases: "  # other scores that lie in the build folder


def count_rows(results: list[dict[str, Any]]) -> list[list[object]]:
    """Counts a family, and in total."""
    families: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for result in results:
        families[result["family"]].append(result)
    rows = []
    for name, chosen in [*sorted(families.items()), ("**total**", results)]:
        counts = collections.Counter(result["verdict"] for result in chosen)
        rows.append([name, len(chosen), sum(bool(result["broke"]) for result in chosen)])
        rows[-1] += [counts[verdict] for verdict in VERDICTS]
    return rows


def why(result: dict[str, Any]) -> str:
    """The first reason why a case is not whole, on one line."""
    mended = result.get("mended") or {}
    reasons = [*result["reasons"], *(mended.get("reasons") or []), *(mended.get("failures") or [])]
    text = " ".join(str(reasons[0]).split()) if reasons else ""
    return shortened(text)


def score_part(piece: Path, command: str, results: list[dict[str, Any]]) -> list[str]:
    broke = sum(bool(result["broke"]) for result in results)
    whole = sum(result["verdict"] == "whole" for result in results)
    wrong = sum(result["verdict"] == "WRONG" for result in results)
    share = f" ({100 * whole / broke:.0f} %)" if broke else ""
    lines = [f"`{command}`: of {broke} that break, {whole}{share} are whole; {wrong} wrong results.", ""]
    lines += table(["family", "cases", "broke", *VERDICTS], count_rows(results))
    lines += named("Not whole:", [result for result in results if result["verdict"] not in ("whole", "clean")])
    return lines + sites_part(piece.with_name(piece.name.replace("score-", "sites-")))


def named(title: str, results: list[dict[str, Any]]) -> list[str]:
    """A table of results with their reasons, wrong ones first; nothing where there are none."""
    rows = sorted(results, key=lambda result: -VERDICTS.index(result["verdict"]))
    cells = [[result["name"], result["verdict"], why(result)] for result in rows]
    return [title, "", *table(["case", "verdict", "first reason"], cells)] if rows else []


def sites_part(piece: Path) -> list[str]:
    """The places where the models of a score break; nothing where tools/zoo_sites.py has not listed them."""
    sites = read(piece)
    if sites is None:
        return []
    lines = ["Places that break in the plain runs:", "", zoo_sites.headline(sites), ""]
    lines += table(zoo_sites.HEADINGS, zoo_sites.count_rows(sites))
    missed = zoo_sites.missed_branches(sites)
    if missed:
        lines += ["Branches and guards that are not gone:", ""]
        lines += table(["place", "source", "form", "gone in models", "reason"], missed)
    return lines


def demo_part(records: Any) -> list[str]:
    rows = []
    for kind in ("plain", "mended"):
        record = records[kind]["inductor"]
        first, later = record["seconds"][0], statistics.median(record["turns"])
        equal = records[kind]["eager"]["logits"] == records[kind]["eager"]["eager"]
        recompiled = record["graphs"][-1] - record["graphs"][0]
        rows.append([kind, record["breaks"], record["graphs"][-1], recompiled, "yes" if equal else "no"])
        rows[-1] += [f"{first:.1f} s", f"{later * 1e3:.2f} ms"]
    headings = ["", "breaks", "graphs", "recompilations", "bits as eager (eager backend)", "first call", "steady call"]
    text = "`make demo`, one thread, inductor; the steady call is the median of turns that the two processes took:"
    return [text, ""] + table(headings, rows)


def paper_part(record: Any) -> list[str]:
    return ["`make paper`:", ""] + table(record["headings"], record["rows"])


def bench_part(record: Any) -> list[str]:

    def speed(row: dict[str, float]) -> float:
        return row["bytes"] / row["seconds"] / 1e6

    rows = []
    for name, row in record["packages"].items():
        ours, theirs = speed(row["graphmend"]), speed(row["cpython"])
        size = f"{row['graphmend']['bytes'] / 1e6:.1f}"
        rows.append([name, row["files"], size, f"{theirs:.1f}", f"{ours:.1f}", f"{ours / theirs:.1f}"])
    lines = [f"`make bench`, from memory, one thread, beside CPython {record['python']}:", ""]
    lines += table(["sources", "files", "MB", "ast.parse, MB/s", "graphmend, MB/s", "times as fast"], rows)
    lines += ["One file, repeated:", ""]
    growth = [[row["repeat"], f"{row['bytes'] / 1e6:.2f}", f"{speed(row):.1f}"] for row in record["growth"]]
    return lines + table(["times", "MB", "MB/s"], growth)


def check_part(record: Any) -> list[str]:
    kinds = ("ruff", "cold", "cached")
    rows = []
    for row in record["rows"]:
        times = [f"{row[kind]['seconds']:.2f}" for kind in kinds]
        sizes = [f"{row[kind]['megabytes']:.0f}" for kind in kinds]
        rows.append([row["threads"], *times, f"{row['ruff']['seconds'] / row['cold']['seconds']:.2f}", *sizes])
    headings = ["threads", "ruff, s", "cold, s", "cached, s", "ruff / cold", "ruff, MB", "cold, MB", "cached, MB"]
    same = "the same bytes in every run" if record["same"] else "different bytes in some runs"
    lines = [
        f"`make bench`, the {record['files']} files of torch and transformers, beside `ruff check --select F",
        f"--no-cache` ({record['ruff']}); the fastest of {record['rounds']} rounds in turn. `check` printed {same}.",
        "",
    ]
    return lines + table(headings, rows)


def capture_part(record: Any) -> list[str]:
    """What each way to make a graph captures, and how `fix --unsafe` changes that."""
    rows = record["rows"]
    ways = list(rows[0]["before"]) if rows else []
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    changed = sum(row["changed"] for row in rows)
    lines = [
        f"`make capture KIT=kit` ({versions}): {len(rows)} programs, {changed} changed by `graphmend fix --unsafe`,",
        "captured with their first call and called with all. *right*: results, inputs and state afterwards, exceptions",
        "and output are those of the program as it was in eager Python; *silent*: all but what is printed and logged;",
        "*WRONG*: something else, without complaint; *refused*: no graph, or an exception where eager Python has none,",
        "or another one. Gradients are not compared.",
        "",
    ]
    headings = ["", *(f"{outcome}, {side}" for outcome in OUTCOMES for side in ("before", "after"))]
    counts = [
        [
            way,
            *(
                sum(row[side][way][0] == outcome for row in rows)
                for outcome in OUTCOMES
                for side in ("before", "after")
            ),
        ]
        for way in ways
    ]
    lines += table(headings, counts)
    lines += [f"{way}: not tried, {why}." for way, why in record["missing"].items()] + [""] * bool(record["missing"])
    lines += ["The modules of `bench/demo_functions.py`, before and after:", ""]
    lines += table(
        ["", *ways], [[row["program"], *(change_of(row, way) for way in ways)] for row in rows if row["demo"]]
    )
    return lines + captured_worse(rows, ways)


OUTCOMES = ("right", "silent", "WRONG", "refused")


def change_of(row: dict[str, Any], way: str) -> str:
    before, after = row["before"][way][0], row["after"][way][0]
    return before if before == after else f"{before} → **{after}**"


def captured_worse(rows: list[dict[str, Any]], ways: list[str]) -> list[str]:
    """Every program that is captured worse after `fix --unsafe`, and every one that could not be judged."""
    odd = [
        [
            row["program"],
            way,
            *(row[side][way][0] for side in ("before", "after")),
            FOLDERS.sub("", row["after"][way][1]),
        ]
        for row in rows
        for way in ways
        if (row["before"][way][0] == "right" != row["after"][way][0])
        or (row["before"][way][0] != "WRONG" == row["after"][way][0])
        or "failed" in (row["before"][way][0], row["after"][way][0])
    ]
    if not odd:
        return ["No program is captured worse after `fix --unsafe`.", ""]
    title = "Worse after `fix --unsafe`, which states what it assumes: that checks and the kind of arguments hold."
    return [title, ""] + table(["program", "way", "before", "after", "why"], odd)


def fixed_part(score: Path, record: Any) -> list[str]:
    """What `fix --unsafe` makes of a whole package, and what a zoo says of the models in the files that changed."""
    mends = ", ".join(f"{count} {code}" for code, count in record["mends"].items())
    lines = [
        f"`make fixed` (models of {record['package']}):",
        f"{len(record['changed'])} of {record['files']} files change, {sum(record['mends'].values())} mends ({mends});",
        f"{len(record['compile'])} do not compile,",
        f"{len(record['parse'])} do not parse again, {len(record['unstable'])} change in a second run.",
        "",
    ]
    results = read(score)
    if results is None:
        return [*lines, "The models were not run; `make fixed KIT=kit ZOO=zoo/dev.jsonl` does it.", ""]
    counts = collections.Counter(result["verdict"] for result in results)
    bad = ("WRONG", "crash", "worse")
    lines += [
        f"{len(results)} models whose own file has changed, run as plain Python runs them, before and after:",
        f"{', '.join(f'{counts[verdict]} {verdict}' for verdict in bad)}.",
        "",
    ]
    lines += table(["family", "cases", "broke", *VERDICTS], count_rows(results))
    return lines + named("Not as before:", [result for result in results if result["verdict"] in bad])


def recall_part(record: Any) -> list[str]:
    runs, found, guessed = record["runs"], record["findings"], record["findings_of_all"]
    elsewhere = sum(record["elsewhere"].values())
    lines = [
        f"`make recall KIT=kit ZOO=zoo/dev.jsonl`: the lines of transformers where Dynamo ended a graph in {runs}",
        f"plain runs, against {found} findings of `check` ({guessed} with `--all`). A line is predicted if a",
        f"finding is on the same statement. {elsewhere} more lines are outside of the sources (torch, the standard",
        "library).",
        "",
    ]
    lines += table(check_recall.HEADINGS, check_recall.count_rows(record["sites"]))
    missed = check_recall.missed_rows(record["sites"])
    if missed:
        lines += ["Not predicted:", ""]
        lines += table(check_recall.MISSED_HEADINGS, [[*row[:-1], shortened(row[-1])] for row in missed])
    return lines


def precision_part(path: Path, record: Any) -> list[str]:
    lines = [
        f"Findings of `check` over the sources of {record['sources']}, or those that a draw names, drawn at random and",
        "judged one by one by reading the code; kinds of places that the plain runs do not show were run as small",
        f"programs under torch {record['torch']}. A finding is right if Dynamo ends the graph at its place when",
        "compiled code comes there with what the code is made for. What the wrong ones showed was mended after each",
        "draw. The lists are in",
        f"`data/check/{path.name}`.",
        "",
    ]
    draws = record["draws"]
    counts = [
        [
            d["seed"],
            d.get("sources", record["sources"]),
            d["findings"],
            len(d["rows"]),
            sum(r["right"] for r in d["rows"]),
        ]
        for d in draws
    ]
    lines += table(["draw with seed", "sources", "findings in all", "drawn", "right"], counts)
    wrong = [(draw["seed"], row) for draw in draws for row in draw["rows"] if not row["right"]]
    rows = [[seed, f"{row['path']}:{row['line']}", row["code"], row["message"], row["why"]] for seed, row in wrong]
    return lines + ["Wrong:", ""] + table(["draw", "place", "code", "finding", "why it is wrong"], rows)


def branches_part(record: Any) -> list[str]:

    def spread(value: dict[str, float]) -> str:
        return f"{value['median']:.3f} ({value['low']:.3f} to {value['high']:.3f})"

    rows = []
    for row in record["functions"]:
        breaks, graphs = (f"{row[kind]['plain']}, {row[kind]['mended']}" for kind in ("breaks", "graphs"))
        times = [f"{row['seconds'][name] * 1e3:.3f}" for name in ("plain", "mended", "by hand")]
        ratios = [spread(row[name]) for name in ("mended/by hand", "by hand/by hand", "mended/plain")]
        rows.append(
            [row["title"], breaks, graphs, *times, *ratios, row["equal"]["as captured"], row["equal"]["mended"]]
        )
    headings = ["function", "breaks plain, mended", "graphs", "plain, ms", "mended, ms", "by hand, ms"]
    headings += ["mended / by hand", "by hand / by hand", "mended / plain", "as eager, graph as captured", "inductor"]
    lines = [
        "`make bench`, inductor, one thread, float32, no gradients; beside each function a graph written by hand. The",
        f"time of a variant is its fastest call in a group ({record['calls']} calls in all), a ratio the median",
        f"over {record['groups']} groups, with quartiles. Two copies of the graph by hand show what a ratio is worth.",
        "",
    ]
    lines += table(headings, rows)
    lines += ["Microseconds a call around a graph that does next to nothing:", ""]
    return lines + table(list(record["overhead"]), [[f"{value:.1f}" for value in record["overhead"].values()]])


def models_part(record: Any) -> list[str]:
    """First and later calls of models, plain and mended."""
    rows = [row for row in record["models"] if "failed" not in row]
    load = f"{min(record['load']):.1f} to {max(record['load']):.1f}"
    lines = [
        f"`make bench-models`, {record['backend']}, {record['device']}, one thread, models with random weights",
        f"(size: {record.get('size', 'small')});",
        f"{record['processors']} processors, a load of {load} while it ran. Eager, plain and mended are",
        "processes that take turns; the time of one is its fastest call in a group, with quartiles over the",
        f"{record['groups']} groups, a ratio the median of those of the groups. A second plain process, which loads",
        "what the first has compiled, shows what a ratio is worth. First calls have an empty compiler cache; a model",
        "that fills in an attribute then is mended and compiled in its second call. Results",
        "are compared with those of eager: the largest difference beside the largest magnitude of a tensor.",
        "",
    ]
    headings = ["model", "dtype, batch", "breaks plain, mended", "graphs", "recompilations", "first call, s"]
    headings += ["eager, ms", "plain, ms", "mended, ms", "mended / plain", "plain / plain", "as eager"]
    counted = [kind for kind in COUNTED if any(row[kind]["plain"] is not None for row in rows)]
    lines += table(headings + counted, [model_cells(row, counted) for row in rows])
    lines += by_hand_lines([row for row in rows if "mended/hand" in row])
    failed = [
        [row["model"], row["dtype"], row["batch"], shortened(row["failed"])]
        for row in record["models"]
        if row not in rows
    ]
    return lines + (["Not measured:", "", *table(["model", "dtype", "batch", "why"], failed)] if failed else [])


def by_hand_lines(rows: list[dict[str, Any]]) -> list[str]:
    """The models that have a version by hand as well, in the same run."""
    if not rows:
        return []
    lines = [
        "Beside versions by hand, one graph each, of which a process took turns with the others (what they change is",
        "in bench/by_hand.py: some branches are assumed not to be taken, and sizes of images are given as numbers):",
        "",
    ]
    headings = ["model", "dtype, batch", "graphs plain, mended, by hand", "first call, s", "plain, ms", "mended, ms"]
    headings += ["by hand, ms", "mended / by hand", "by hand as eager"]
    names = ("plain", "mended", "hand")
    cells = [
        [
            row["model"],
            f"{row['dtype']}, {row['batch']}",
            ", ".join(str(row["graphs"][name]) for name in names),
            ", ".join(f"{row['first'][name]:.1f}" for name in names),
            *(quartiles_of(row["steady"][name], 1e3) for name in names),
            quartiles_of(row["mended/hand"]),
            row["equal"]["hand"],
        ]
        for row in rows
    ]
    return lines + table(headings, cells)


def quartiles_of(value: dict[str, float], scale: float = 1.0) -> str:
    low, median, high = (f"{value[name] * scale:.3g}" for name in ("low", "median", "high"))
    return f"{median} ({low} to {high})"


def model_cells(row: dict[str, Any], counted: list[str]) -> list[object]:
    """A row of the table of models."""
    kinds = ("breaks", "graphs", "recompilations")
    cells = [row["model"], f"{row['dtype']}, {row['batch']}"]
    cells += [f"{row[kind]['plain']}, {row[kind]['mended']}" for kind in kinds]
    cells += [", ".join(f"{row['first'][name]:.1f}" for name in ("plain", "mended"))]
    cells += [quartiles_of(row["steady"][name], 1e3) for name in ("eager", "plain", "mended")]
    cells += [quartiles_of(row[name]) for name in ("mended/plain", "again/plain")]
    equal = [row["equal"][name] for name in ("plain", "mended")]
    cells += [equal[1] if equal[0] == equal[1] else f"plain {equal[0]}, mended {equal[1]}"]
    return cells + [", ".join(str(row[kind][name]) for name in ("plain", "mended")) for kind in counted]


def events_part(record: Any) -> list[str]:
    names = ("mended", "by hand", "plain", "effect op")
    rows = []
    for row in record["effects"]:
        graphs = ", ".join(str(row["graphs"][name]) for name in ("plain", "mended"))
        numbers = [row["call"], *(row["more"][name] for name in names), row["overhead"]]
        rows.append([row["title"], graphs, *(f"{number:.2f}" for number in numbers)])
    rows.append(["each further log", "", "", *(f"{record['each more'][name]:.2f}" for name in names), ""])
    lines = [
        "`make bench`, inductor, one thread, no gradients, a graph that multiplies 16 numbers: microseconds that an",
        "effect adds to a call of the same graph without it. Mended, by hand behind the graph, as it is (the graph",
        "breaks, or is compiled again until the limit), and by an operator that has an effect in the eyes of the",
        f"compiler. Medians over {record['groups']} groups.",
        "",
    ]
    headings = ["effect", "graphs plain, mended", "call without it", *names, "mended - by hand"]
    return lines + table(headings, rows)


def oracle_part(records: Any) -> list[str]:
    lines = ["`make oracle`; a standard library includes its tests:", ""]
    headings = ["CPython", "compared", "of", "files", "equal", "rejected by both", "CPython unable", "different"]
    names = ("python", "kind", "sources", "files", "equal", "rejected", "unable", "differences")
    return lines + table(headings, [[record[name] for name in names] for record in records])


def scores_of(build: Path, kept: Iterable[str]) -> list[Section]:
    """The scores that belong here, measured or not, and others that lie in the build folder or are in the page."""
    beside = {f"{OTHER}{path.stem[len('score-') :]}" for path in build.glob("score-*.json") if path.name not in SCORES}
    beside |= {title for title in kept if title.startswith(OTHER)}
    others = {f"score-{title[len(OTHER) :]}.json": (title, "make score") for title in sorted(beside)}
    return [
        section(title, build / name, command, functools.partial(score_part, build / name, command))
        for name, (title, command) in {**SCORES, **others}.items()
    ]


def section(title: str, piece: Path, command: str, write: Callable[[Any], list[str]]) -> Section:
    return Section(title, piece, f"Not measured; `{command}` does it.", write)


def sections(build: Path, judged: Path, kept: Iterable[str]) -> list[Section]:
    """All of them, in the order of the page."""
    fixed = functools.partial(fixed_part, build / "fixed-score.json")
    precision = functools.partial(precision_part, judged)
    zoo = "KIT=kit ZOO=zoo/dev.jsonl"

    def of(title: str, name: str, command: str, write: Callable[[Any], list[str]]) -> Section:
        return section(title, build / name, command, write)

    return [
        *scores_of(build, kept),
        of("Releases of torch", "matrix.json", "make matrix KIT=kit", matrix_part),
        of("On a GPU", "gpu.json", "make gpu KIT=kit", gpu_part),
        of("What each feature of the runtime is worth", "worth.json", "make worth KIT=kit", worth_part),
        of("Demo: BART in half precision", "demo.json", "make demo", demo_part),
        of("The paper's models over twenty calls", "paper-check.json", "make paper", paper_part),
        of("Captured, and captured rightly", "capture.json", "make capture KIT=kit", capture_part),
        of("A package after `fix --unsafe`", "fixed.json", f"make fixed {zoo}", fixed),
        of("Speed of mended branches", "bench-branches.json", "make bench", branches_part),
        of("Speed of mended models", "bench-models.json", "make bench-models", models_part),
        of("The first calls of models", "bench-calls.json", f"make bench-calls {zoo}", calls_part),
        of("Fifty calls with changing shapes", "bench-fifty.json", "make bench-fifty", fifty_part),
        of("First runs", "bench-first.json", "make bench-first", first_runs_part),
        of("Traces that are thrown away", "bench-attempts.json", "make bench-attempts", attempts_part),
        of("Cost of deferred effects", "bench-events.json", "make bench", events_part),
        of("Speed of check", "bench-check.json", "make bench", check_part),
        of("Growth with the size of a file", "growth.json", "make growth", growth_part),
        of("Hours of random inputs", "fuzz-hours.json", "make fuzz-hours", fuzz_part),
        of("What the tests of the core notice", "mutants.json", "make mutants", mutants_part),
        of(
            "What the tests of the runtime notice", "mutants-runtime.json", "make mutants-runtime", runtime_mutants_part
        ),
        of("Verdicts of verify on trainings", "training.json", "make training", training_part),
        of("What check predicts", "check-recall.json", f"make recall {zoo}", recall_part),
        Section("Whether what check says is right", judged, f"Not judged: there is no {judged.name}.", precision),
        of("Speed of the parser", "bench-parse.json", "make bench", bench_part),
        of("Trees and symbol tables against CPython", "oracle.json", "make oracle", oracle_part),
        of("Readers of models' answers", "bench-meaning-peers.json", "make bench-meaning", readers_part),
        of("Clients of endpoints in plays", "bench-meaning-plays.json", "make bench-meaning", plays_part),
        of("Speed of the reader", "bench-meaning.json", "make bench-meaning", reader_speed_part),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--out", type=Path, default=Path("docs/results.md"))
    parser.add_argument(
        "--judged", type=Path, default=Path("data/check/precision.json"), help="findings that were judged"
    )
    options = parser.parse_args()
    kept = sections_of(options.out)
    lines = ["# Results", "", "Written by `make results` from the last runs of the commands that are named below.", ""]
    for one in sections(options.build, options.judged, kept):
        lines += one.lines(kept)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
