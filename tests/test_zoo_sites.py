"""tools/zoo_sites.py: the kind of a break site, and whether it is gone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import site_kinds  # noqa: E402
import write_results  # noqa: E402
import zoo_sites  # noqa: E402

BRANCHING = "Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`). Dynamo does not support tracing it."
ITEM = "Dynamo does not support tracing `Tensor.item()` with config.capture_scalar_outputs=False."
NONZERO = "Operator `aten.nonzero.default`'s output shape depends on input Tensor data."
LOGGER = "logging.Logger methods are not supported for non-export cases."
LOCK = "Dynamo does not know how to enter a `lock` context manager."

# Source lines of one function, each with the reason of its break and what the site is.
LINES: tuple[tuple[str, str, tuple[str, str]], ...] = (
    ("if x.sum() > 0:\n        x = x + 1", BRANCHING, ("branch", "if")),
    ("if x.sum() > 1:\n        raise ValueError('large')", BRANCHING, ("guard", "if that raises")),
    ("if x.sum() > 2:\n        logger.warning('large')", BRANCHING, ("branch", "if that only reports")),
    ("if x[x > 0].numel() > 2:\n        x = x + 2", NONZERO, ("branch", "if")),
    ("while x.sum() > 3:\n        x = x - 1", BRANCHING, ("branch", "while")),
    ("assert x.max().item() < 9", ITEM, ("branch", "assert")),
    ("y = 1 if x.any() else 2", BRANCHING, ("branch", "conditional expression")),
    ("y = 1 if x.max().item() > 3 else 2", ITEM, ("branch", "conditional expression")),
    ("y = [z for z in x if z > 0]", BRANCHING, ("branch", "filter of a comprehension")),
    ("y = x.any() and y", BRANCHING, ("branch", "and/or")),
    ("y = max(x[0], x[1])", BRANCHING, ("branch", "in a builtin")),
    ("found = x.any().item()", ITEM, ("branch", "item that a test reads")),
    ("z = x.mean().item()", ITEM, ("number", "item")),
    ("z = x[:n]", ITEM, ("number", "index or size")),
    ("torch._check(x.max().item() > 0)", ITEM, ("guard", "check")),
    ("compilable_check(\n        x[x > 0].numel() == 3,\n    )", NONZERO, ("guard", "check")),
    ("x = x[x > 0]", NONZERO, ("shape", "mask as index")),
    ("i = torch.where(x)", NONZERO, ("shape", "nonzero")),
    ("logger.warning_once('text')", LOGGER, ("effect", "warning_once")),
    ("p = numpy.random.rand(1).item()", ITEM, ("random", "call")),
    ("with lock:\n        pass", LOCK, ("other", "")),
    ("if found:\n        x = x + 3", "", ("other", "")),
)


def write_source(folder: Path) -> tuple[Path, list[int]]:
    """A file with the lines, and where each of them is."""
    text, places = "def forward(x, n, y):\n", []
    for line, _, _ in LINES:
        places.append(text.count("\n") + 1)
        text += f"    {line}\n"
    path = folder / "modeling.py"
    path.write_text(text)
    return path, places


def test_kinds(tmp_path: Path) -> None:
    path, places = write_source(tmp_path)
    for (line, reason, expected), place in zip(LINES, places):
        role = site_kinds.classify(str(path), place, reason)
        assert (role.kind, role.form) == expected, line
    assert {expected[0] for _, _, expected in LINES} == set(site_kinds.KINDS)


def test_a_break_inside_a_long_call_belongs_to_the_call(tmp_path: Path) -> None:
    path, places = write_source(tmp_path)
    place = next(place for (line, _, _), place in zip(LINES, places) if "compilable_check" in line)
    assert site_kinds.classify(str(path), place + 1, NONZERO).kind == "guard"
    assert site_kinds.lines_at(str(path), place + 1) == range(place, place + 3)
    assert site_kinds.lines_at(str(path), places[0]) == range(places[0], places[0] + 1)


def test_a_file_that_is_gone_has_kinds_by_reason_alone(tmp_path: Path) -> None:
    assert site_kinds.classify(str(tmp_path / "none.py"), 3, NONZERO).kind == "shape"
    assert site_kinds.classify(str(tmp_path / "none.py"), 3, LOCK).kind == "other"


def record(path: Path, places: list[tuple[int, str]], error: str = "") -> dict[str, Any]:
    """A record of a run as a scorer keeps it."""
    breaks = [f"Graph break in user code at {path}:{line}" for line, _ in places]
    compiled = {"breaks": breaks, "break_reasons": [reason for _, reason in places], "graphs": 1}
    return {"phases": {"eager": {"calls": [{"error": error or None}] * 3}, "compiled": compiled}}


class Run:
    """A plain and a mended run of one model with the breaks on the first three lines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path, places = write_source(folder)
        self.places = list(zip(places, [reason for _, reason, _ in LINES]))[:3]
        for name in ("records", "kept"):
            (folder / name).mkdir()
        self.write(f"records/net-{'0' * 24}.json", record(self.path, self.places))

    def write(self, name: str, data: Any) -> None:
        (self.folder / name).write_text(data if isinstance(data, str) else json.dumps(data))

    def sites(
        self, verdict: str, left: list[tuple[int, str]], said: list[str], error: str = ""
    ) -> list[dict[str, Any]]:
        """What the tool says of the sites."""
        self.write("kept/net.json", record(self.path, left, error))
        self.write("kept/net.txt", "\n".join(["graphmend: summary", *said]))
        self.write("score.json", [{"name": "net", "verdict": verdict}])
        out = self.folder / "sites-dev.json"
        command = [sys.executable, str(ROOT / "tools/zoo_sites.py"), "list", "--json", str(out)]
        for name in ("records", "kept", "score"):
            command += [f"--{name}", str(self.folder / (name + (".json" if name == "score" else "")))]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(out.read_text())


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def test_all_sites_of_a_whole_model_are_gone(run: Run) -> None:
    sites = run.sites("whole", [], [])
    assert [(site["kind"], site["fate"], site["reason"]) for site in sites] == [
        ("branch", "gone", ""),
        ("branch", "gone", ""),
        ("guard", "gone", ""),
    ]
    assert sites[0]["fates"] == {"net": "gone"} and sites[0]["breaks"] == 1


