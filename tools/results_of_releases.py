"""Parts of docs/results.md about releases of torch, and the features of the runtime."""

from __future__ import annotations

from typing import Any

from page_sections import VERDICTS, table


def matrix_part(records: Any) -> list[str]:
    """The cases and models of the kit, the demo and the project's own tests on other releases of torch."""
    scored = [record for record in records if "verdicts" in record]
    heads = ["torch", "Python", "mode", "backend", "what", "broke", "whole", *VERDICTS, "commit"]
    lines = table(heads, [matrix_row(record) for record in scored])
    left = [f"- {place_of(record)}: {', '.join(record['left'])}" for record in scored if record["left"]]
    lines += ["Not whole:", "", *left, ""] if left else []
    demos = [f"- {record['torch']}: {demo_line(record['demo'])}" for record in records if "demo" in record]
    lines += ["The demo's model there:", "", *demos, ""] if demos else []
    tests = [f"- {record['torch']}: {record['tests']}" for record in records if "tests" in record]
    return [*lines, "The project's own runtime tests there:", "", *tests, ""] if tests else lines


def matrix_row(record: Any) -> list[Any]:
    """One run of the kit: where it ran, what it ran, its verdicts, and the commit."""
    counts = record["verdicts"]
    share = f"{100 * counts.get('whole', 0) / record['broke']:.0f} %" if record["broke"] else "-"
    what = f"`{record['only']}`" if record["only"] else record["what"]
    place = [record["torch"], record["python"], record["mode"], "inductor" if record["inductor"] else "eager"]
    verdicts = [counts.get(name, 0) for name in VERDICTS]
    return [*place, what, record["broke"], share, *verdicts, record["commit"]]


def demo_line(demo: Any) -> str:
    """Breaks, results and time of the demo's model in one line."""
    equal = "bit for bit as eager" if demo["equal"] else "results differ from eager"
    breaks = demo["breaks"]
    steady = f"a steady call takes {demo['steady']:.2f} of the plain one's time"
    return f"{breaks['plain']} breaks -> {breaks['mended']}, {equal}, {steady}"


def place_of(record: Any) -> str:
    """The release, the models and the backend of a row, for a list."""
    parts = [
        record["torch"],
        record["what"] if record["what"] != "all cases" else "",
        "inductor" if record["inductor"] else "",
    ]
    return ", ".join(part for part in parts if part)


def gpu_part(record: Any) -> list[str]:
    """Cases and models on a GPU, and those that are not whole."""
    lines = [f"`make gpu`, {record['device']}, torch {record['torch']}:", ""]
    rows, left = [], []
    for name, part in record["parts"].items():
        verdicts = [row["verdict"] for row in part["rows"]]
        rows.append([name, len(verdicts), part["of"], *(verdicts.count(one) for one in VERDICTS)])
        names = [
            f"{row['name']} ({row['verdict']})" for row in part["rows"] if row["verdict"] not in ("whole", "clean")
        ]
        left += [f"- {name}: {', '.join(names)}"] if names else []
    lines += table(["part", "run", "of", *VERDICTS], rows)
    return lines + (["Not whole:", "", *left, ""] if left else [])


def worth_part(record: Any) -> list[str]:
    """What each gain frees, the most first."""
    gains = sorted(record["gains"].items(), key=lambda item: (-len(item[1]["lost"]), -item[1]["acts"]))
    rows = [
        [name, gain["does"], gain["acts"], len(gain["lost"]), ", ".join(gain["lost"]) or "-"] for name, gain in gains
    ]
    lines = [
        f"`make worth`: {record['cases']} cases run without one feature at a time. A feature acts where a hook of it",
        "gives something else than Dynamo would; lost are cases that are whole with it and not without it. A feature",
        "without such a case has its own tests; what it frees in models and packages is not measured here.",
        "",
    ]
    return lines + table(["feature", "what for", "acts in", "lost without it", "cases"], rows)
