"""Parts of docs/results.md about releases of torch, the features of the runtime, and the growth of time."""

from __future__ import annotations

from typing import Any

from page_sections import VERDICTS, table


def matrix_part(records: Any) -> list[str]:
    """The cases of the kit on other releases of torch."""
    rows = []
    for record in records:
        if not record["kit"]:
            continue
        counts = record["verdicts"]
        share = f"{100 * counts.get('whole', 0) / record['broke']:.0f} %" if record.get("broke") else "-"
        backend = "inductor" if record["inductor"] else "eager"
        cases = f"`{record['only']}`" if record["only"] else "all"
        verdicts = [counts.get(name, 0) for name in VERDICTS]
        rows.append(
            [record["torch"], record["python"], record["mode"], backend, cases, record["broke"], share, *verdicts]
        )
    lines = table(["torch", "Python", "mode", "backend", "cases", "broke", "whole", *VERDICTS], rows)
    left = [f"- {place_of(record)}: {', '.join(record['left'])}" for record in records if record.get("left")]
    tests = [f"- {record['torch']}: {record['tests']}" for record in records if record.get("tests")]
    lines += ["Not whole:", "", *left, ""] if left else []
    return [*lines, "The project's own runtime tests there:", "", *tests, ""] if tests else lines


def place_of(record: Any) -> str:
    """The release and the backend of a row, for a list."""
    return f"{record['torch']}, inductor" if record["inductor"] else str(record["torch"])


def worth_part(record: Any) -> list[str]:
    """What each gain frees, the most first."""
    gains = sorted(record["gains"].items(), key=lambda item: (-len(item[1]["lost"]), -item[1]["acts"]))
    rows = [
        [name, gain["does"], gain["acts"], len(gain["lost"]), ", ".join(gain["lost"]) or "-"] for name, gain in gains
    ]
    lines = [
        f"`make worth`: {record['cases']} cases run without one feature at a time. A feature acts where a hook of it",
        "gives something else than Dynamo would; lost are cases that are whole with it and not without it. A feature",
        "without such a case is held by models and by its own tests.",
        "",
    ]
    return lines + table(["feature", "what for", "acts in", "lost without it", "cases"], rows)


def growth_part(record: Any) -> list[str]:
    """The steepest shapes of source, and how many there are."""
    small, large = record["sizes"]
    rows = sorted(record["rows"], key=lambda row: -row["exponent"])
    told = [row for row in rows if not row["refused"]]
    steep = [row for row in rows if row["steep"]]
    lines = [
        f"`make growth`: {len(rows)} rows of shape and command, {small / 1e6:.2f} and {large / 1e6:.2f} MB, CPU",
        "seconds. The exponent is 1 where time grows with the size. Refused are files that are told as too large and",
        f"not analysed: {len(rows) - len(told)} rows at one of the sizes. {len(steep)} rows are above 1.2 and take",
        "more than 0.2 s. The ten steepest of the others:",
        "",
    ]
    chosen = [
        [row["shape"], row["command"], *row["seconds"], row["exponent"], "yes" if row["steep"] else ""] for row in told
    ]
    return lines + table(["shape", "command", "small, s", "large, s", "exponent", "above"], chosen[:10])