def test_a_site_is_left_mended_or_unseen(run: Run) -> None:
    (first, _), (second, _), (third, _) = run.places
    said = [f"  as it is {run.path}:{first} GM101: shapes differ", f"  mended   {run.path}:{third} GM401"]
    sites = {site["line"]: site for site in run.sites("fewer", run.places[:1], said)}
    assert sites[first]["fate"] == "left" and sites[first]["reason"] == "GM101: shapes differ"
    assert sites[third]["fate"] == "gone"
    assert sites[second]["fate"] == "unseen"


def test_calls_that_raise_in_eager_python_tell_nothing(run: Run) -> None:
    sites = run.sites("same", run.places, [], "ValueError")
    assert {(site["fate"], site["reason"]) for site in sites} == {("not run", zoo_sites.RAISES)}
    assert zoo_sites.headline(sites).startswith("Of 0 branches on data, 0 are gone, and 2 are in calls that raise")


def test_the_page_names_branches_that_are_left(run: Run) -> None:
    said = [f"  breaks   Net ({run.path}:1): u0 is not known"]
    run.sites("same", run.places, said)
    page = "\n".join(write_results.sites_part(run.folder / "sites-dev.json"))
    assert "Of 2 branches on data, 0 are gone; of 1 guards on data, 0 are gone." in page
    rows = [row for row in page.splitlines() if str(run.path) in row]
    assert len(rows) == 3 and rows[0].endswith("| if | 0 of 1 | the call is not one graph: u is not known |")


def test_reasons_are_free_of_what_differs_between_runs() -> None:
    text = "Could not guard on data-dependent expression Eq(u12, 0) (unhinted: Eq(u12, 0)).  (Size-like symbols: u12)"
    assert zoo_sites.without_names(text) == "Could not guard on data-dependent expression Eq(u, 0)"
    assert zoo_sites.without_names("backend='<A object at 0x7f84f7b1f750>' raised:") == "backend='<A object>' raised:"


def test_keep_runs_the_command_and_keeps_record_and_stderr(tmp_path: Path) -> None:
    script = tmp_path / "command.py"
    script.write_text("import sys\nopen(sys.argv[-1], 'w').write('{}')\nprint('said', file=sys.stderr)\nsys.exit(3)\n")
    out = tmp_path / "out.json"
    command = [sys.executable, str(ROOT / "tools/zoo_sites.py"), "keep", str(tmp_path / "kept"), sys.executable]
    command += [str(script), "net.json", "--mode", "compiled", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr, out.read_text()) == (3, "said\n", "{}")
    assert (tmp_path / "kept/net.json").read_text() == "{}"
    assert (tmp_path / "kept/net.txt").read_text() == "said\n"
