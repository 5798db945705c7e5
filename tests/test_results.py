"""tools/write_results.py: parts that are missing say so, and what is not whole is named."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CASES = [
    {"name": "branch_one", "family": "branch", "verdict": "whole", "broke": True, "reasons": [], "mended": {}},
    {"name": "branch_two", "family": "branch", "verdict": "same", "broke": True, "reasons": ["a | b"], "mended": None},
    {"name": "clean_one", "family": "clean", "verdict": "clean", "broke": False, "reasons": [], "mended": {}},
]


def write(build: Path) -> str:
    """The page made of a build folder."""
    out = build / "page" / "results.md"
    command = [sys.executable, str(ROOT / "tools/write_results.py"), "--build", str(build), "--out", str(out)]
    command += ["--judged", str(build / "precision.json")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return out.read_text(encoding="utf-8")


def test_nothing_is_measured(tmp_path: Path) -> None:
    page = write(tmp_path)
    parts = page.count("\n## ")
    assert parts >= 8 and page.count("Not measured; `make ") + page.count("Not judged: ") == parts
    assert "Measured at" not in page


def test_what_is_not_measured_here_stays(tmp_path: Path) -> None:
    """A build folder that was made anew takes nothing away, and what is in it is written anew, with its commit."""
    (tmp_path / "bench-meaning.json").write_text(json.dumps({"a call, us": 12.5}))
    (tmp_path / "score-cases.json").write_text(json.dumps(CASES))
    (tmp_path / "score-others.json").write_text(json.dumps(CASES[:1]))
    (tmp_path / "score-cases.commit").write_text("0123456789ab (torch 2.13.0)\n")
    first = write(tmp_path)
    assert "## Cases\n\nMeasured at commit 0123456789ab (torch 2.13.0).\n\n`make score" in first
    for name in ("bench-meaning.json", "score-cases.json", "score-others.json", "score-cases.commit"):
        (tmp_path / name).unlink()
    assert write(tmp_path) == first
    (tmp_path / "score-cases.json").write_text(json.dumps(CASES[:1]))
    (tmp_path / "demo.json").write_text('{"plain": {"eager"')
    parts = {title: text for title, _, text in (part.partition("\n") for part in write(tmp_path).split("\n## "))}
    before = {title: text for title, _, text in (part.partition("\n") for part in first.split("\n## "))}
    assert "of 1 that break, 1 (100 %) are whole" in parts.pop("Cases") != before.pop("Cases")
    assert parts == before and "| a call, us | 12.50 |" in parts["Speed of the reader"]


def test_sections_that_are_no_more_go(tmp_path: Path) -> None:
    (tmp_path / "page").mkdir()
    (tmp_path / "page/results.md").write_text("# Results\n\n## Once upon a time\n\n| 1 |\n\n## Cases\n\nkept\n")
    page = write(tmp_path)
    assert "Once" not in page and "## Cases\n\nkept\n\n## " in page


@pytest.mark.parametrize(("status", "writes"), [(0, True), (3, True), (0, False)])
def test_a_measurement_notes_its_commit(tmp_path: Path, status: int, writes: bool) -> None:
    """Beside the file that it writes, whatever its status; not where it writes none."""
    piece = tmp_path / "bench-x.json"
    piece.write_text("[]")
    os.utime(piece, (1, 1))
    code = f"import pathlib, sys; {writes} and pathlib.Path(sys.argv[1]).write_text('[1]'); sys.exit({status})"
    command = [sys.executable, str(ROOT / "tools/measured.py"), str(piece), sys.executable, "-c", code, str(piece)]
    assert subprocess.run(command, cwd=ROOT).returncode == status
    note = tmp_path / "bench-x.commit"
    assert note.exists() == writes
    if writes:
        form = rf"(unknown|[0-9a-f]{{12}}( with changes)?) \(.*Python {platform.python_version()}, .*\)\n"
        assert re.fullmatch(form, note.read_text())


def test_a_part_that_was_cut_off_is_not_measured(tmp_path: Path) -> None:
    (tmp_path / "demo.json").write_text('{"plain": {"eager"')
    assert "Not measured; `make demo` does it." in write(tmp_path)


def test_misses_are_named(tmp_path: Path) -> None:
    (tmp_path / "score-cases.json").write_text(json.dumps(CASES))
    page = write(tmp_path)
    assert "of 2 that break, 1 (50 %) are whole; 0 wrong results." in page
    assert "| branch_two | same | a \\| b |" in page
    assert "| branch_one |" not in page


def test_places_that_check_does_not_predict_are_named(tmp_path: Path) -> None:
    site = {"path": "transformers/a.py", "line": 7, "text": "n = x.item()", "kind": "number", "form": "item"}
    site.update(cause="reads /a/machine/of/x.py", models=2, code=None, code_of_all="GM201")
    known = {**site, "line": 9, "code": "GM201"}
    record = {"runs": 3, "findings": 5, "findings_of_all": 6, "elsewhere": {"torch": 4}, "sites": [site, known]}
    (tmp_path / "check-recall.json").write_text(json.dumps(record))
    page = write(tmp_path)
    assert "| number | 2 | 1 | 50.0 % | 2 | 100.0 % |" in page and "| total | 2 | 1 | 50.0 % |" in page
    assert "| transformers/a.py:7 | `n = x.item()` | number: item | GM201 | 2 | reads x.py |" in page
    assert "a.py:9" not in page and "4 more lines are outside" in page


def test_wrong_findings_are_named(tmp_path: Path) -> None:
    right = {"path": "a.py", "line": 3, "column": 1, "code": "GM201", "message": "reads", "right": True, "why": "so"}
    wrong = {**right, "line": 9, "right": False, "why": "a number"}
    draws = [{"seed": 5, "findings": 40, "rows": [right, wrong]}]
    record = {"sources": "transformers 5", "torch": "2.13.0", "draws": draws}
    (tmp_path / "precision.json").write_text(json.dumps(record))
    page = write(tmp_path)
    assert (
        "| 5 | transformers 5 | 40 | 2 | 1 |" in page
        and "| 5 | a.py:9 | GM201 | reads | a number |" in page
        and "a.py:3" not in page
    )


def test_the_judgement_that_is_kept_is_whole() -> None:
    record = json.loads((ROOT / "data/check/precision.json").read_text(encoding="utf-8"))
    for draw in record["draws"]:
        assert len(draw["rows"]) in (100, 200) and all(row["why"] for row in draw["rows"])
        places = {(row["path"], row["line"], row["column"], row["code"]) for row in draw["rows"]}
        assert len(places) == len(draw["rows"])


def test_speed_of_branches(tmp_path: Path) -> None:
    ratio = {"median": 1.012, "low": 1.001, "high": 1.0249}
    row = {
        "title": "a clamp",
        "equal": {"mended": "within 1e-4", "as captured": "bit for bit"},
        "breaks": {"plain": 2, "mended": 0},
        "graphs": {"plain": 3, "mended": 1},
        "seconds": {"plain": 0.002, "mended": 0.00101, "by hand": 0.001},
        "mended/by hand": ratio,
        "by hand/by hand": {**ratio, "median": 1.0},
        "mended/plain": {**ratio, "median": 0.505},
    }
    record = {"groups": 15, "calls": 3000, "functions": [row], "overhead": {"call": 12.34, "guard": 4.0}}
    (tmp_path / "bench-branches.json").write_text(json.dumps(record))
    page = write(tmp_path)
    assert "| a clamp | 2, 0 | 3, 1 | 2.000 | 1.010 | 1.000 | 1.012 (1.001 to 1.025) | 1.000 (" in page
    assert "| bit for bit | within 1e-4 |" in page
    assert "| call | guard |" in page and "| 12.3 | 4.0 |" in page


def test_first_calls_of_models(tmp_path: Path) -> None:
    """All together, and the rows of those that cost more; models that do not break do not count."""

    def row(name: str, plain: float, mended: float, again: float) -> dict[str, object]:
        kinds = {"plain": plain, "mended": mended, "again": again}
        return {"model": name, **{kind: {"seconds": [seconds / 2] * 2} for kind, seconds in kinds.items()}}

    models = [row("quick", 4.0, 2.0, 1.0), row("slow", 2.0, 3.0, 2.0), {"model": "whole", "plain": {"seconds": [1.0]}}]
    models.append({"model": "large", "refused": "plain: no memory"})
    record = {"backend": "eager", "calls": 2, "models": models}
    (tmp_path / "bench-calls.json").write_text(json.dumps(record))
    page = write(tmp_path)
    assert "calls of each of the 2 models that break" in page
    assert "| graphmend run | 5 s | 1 | 1 |" in page and "| the next run | 3 s | 2 | 2 |" in page
    assert "| slow | 2.00 | 1.50 | 1.00 |" in page and "| quick |" not in page
    assert "| large | plain: no memory |" in page


def test_speed_of_models(tmp_path: Path) -> None:
    """A row a model, a word on the load, and what could not be measured; equality as for plain unless it differs."""
    time = {"median": 0.002, "low": 0.0019, "high": 0.0021}
    row = {
        "model": "a model",
        "dtype": "float16",
        "batch": 1,
        "breaks": {"plain": 10, "mended": 0},
        "graphs": {"plain": 4, "mended": 1},
        "recompilations": {"plain": 2, "mended": 0},
        "first": {"plain": 17.25, "mended": 19.63},
        "equal": {"plain": "within 1e-02", "mended": "within 1e-02"},
        "launches": {"plain": None, "mended": None},
        "waits": {"plain": None, "mended": None},
        "steady": {"eager": {**time, "median": 0.003}, "plain": time, "mended": {**time, "median": 0.00195}},
        "mended/plain": {"median": 0.677, "low": 0.67, "high": 0.685},
        "again/plain": {"median": 0.955, "low": 0.94, "high": 0.98},
    }
    other = {**row, "model": "another", "equal": {"plain": "bit for bit", "mended": "different"}}
    failed = {"model": "a third", "dtype": "float32", "batch": 32, "failed": "eager: no memory | in /a/b/c.py"}
    record = {"backend": "inductor", "device": "CPU", "processors": 4, "load": [1.0, 3.25], "groups": 9}
    (tmp_path / "bench-models.json").write_text(json.dumps({**record, "models": [row, other, failed]}))
    page = write(tmp_path)
    assert "a load of 1.0 to 3.2 while" in page and "| launches |" not in page
    assert "| a model | float16, 1 | 10, 0 | 4, 1 | 2, 0 | 17.2, 19.6 | 3 (1.9 to 2.1) | 2 (1.9 to 2.1) |" in page
    assert "| 1.95 (1.9 to 2.1) | 0.677 (0.67 to 0.685) | 0.955 (0.94 to 0.98) | within 1e-02 |" in page
    assert "| plain bit for bit, mended different |" in page
    assert "| a third | float32 | 32 | eager: no memory \\| in c.py |" in page
    assert "by hand, ms" not in page
    row["launches"], row["waits"] = {"plain": 120, "mended": 80}, {"plain": 5, "mended": 1}
    for kind, value in (("graphs", 1), ("first", 16.5), ("equal", "bit for bit"), ("steady", time)):
        row[kind] = {**row[kind], "hand": value}
    row["mended/hand"] = {"median": 1.012, "low": 0.99, "high": 1.03}
    (tmp_path / "bench-models.json").write_text(json.dumps({**record, "models": [row]}))
    page = write(tmp_path)
    assert "| launches | waits |" in page and "| 120, 80 | 5, 1 |" in page and "a third" not in page
    assert "| a model | float16, 1 | 4, 1, 1 | 17.2, 19.6, 16.5 | 2 (1.9 to 2.1) | 1.95 (1.9 to 2.1) |" in page
    assert "| 2 (1.9 to 2.1) | 1.01 (0.99 to 1.03) | bit for bit |" in page


def test_readers_of_answers(tmp_path: Path) -> None:
    damage = {"1": {"right": 5, "error": 5}, "2": {"error": 9, "wrong": 1}, "3": {"error": 10}}
    one = {"corpus": {"right": 3, "unsure": 1}, "damage": damage}
    record = {"texts": 4, "damaged": 10, "readers": {"a reader 1.0": one}}
    (tmp_path / "bench-meaning-peers.json").write_text(json.dumps(record))
    (tmp_path / "bench-meaning.json").write_text(json.dumps({"a call, us": 12.345}))
    page = write(tmp_path)
    assert "| a reader 1.0 | 3 | 0 | 0 | 1 | 0 |" in page
    assert "| a reader 1.0 | 50.0 % | 0.0 % | 0.0 % | 10.0 % | 0.0 % | 0.0 % |" in page
    assert "| a call, us | 12.35 |" in page or "| a call, us | 12.34 |" in page


def test_a_fixed_package(tmp_path: Path) -> None:
    """Counts of files and problems, and the verdicts on models where a zoo was run."""
    record = {
        "package": "transformers 5.1",
        "files": 40,
        "changed": ["a.py", "b.py"],
        "mends": {"GM101": 1, "GM302": 2},
    }
    problems = {"compile": [], "parse": ["b.py: bad"], "unstable": []}
    (tmp_path / "fixed.json").write_text(json.dumps({**record, **problems}))
    page = write(tmp_path)
    assert "2 of 40 files change, 3 mends (1 GM101, 2 GM302);\n0 do not compile,\n1 do not parse again" in page
    assert "`make fixed` (models of transformers 5.1):" in page
    assert "models whose own file has changed" not in page and "The models were not run; `make fixed KIT=kit" in page
    score = [{"name": "m", "family": "transformers", "verdict": "fewer", "broke": True, "reasons": []}]
    (tmp_path / "fixed-score.json").write_text(json.dumps(score))
    page = write(tmp_path)
    assert "1 models whose own file has changed" in page and "\n0 WRONG, 0 crash, 0 worse.\n" in page
    assert "were not run" not in page and "Not as before" not in page
    score.append({**score[0], "name": "n", "verdict": "WRONG", "reasons": ["call 1: a log record is missing"]})
    (tmp_path / "fixed-score.json").write_text(json.dumps(score))
    page = write(tmp_path)
    assert "\n1 WRONG, 0 crash, 0 worse.\n" in page
    assert "Not as before:" in page and "| n | WRONG | call 1: a log record is missing |" in page


def test_captures(tmp_path: Path) -> None:
    """Counts of outcomes, a row for each demo function, and every program that is captured worse afterwards."""

    def row(program: str, before: str, after: str, demo: bool = True) -> dict[str, object]:
        sides = {"before": {"export": [before, ""]}, "after": {"export": [after, "call 2: ValueError is not raised"]}}
        return {"program": program, "demo": demo, "changed": before != after, **sides}

    rows = [row("Branch", "refused", "right"), row("Check", "refused", "WRONG"), row("case", "right", "right", False)]
    record = {"rows": rows, "missing": {"JAX": "torchax is not installed"}, "versions": {"torch": "2.13.0"}}
    (tmp_path / "capture.json").write_text(json.dumps(record))
    page = write(tmp_path)
    assert "(torch 2.13.0): 3 programs, 2 changed by `graphmend fix --unsafe`" in page
    assert "| export | 1 | 2 | 0 | 0 | 0 | 1 | 2 | 0 |" in page and "JAX: not tried, torchax is not installed." in page
    assert "| Branch | refused → **right** |" in page and "| case | right" not in page
    assert "| Check | export | refused | WRONG | call 2: ValueError is not raised |" in page
    rows[1:2] = []
    (tmp_path / "capture.json").write_text(json.dumps(record))
    assert "No program is captured worse" in write(tmp_path)


def test_releases_of_torch(tmp_path: Path) -> None:
    """A row for each release, backend and choice of cases, what is not whole; the demo and runs of the tests apart."""
    common = {"torch": "2.15.0", "python": "3.11.7", "mode": "whole", "off": [], "only": "", "commit": "0123456789ab"}
    scores = {"what": "all cases", "inductor": False}
    eager = {**scores, "broke": 10, "verdicts": {"whole": 9, "same": 1, "clean": 2}, "left": ["trap_a"]}
    compiled = {**scores, "broke": 4, "verdicts": {"whole": 4}, "left": [], "inductor": True, "only": "branch_*"}
    models = {**scores, "broke": 2, "verdicts": {"whole": 1, "same": 1}, "left": ["opt"], "what": "20 models"}
    tests = {"tests": "700 passed", "what": "tests", "inductor": False}
    demo = {"status": 0, "breaks": {"plain": 10, "mended": 0}, "equal": True, "steady": 0.456}
    parts = (eager, compiled, models, tests, {"demo": demo, "what": "demo", "inductor": False})
    (tmp_path / "matrix.json").write_text(json.dumps([{**common, **part} for part in parts]))
    page = write(tmp_path)
    assert (
        "| 2.15.0 | 3.11.7 | whole | eager | all cases | 10 | 90 % | 9 | 2 | 0 | 1 | 0 | 0 | 0 | 0123456789ab |" in page
    )
    assert "| whole | inductor | `branch_*` | 4 | 100 % | 4 | 0 | 0 | 0 | 0 | 0 | 0 | 0123456789ab |" in page
    assert "| whole | eager | 20 models | 2 | 50 % | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0123456789ab |" in page
    assert "- 2.15.0: 10 breaks -> 0, bit for bit as eager, a steady call takes 0.46 of the plain one's time" in page
    assert "- 2.15.0, 20 models: opt" in page
    assert "- 2.15.0: trap_a" in page and "- 2.15.0: 700 passed" in page and "- 2.15.0, inductor" not in page


def test_transcripts_of_scripts(tmp_path: Path) -> None:
    """A row and a transcript for each script; they stay where the programs alone are measured again."""
    programs, scripts, page = tmp_path / "packages.json", tmp_path / "transcripts.json", tmp_path / "packages.md"
    programs.write_text(json.dumps({"programs": []}))
    plain = {"status": 0, "output": "loss 1\n", "graphs": 5, "summary": []}
    rows = [{"name": "fit", "plain": plain, "mended": {**plain, "graphs": 2, "summary": ["graphmend: 1 place mended"]}}]
    rows += [{"name": "other", "plain": plain, "mended": {**plain, "output": "loss 2\n"}}]
    scripts.write_text(json.dumps({"transcripts": rows}))
    command = [sys.executable, str(ROOT / "tools/results_of_packages.py"), str(programs)]
    command += ["--transcripts", str(scripts), "--out", str(page)]
    subprocess.run(command, check=True)
    text = page.read_text(encoding="utf-8")
    assert "| `fit.py` | 5 | 2 | same |" in text and "| `other.py` | 5 | 5 | DIFFERS |" in text
    assert "$ graphmend run bench/transcripts/fit.py\nloss 1\ngraphmend: 1 place mended\n```" in text
    scripts.unlink()
    subprocess.run(command, check=True)
    assert page.read_text(encoding="utf-8") == text
