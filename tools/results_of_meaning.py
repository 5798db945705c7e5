"""Parts of docs/results.md about the reader of models' answers and the client of endpoints."""

from __future__ import annotations

from typing import Any

from page_sections import table


def percent(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} %"


def readers_part(record: Any) -> list[str]:
    names = ("right", "error", "wrong", "unsure", "no such type")
    rows: list[list[object]] = []
    damaged: list[list[object]] = []
    for reader, one in record["readers"].items():
        rows.append([reader, *(one["corpus"].get(name, 0) for name in names)])
        row: list[object] = [reader]
        for faults in sorted(one["damage"]):
            counts = one["damage"][faults]
            row += [percent(counts.get(name, 0), record["damaged"]) for name in ("right", "wrong")]
        damaged.append(row)
    lines = [
        f"`make bench-meaning`, the {record['texts']} texts of the corpus (tests/meaning/meaning_corpus.py). Wrong is",
        "another value than the one that is there and no error; unsure is a value where the corpus wants an error,",
        "because the text could mean two things or is not whole.",
        "",
    ]
    lines += table(["reader", *names], rows)
    lines += [
        f"Texts that were damaged at random (tests/meaning/meaning_damage.py), {record['damaged']} each with one,",
        "two and three faults in brackets, quotes and separators; what is neither right nor wrong is an error:",
        "",
    ]
    return lines + table(["reader", *(f"{faults}: {name}" for faults in "123" for name in ("right", "wrong"))], damaged)


def plays_part(record: Any) -> list[str]:
    shared, everything = record["shared"], record["all"]
    rows = [
        [
            group,
            *(
                "{} of {}".format(*clients.get(group, ("-", "-")))
                for clients in [*everything.values(), *shared.values()]
            ),
        ]
        for group in everything["graphmend"]
    ]
    lines = [
        "`make bench-meaning PEER=openai`: servers that are slow, broken or lie (tests/meaning/plays), in four forms.",
        "A play holds where a call ends in time with a text that the server finished, or an error of its own type.",
        "The columns of all plays have those with a deadline for the whole call, which only this client has: a peer",
        "gets one try with that timeout. The other columns have the plays that ask for nothing only this client has.",
        "",
    ]
    return lines + table(["class", *(f"{name}, all" for name in everything), *shared], rows)


def reader_speed_part(record: Any) -> list[str]:
    return table(["", "best of several"], [[name, f"{value:.2f}"] for name, value in record.items()])
